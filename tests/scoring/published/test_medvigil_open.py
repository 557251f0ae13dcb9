"""The released rules on free replies, faults included."""

from __future__ import annotations

import pytest

from overread.records import Item, Reference, Response, Status, Text
from overread.scoring.published.medvigil_open import OpenVerdictScorer, open_verdict


@pytest.mark.parametrize(
    ("kind", "gold", "reply", "verdict"),
    [
        ("original", "left lung", "", "incorrect"),
        ("original", "left lung", "It is in the Left  Lung.", "correct"),
        ("original", "left lower lobe", "lower lobe", "correct"),  # within the stated answer
        ("original", "left lung", "It is in the right lung.", None),
        ("original", "left lung", "I cannot determine this.", "refused_inappropriately"),
        ("original", "no", "I cannot determine this.", "correct"),  # "no" stands in "cannot"
        ("original", "yes", "No.", "incorrect"),
        ("original", "yes", "Indeed, it is there", "correct"),
        ("original", "yes", "It is positive, there is no doubt", None),
        ("original", "", "Left.", None),
        ("halluc_trap", "", "There is no arrow.", "refused_appropriately"),
        ("halluc_trap", "", "Red", None),
        ("roi_masked", "", "I cannot determine this.", "refused_appropriately"),
        ("roi_masked", "", "There is no mark.", None),  # only declining counts here
    ],
)
def test_verdicts(kind: str, gold: str, reply: str, verdict: str | None) -> None:
    assert open_verdict(reply, kind=kind, gold=gold) == verdict


def asked() -> Item:
    return Item(
        id="q", benchmark="b", task="open", condition="c", question="?", answer_space=Text(),
        strata={"probe_kind": "original"},
    )  # fmt: skip


@pytest.mark.parametrize(
    ("reply", "status", "value", "answer"),
    [
        ("left", Status.OK, 1.0, "correct"),
        ("", Status.OK, 0.0, "incorrect"),
        ("right", Status.UNDEFINED, None, None),
    ],
)
def test_rows(reply: str, status: Status, value: float | None, answer: str | None) -> None:
    item = asked()
    (row,) = OpenVerdictScorer().score(
        item,
        Reference(item="q", answer="left"),
        Response(run="r", item="q", status=Status.OK, text=reply, request_hash="h"),
    )
    assert (row.status, row.value, row.answer, row.profile) == (status, value, answer, "published")


@pytest.mark.parametrize("status", [Status.FAILED, Status.REFUSED])
def test_no_reply_keeps_its_status(status: Status) -> None:
    (row,) = OpenVerdictScorer().score(
        asked(),
        Reference(item="q", answer="left"),
        Response(run="r", item="q", status=status, request_hash="h"),
    )
    assert (row.status, row.value, row.reason) == (status, None, "no reply")


def test_an_answer_that_cannot_be_used_is_undefined() -> None:
    (row,) = OpenVerdictScorer().score(
        asked(),
        Reference(item="q", answer=None, problem="none is stated"),
        Response(run="r", item="q", status=Status.OK, text="left", request_hash="h"),
    )
    assert (row.status, row.reason) == (Status.UNDEFINED, "none is stated")
