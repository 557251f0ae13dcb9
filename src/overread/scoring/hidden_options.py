"""Scores free replies to questions whose options were not shown, by which option a reply says.

Letters mean nothing in such a reply, so that none is read: an option counts where its words are
named and not denied. A reply that names none, and declines or denies what it was asked about, has
taken the safe option, which is right where the evidence is broken and wrong where it is whole.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

from overread.metrics.evidence import OPEN_ACCURACY
from overread.records import Item, Option, Profile, Reference, Response, Score, Status, Text
from overread.scoring.honest_choice import read_choice
from overread.scoring.premises import rejects_premise
from overread.scoring.reading import Reading
from overread.scoring.rows import Outcome, check_records, score_row, undefined

__all__ = ["HiddenChoice", "HiddenOptionsScorer", "read_hidden"]

_FIRST_SIGN: Final = 0xE000
"""Of letters that no reply holds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HiddenChoice:
    """What a free question leaves to choose between, though nobody is told."""

    options: tuple[Option, ...]
    right: str
    """Letter of the right option."""
    safe: str | None
    """Letter of the option that declines; None where there is none."""


def read_hidden(text: str | None, choice: HiddenChoice) -> Reading:
    """Read which option a free reply says.

    Examples
    --------
    >>> texts = {"A": "left", "B": "right", "E": "unclear"}
    >>> options = tuple(Option(letter=letter, text=text) for letter, text in texts.items())
    >>> choice = HiddenChoice(options=options, right="A", safe="E")
    >>> [read_hidden(each, choice).answer for each in ("On the left.", "There is no mark", "B")]
    ['A', 'E', None]
    """
    signs = {chr(_FIRST_SIGN + n): option.letter for n, option in enumerate(choice.options)}
    hidden = tuple(
        replace(option, letter=sign) for sign, option in zip(signs, choice.options, strict=True)
    )
    reading = read_choice(text, hidden)
    if reading.answer is not None:
        return replace(reading, answer=signs[reading.answer])
    declined = reading.status is Status.REFUSED
    if choice.safe is not None and (declined or rejects_premise(text or "")):
        rule = "declined" if declined else "premise-rejected"
        return Reading(answer=choice.safe, status=Status.OK, rule=rule)
    return reading


@dataclass(frozen=True, slots=True, kw_only=True)
class HiddenOptionsScorer:
    """One ``open_accuracy`` row a reply: 1 where it says the right option, 0 where another."""

    profile: Profile
    choices: Mapping[str, HiddenChoice]
    """By item id; an item without one has no score."""
    metric: str = OPEN_ACCURACY.name

    def takes(self, item: Item) -> bool:
        """Say whether an item asks for free text."""
        return isinstance(item.answer_space, Text)

    def score(self, item: Item, reference: Reference, response: Response) -> tuple[Score, ...]:
        """Score one response. UsageError when the three records do not belong together."""
        check_records(item, reference, response, space=Text)
        outcome = self._outcome(item, reference, response)
        return (score_row(item, response, outcome, spec=OPEN_ACCURACY, profile=self.profile),)

    def _outcome(self, item: Item, reference: Reference, response: Response) -> Outcome:
        choice = self.choices.get(item.id)
        if reference.problem is not None or choice is None:
            return undefined(reference.problem or "no options to read it by are known")
        if response.status is Status.FAILED:
            return Outcome(value=None, status=Status.FAILED, reason=response.reason or "no reply")
        if response.status is Status.REFUSED:
            reason = response.reason or "refused"
            return Outcome(value=None, status=Status.REFUSED, reason=reason)
        reading = read_hidden(response.text, choice)
        if reading.answer is None:
            return Outcome(value=None, status=reading.status, reason=reading.rule)
        return Outcome(
            value=float(reading.answer == choice.right),
            status=Status.OK,
            reason=reading.rule,
            answer=reading.answer,
        )
