from __future__ import annotations

from dataclasses import replace
from typing import Any

from overread.audits.published_votes import AUDIT
from overread.contracts.replay import Replay


def test_a_number_of_other_votes_is_found(slipped: Replay, shipped: Any, make: Any):
    wrong = make.published("judge_accuracy", "Model M", 0.3304, stratum={"judge": "gemini"})
    held = replace(slipped, published=(wrong, *slipped.published[1:]))
    found = list(AUDIT.look(shipped(held)))
    gemini = next(one for one in found if one.where == "Gemini of Model M")
    assert gemini.code == "not-reproduced"
    assert gemini.evidence == "published 33.04 %, the released votes give 42.86 % (3 of 7)"
    assert gemini.effect == (
        "the number was made from other votes than those read here; 1 question without a record "
        "left out"
    )


def test_numbers_that_look_alike_are_shown_until_they_differ(
    slipped: Replay, shipped: Any, make: Any
):
    near = make.published("jury_accuracy", "Model M", 0.285711, source="metrics/jury.json")
    published = [one for one in slipped.published if one.metric != "jury_accuracy"]
    (found,) = AUDIT.look(shipped(replace(slipped, published=(*published, near))))
    # Two of seven are 28.571428… %.
    assert found.evidence == "published 28.5711 %, the released votes give 28.5714 % (2 of 7)"


def test_numbers_that_follow_give_nothing(slipped: Replay, shipped: Any):
    assert list(AUDIT.look(shipped(slipped))) == []
