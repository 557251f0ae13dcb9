from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from overread.audits.recovered_votes import complete_models, judges_of, recover_votes
from overread.audits.shipped import grade_models
from overread.contracts.replay import Replay


def test_votes_of_a_file_that_was_not_released_follow_from_the_matrix(slipped: Replay):
    held = replace(slipped, votes=slipped.votes[1:])
    graded = complete_models(held, grade_models(held))["m"]
    gemini = graded.judges[0]
    assert gemini.judge == "gemini"
    assert gemini.file is None
    assert gemini.verdicts == (True, False, False, True, True, False, False)
    assert gemini.question_of == (0, 1, 3, 4, 5, 6, 7)
    assert gemini.n_unlike == 5
    assert graded.is_slipped


def test_a_question_that_nobody_answered_moves_no_row(slipped: Replay, make: Any):
    # It stands before all others, without a prediction, a vote or a mean.
    (more,) = make.questions(1)
    more = replace(more, item="x::0", question="Where else?")
    held = replace(slipped, questions=(more, *slipped.questions), votes=slipped.votes[1:])
    gemini = complete_models(held, grade_models(held))["m"].judges[0]
    assert gemini.question_of == (1, 2, 4, 5, 6, 7, 8)
    assert gemini.n_unlike == 5


def test_nothing_is_recovered_where_every_file_is_there(slipped: Replay):
    graded = grade_models(slipped)["m"]
    assert recover_votes(slipped, graded, judges_of(slipped)) is None


def test_nothing_is_recovered_of_two_missing_judges(slipped: Replay):
    held = replace(slipped, votes=slipped.votes[2:])
    assert len(complete_models(held, grade_models(held))["m"].judges) == 1


def test_nothing_is_recovered_without_a_matrix(slipped: Replay):
    held = replace(slipped, votes=slipped.votes[1:], matrix={})
    assert len(complete_models(held, grade_models(held))["m"].judges) == 2


def test_nothing_is_recovered_from_a_matrix_that_fits_no_reading(slipped: Replay):
    full = {item: {"m": 1.0} for item in slipped.matrix}
    held = replace(slipped, votes=slipped.votes[1:], matrix=full)
    assert len(complete_models(held, grade_models(held))["m"].judges) == 2


@pytest.mark.parametrize("by_row", [False, True])
@given(data=st.data())
def test_recovered_votes_are_the_true_ones(by_row: bool, data: st.DataObject, make: Any):
    n = data.draw(st.integers(30, 60))
    lost = data.draw(st.integers(0, n // 2))
    votes = [data.draw(st.lists(st.booleans(), min_size=n, max_size=n)) for _ in range(3)]
    asked = make.questions(n)
    kept = [place for place in range(n) if place != lost]
    sums = {
        place: votes[0][place] + sum(votes[judge][row if by_row else place] for judge in (1, 2))
        for row, place in enumerate(kept)
    }
    held = Replay(
        questions=tuple(asked),
        votes=tuple(make.votes("m", name, asked, votes[at]) for at, name in ((1, "b"), (2, "c"))),
        published=tuple(
            make.published("judge_accuracy", "m", 0.5, stratum={"judge": name}) for name in "abc"
        ),
        matrix={
            one.item: {"m": [0.0, 0.33, 0.66, 1.0][sums[place]] if place in sums else None}
            for place, one in enumerate(asked)
        },
    )
    found = recover_votes(held, grade_models(held)["m"], judges_of(held))
    assert found is not None
    if not by_row:
        assert found.by_question == {place: votes[0][place] for place in kept}
        return
    # Joined by row number, the keyed reading can only fit as well where votes are alike by luck.
    fits = all(sums[place] - votes[1][place] - votes[2][place] in (0, 1) for place in kept)
    assert fits or found.by_question == {place: votes[0][place] for place in kept}
