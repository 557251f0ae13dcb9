"""Counts replies that give an answer, right or wrong: refusals and unreadable replies give none."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from overread.contracts import Scorer, Selective
from overread.metrics.spec import MetricSpec
from overread.records import Item, Profile, Reference, Response, Score
from overread.scoring.rows import Outcome, score_row

__all__ = ["AnsweredScorer"]


@dataclass(frozen=True, slots=True, kw_only=True)
class AnsweredScorer:
    """A scorer that also says, of some items, whether an answer was read in the reply.

    The row added is 1.0 where it was. Otherwise it has no value and the status of the answer's own
    row, so that a share over such rows counts what was asked and not answered. Its target is the
    circumstance: with figures, say.
    """

    scorer: Scorer
    """Of the answers."""
    spec: MetricSpec
    """What the rows added are called."""
    only: Mapping[str, str]
    """Values of `Item.strata` of the items that have such a row."""
    target_of: Mapping[str, str]
    """Condition → target; items of other conditions have no such row."""

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
        """Score one response."""
        rows = tuple(self.scorer.score(item, reference, response))
        return (*rows, *self._counted(item, response, rows))

    def _counted(self, item: Item, response: Response, rows: tuple[Score, ...]) -> Iterator[Score]:
        target = self.target_of.get(item.condition)
        if target is None or any(item.strata.get(k) != value for k, value in self.only.items()):
            return
        row = next(row for row in rows if row.metric == self.metric)
        value = None if row.value is None else 1.0
        outcome = Outcome(value=value, status=row.status, reason=row.reason)
        counted = score_row(item, response, outcome, spec=self.spec, profile=self.profile)
        yield replace(counted, target=target)
