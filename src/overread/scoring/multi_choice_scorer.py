"""Scores answers that are a set of options: the very set, or not; or no answer and why."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final, TypeAlias, cast

from overread.metrics.choice import ACCURACY
from overread.metrics.sets import SET_OVERLAP, set_overlap
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
    """Turns the reply to a `MultiChoice` item into an ``accuracy`` and a ``set_overlap`` row.

    Accuracy is 1.0 for the very set of the reference and 0.0 for another set of the right size; the
    overlap says how far off that is. A set of another size than the question states is no answer,
    of a kind of its own. Statuses and the costs of no answer are those of `choice_scorer`.
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
        shared = outcome
        if outcome.answer is not None:
            value = set_overlap(_letters(outcome.answer), _letters(reference.answer))
            shared = replace(outcome, value=value)
        return tuple(
            score_row(item, response, each, spec=spec, profile=self.profile)
            for spec, each in ((ACCURACY, outcome), (SET_OVERLAP, shared))
        )

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
