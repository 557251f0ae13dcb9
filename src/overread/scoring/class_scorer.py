"""Scores choices between named classes: right or not, and the counts behind macro F1 and kappa."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from overread.metrics.classes import CLASS_CASES, CLASS_CLAIMS, CLASS_HITS
from overread.metrics.spec import MetricSpec
from overread.records import Choice, Item, Profile, Reference, Response, Score, Status
from overread.scoring.choice_scorer import ChoiceScorer

__all__ = ["ClassScorer"]

_MARK: Final = ": "


@dataclass(frozen=True, slots=True, kw_only=True)
class ClassScorer:
    """Emits the ``accuracy`` row of a `ChoiceScorer`, and beside it class rows.

    The classes are the words of the options within the item's task (``granule_type: round``), so
    that their order does not matter. ``class_cases`` is 1 for the reference's class;
    ``class_claims`` is 1 for the class that was answered, and ``class_hits`` says of it whether
    it is the reference's. A reply that is no answer makes no claim; an item without a usable
    reference has no class rows.
    """

    choice: ChoiceScorer

    @property
    def metric(self) -> str:
        """The headline."""
        return self.choice.metric

    @property
    def profile(self) -> Profile:
        """Whose rules it follows."""
        return self.choice.profile

    def takes(self, item: Item) -> bool:
        """Say whether an item asks for a choice."""
        return self.choice.takes(item)

    def score(self, item: Item, reference: Reference, response: Response) -> Iterator[Score]:
        """Score one response. UsageError as `ChoiceScorer.score`."""
        (row,) = self.choice.score(item, reference, response)
        yield row
        words = _classes(item)
        if reference.problem is not None or reference.answer not in words:
            return
        wanted = words[reference.answer]
        yield self._row(item, response, CLASS_CASES, wanted, 1.0)
        if row.value is not None and row.answer in words:
            claimed = words[row.answer]
            yield self._row(item, response, CLASS_CLAIMS, claimed, 1.0)
            yield self._row(item, response, CLASS_HITS, claimed, float(claimed == wanted))

    def _row(
        self, item: Item, response: Response, spec: MetricSpec, target: str, value: float
    ) -> Score:
        return Score(
            run=response.run,
            item=item.id,
            draw=response.draw,
            patient=item.groups.get("patient"),
            metric=spec.name,
            metric_version=spec.version,
            profile=self.profile,
            target=target,
            unit=spec.unit,
            value=value,
            status=Status.OK,
        )


def _classes(item: Item) -> dict[str | None, str]:
    """Give the class behind each letter; an option without words is named by its letter."""
    space = item.answer_space
    options = space.options if isinstance(space, Choice) else ()
    return {each.letter: f"{item.task}{_MARK}{each.text or each.letter}" for each in options}
