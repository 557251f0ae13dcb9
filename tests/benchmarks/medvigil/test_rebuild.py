"""Printed numbers worked back to counts, released tables, and the known values of both."""

from __future__ import annotations

from pathlib import Path

import pytest

from overread.audits.reproduce.rebuilt import rebuilt
from overread.benchmarks.medvigil import BENCHMARK
from overread.benchmarks.medvigil.axes import GROUND_FORMS, capability, composite, grounding, safety
from overread.benchmarks.medvigil.protocol import published_numbers
from overread.benchmarks.medvigil.readers import decay_steps, reader_counts, reader_rates
from overread.benchmarks.medvigil.rebuild import counted_rates, printed_rates, rebuild
from overread.metrics.evidence import TIER_WEIGHTS
from overread.stats.intervals import wilson

FORM = next(iter(GROUND_FORMS.values()))
ROWS = {row["who"]: row for row in published_numbers()["row"] if "kinds" in row}


def axes(rates) -> list[float]:
    found = (
        capability(rates),
        safety(rates, TIER_WEIGHTS),
        grounding(rates, FORM),
        composite(rates, TIER_WEIGHTS, FORM),
    )
    return [100 * float(each) for each in found]


def test_the_radiologist_from_rounded_percentages() -> None:
    found = axes(printed_rates(published_numbers()["reader"]))
    assert found == pytest.approx([92.55, 90.6632, 70.5, 83.2889], abs=5e-5)
    assert 100 - found[1] == pytest.approx(177.4 / 19)


def test_the_radiologist_from_counts(whole: Path) -> None:
    counts = reader_counts(whole)
    found = axes(reader_rates(counts))
    assert found == pytest.approx([92.5325, 100 - 9.3209, 70.5729, 83.3226], abs=1e-4)
    total = [one for one in counts if one.tier == "ALL"]
    assert (sum(one.right for one in total), sum(one.n for one in total)) == (2361, 2556)
    traps = next(one for one in total if one.kind == "halluc_trap")
    assert traps.n - traps.right == 35


@pytest.mark.parametrize(
    ("who", "expected"),
    [
        ("Claude Opus 4.7", (79.925, 74.77, 57.3, 69.22)),
        ("GPT-4o", (54.75, 36.02, 45.3, 44.05)),
    ],
)
def test_printed_rows(who: str, expected: tuple[float, ...]) -> None:
    assert axes(printed_rates(ROWS[who])) == pytest.approx(expected, abs=5e-3)


@pytest.mark.parametrize("who", ROWS)
def test_printed_composites_follow_from_the_counts_behind_printed_rates(who: str) -> None:
    rates, odd = counted_rates(ROWS[who])
    assert odd == []  # every rate is a count of all probes: no row was dropped
    found = axes(rates)
    assert found[3] == pytest.approx(ROWS[who]["mcs"], abs=0.05 + 1e-9)
    assert found[2] == pytest.approx((100 * rates[("roi_only",)] + 50) / 2)


def test_one_printed_rate_is_no_count() -> None:
    assert counted_rates(published_numbers()["reader"])[1] == [
        "roi_only: 91.0 % is no count of 192"
    ]


def test_cells_on_a_synthetic_release(drawn: Path) -> None:
    cells = [rebuilt(cell) for cell in BENCHMARK.open(drawn).rebuild()]
    assert not [cell for cell in cells if cell.differs]
    names = {cell.column for cell in cells}
    assert {"capability", "safety", "grounding", "MCS", "all probes", "traps answered"} <= names
    mirrored = {c.row: c.recomputed for c in cells if c.column.startswith("mirrored")}
    # The radiologist's count, 272 of 300, is known: what the printed total leaves fits it.
    assert mirrored["independent radiologist"] == pytest.approx(272 / 300, abs=0.0043)
    (lost,) = [cell for cell in cells if cell.column.startswith("blur")]
    assert (lost.published, lost.recomputed) == (64.0, 64)


def test_other_weights_hardly_move_the_order() -> None:
    cells = [c for c in rebuild(Path("absent"), is_synthetic=True) if c.column.startswith("rank")]
    assert len(cells) == 9
    found = [cell.recomputed for cell in cells if cell.recomputed is not None]
    assert found[0] == found[5] == pytest.approx(1.0)
    assert min(found) == pytest.approx(0.9515, abs=5e-5)  # of 10 models: half the gain
    assert all("Opus" in (cell.fault or "") for cell in cells)


# ---------------------------------------------------------------- released files


@pytest.mark.data
def test_the_pilot_of_hidden_boxes(released: Path) -> None:
    steps = decay_steps(released)
    assert {step.model for step in steps} == {"Claude Opus 4.7", "GPT-5.5", "Gemini 3 Flash"}
    assert all(step.n == 80 for step in steps)
    refused = {(step.model, step.step): step.refused for step in steps}
    assert [refused["Claude Opus 4.7", step] for step in range(4)] == [3, 7, 19, 46]
    assert [refused["GPT-5.5", step] for step in range(4)] == [2, 7, 20, 47]
    assert [refused["Gemini 3 Flash", step] for step in range(4)] == [1, 1, 9, 34]
    interval = wilson(46, 80)
    assert 100 * interval.low == pytest.approx(46.6, abs=0.05)
    assert 100 * interval.high == pytest.approx(67.7, abs=0.05)
    assert all(step.switched_percent + step.stable_percent == pytest.approx(100) for step in steps)


@pytest.mark.data
def test_rules_and_judge_agree_as_the_summary_says(released: Path) -> None:
    cells = [c for c in rebuild(released, is_synthetic=False) if c.column.startswith("kappa")]
    assert len(cells) == 14
    for cell in cells:
        if cell.recomputed is None:
            assert (cell.row, cell.published) == ("llava-med", 1.0)  # one verdict only
        else:
            assert cell.recomputed == pytest.approx(cell.published, abs=1e-9)
    overall = {c.column: c for c in cells if c.row == "all models"}
    assert overall["kappa of rules and judge, refusal"].recomputed == pytest.approx(
        0.6975, abs=5e-5
    )
    assert overall["kappa of rules and judge, refusal"].n_published == 240
