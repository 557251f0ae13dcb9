from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from overread.audits.reproduce.table import reproduce
from overread.benchmarks.autopet3 import leaderboard, protocol
from overread.benchmarks.autopet3.loader import AutoPet3Release
from overread.metrics.lesions import FNV_ML, FPV_ML
from overread.metrics.overlap import DICE
from overread.registry import find_audit
from overread.stats.rank_distance import tau_b

ROWS = protocol.leaderboard_rows("category 1")
EXAMPLES = Path(__file__).parents[3] / "examples" / "tables"


def mean(who: str, metric: str) -> float:
    found = [
        value.value
        for value in protocol.published_values()
        if (value.who, value.metric) == (who, metric)
    ]
    assert len(found) == 4
    return float(np.mean(found))


def test_the_table_is_the_one_among_the_examples() -> None:
    here = Path(protocol.__file__).parent
    names = protocol.LEADERBOARDS["category 1"]
    for name, example in zip(names, ("autopet3.csv", "autopet3.toml"), strict=True):
        assert (here / name).read_bytes() == (EXAMPLES / example).read_bytes()


def test_the_first_place_has_the_numbers_of_the_abstract() -> None:
    # 0.66, 3.18 ml and 2.78 ml; "8 %" above the baseline are 8 points above the datacentric one
    dice, fnv_ml, fpv_ml = (mean("place 1", spec.name) for spec in (DICE, FNV_ML, FPV_ML))

    assert dice == pytest.approx(0.6616, abs=5e-5)
    assert fnv_ml == pytest.approx(3.184, abs=5e-4)
    assert fpv_ml == pytest.approx(2.785, abs=5e-4)
    datacentric = mean("datacentric baseline", DICE.name)
    assert dice - datacentric == pytest.approx(0.080, abs=5e-4)
    assert fnv_ml - mean("datacentric baseline", FNV_ML.name) == pytest.approx(-5.03, abs=0.005)
    assert dice - mean("nnunet baseline", DICE.name) == pytest.approx(0.209, abs=5e-4)


def test_published_values_are_in_subsets_and_say_their_number_where_it_is_known() -> None:
    values = protocol.published_values()

    # 19 rows of category 1, and 4 of category 2 beside the baseline that stands in both
    assert len(values) == (19 + 4) * 3 * 4
    assert len({(v.who, v.metric, *v.stratum.values()) for v in values}) == len(values)
    assert {value.n for value in values if value.metric == FPV_ML.name} == {50}
    # how many of the 50 have a lesion was not published
    assert {value.n for value in values if value.metric != FPV_ML.name} == {None}
    first = values[0]
    assert (first.who, first.value, dict(first.stratum)) == (
        "place 1",
        0.6619,
        {"centre": "LMU", "tracer": "FDG"},
    )


def test_scores_follow_from_overall_ranks_and_some_ranks_not_from_positions(
    synthetic: Path,
) -> None:
    cells = reproduce(AutoPet3Release(synthetic), findings=()).cells
    printed = [cell for cell in cells if cell.published is not None and "1" in cell.column]

    scores = [cell for cell in printed if cell.column == "mean position, category 1"]
    assert len(scores) == 19
    assert not any(cell.differs for cell in scores)
    off = {
        (cell.row, cell.column): (cell.recomputed, cell.published)
        for cell in printed
        if cell.differs
    }
    assert off == {
        ("place 1", "FPV overall rank, category 1"): (11.0, 12.0),
        ("place 2", "FNV overall rank, category 1"): (5.0, 5.125),
        ("place 15", "DSC overall rank, category 1"): (18.75, 18.5),
        ("place 15", "FNV overall rank, category 1"): (14.75, 14.5),
        ("place 15", "FPV overall rank, category 1"): (26.75, 26.625),
    }
    faults = {(cell.row, cell.column): cell.fault or "" for cell in printed}
    assert "a place shared by two" in faults["place 2", "FNV overall rank, category 1"]
    assert "misprinted" in faults["place 1", "FPV overall rank, category 1"]


def test_who_else_takes_part_decides_between_the_second_and_the_third() -> None:
    scores = dict(
        zip((row["algorithm"] for row in ROWS), leaderboard.listed_scores(ROWS), strict=True)
    )

    assert (scores["place 2"], scores["place 3"]) == (5.9375, 5.875)
    assert min(scores, key=lambda who: scores[who]) == "place 1"
    published = np.array([float(row["mean position"]) for row in ROWS])
    tau = float(tau_b(np.array(list(scores.values())), published))
    assert tau == pytest.approx(0.9736, abs=5e-5)


def test_rebuilt_cells_say_which_places_move() -> None:
    cells = [
        cell for cell in leaderboard.rebuilt_cells(ROWS, "category 1") if "among" in cell.column
    ]

    moved = {cell.row: cell.fault for cell in cells if cell.fault}
    assert {"place 2", "place 3"} <= moved.keys()
    assert "place 1" not in moved
    assert all(cell.published is None for cell in cells)
    assert "place 2 of the rows by the printed score, place 3 here" in (moved["place 2"] or "")


def test_the_audit_finds_the_printed_faults(synthetic: Path) -> None:
    found = list(find_audit("printed-tables").look(AutoPet3Release(synthetic)))

    text = "\n".join(f"{each.code} {each.where} {each.evidence}" for each in found)
    assert "rank-off leaderboard.csv: place 1, FPV LMU FDG" in text
    assert "total-off leaderboard.csv: place 1, FPV overall rank" in text
    assert "total-off leaderboard.csv: place 2, FNV overall rank" in text
    for metric in ("DSC", "FNV", "FPV"):
        assert f"total-off leaderboard.csv: place 15, {metric} overall rank" in text
    assert "repeated-value" in text
    assert "924.3099" in text


def test_category_2_has_no_printed_fault_and_a_tie_that_dice_breaks() -> None:
    rows = protocol.leaderboard_rows("category 2")
    cells = [each for each in leaderboard.rebuilt_cells(rows, "category 2") if each.published]

    assert len(cells) == 5 * 4
    assert all(cell.recomputed == cell.published for cell in cells)
    scores = [cell.published for cell in cells if cell.column.startswith("mean position")]
    assert scores == [2.5625, 3.125, 4.0, 5.8125, 5.8125]
    dice = leaderboard.subset_values(rows, "DSC").mean(axis=1)
    assert dice[3] > dice[4]


def test_the_audit_says_of_category_2_only_that_rows_are_missing(synthetic: Path) -> None:
    found = find_audit("printed-tables").look(AutoPet3Release(synthetic))

    of_second = [each.code for each in found if each.where.startswith("leaderboard_datacentric")]
    assert of_second == ["row-count"]
