"""The page about masks in a browser: it fits, it is quiet, and outlines can be switched off."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.report.test_browser import Browser

from overread.analysis.mask_results import MaskResults
from overread.imaging.label_map import read_label_map
from overread.report.mask_page import write_mask_page
from overread.report.masks.page import write_sides
from overread.report.masks.sides import MaskSide

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(
        shutil.which("chromium") is None and shutil.which("google-chrome") is None,
        reason="Chromium is not installed",
    ),
]


@pytest.fixture(scope="module")
def page(phantoms: MaskResults, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_mask_page(phantoms, tmp_path_factory.mktemp("page"))


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    chromium = Browser(tmp_path_factory.mktemp("chromium"))
    yield chromium
    chromium.close()


@pytest.mark.parametrize("width", [1440, 390])
@pytest.mark.parametrize("dark", [False, True])
def test_the_page_fits_and_is_quiet(browser: Browser, page: Path, width: int, dark: bool) -> None:
    browser.look(width=width, dark=dark)
    browser.open(page)
    assert browser.js("document.documentElement.scrollWidth") <= width
    assert browser.complaints() == []
    elsewhere = [url for url in browser.requests() if not url.startswith("data:image/webp;")]
    assert elsewhere == [page.as_uri()]
    assert browser.js("window.alert.name") == "alert"  # nothing of a hostile name ran


def test_a_label_table_stays_readable_on_a_phone(browser: Browser, page: Path) -> None:
    browser.look(width=390)
    browser.open(page)
    widths = browser.js(
        "[...document.querySelectorAll('#labels .strip')].map((e) => e.clientWidth)"
    )
    assert len(widths) == 4
    assert min(widths) > 280


@pytest.mark.parametrize("width", [1440, 390])
def test_a_long_name_of_a_run_is_cut_in_its_middle_and_told_whole(
    browser: Browser, phantoms: MaskResults, tmp_path: Path, width: int
) -> None:
    names = [
        f"command:/opt/venv/bin/python /srv/models/predict.py {end}" for end in ("fast", "slow")
    ]
    sides = [MaskSide(label=each, colour=n, results=phantoms) for n, each in enumerate(names)]
    page = write_sides(
        sides,
        tmp_path / "page.html",
        title="Two runs",
        subtitle=[],
        read=read_label_map,
        most_pictures=0,
        extra={},
    )
    browser.look(width=width)
    browser.open(page)
    beyond = browser.js(
        "Array.from(document.querySelectorAll('.strips-of tbody th .name'), (e) =>"
        " e.getBoundingClientRect().right - e.closest('th').getBoundingClientRect().right)"
    )
    assert len(beyond) >= 2
    assert max(beyond) <= 0
    ends = browser.js(
        "Array.from(document.querySelectorAll('.strips-of tbody th bdi.long'), (e) =>"
        " [e.title, e.lastChild.textContent, e.lastChild.getBoundingClientRect().width])"
    )
    assert {title for title, _, _ in ends} == set(names)
    assert {end[-4:] for _, end, _ in ends} == {"fast", "slow"}
    assert min(wide for _, _, wide in ends) > 40
    assert browser.js("document.documentElement.scrollWidth") <= width


def test_planes_are_squares_of_one_size_with_outlines_inside(browser: Browser, page: Path) -> None:
    browser.look(width=1440)
    browser.open(page)
    boxes = browser.js(
        "[...document.querySelectorAll('.worst-card')].map((card) =>"
        " [...card.querySelectorAll('.plane > svg:first-child')].map((e) =>"
        " { const b = e.getBoundingClientRect(); return [b.width, b.height] }))"
    )
    assert len(boxes) == 12
    for card in boxes:
        assert len(card) == 3
        for width, height in card:
            assert width == pytest.approx(height, abs=1)
            assert width == pytest.approx(card[0][0], abs=1)
    outside = browser.js(
        "[...document.querySelectorAll('.plane .line')].filter((line) => {"
        " const a = line.getBoundingClientRect();"
        " const b = line.closest('svg').getBoundingClientRect();"
        " return a.left < b.left - 2 || a.right > b.right + 2 || a.top < b.top - 2 "
        "|| a.bottom > b.bottom + 2 }).length"
    )
    assert outside == 0


@pytest.mark.parametrize(
    ("toggle", "gone"),
    [
        ("show-reference", ".of-reference"),
        ("show-prediction", ".of-prediction"),
        ("show-areas", ".area"),
    ],
)
def test_outlines_can_be_switched_off(browser: Browser, page: Path, toggle: str, gone: str) -> None:
    browser.look(width=1440)
    browser.open(page)
    seen = (
        f"[...document.querySelectorAll('.plane {gone}')]"
        ".filter((e) => getComputedStyle(e).display !== 'none').length"
    )
    assert browser.js(seen) > 0
    browser.js(f"document.querySelector('.{toggle}').click()")
    assert browser.js(seen) == 0
    browser.js(f"document.querySelector('.{toggle}').click()")
    assert browser.js(seen) > 0
