from __future__ import annotations

from dataclasses import replace
from typing import Any

from overread.audits.verdicts import AUDIT
from overread.contracts.replay import Replay


def votes(make: Any, texts: list[str], verdicts: list[bool | None], answers: list[str]) -> Replay:
    asked = [
        replace(one, question="Where?", answer=answer)
        for one, answer in zip(make.questions(len(texts)), answers, strict=True)
    ]
    file = make.votes("m", "gpt", asked, verdicts, predictions=texts)
    return Replay(questions=tuple(asked), votes=(file,))


def test_verdicts_that_are_null(shipped: Any, make: Any):
    held = votes(make, ["a", "b", "c"], [True, None, None], ["x", "y", "z"])
    (found,) = AUDIT.look(shipped(held))
    assert (found.code, found.count) == ("null-verdicts", 2)
    assert "rows 1, 2, from 0" in found.evidence


def test_empty_answers_judged_right(shipped: Any, make: Any):
    held = votes(make, ["", " ", "\n", "c"], [True, False, True, True], ["x", "y", "z", "w"])
    (found,) = AUDIT.look(shipped(held))
    assert (found.code, found.count) == ("empty-answer-right", 2)
    assert found.evidence == "2 of 3 votes on empty answers are yes"


def test_answers_that_repeat_their_reference_judged_wrong(shipped: Any, make: Any):
    held = votes(
        make, [" left  LUNG", "Right lung.", ""], [False, True, False], ["Left lung.", "y", ""]
    )
    (found,) = AUDIT.look(shipped(held))
    assert (found.code, found.count) == ("same-words-wrong", 1)


def test_the_same_texts_judged_both_ways(shipped: Any, make: Any):
    held = votes(
        make, ["a", "a", "b", "b", "b"], [True, False, True, None, True], ["x", "x", "y", "y", "y"]
    )
    found = {one.code: one for one in AUDIT.look(shipped(held))}
    assert found["contradictory-verdicts"].count == 1
    assert found["contradictory-verdicts"].evidence.startswith("1 of 2 times")


def test_sound_votes_give_nothing(slipped: Replay, shipped: Any):
    assert list(AUDIT.look(shipped(slipped))) == []
