"""Scores answers that are a set of options: the very set, or not; or no answer and why."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, TypeAlias, cast

from overread.metrics.choice import ACCURACY
from overread.records import Item, MultiChoice, Option, Profile, Reference, Response, Score, Status
from overread.scoring.multi_choice import join_letters, read_letters
from overread.scoring.reading import Reading
from overread.scoring.rows import Outcome, check_records, score_row, undefined

__all__ = ["MultiChoiceScorer", "SetReader"]

SetReader: TypeAlias = Callable[[str | None, tuple[Option, ...], int | None], Reading]
"""Reads the letters chosen in a reply; it never raises, and answers as `join_letters` writes."""

_SEPARATORS: Final = ", "


@dataclass(frozen=True, slots=True, kw_only=True)
class MultiChoiceScorer:
    """Turns the reply to a `MultiChoice` item into one ``accuracy`` row.

    The value is 1.0 for the very set of the reference and 0.0 for another set of the right size.
    A set of another size than the question states is no answer, of a kind of its own. Statuses and
    the costs of no answer are those of `choice_scorer`.
    """

    profile: Profile
    reader: SetReader = read_letters
    metric: str = ACCURACY.name

    def takes(self, item: Item) -> bool:
        """Say whether an item asks for a set of options."""
        return isinstance(item.answer_space, MultiChoice)

    def score(self, item: Item, reference: Reference, response: Response) -> tuple[Score, ...]:
        """Score one response.

        Raises
        ------
        UsageError
            The three records do not belong together, or the item asks for no set.
        """
        check_records(item, reference, response, space=MultiChoice)
        space = cast("MultiChoice", item.answer_space)
        outcome = self._outcome(space, reference, response)
        return (score_row(item, response, outcome, spec=ACCURACY, profile=self.profile),)

    def _outcome(self, space: MultiChoice, reference: Reference, response: Response) -> Outcome:
        wanted = _letters(reference.answer)
        problem = reference.problem
        if problem is None and (not wanted or not wanted <= set(space.letters)):
            problem = f"reference {reference.answer!r} is no set of the options"
        if problem is not None:
            return undefined(problem)
        if response.status is not Status.OK:
            reason = response.reason or "no reply"
            return Outcome(value=None, status=response.status, reason=reason)
        reading = self.reader(response.text, space.options, space.count)
        if reading.answer is None:
            return Outcome(value=None, status=reading.status, reason=reading.rule)
        right = reading.answer == join_letters(wanted, space.options)
        return Outcome(
            value=float(right), status=Status.OK, reason=reading.rule, answer=reading.answer
        )


def _letters(answer: str | None) -> set[str]:
    """Take the letters of a reference apart: ``ce``, ``c,e`` and ``c, e`` are one."""
    if answer is None:
        return set()
    parts = answer.split(",") if "," in answer else list(answer)
    return {part.strip(_SEPARATORS) for part in parts} - {""}
