"""Scores four-choice and other single-choice answers: right, wrong, or no answer and why."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

from overread.metrics.choice import ACCURACY
from overread.records import Choice, Item, Profile, Reference, Response, Score, Status
from overread.scoring.honest_choice import read_choice
from overread.scoring.reading import Reader, Reading
from overread.scoring.rows import check_records

__all__ = ["ChoiceScorer"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ChoiceScorer:
    """Turns the reply to a `Choice` item into one ``accuracy`` row.

    The row's value is 1.0 or 0.0 exactly when a letter was read and the reference can be used. In
    every other case there is no value and the status says why: `UNPARSED`, `REFUSED`, `FAILED` for
    the reply, `UNDEFINED` for a reference that cannot be used. What a missing answer costs is
    decided once, in `analysis`: nothing here turns it into a zero.

    The ``honest`` profile takes a reply that the host stopped or the model declined for what it is:
    `REFUSED`, whatever text came. The ``published`` profile reads that text, as released scripts
    look at the message alone; without text, or with words from a field of their own for refusals,
    the message was empty and the status stays. A response that *failed* is read by neither.
    """

    profile: Profile
    reader: Reader = read_choice
    metric: str = ACCURACY.name
    metric_version: str = ACCURACY.version

    def takes(self, item: Item) -> bool:
        """Say whether an item asks for a choice."""
        return isinstance(item.answer_space, Choice)

    def score(self, item: Item, reference: Reference, response: Response) -> tuple[Score, ...]:
        """Score one response.

        Raises
        ------
        UsageError
            The three records do not belong together, or the item does not ask for a choice.
        """
        check_records(item, reference, response, space=Choice)
        space = cast("Choice", item.answer_space)
        reading = self._read(response, space)
        return (self._row(item, _judge(reading, reference, space), reading.answer, response),)

    def _read(self, response: Response, space: Choice) -> Reading:
        by_script = self.profile == "published" and _is_message(response)
        if response.status is Status.OK or by_script:
            return self.reader(response.text, space.options)
        reason = response.reason or "no reply"
        return Reading(answer=None, status=response.status, rule=reason)

    def _row(self, item: Item, verdict: _Verdict, answer: str | None, response: Response) -> Score:
        return Score(
            run=response.run,
            item=item.id,
            draw=response.draw,
            patient=item.groups.get("patient"),
            metric=self.metric,
            metric_version=self.metric_version,
            profile=self.profile,
            unit=ACCURACY.unit,
            value=verdict.value,
            status=verdict.status,
            reason=verdict.reason,
            answer=answer,
        )


_FILTERED = "content_filter"
"""What a chat server says of a reply that its filter stopped on the way."""


def _is_message(response: Response) -> bool:
    """Whether the text beside a refusal is the message itself.

    It is where the host's filter stopped a reply, and where a file or a program says both that a
    reply was refused and what it was. A reply that ended in any other way and counts as refused
    was declined in the refusal field, beside an empty message.
    """
    refused = response.status is Status.REFUSED and response.text is not None
    return refused and response.finish_reason in (None, _FILTERED)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Verdict:
    value: float | None
    status: Status
    reason: str


def _judge(reading: Reading, reference: Reference, space: Choice) -> _Verdict:
    """Compare what was read with the reference; a failure on either side equals nothing."""
    problem = reference.problem
    if problem is None and reference.answer not in space.letters:
        problem = f"reference {reference.answer!r} is none of the options"
    if problem is not None:
        return _Verdict(value=None, status=Status.UNDEFINED, reason=problem)
    if reading.answer is None:
        return _Verdict(value=None, status=reading.status, reason=reading.rule)
    right = reading.answer == reference.answer
    return _Verdict(value=float(right), status=Status.OK, reason=reading.rule)
