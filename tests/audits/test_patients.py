from __future__ import annotations

from dataclasses import replace
from typing import Any

from overread.audits.patients import AUDIT
from overread.contracts.replay import Replay


def test_patients_with_several_cases_are_counted(shipped: Any, make: Any):
    asked = [
        replace(one, patient="valid_0" if place < 6 else one.patient)
        for place, one in enumerate(make.questions(10))
    ]
    (found,) = AUDIT.look(shipped(Replay(questions=tuple(asked))))
    assert (found.code, found.count) == ("cases-share-patients", 1)
    assert found.evidence == "5 cases are of 3 patients: 1 have several (valid_0: 3)"


def test_the_width_that_is_lost_is_measured(shipped: Any, make: Any):
    # 40 patients of four cases each, all of a patient's questions judged alike.
    asked = [
        replace(one, patient=f"valid_{place // 8}") for place, one in enumerate(make.questions(320))
    ]
    verdicts = [place // 8 % 2 == 0 for place in range(320)]
    held = Replay(
        questions=tuple(asked),
        votes=tuple(make.votes("m", judge, asked, verdicts) for judge in ("a", "b", "c")),
    )
    (found,) = AUDIT.look(shipped(held))
    times = float(found.effect.partition("interval is ")[2].split()[0])
    assert 2.4 < times < 3.2  # the square root of 8, but for chance and Wilson's shrinkage


def test_one_case_a_patient_gives_nothing(slipped: Replay, shipped: Any):
    assert list(AUDIT.look(shipped(slipped))) == []
