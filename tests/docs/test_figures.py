"""The figures of the documentation are what their scripts draw today."""

from __future__ import annotations

import re
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"
SCRIPTS = sorted((DOCS / "figures").glob("*.py"))
DRAWN = sorted((DOCS / "images").glob("*.svg"))


@pytest.mark.slow
@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.stem)
def test_a_script_draws_the_committed_figure(script: Path, tmp_path: Path) -> None:
    subprocess.run(
        [sys.executable, "-W", "error", str(script), str(tmp_path)], check=True, timeout=120
    )
    drawn = sorted(path.name for path in tmp_path.iterdir())
    assert drawn == [f"{script.stem}.svg"]
    ours = (tmp_path / drawn[0]).read_text("utf-8")
    committed = (DOCS / "images" / drawn[0]).read_text("utf-8")
    remedy = f"python {script.relative_to(DOCS.parent)}"
    assert ours == committed, f"docs/images/{drawn[0]} is out of date: {remedy}"


def test_every_figure_has_a_script() -> None:
    assert [path.stem for path in DRAWN] == [path.stem for path in SCRIPTS]


@pytest.mark.parametrize("figure", DRAWN, ids=lambda figure: figure.stem)
def test_a_figure_reads_on_light_and_dark_has_real_text_and_loads_nothing(figure: Path) -> None:
    text = figure.read_text("utf-8")
    root = ET.fromstring(text)
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    assert root.get("viewBox")
    tags = {node.tag.rpartition("}")[2] for node in root.iter()}
    assert "text" in tags
    assert "title" in tags
    assert not tags & {"script", "image", "foreignObject", "use"}
    links = re.findall(r"(?:href|src|url)\s*[=(]\s*[\"']?([^\"')\s]+)", text)
    assert all(link.startswith("#") for link in links)
    # Black or white ink, or a filled page, would vanish on the other background.
    assert not re.search(r"(?:fill|stroke)=\"(?:#000(?:000)?|black|#fff(?:fff)?|white)\"", text)


@pytest.mark.parametrize("figure", DRAWN, ids=lambda figure: figure.stem)
def test_a_page_shows_the_figure_and_says_what_is_to_be_seen(figure: Path) -> None:
    pages = [page.read_text("utf-8") for page in (DOCS / "why").glob("*.md")]
    shown = [page for page in pages if f"../images/{figure.name}" in page]
    assert shown
    for page in shown:
        block = page.partition(f"../images/{figure.name}")[2].partition("```")[0]
        assert re.search(r"^:alt: .{20,}", block, re.MULTILINE)
