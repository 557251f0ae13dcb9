from __future__ import annotations

from dataclasses import replace
from typing import Any

from overread.audits.row_joins import AUDIT
from overread.contracts.replay import Replay
from overread.records import Severity


def test_a_lost_record_is_found_with_what_it_does(slipped: Replay, shipped: Any):
    (found,) = AUDIT.look(shipped(slipped))
    assert (found.severity, found.code, found.count) == (Severity.ERROR, "slipped-rows", 5)
    assert found.where == "llm_eval/m_gemini_eval.json"
    assert "1 record missing (row 2, from 0); the rows behind are off by 1" in found.evidence
    assert "5 of 7 rows hold another question and answer" in found.evidence
    assert "28.57 % (2 of 7) by row number, 42.86 % (3 of 7) by key" in found.effect
    assert "kappa of Gemini and GPT 0.417 by row number, 0.696 by key" in found.effect


def test_a_slip_is_found_without_the_file_that_slipped(slipped: Replay, shipped: Any):
    (found,) = AUDIT.look(shipped(replace(slipped, votes=slipped.votes[1:])))
    assert (found.severity, found.code, found.count) == (Severity.ERROR, "slipped-rows", 5)
    assert found.where == "matrix, column m"
    assert "no file of Gemini can be read" in found.evidence


def test_a_record_lost_at_the_end_shifts_nothing(slipped: Replay, shipped: Any, make: Any):
    whole = make.votes("m", "gemini", slipped.questions, [True] * 8, without=[7])
    held = replace(slipped, votes=(whole, *slipped.votes[1:]), matrix={})
    (found,) = AUDIT.look(shipped(held))
    assert (found.severity, found.code, found.count) == (Severity.WARNING, "missing-votes", 1)


def test_files_that_all_slip_alike_are_joined_rightly_with_each_other(
    slipped: Replay, shipped: Any, make: Any
):
    votes = tuple(
        make.votes("m", judge, slipped.questions, [True] * 8, without=[2])
        for judge in ("gemini", "gpt", "qwen")
    )
    found = list(AUDIT.look(shipped(replace(slipped, votes=votes, matrix={}))))
    assert [one.severity for one in found] == [Severity.WARNING] * 3


def test_predictions_that_fit_no_question_and_questions_without_any(
    slipped: Replay, shipped: Any, make: Any
):
    asked = make.questions(10)
    held = replace(slipped, questions=(*asked[:7], asked[9]), votes=(), matrix={})
    found = {one.code: one.count for one in AUDIT.look(shipped(held))}
    assert found == {"missing-predictions": 1, "unjoined-predictions": 1}


def test_predictions_in_another_order(slipped: Replay, shipped: Any):
    (file,) = slipped.predictions
    turned = replace(file, rows=(*file.rows[1:], file.rows[0]))
    held = replace(slipped, predictions=(turned,), votes=(), matrix={})
    (found,) = AUDIT.look(shipped(held))
    assert (found.code, found.count) == ("predictions-out-of-order", 8)


def test_votes_of_equal_neighbours_are_called_ambiguous(shipped: Any, make: Any):
    asked = [
        replace(one, question="Is there an effusion?", answer="No.")
        for one in make.questions(3, per_case=1)
    ]
    held = Replay(
        questions=tuple(asked),
        votes=(make.votes("m", "gpt", asked, [True] * 3, without=[1]),),
    )
    found = {one.code: one.count for one in AUDIT.look(shipped(held))}
    assert found["ambiguous-join"] == 3


def test_clean_files_give_nothing(slipped: Replay, shipped: Any):
    held = replace(slipped, votes=slipped.votes[1:], matrix={})
    assert list(AUDIT.look(shipped(held))) == []
