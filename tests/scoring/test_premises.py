"""Replies that deny what they were asked about."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from overread.scoring.premises import rejects_premise


@pytest.mark.parametrize(
    "reply",
    [
        "There is no fracture in this picture.",
        "There are no signs of effusion; the costophrenic angles are sharp.",
        "I see no clear evidence of a mass.",
        "The image does not show an arrow.",
        "A pacemaker is not visible.",
        "The catheter isn't present.",
        "None can be seen.",
        "I don't see any nodule here.",
        "The premise of the question is false.",
        "That is a mistaken assumption: both lungs are clear.",
    ],
)
def test_denials(reply: str) -> None:
    assert rejects_premise(reply)


@pytest.mark.parametrize(
    "reply",
    [
        "The fracture lies in the distal radius.",
        "There is no doubt that it is malignant.",
        "There is no question: left.",
        "It is on the left, as expected.",
        "",
        "Red.",
        "Not on the left but on the right.",
    ],
)
def test_answers(reply: str) -> None:
    assert not rejects_premise(reply)


@given(st.text())
def test_any_text_is_read(reply: str) -> None:
    assert rejects_premise(reply) in (True, False)


def test_a_long_text_takes_no_time() -> None:
    assert not rejects_premise("no premise " * 200_000)
