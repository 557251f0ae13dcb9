"""Letters that are not spread evenly."""

from __future__ import annotations

from typing import Any

import numpy as np

from overread.audits.letters import AUDIT
from overread.records import Severity


def found(release: Any) -> dict[str, Any]:
    return {one.code: one for one in AUDIT.look(release)}


def test_even_letters_are_left_alone(exam: Any, ask: Any) -> None:
    assert found(exam([ask(n, n % 4) for n in range(200)])) == {}


def test_the_first_option_right_in_84_7_per_cent(exam: Any, ask: Any) -> None:
    # UCSF-PDGM-VQA before its options were shuffled: 2,022 of 2,387.
    rights = [0] * 2022 + [1 + n % 3 for n in range(365)]
    one = found(exam([ask(n, right) for n, right in enumerate(rights)]))["uneven-letters"]
    assert "the first option (A) is right in 84.7 % (95 % 83.2 to 86.1) of 2,387" in one.evidence
    assert one.severity is Severity.WARNING


def test_a_letter_for_each_kind_of_probe(exam: Any, ask: Any) -> None:
    # MedVIGIL's validator: A for every answerable probe, E for traps and masked ones.
    options = ("one", "two", "three", "four", "safe")
    kinds = {"original": 0, "tcf": 0, "trap": 4, "masked": 4}
    rows = [
        ask(10 * place + n, right, options=options, kind=kind)
        for place, (kind, right) in enumerate(kinds.items())
        for n in range(10)
    ]
    one = found(exam(rows))["fixed-letter"]
    assert one.severity is Severity.ERROR
    assert one.count == 40
    assert "tosses a coin among A, E" in one.effect
    assert "kind trap, 5 options: always E (10)" in one.evidence


def test_one_question_under_two_conditions_is_one_draw(exam: Any, ask: Any) -> None:
    # Seven questions asked twice are seven letters: too few to say that A is fixed.
    rows = [ask(n, 0, patient=f"p{n % 7}", question=f"Where is {n % 7}?") for n in range(14)]
    assert "fixed-letter" not in found(exam(rows))


def test_letters_by_lot_are_seldom_called_uneven(exam: Any, ask: Any) -> None:
    rng = np.random.default_rng(7)
    n_found = sum(
        "uneven-letters" in found(exam([ask(n, int(rng.integers(4))) for n in range(100)]))
        for _ in range(60)
    )
    assert n_found <= 4
