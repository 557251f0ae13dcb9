from __future__ import annotations

from dataclasses import replace
from typing import Any

from overread.audits.labels import AUDIT
from overread.contracts.replay import Replay


def test_labels_that_are_misspelt_absent_or_several(shipped: Any, make: Any):
    asked = [
        *make.questions(200, labels=("Laterality & Symmetry",)),
        *(replace(one, labels=("Laterality",)) for one in make.questions(2)),
        *(replace(one, labels=("Depth", "Laterality & Symmetry")) for one in make.questions(20)),
        *make.questions(3),
    ]
    found = {one.code: one for one in AUDIT.look(shipped(Replay(questions=tuple(asked))))}
    assert found["misspelt-category"].count == 2
    assert found["misspelt-category"].where == "'Laterality'"
    assert "'Laterality & Symmetry' (220 questions)" in found["misspelt-category"].evidence
    assert found["no-category"].count == 3
    assert found["several-labels"].count == 20
    assert "3 with 0, 202 with 1, 20 with 2" in found["several-labels"].evidence
    assert found["category-counts"].evidence == (
        "Laterality & Symmetry 220; Depth 20; Laterality 2"
    )


def test_the_mean_of_categories_is_set_against_the_total(slipped: Replay, shipped: Any):
    # By key the jury says yes to questions 0, 4, 5 of 0, 1, 3, 4, 5, 6, 7. "Depth" holds 0 and 4.
    asked = tuple(
        replace(one, labels=("Side", "Depth")) if place in (0, 4) else one
        for place, one in enumerate(slipped.questions)
    )
    found = {one.code: one for one in AUDIT.look(shipped(replace(slipped, questions=asked)))}
    # (3/7 + 2/2) / 2 = 71.4 % against 3/7 = 42.9 %
    assert "(Model M: 71.4 % against 42.9 %)" in found["several-labels"].effect


def test_questions_without_any_label_say_nothing_of_labels(shipped: Any, make: Any):
    assert list(AUDIT.look(shipped(Replay(questions=tuple(make.questions(4)))))) == []
