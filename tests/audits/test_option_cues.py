"""Cues in the wording of options."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from overread.audits.option_cues import AUDIT, CUES


def cues_of(release: Any) -> list[str]:
    return [one.evidence.partition(":")[0] for one in AUDIT.look(release)]


PLAIN = ("cyst", "node", "mass", "clot")


def planted(ask: Any, wording: str, *, share: float, n: int = 120) -> list[Any]:
    """Ask n questions in which the right option has the wording so often, else a wrong one."""
    rng = np.random.default_rng(3)
    rows: list[Any] = []
    for number in range(n):
        options = list(PLAIN)
        right = int(rng.integers(4))
        place = right if rng.random() < share else (right + 1 + int(rng.integers(3))) % 4
        options[place] = wording
        rows.append(ask(number, right, options=options))
    return rows


@pytest.mark.parametrize(
    ("wording", "cue"),
    [
        ("all of the above", "'all of the above'"),
        ("none of the above", "'none of the above'"),
        ("no node", "a negation"),
        ("nodal", None),
        ("likely", "a hedge"),
        ("only", "an absolute word"),
        ("3 mm", "a number"),
        ("a mass with a rim that is thick and bright", "the longest option"),
    ],
)
def test_a_planted_cue_is_found(exam: Any, ask: Any, wording: str, cue: str | None) -> None:
    found = set(cues_of(exam(planted(ask, wording, share=0.9))))
    # A word that is longer than all others is the longest option, and none of the shortest.
    assert cue in found if cue else found == {"the longest option", "the shortest option"}


def test_a_cue_of_wrong_options_is_one_too(exam: Any, ask: Any) -> None:
    (one, *_) = [
        each
        for each in AUDIT.look(exam(planted(ask, "3 mm", share=0.0)))
        if "number" in each.evidence
    ]
    assert "avoiding it" in one.evidence
    assert one.count == 120


def test_what_is_right_as_often_as_chance_is_no_cue(exam: Any, ask: Any) -> None:
    assert "a number" not in cues_of(exam(planted(ask, "3 mm", share=0.25)))


def test_one_patient_with_many_questions_proves_nothing(exam: Any, ask: Any) -> None:
    rows = planted(ask, "3 mm", share=1.0, n=60)
    for item, _ in rows:
        item.groups["patient"] = "p"
    assert cues_of(exam(rows)) == []


def test_few_questions_prove_nothing(exam: Any, ask: Any) -> None:
    assert cues_of(exam(planted(ask, "3 mm", share=1.0, n=19))) == []


def test_words_shared_with_the_question(exam: Any, ask: Any) -> None:
    rng = np.random.default_rng(5)
    rows = []
    for number in range(60):
        right = int(rng.integers(4))
        options = ["lobar bleed", "mild edema", "rim sign", "disc bulge"]
        rows.append(ask(number, right, options=options, question=f"Is there {options[right]}?"))
    assert "most of its words in the question" in cues_of(exam(rows))


@pytest.mark.parametrize("cue", CUES)
def test_a_cue_marks_each_option_whatever_the_words(cue: str) -> None:
    for texts in ((), ("",), ("", "x" * 100_000), ("è", "\x00", "💥 no")):
        assert len(CUES[cue]("", texts)) == len(texts)
