"""Strata too small to say anything, and heavy patients."""

from __future__ import annotations

from typing import Any

import pytest

from overread.audits.balance import AUDIT, effective_units


def found(release: Any) -> dict[str, Any]:
    return {one.code: one for one in AUDIT.look(release)}


def test_large_strata_are_left_alone(exam: Any, ask: Any) -> None:
    rows = [ask(n, n % 4, kind="large" if n % 2 else "usual") for n in range(100)]
    assert found(exam(rows)) == {}


def test_a_small_stratum_says_its_room(exam: Any, ask: Any) -> None:
    # Wilson of 11.5 of 23: 0.30 to 0.70 (DeepTumorVQA's renal mass characterization has n = 23).
    rows = [ask(n, n % 4, kind="rare" if n < 23 else "usual") for n in range(123)]
    one = found(exam(rows))["small-stratum"]
    assert one.count == 1
    assert "rare (n 23: ±19 points)" in one.evidence


def test_strata_in_which_nothing_can_be_shown(exam: Any, ask: Any) -> None:
    # Two-sided exact tests of five patients give no p below 2/32.
    rows = [ask(n, 0, kind="rare" if n < 40 else "usual", patient=f"p{n % 5}") for n in range(40)]
    rows += [ask(n, 0) for n in range(100, 160)]
    one = found(exam(rows))["no-test-possible"]
    assert "1 of 2 strata have questions of fewer than 6 patients: rare (40 of 5)" in one.evidence


def test_questions_are_counted_where_no_patient_is_named(exam: Any, ask: Any) -> None:
    rows = [ask(n, 0, kind="rare" if n < 4 else "usual") for n in range(60)]
    for item, _ in rows:
        item.groups.pop("patient")
    one = found(exam(rows))["no-test-possible"]
    assert "fewer than 6 questions: rare (4 of 4)" in one.evidence


def test_a_patient_with_most_questions(exam: Any, ask: Any) -> None:
    rows = [ask(n, 0, patient="p" if n < 60 else f"q{n}") for n in range(100)]
    one = found(exam(rows))["heavy-unit"]
    assert "total: 60 of 100 questions are of patient p" in one.evidence
    assert "the 41 patients weigh like 2.7" in one.evidence  # 100² / (60² + 40)


@pytest.mark.parametrize(("sizes", "units"), [([7], 1.0), ([1] * 9, 9.0), ([2, 1, 1], 16 / 6)])
def test_effective_units(sizes: list[int], units: float) -> None:
    assert effective_units(sizes) == pytest.approx(units)
