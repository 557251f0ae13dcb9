"""From radiology reports to an exam of open spatial questions, in CT-SpatialVQA's layout.

The way, in the order of the modules: `reports` (a table of reports), `forms` (what is asked of two
chat models and how their replies are read), `steps` (every prompt and reply, kept as they come),
`pipeline` (generate, validate, decide), `audit_sheet` and `audit` (people look at a sample),
`release_files` (the release), `build_report` (what was dropped and why), `build` (all of it).
"""
