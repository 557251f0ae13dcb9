"""Questions for which more than one answer counts as right, as exam offices rule afterwards."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace

from overread.contracts.scoring import Scorer, Selective
from overread.records import Item, Profile, Reference, Response, Score

__all__ = ["AcceptedAnswers", "accepted_letters"]


def accepted_letters(item: Item, texts: Collection[str]) -> tuple[str, ...]:
    """Give the letters of the options that say one of the texts, as the item has them now.

    Options are known by what they say, because their letters change when they are shuffled.
    """
    return tuple(option.letter for option in item.options if option.text in texts)


@dataclass(frozen=True, slots=True, kw_only=True)
class AcceptedAnswers:
    """A scorer that takes any accepted answer to an item for right.

    A response is scored against each of them, and the rows of the best stand. Without a value
    (no answer, no usable reference) they are all alike.
    """

    scorer: Scorer
    accepted: Mapping[str, tuple[str, ...]]
    """Item id → the texts of all options accepted, the reference's own among them."""

    @property
    def metric(self) -> str:
        """The scorer's own."""
        return self.scorer.metric

    @property
    def profile(self) -> Profile:
        """The scorer's own."""
        return self.scorer.profile

    def takes(self, item: Item) -> bool:
        """Say whether the scorer takes an item."""
        return not isinstance(self.scorer, Selective) or self.scorer.takes(item)

    def score(self, item: Item, reference: Reference, response: Response) -> Iterable[Score]:
        """Score one response against every accepted answer."""
        answers = accepted_letters(item, self.accepted.get(item.id, ()))
        rows = tuple(self.scorer.score(item, reference, response))
        for answer in answers:
            if reference.problem is not None or reference.answer is None:
                break
            other = tuple(self.scorer.score(item, replace(reference, answer=answer), response))
            rows = max(rows, other, key=_value)
        return rows


def _value(rows: tuple[Score, ...]) -> float:
    return sum(row.value or 0.0 for row in rows)
