from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from overread.analysis.ranking.examples import clear_order, many_missing, no_order
from overread.analysis.ranking.options import RankingOptions
from overread.analysis.ranking.ranking import TaskRanking, consensus, rank_methods
from overread.analysis.ranking.table import CaseTable, RankedMetric
from overread.report.rank_figures import MOST_METHODS, heat_map, podium, rank_plot, rule_lines
from overread.report.rank_page import write_ranking
from overread.report.rank_svg import ranking_svg

_VALUE = [RankedMetric(name="value", larger_is_better=True)]
_NASTY = '<script>alert(1)</script>"&\u202e'


def ranked(table: CaseTable, **options) -> TaskRanking:
    return rank_methods(table, _VALUE, RankingOptions(draws=40, **options))


@pytest.fixture(scope="module")
def luck() -> TaskRanking:
    return ranked(no_order(30, 5, np.random.default_rng(0)))


def test_figures_show_the_numbers_of_the_ranking(luck: TaskRanking) -> None:
    rows = rank_plot(luck)
    assert [row.method for row in rows] == [row.method for row in luck.rows]
    assert luck.stability is not None
    first = luck.stability.frequency[luck.methods.index(rows[0].method)]
    areas = {blob.x: float(blob.radius) ** 2 for blob in rows[0].blobs}
    for rank, share in enumerate(first, 1):
        if share > 0.01:  # area over the area of a whole, 10 squared
            assert areas[f"{100 * (rank - 0.5) / 5:.2f}%"] / 100 == pytest.approx(share, abs=0.005)
    grid = heat_map(luck, luck.pairs)
    assert all(grid[i].cells[i].kind == "self" for i in range(5))
    assert {cell.kind for row in grid for cell in row.cells} == {"self", "untold"}
    for place in podium(luck):
        assert sum(float(part.width[:-1]) for part in place.segments) == pytest.approx(
            100, abs=0.05
        )
    rules, lines = rule_lines(luck)
    assert len(rules) == 5
    assert all(len(line.points) == 5 for line in lines)


def test_a_clear_order_fills_the_upper_half_of_the_map() -> None:
    found = ranked(clear_order(30, 4, np.random.default_rng(0)))
    kinds = [[cell.kind for cell in row.cells] for row in heat_map(found, found.pairs)]
    assert kinds[0] == ["self", "better", "better", "better"]
    assert kinds[3] == ["worse", "worse", "worse", "self"]


def test_hostile_names_stay_text(tmp_path: Path) -> None:
    table = no_order(8, 3, np.random.default_rng(0))
    nasty = CaseTable(
        task=_NASTY,
        methods=(_NASTY, "B", "\ud800"),
        cases=table.cases,
        values=table.values,
    )
    page = write_ranking([ranked(nasty)], None, [], _NASTY, tmp_path).read_text("utf-8")
    assert "<script" not in page
    assert "&lt;script&gt;" in page
    assert "style=" not in re.sub(r"<style>.*?</style>", "", page, flags=re.DOTALL)
    svg = next(tmp_path.glob("*.svg")).read_text("utf-8")
    assert "<script" not in svg
    ElementTree.fromstring(svg)


def test_several_tasks_one_without_resamples(tmp_path: Path, luck: TaskRanking) -> None:
    one = CaseTable(
        task="one case",
        methods=luck.methods,
        cases=("x",),
        values={"value": np.array([[0.1, 0.2, 0.3, 0.4, 0.5]])},
    )
    rankings = [luck, ranked(one)]
    page = write_ranking(rankings, consensus(rankings), [], "two.csv", tmp_path).read_text("utf-8")
    assert "All tasks together" in page
    assert "one case has no spread" in page
    assert len(list(tmp_path.glob("ranking-*.svg"))) == 2


def test_more_methods_than_a_figure_holds(tmp_path: Path) -> None:
    table = clear_order(1, MOST_METHODS + 5, np.random.default_rng(0))
    # One value each, so that no pair costs a test.
    found = ranked(replace(table, is_aggregated=True))
    assert len(rank_plot(found)) == MOST_METHODS
    page = write_ranking([found], None, [], "many.csv", tmp_path).read_text("utf-8")
    assert f"The best {MOST_METHODS} of {MOST_METHODS + 5} methods" in page


def test_the_figure_is_the_same_each_time_and_its_text_is_text(luck: TaskRanking) -> None:
    one, two = (ranking_svg(luck, title="Luck") for _ in range(2))
    assert one == two
    texts = [each.text for each in ElementTree.fromstring(one).iter() if each.tag.endswith("text")]
    assert luck.rows[0].method in texts
    assert "prefers-color-scheme: dark" in one


def test_missing_values_are_told(tmp_path: Path) -> None:
    found = ranked(many_missing(20, 3, 0.2, np.random.default_rng(0)), missing="drop")
    page = write_ranking([found], None, [], "gaps.csv", tmp_path).read_text("utf-8")
    assert "4 of value; policy drop" in page
