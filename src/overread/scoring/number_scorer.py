"""Scores answers that are one number: the very number, or not; or no answer and why."""

from __future__ import annotations

from dataclasses import dataclass

from overread.metrics.choice import ACCURACY
from overread.records import Item, Number, Profile, Reference, Response, Score, Status
from overread.scoring.number_answer import NumberReader, as_decimal, read_number_answer
from overread.scoring.rows import Outcome, check_records, score_row, undefined

__all__ = ["NumberScorer"]


@dataclass(frozen=True, slots=True, kw_only=True)
class NumberScorer:
    """Turns the reply to a `Number` item into one ``accuracy`` row.

    The value is 1.0 for the reference's number, however it is written (``600``, ``600.0``), and 0.0
    for another one. Statuses and the costs of no answer are those of `choice_scorer`.
    """

    profile: Profile
    reader: NumberReader = read_number_answer
    metric: str = ACCURACY.name

    def takes(self, item: Item) -> bool:
        """Say whether an item asks for a number."""
        return isinstance(item.answer_space, Number)

    def score(self, item: Item, reference: Reference, response: Response) -> tuple[Score, ...]:
        """Score one response.

        Raises
        ------
        UsageError
            The three records do not belong together, or the item asks for no number.
        """
        check_records(item, reference, response, space=Number)
        outcome = self._outcome(reference, response)
        return (score_row(item, response, outcome, spec=ACCURACY, profile=self.profile),)

    def _outcome(self, reference: Reference, response: Response) -> Outcome:
        wanted = as_decimal(reference.answer)
        problem = reference.problem
        if problem is None and wanted is None:
            problem = f"reference {reference.answer!r} is no number"
        if problem is not None:
            return undefined(problem)
        if response.status is not Status.OK:
            reason = response.reason or "no reply"
            return Outcome(value=None, status=response.status, reason=reason)
        reading = self.reader(response.text)
        if reading.answer is None:
            return Outcome(value=None, status=reading.status, reason=reading.rule)
        right = as_decimal(reading.answer) == wanted
        return Outcome(
            value=float(right), status=Status.OK, reason=reading.rule, answer=reading.answer
        )
