"""Known values of CT-Bench's specification (arXiv 2602.14879)."""

import pytest

from overread.benchmarks.ct_bench import protocol
from overread.stats.intervals import wilson


def counts(split, box=None):
    return sum(
        c.n
        for c in protocol.expected_counts()
        if c.split == split and box in (None, c.stratum["box"])
    )


def test_question_counts():
    # arXiv 2602.14879: 1,900 test (900 without a box + 1,000 with), 950 validation
    assert counts("test") == 1900
    assert (counts("test", "no-box"), counts("test", "box")) == (900, 1000)
    assert counts("validation") == 950
    assert len([c for c in protocol.expected_counts() if c.split == "test"]) == 13


def published(who, metric="accuracy"):
    return {
        value.stratum.get("box", "total"): value
        for value in protocol.published_values()
        if value.who == who and value.metric == metric
    }


def test_the_total_of_the_box_trained_model_follows_from_its_parts_within_rounding():
    rows = published("BiomedCLIP trained with boxes")
    pooled = (rows["box"].value * 1000 + rows["no-box"].value * 900) / 1900
    assert pooled == pytest.approx(0.502, abs=5e-4)
    assert rows["total"].value == 0.503


def test_readers_are_counts():
    # From the printed cells: 80, 82 and 56 of 100; 47 and 49 of 55 with, 33 and 33 of 45 without.
    first, second = published("senior radiologist 1"), published("senior radiologist 2")
    assert [(r["total"].count, r["total"].n) for r in (first, second)] == [(80, 100), (82, 100)]
    assert [(r["box"].count, r["box"].n) for r in (first, second)] == [(47, 55), (49, 55)]
    assert [(r["no-box"].count, r["no-box"].n) for r in (first, second)] == [(33, 45), (33, 45)]
    junior = published("junior doctor")["total"]
    assert (junior.count, junior.n, junior.value) == (56, 100, 0.56)


def test_printed_averages_of_readers_stand_apart_from_their_counts():
    # The printed totals follow from the printed halves, 55 and 45 cases, and neither from counts.
    for who, total in (("senior radiologist 1", 0.792), ("senior radiologist 2", 0.815)):
        rows = published(who, metric="printed_accuracy")
        assert 0.55 * rows["box"].value + 0.45 * rows["no-box"].value == pytest.approx(total)
        assert rows["total"].value == total
        assert {row.count for row in rows.values()} == {None}


def test_gpt_4v_has_540_right_and_its_wilson_interval():
    row = published("GPT-4V")["total"]
    assert row.count == 540
    assert round(row.count / row.n, 3) == row.value == 0.284
    interval = wilson(row.count, row.n)
    assert (round(100 * interval.low, 2), round(100 * interval.high, 2)) == (26.44, 30.49)


def test_guessing_has_a_band_of_1_9_points_on_1900_questions():
    assert published("guessing")["total"].value == 0.25
    half_width = 1.96 * (0.25 * 0.75 / 1900) ** 0.5
    assert half_width == pytest.approx(0.019, abs=5e-4)
