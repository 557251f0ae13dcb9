from __future__ import annotations

from dataclasses import replace
from typing import Any

from overread.audits.ranking import AUDIT
from overread.contracts.replay import Replay


def test_an_order_that_the_join_made(slipped: Replay, shipped: Any, make: Any):
    # Published 2/7 for Model M, by key 3/7: it overtakes a model at 0.35.
    other = make.published("jury_accuracy", "Other", 0.35)
    held = replace(
        slipped,
        published=(*slipped.published, other),
        matrix={item: {**row, "Other": 1.0} for item, row in slipped.matrix.items()},
    )
    (found,) = AUDIT.look(shipped(held))
    assert (found.code, found.count) == ("changed-order", 1)
    assert found.evidence == (
        "published: Other 35.00 % over Model M 28.57 %, joined by key: Model M 42.86 % over Other "
        "35.00 %"
    )


def test_a_tie_is_no_order(slipped: Replay, shipped: Any, make: Any):
    # As printed alike, two models are parted by nothing that a correction could turn round.
    other = make.published("jury_accuracy", "Other", 2 / 7)
    matrix = {item: {**row, "Other": 1.0} for item, row in slipped.matrix.items()}
    held = replace(slipped, published=(*slipped.published, other), matrix=matrix)
    assert list(AUDIT.look(shipped(held))) == []


def test_a_file_that_was_cut_changes_no_order(slipped: Replay, shipped: Any, make: Any):
    # Over the first two questions the jury says yes to one half: over nobody's exam but its own.
    gemini, gpt, qwen = slipped.votes
    other = make.published("jury_accuracy", "Other", 0.35)
    held = replace(
        slipped,
        votes=(gemini, replace(gpt, rows=gpt.rows[:2]), qwen),
        published=(*slipped.published, other),
        matrix={item: {**row, "Other": 1.0} for item, row in slipped.matrix.items()},
    )
    assert list(AUDIT.look(shipped(held))) == []


def test_the_lead_is_over_shared_questions_with_an_interval_by_patient(
    slipped: Replay, shipped: Any, make: Any
):
    # The other model's jury is right on questions 0 and 1 of all eight: 2/8; Model M by key 3/7.
    right = [place < 2 for place in range(8)]
    votes = [
        make.votes("o", judge, slipped.questions, right) for judge in ("gemini", "gpt", "qwen")
    ]
    held = replace(
        slipped,
        votes=(*slipped.votes, *votes),
        published=(
            make.published("jury_accuracy", "Model M", 0.2857),
            make.published("jury_accuracy", "Other", 0.30),
            *(one for one in slipped.published if one.metric == "judge_accuracy"),
        ),
        title_of={"m": "Model M", "o": "Other"},
    )
    (found,) = AUDIT.look(shipped(held))
    # Over the seven that both have: 3 against 2, one seventh.
    assert "Model M leads Other by 14.29 points over 7 questions (95 % " in found.effect
    assert found.effect.endswith("so these votes do not settle which is better")


def test_an_order_that_stands(slipped: Replay, shipped: Any, make: Any):
    other = make.published("jury_accuracy", "Other", 0.6)
    held = replace(slipped, published=(*slipped.published, other))
    assert list(AUDIT.look(shipped(held))) == []
