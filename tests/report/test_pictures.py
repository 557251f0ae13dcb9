from __future__ import annotations

from dataclasses import replace

from overread.contracts import Renderer
from overread.records import Media, Recipe, Severity
from overread.report.data import GalleryAnswer, ReportData
from overread.report.pictures import (
    as_rendered,
    find_changed,
    role_of,
    stock_shelf,
    with_changed_pictures,
)

ONE, NINE = ("a.png",), tuple(f"{n}.png" for n in range(9))


def test_roles() -> None:
    assert role_of(Media(paths=ONE)) == "single"
    assert role_of(Media(paths=ONE, recipe=Recipe(stack="mosaic"))) == "single"
    assert role_of(Media(paths=NINE)) == "slice"
    assert role_of(Media(paths=NINE, recipe=Recipe(stack="mosaic"))) == "mosaic"


def test_recipes_that_render_the_same_share_their_pictures() -> None:
    small = Recipe(stack="features", max_side_px=96)
    assert as_rendered(Media(paths=NINE, recipe=small)) == Media(
        paths=NINE, recipe=Recipe(max_side_px=96)
    )
    assert as_rendered(Media(paths=ONE, recipe=Recipe(stack="mosaic"))) == Media(paths=ONE)
    tiled = Media(paths=NINE, recipe=Recipe(stack="mosaic"))
    assert as_rendered(tiled) is tiled
    assert as_rendered(Media(paths=ONE)) == Media(paths=ONE)


def test_a_picture_that_is_not_the_one_sent_is_a_finding_of_its_run(
    small_report: ReportData, renderer: Renderer
) -> None:
    shelf = stock_shelf(small_report, renderer)
    assert find_changed(small_report, shelf) == {}
    place = next(
        n for n, entry in enumerate(small_report.gallery)
        if entry.item.media and "gone" not in entry.item.media[0].paths[0]
    )  # fmt: skip
    entry = small_report.gallery[place]
    run = small_report.runs[1].manifest.run
    answer = entry.answers[run]
    assert answer.response is not None
    first, *rest = answer.response.receipts
    response = replace(answer.response, receipts=(replace(first, sha256="0" * 64), *rest))
    answers: dict[str, GalleryAnswer] = {
        **entry.answers, run: replace(answer, response=response)
    }  # fmt: skip
    gallery = list(small_report.gallery)
    gallery[place] = replace(entry, answers=answers)
    report = replace(small_report, gallery=tuple(gallery))
    (changed,) = find_changed(report, shelf)[run][entry.item.id]
    assert changed.sha256 == "0" * 64
    told = with_changed_pictures(report, shelf)
    assert told.runs[0] == report.runs[0]
    finding = told.runs[1].findings[-1]
    assert (finding.code, finding.severity, finding.count) == (
        "pictures-changed", Severity.WARNING, 1,
    )  # fmt: skip
    assert finding.where == f"1 question, such as {entry.item.id}: {', '.join(first.sources)}"
    assert finding.evidence.startswith("1 picture that was sent has another SHA-256")
