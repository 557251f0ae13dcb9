"""Rates of claims against values worked out by hand, and what voting and length do."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from overread.errors import UsageError
from overread.metrics.claims import (
    any_of_independent,
    claim_counts,
    effective_voters,
    expected_calibration_error,
    keep_by_votes,
    length_auc,
    matched_difference,
    standardised,
    votes_of_independent,
    youden_threshold,
)

PRESENT = np.array([(1, 0, 0), (0, 0, 0), (1, 1, 0), (0, 0, 1)], dtype=bool)
ASSERTED = np.array([(1, 1, 0), (1, 0, 1), (1, 0, 0), (0, 0, 1)], dtype=bool)


def test_three_readings_of_fabrication_are_three_numbers():
    counts = claim_counts(PRESENT, ASSERTED)
    assert (counts.tp, counts.fp, counts.fn, counts.tn) == (3, 3, 1, 5)
    assert counts.with_fp / counts.outputs == 0.5
    assert counts.with_fn / counts.outputs == 0.25
    assert counts.with_either / counts.outputs == 0.75
    assert counts.rate("fabricated_of_absent") == 0.375
    assert counts.rate("fabricated_of_claimed") == 0.5
    assert counts.rate("omitted_of_present") == 0.25
    assert counts.rate("claim_f1") == pytest.approx(0.6)


def test_no_absent_finding_leaves_the_rate_undefined():
    everything = np.ones((2, 3), dtype=bool)
    counts = claim_counts(everything, ~everything)
    assert counts.rate("fabricated_of_absent") is None
    assert counts.rate("fabricated_of_claimed") is None
    assert counts.rate("omitted_of_present") == 1.0
    assert (counts.fp, counts.fn) == (0, 6)


def test_tables_of_two_shapes_are_refused():
    with pytest.raises(UsageError, match="asserted: expected the shape"):
        claim_counts(PRESENT, ASSERTED[:2])


def test_length_counts_ties_one_half():
    lengths = np.array([300.0, 400, 100, 200, 400])
    wrong = np.array([1, 1, 0, 0, 0], dtype=bool)
    assert length_auc(lengths, wrong) == 0.75  # 4.5 of 6 pairs
    assert length_auc(lengths[:2], wrong[:2]) is None
    assert youden_threshold(lengths, wrong) == 300.0


@given(st.lists(st.tuples(st.integers(0, 20), st.booleans()), min_size=2, max_size=30))
def test_the_length_auc_is_the_share_of_pairs(rows):
    lengths = np.array([float(length) for length, _ in rows])
    wrong = np.array([each for _, each in rows])
    pairs = [(a, b) for a in lengths[wrong] for b in lengths[~wrong]]
    expected = sum((a > b) + (a == b) / 2 for a, b in pairs) / len(pairs) if pairs else None
    assert length_auc(lengths, wrong) == (pytest.approx(expected) if pairs else None)


def test_a_blind_reader_makes_something_up_in_most_normal_pictures():
    assert any_of_independent(0.10, 12) == pytest.approx(0.71757, abs=5e-6)
    assert any_of_independent(0.05, 12) == pytest.approx(0.45964, abs=5e-6)


def test_independent_votes_at_a_third():
    tails = {(2, 3): 0.254826, (3, 6): 0.313048, (4, 6): 0.096878}
    for (k, voters), tail in tails.items():
        assert votes_of_independent(0.33, voters=voters, at_least=k) == pytest.approx(
            tail, abs=5e-7
        )
    assert pytest.approx(0.848, abs=5e-5) == 1 - 0.050 / 0.328947


def test_votes_by_heads_and_by_weight():
    asserted = np.array([[[1, 1, 0]], [[1, 0, 0]], [[0, 1, 1]]], dtype=bool)
    assert keep_by_votes(asserted, 2).tolist() == [[True, True, False]]
    assert keep_by_votes(asserted, 3).tolist() == [[False, False, False]]
    assert keep_by_votes(asserted, 0.5, [0.1, 0.3, 0.6]).tolist() == [[False, True, True]]


def test_copies_of_one_voter_are_one_voter():
    errors = np.array([0, 1, 1, 0, 0, 1, 0, 0], dtype=bool)
    assert effective_voters(np.stack([errors] * 6)) == pytest.approx(1.0)
    apart = np.array([[1, 1, 0, 0], [1, 0, 1, 0]], dtype=bool)
    assert effective_voters(apart) == pytest.approx(2.0)
    assert effective_voters(np.zeros((2, 4), dtype=bool)) is None


def test_at_equal_length_a_longer_writer_is_no_worse():
    # Both err in half of the long outputs and in none of the short ones.
    short, long = np.full(8, 100.0), np.full(8, 900.0)
    half = np.array([True, False] * 4)
    brief = np.r_[short, short, long], np.r_[half & False, half & False, half]
    wordy = np.r_[short, long, long], np.r_[half & False, half, half]
    assert wordy[1].mean() - brief[1].mean() == pytest.approx(1 / 6)
    assert matched_difference(brief, wordy, (500.0,)) == 0.0
    assert matched_difference((short, half), (long, half), (500.0,)) is None


def test_a_sample_is_weighed_as_a_clinic():
    assert standardised({"normal": 0.2, "abnormal": 0.8}, {"normal": 0.75, "abnormal": 0.25}) == (
        pytest.approx(0.35)
    )
    assert standardised({"normal": 0.2}, {"normal": 0.5, "abnormal": 0.5}) is None


def test_calibration_over_ten_bins():
    confidence = np.array([0.95, 0.95, 0.15, 1.0])
    right = np.array([True, False, False, True])
    # Last bin: three answers, mean 2.9/3, two right; second bin: one, 0.15, wrong.
    assert expected_calibration_error(confidence, right) == pytest.approx(0.75 * 0.3 + 0.25 * 0.15)
    assert expected_calibration_error(np.array([]), np.array([], dtype=bool)) is None
