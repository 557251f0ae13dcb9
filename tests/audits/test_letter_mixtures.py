"""Blind mixtures of letters on the layout that MedVIGIL's own validator demands (medvigil spec)."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from overread.audits.letter_mixtures import best_mixture, mixture_rates
from overread.errors import UsageError
from overread.metrics.evidence import TIER_WEIGHTS, evidence_axes

LAYOUT = {
    **dict.fromkeys(("original", "tcf", "negation", "specificity_drop", "roi_only"), "A"),
    **dict.fromkeys(("halluc_trap", "roi_masked"), "E"),
}
"""Kind → letter; roi_only has the options of its original question."""


def composite(rates: Mapping[str, float]) -> float | None:
    found = evidence_axes(
        original=rates["original"],
        paraphrase=rates["tcf"],
        negation=rates["negation"],
        specificity_drop=rates["specificity_drop"],
        trap_failures=dict.fromkeys(TIER_WEIGHTS, 1 - rates["halluc_trap"]),
        roi_only=rates["roi_only"],
        roi_masked=rates["roi_masked"],
    ).composite
    return None if found is None else 100 * found


@pytest.mark.parametrize(
    ("chances", "expected"),
    [
        ({"A": 0.5, "E": 0.5}, 50.0),
        (dict.fromkeys("ABCDE", 0.2), 23.333),
        ({"A": 0.555, "E": 0.445}, 50.465),
        ({"A": 1.0}, 0.0),
        ({"E": 1.0}, 0.0),
    ],
)
def test_known_policies(chances: Mapping[str, float], expected: float) -> None:
    assert composite(mixture_rates(LAYOUT, chances)) == pytest.approx(expected, abs=5e-4)


def test_the_best_blind_mixture() -> None:
    found = best_mixture(LAYOUT, composite)
    assert found is not None
    assert found.chances["A"] == pytest.approx(0.555, abs=5e-4)
    assert found.value == pytest.approx(50.465, abs=5e-4)


def test_one_letter_leaves_nothing_to_mix() -> None:
    assert best_mixture({"original": "A"}, lambda rates: rates["original"]) is None
    assert best_mixture({"original": "A", "trap": "E"}, lambda rates: None) is None


def test_chances_add_up() -> None:
    with pytest.raises(UsageError, match="chances"):
        mixture_rates(LAYOUT, {"A": 0.9})
