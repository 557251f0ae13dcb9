"""What turns responses into scores."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol, runtime_checkable

from overread.records import Item, Profile, Reference, Response, Score

__all__ = [
    "BatchScorer",
    "CaseScorer",
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
class CaseScorer(Scorer, Protocol):
    """A scorer of files that take seconds a case: cases are scored by several processes.

    It can be pickled, and finds the files of reference and response by their paths. Scorers of the
    two profiles that are put to one case together may share what both need, such as the masks read.
    """

    def failed(self, item: Item, response: Response, reason: str) -> Iterable[Score]:
        """Give the rows of a case whose scoring broke: its process died, its memory ran out."""
        ...


@runtime_checkable
class Selective(Protocol):
    """A scorer for some of a release's items: others are not put to it, and have no row of it."""

    def takes(self, item: Item) -> bool:
        """Say whether it scores responses to this item."""
        ...
