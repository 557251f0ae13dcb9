from __future__ import annotations

from dataclasses import replace
from typing import Any

from overread.audits.denominators import AUDIT
from overread.contracts.replay import Replay


def test_models_that_count_fewer_questions_are_named(slipped: Replay, shipped: Any, make: Any):
    rows = [
        make.published("jury_accuracy", "A", 0.5, source="jury.json", n=8),
        make.published("jury_accuracy", "B", 0.5, source="jury.json", n=7),
        make.published("meteor", "A", 0.5, source="text.json", n=6),
        make.published("rougeL", "A", 0.5, source="text.json", n=6),
    ]
    held = replace(slipped, published=tuple(rows), matrix={})
    jury, text = AUDIT.look(shipped(held))
    assert jury.code == text.code == "unequal-denominators"
    assert jury.where == "jury.json: jury_accuracy"
    assert jury.evidence == "of 8 questions 7 count for B"
    assert text.where == "text.json: meteor, rougeL"


def test_empty_cells_of_the_matrix_are_counted_by_model(slipped: Replay, shipped: Any):
    found = {one.code: one for one in AUDIT.look(shipped(slipped))}
    assert found["missing-means"].count == 1
    assert found["missing-means"].evidence == "Model M: 1 cells are empty"


def test_empty_answers_are_counted(slipped: Replay, shipped: Any, make: Any):
    texts = ["left", "", None, " \n", "right", "left", "left", "left"]
    held = replace(
        slipped,
        predictions=(make.predictions("m", slipped.questions, texts),),
        published=(),
        matrix={},
    )
    (found,) = AUDIT.look(shipped(held))
    assert (found.code, found.count) == ("empty-answers-dropped", 3)


def test_one_denominator_for_all_gives_nothing(slipped: Replay, shipped: Any, make: Any):
    rows = (make.published("jury_accuracy", "A", 0.5, n=8),)
    assert list(AUDIT.look(shipped(replace(slipped, published=rows, matrix={})))) == []
