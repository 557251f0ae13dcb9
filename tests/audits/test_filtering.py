from __future__ import annotations

from dataclasses import replace
from typing import Any

from overread.audits.filtering import AUDIT
from overread.contracts.replay import Replay


def test_questions_are_looked_up_among_the_candidates(slipped: Replay, shipped: Any):
    candidates = [(one.case, one.question, one.answer) for one in slipped.questions[1:]]
    more = [("valid_9_a_1.nii.gz", "Where?", "Here.")] * 3
    held = replace(slipped, candidates=(*candidates, *more))
    kept, strange = AUDIT.look(shipped(held))
    assert kept.code == "filtered-candidates"
    assert kept.evidence.startswith("70.00 % (7 of 10) of the candidates were kept")
    assert (strange.code, strange.count) == ("no-candidate", 1)
    assert strange.where == slipped.questions[0].item


def test_no_candidates_give_nothing(slipped: Replay, shipped: Any):
    assert list(AUDIT.look(shipped(slipped))) == []
