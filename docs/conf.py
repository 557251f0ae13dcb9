"""Builds the documentation: Markdown pages and a reference made from the code's docstrings."""

project = "overread"
copyright = "2026, the overread authors"
extensions = ["myst_parser", "sphinx.ext.autodoc", "numpydoc"]
source_suffix = {".md": "markdown"}
master_doc = "index"
exclude_patterns = ["_build"]
myst_heading_anchors = 3
myst_enable_extensions = ["colon_fence"]
html_theme = "alabaster"
html_title = "overread"
html_theme_options = {
    "description": "The second read for medical-image AI",
    "fixed_sidebar": True,
    "page_width": "1100px",
}
autodoc_member_order = "bysource"
autodoc_typehints = "none"
numpydoc_show_class_members = False
numpydoc_xref_param_type = False
autosummary_generate = False
