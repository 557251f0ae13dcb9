"""What every scorer does: see that three records belong together, and write one Score row."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from overread.errors import UsageError, expected
from overread.metrics.spec import MetricSpec
from overread.records import AnswerSpace, Item, Profile, Reference, Response, Score, Status

__all__ = ["WHOLE_REJECTED", "Outcome", "check_records", "score_row", "undefined"]

WHOLE_REJECTED: Final = "the whole submission is rejected: "
"""How the reason of a row begins where a benchmark's own code scores all answers or none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """The value of one metric for one response, or why there is none."""

    value: float | None
    status: Status
    reason: str | None
    answer: str | None = None
    """What was read in the reply, for metrics that read one."""


def undefined(reason: str) -> Outcome:
    """Say that there is no value, through no fault of the reply."""
    return Outcome(value=None, status=Status.UNDEFINED, reason=reason)


def check_records(
    item: Item, reference: Reference, response: Response, *, space: type[AnswerSpace]
) -> None:
    """Check that a reference and a response are an item's, and that it asks for such an answer.

    Raises
    ------
    UsageError
        The three records do not belong together, or the item has another answer space.
    """
    if not item.id == reference.item == response.item:
        raise UsageError(
            expected(
                "response",
                rule=f"one to item {item.id!r}",
                got=f"a response to {response.item!r} and a reference of {reference.item!r}",
                remedy="Join responses and references by item id.",
            )
        )
    if not isinstance(item.answer_space, space):
        raise UsageError(
            expected(
                f"item {item.id!r}",
                rule=f"an answer space of the type {space.__name__}",
                got=type(item.answer_space).__name__,
                remedy="Give the item a scorer of its own answer space.",
            )
        )


def score_row(
    item: Item, response: Response, outcome: Outcome, *, spec: MetricSpec, profile: Profile
) -> Score:
    """Write an outcome as a row of its metric."""
    return Score(
        run=response.run,
        item=item.id,
        draw=response.draw,
        patient=item.groups.get("patient"),
        metric=spec.name,
        metric_version=spec.version,
        profile=profile,
        unit=spec.unit,
        value=outcome.value,
        status=outcome.status,
        reason=outcome.reason,
        answer=outcome.answer,
    )
