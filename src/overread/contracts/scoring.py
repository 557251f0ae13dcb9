"""What turns responses into scores."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol, runtime_checkable

from overread.records import Item, Profile, Reference, Response, Score

__all__ = [
    "BatchScorer",
    "Scorer",
    "Selective",
]


class Scorer(Protocol):
    """Turns one response into Score rows."""

    @property
    def metric(self) -> str:
        """The headline metric it emits."""
        ...

    @property
    def profile(self) -> Profile:
        """Whose rules it follows."""
        ...

    def score(self, item: Item, reference: Reference, response: Response) -> Iterable[Score]:
        """Score one response; always at least one row, with a status."""
        ...


@runtime_checkable
class BatchScorer(Scorer, Protocol):
    """A scorer that is much faster over many responses at once: texts embedded once, say."""

    def score_all(self, rows: Sequence[tuple[Item, Reference, Response]]) -> Iterable[Score]:
        """Score all responses of a run: the very rows that `score` gives one by one."""
        ...


@runtime_checkable
class Selective(Protocol):
    """A scorer for some of a release's items: others are not put to it, and have no row of it."""

    def takes(self, item: Item) -> bool:
        """Say whether it scores responses to this item."""
        ...
