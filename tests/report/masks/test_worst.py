"""Which cases are the worst, and what their cards say."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from overread.analysis.mask_results import MaskCase, MaskFate, MaskResults, MaskRow
from overread.errors import ImageError
from overread.imaging.label_map import LabelMap, read_label_map
from overread.records import Status
from overread.report.masks.sides import MaskSide
from overread.report.masks.worst import worst_cards, worst_rows


def results(values: list[tuple[str, str, float | None, float]], headline: str) -> MaskResults:
    """Make results of (case, label, headline, reference_ml)."""
    rows = tuple(
        MaskRow(
            case=case, label=label, status=Status.OK, reason=None, fate=None,
            values={headline: value, "reference_ml": size},
        )
        for case, label, value, size in values
    )  # fmt: skip
    names = dict.fromkeys(label for _, label, *_ in values)
    return MaskResults(
        title="t",
        labels=dict(enumerate(names, 1)),
        cases=tuple(MaskCase(id=case) for case in dict.fromkeys(row.case for row in rows)),
        rows=rows,
        units={headline: "mm" if headline.endswith("_mm") else "share", "reference_ml": "ml"},
        headline=headline,
    )


def test_the_lowest_come_first_and_of_equals_the_larger() -> None:
    own = results(
        [("a", "x", 0.0, 1), ("b", "x", 0.0, 9), ("c", "x", 0.4, 5), ("d", "x", None, 5)], "dice"
    )
    assert [row.case for row in worst_rows(own, most=3)] == ["b", "a", "c"]


def test_the_largest_distance_is_the_worst() -> None:
    own = results([("a", "x", 1.0, 1), ("b", "x", 9.0, 1)], "hd95_mm")
    assert [row.case for row in worst_rows(own, most=1)] == ["b"]


def test_what_was_made_up_is_among_the_worst_without_a_value() -> None:
    own = results([("a", "x", 0.2, 1), ("b", "x", None, 0), ("c", "x", None, 0)], "dice")
    fates: tuple[MaskFate | None, ...] = ("both present", "invented", "both empty")
    rows = tuple(replace(row, fate=fate) for row, fate in zip(own.rows, fates, strict=True))
    assert [row.case for row in worst_rows(replace(own, rows=rows), most=3)] == ["b", "a"]


def test_one_broken_case_does_not_fill_the_page() -> None:
    values = [("a", f"l{n}", 0.1, 1.0) for n in range(9)]
    values += [(case, "l0", 0.5, 1.0) for case in "bcdefg"]
    own = worst_rows(results(list(values), "dice"), most=6)
    assert [row.case for row in own] == ["a", "a", "b", "c", "d", "e"]


def test_of_a_single_case_all_labels_may_be_shown() -> None:
    own = results([("a", f"l{n}", 0.1, 1.0) for n in range(9)], "dice")
    assert len(worst_rows(own, most=6)) == 6


def test_files_of_a_case_are_read_once(phantoms: MaskResults) -> None:
    read: list[Path] = []

    def reader(path: Path) -> LabelMap:
        read.append(path)
        return read_label_map(path)

    cards = worst_cards(MaskSide(label="", colour=0, results=phantoms), most=12, read=reader)
    assert len(cards) == 12
    assert all(card.pictures.planes for card in cards)
    assert len(read) == len(set(read)) == 2 * len({card.case for card in cards})
    assert cards[0].fate in ("missed", "invented")
    assert cards[0].values[0] == ("Dice", "0.000")


def test_a_case_that_cannot_be_read_keeps_its_card_and_says_why(phantoms: MaskResults) -> None:
    def broken(path: Path) -> LabelMap:
        raise ImageError(f"{path.name}: a damaged file")

    side = MaskSide(label="", colour=0, results=phantoms)
    (card,) = worst_cards(side, most=1, read=broken)
    assert card.pictures.planes == ()
    assert card.problem == f"{card.case}.nii.gz: a damaged file"


def test_a_scan_that_cannot_be_read_leaves_the_outlines(
    phantoms: MaskResults, tmp_path: Path
) -> None:
    cases = tuple(replace(case, image=tmp_path / "gone.nii.gz") for case in phantoms.cases)
    side = MaskSide(label="", colour=0, results=replace(phantoms, cases=cases))
    (card,) = worst_cards(side, most=1, read=read_label_map)
    assert len(card.pictures.planes) == 3
    assert "the scan cannot be shown: gone.nii.gz" in card.pictures.note
    assert str(tmp_path) not in card.pictures.note  # no page tells where files lay
