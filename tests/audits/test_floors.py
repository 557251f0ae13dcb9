from __future__ import annotations

from dataclasses import replace
from typing import Any

from overread.audits.floors import AUDIT
from overread.contracts.replay import Replay


def test_what_a_table_lacks_and_what_yes_and_no_would_earn(slipped: Replay, shipped: Any):
    answers = ["No.", "no, none", "Yes, left", "Nodules", "Now", "in both", "NO", ""]
    words = ["Is it", "are there", "Was it", "Where", "Which", "Isolated", "DO they", ""]
    asked = tuple(
        replace(one, question=question, answer=answer)
        for one, question, answer in zip(slipped.questions, words, answers, strict=True)
    )
    floor, interval = AUDIT.look(shipped(replace(slipped, questions=asked)))
    assert (floor.code, interval.code) == ("no-floor", "no-interval")
    assert floor.evidence.endswith(
        "; 4 questions have yes/no form, 4 answers begin with yes or no, and 'no' every time is "
        "right for 75.00 % (3 of 4) of them"
    )
    assert interval.count == len(slipped.published)


def test_a_table_with_chance_has_a_floor(slipped: Replay, shipped: Any):
    chance = replace(slipped.published[0], kind="chance", who="chance")
    held = replace(slipped, published=(*slipped.published, chance))
    assert [one.code for one in AUDIT.look(shipped(held))] == ["no-interval"]


def test_no_table_lacks_nothing(slipped: Replay, shipped: Any):
    assert list(AUDIT.look(shipped(replace(slipped, published=())))) == []
