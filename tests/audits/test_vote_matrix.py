from __future__ import annotations

from dataclasses import replace
from typing import Any

from overread.audits.vote_matrix import AUDIT
from overread.contracts.replay import Replay


def test_a_matrix_of_votes_on_other_questions_is_found(slipped: Replay, shipped: Any):
    found = {one.code: one for one in AUDIT.look(shipped(slipped))}
    # By key: 3/3, 1/3, 0/3, 3/3, 2/3, 0/3, 0/3 on 0, 1, 3, 4, 5, 6, 7; the matrix: 3 1 1 1 3 1 0.
    assert found["matrix-not-votes"].count == 4
    assert "57.14 % (4 of 7)" in found["matrix-not-votes"].evidence
    assert "Model M 57 % (by key 29 %)" in found["split-votes"].evidence


def test_rows_that_name_no_question_are_counted(slipped: Replay, shipped: Any):
    matrix = {"nowhere::0": {"m": 1.0}, **dict(list(slipped.matrix.items())[1:])}
    found = {one.code: one for one in AUDIT.look(shipped(replace(slipped, matrix=matrix)))}
    assert found["matrix-rows"].count == 2


def test_a_right_matrix_only_tells_how_often_judges_split(slipped: Replay, shipped: Any):
    right = [1.0, 0.33, None, 0.0, 1.0, 0.66, 0.0, 0.0]
    matrix = {one.item: {"m": x} for one, x in zip(slipped.questions, right, strict=True)}
    (found,) = AUDIT.look(shipped(replace(slipped, matrix=matrix)))
    assert found.code == "split-votes"
    assert "by key" not in found.evidence


def test_no_matrix_gives_nothing(slipped: Replay, shipped: Any):
    assert list(AUDIT.look(shipped(replace(slipped, matrix={})))) == []
