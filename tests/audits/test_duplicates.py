from __future__ import annotations

from dataclasses import replace
from typing import Any

from overread.audits.duplicates import AUDIT
from overread.contracts.replay import Replay


def test_a_question_that_stands_twice_in_its_case(shipped: Any, make: Any):
    first, second, *rest = make.questions(4)
    again = replace(second, question=first.question)
    (found,) = AUDIT.look(shipped(Replay(questions=(first, again, *rest))))
    assert (found.code, found.count, found.where) == ("repeated-question", 1, first.case)


def test_pairs_that_stand_in_several_cases(shipped: Any, make: Any):
    asked = [
        replace(one, question="Effusion?", answer="No.") for one in make.questions(5, per_case=1)
    ]
    (found,) = AUDIT.look(shipped(Replay(questions=tuple(asked))))
    assert (found.code, found.count) == ("repeated-pairs", 4)
    assert "'Effusion?' stands 5 times" in found.evidence


def test_two_series_of_a_patient_with_the_very_same_pairs(shipped: Any, make: Any):
    asked = make.questions(3, per_case=3)
    again = [replace(one, case="valid_0_a_2.nii.gz", item=one.item + "#") for one in asked]
    found = {one.code: one for one in AUDIT.look(shipped(Replay(questions=(*asked, *again))))}
    assert {code: one.count for code, one in found.items()} == {
        "repeated-pairs": 3,
        "repeated-case": 1,
    }
    assert found["repeated-case"].where == asked[0].case
    # Both cases are named, so that they can be looked at.
    assert found["repeated-case"].evidence == (
        "1 case with the very pairs of another case of the same patient: "
        f"{asked[0].case} = valid_0_a_2.nii.gz"
    )


def test_questions_that_differ_give_nothing(shipped: Any, make: Any):
    assert list(AUDIT.look(shipped(Replay(questions=tuple(make.questions(6)))))) == []
