from __future__ import annotations

from dataclasses import replace
from typing import Any

from overread.audits.end_marks import AUDIT
from overread.contracts.replay import Replay


def test_marks_and_what_they_cost_are_found(slipped: Replay, shipped: Any, make: Any):
    texts = [f"In place {place}.</s>" for place in range(7)] + ["###</s>"]
    held = replace(slipped, predictions=(make.predictions("m", slipped.questions, texts),))
    (found,) = AUDIT.look(shipped(held))
    assert (found.code, found.count) == ("end-marks", 8)
    assert "###, </s>" in found.evidence
    # rouge_score reads "</s>" as a word "s": 3 of 4 words are right, and F is 6/7.
    assert "ROUGE-L of Model M is 0.857 with them, 1.000 without" in found.effect


def test_one_accident_among_thousands_is_no_habit(shipped: Any, make: Any):
    asked = make.questions(2000)
    texts = ["left"] * 1999 + ["left</s>"]
    held = Replay(questions=tuple(asked), predictions=(make.predictions("m", asked, texts),))
    assert list(AUDIT.look(shipped(held))) == []
