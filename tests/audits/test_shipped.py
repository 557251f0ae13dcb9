from __future__ import annotations

from dataclasses import replace
from typing import Any

from overread.audits.shipped import grade_models, join_predictions, models_of, replay_of
from overread.contracts.replay import Replay


def test_votes_find_their_questions_behind_a_lost_record(slipped: Replay):
    graded = grade_models(slipped)["m"]
    gemini, gpt, _ = graded.judges
    assert gemini.question_of == (0, 1, 3, 4, 5, 6, 7)
    assert gemini.join is not None
    assert gemini.join.missing == (2,)
    assert gemini.n_unlike == 5
    assert gpt.question_of == tuple(range(8))
    assert graded.title == "Model M"
    assert graded.n_rows == 7
    assert graded.is_slipped
    assert graded.n_paired_wrongly == 5


def test_equal_questions_in_several_cases_are_told_apart_by_the_order_of_predictions(make: Any):
    asked = [
        replace(one, question="Is there an effusion?", answer="No.") if place % 2 else one
        for place, one in enumerate(make.questions(8))
    ]
    votes = make.votes("m", "gpt", asked, [True] * 8, without=[3])
    held = Replay(
        questions=tuple(asked), predictions=(make.predictions("m", asked),), votes=(votes,)
    )
    (file,) = grade_models(held)["m"].judges
    assert file.question_of == (0, 1, 2, 4, 5, 6, 7)
    assert file.join is not None
    assert file.join.ambiguous == ()


def test_a_question_that_stands_twice_in_its_case_takes_its_votes_in_order(make: Any):
    first, _, third = make.questions(3, per_case=3)
    again = replace(first, item=f"{first.case}::1")
    asked = (first, again, third)
    held = Replay(
        questions=asked,
        predictions=(make.predictions("m", asked, ["left", "right", "both"]),),
        votes=(make.votes("m", "gpt", asked, [True, False, True]),),
    )
    (file,) = grade_models(held)["m"].judges
    assert file.by_question == {0: True, 1: False, 2: True}


def test_votes_that_say_their_case_join_by_it(make: Any):
    asked = [
        replace(one, question="Is there an effusion?", answer="No.")
        for one in make.questions(4, per_case=1)
    ]
    votes = make.votes("m", "gpt", asked, [True, False, True, False])
    rows = [replace(row, case=one.case) for row, one in zip(votes.rows, asked, strict=True)]
    held = Replay(questions=tuple(asked), votes=(replace(votes, rows=tuple(rows[::-1])),))
    (file,) = grade_models(held)["m"].judges
    assert file.question_of == (3, 2, 1, 0)
    assert file.by_question == {0: True, 1: False, 2: True, 3: False}


def test_votes_join_the_questions_where_no_predictions_are_released(slipped: Replay):
    graded = grade_models(replace(slipped, predictions=()))["m"]
    assert graded.judges[0].question_of == (0, 1, 3, 4, 5, 6, 7)


def test_votes_on_predictions_that_fit_no_question_belong_nowhere(make: Any):
    asked = make.questions(3)
    held = Replay(
        questions=tuple(asked[:2]),
        predictions=(make.predictions("m", asked),),
        votes=(make.votes("m", "gpt", asked, [True, False, True]),),
    )
    joined = join_predictions(held)["m"]
    assert joined.join.extra == (2,)
    assert joined.question_of == (0, 1, None)
    (file,) = grade_models(held)["m"].judges
    assert file.question_of == (0, 1, None)
    assert file.by_question == {0: True, 1: False}


def test_votes_on_predictions_that_were_lost_join_the_questions(slipped: Replay):
    (file,) = slipped.predictions
    held = replace(slipped, predictions=(replace(file, rows=file.rows[:3]),))
    gemini, gpt, _ = grade_models(held)["m"].judges
    assert gemini.question_of == (0, 1, 3, 4, 5, 6, 7)
    assert gpt.question_of == tuple(range(8))


def test_models_with_files_come_in_the_order_of_the_table(slipped: Replay, make: Any):
    rows = [make.published("jury_accuracy", who, 0.4) for who in ("Paper only", "Z", "Model M")]
    held = replace(
        slipped,
        published=tuple(rows),
        matrix={"x::0": {"m": 1.0, "unnamed": 0.0, "z": 0.0}},
        title_of={"m": "Model M", "z": "Z"},
    )
    assert models_of(held) == (("z", "Z"), ("m", "Model M"), ("unnamed", "unnamed"))


def test_a_release_that_ships_nothing_has_no_replay():
    assert replay_of(object()) is None  # type: ignore[arg-type]
