"""Metrics of a whole corpus, which are no mean over items: their sums are kept item by item.

So any stratum, and any resample of patients, has its own value at the cost of adding up.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from overread.metrics.text.bleu import bleu, bleu_statistics
from overread.metrics.text.pairs import comparable
from overread.records import PlannedItem, Reference, Response, Status
from overread.stats.sums_interval import SumsStatistic

__all__ = [
    "CORPUS_METRICS",
    "CorpusMetric",
    "CorpusSums",
    "TextPairs",
    "corpus_sums",
    "text_pairs",
]

TextPairs: TypeAlias = Mapping[tuple[str, int], tuple[str | None, str | None]]
"""Item and draw → (prediction, reference); None where a side is missing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CorpusMetric:
    """How a corpus metric is made of its items."""

    statistics: Callable[[Sequence[str], Sequence[str]], NDArray[np.int64]]
    """Predictions and references, none empty → (n, sums) what each pair adds."""
    value: SumsStatistic
    """(…, sums) → (…): NaN where undefined."""
    range: tuple[float, float]
    """Least and greatest value."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CorpusSums:
    """A corpus metric over the lines of a plan."""

    table: NDArray[np.float64]
    """(n, sums) what each line adds; 0 where it does not count."""
    asked: NDArray[np.bool_]
    """(n,) whether there is a response."""
    counts: NDArray[np.bool_]
    """(n,) whether both sides have text."""
    value: SumsStatistic
    range: tuple[float, float]
    answered: NDArray[np.bool_] | None = None
    """(n,) whether an answer was read; None where that is so wherever it counts."""


CORPUS_METRICS: Final[Mapping[str, CorpusMetric]] = {
    "bleu": CorpusMetric(
        statistics=lambda predictions, references: bleu_statistics(
            predictions, references, lowercase=True
        ),
        value=bleu,
        range=(0.0, 100.0),
    ),
}
"""By name, as in `AlsoMetric.metric`. ``bleu`` is sacrebleu's, both sides lower-cased, 0 to 100."""


def text_pairs(
    planned: Sequence[PlannedItem],
    responses: Iterable[Response],
    references: Mapping[str, Reference],
) -> TextPairs:
    """Pair what was answered with what is right; a line without a response is left out.

    Parameters
    ----------
    planned
        The run's plan.
    responses
        Its responses; a failed or refused one is a pair without a prediction.
    references
        Item id → reference; one with a problem is a pair without a reference.
    """
    by_hash = {response.request_hash: response for response in responses}
    pairs: dict[tuple[str, int], tuple[str | None, str | None]] = {}
    for line in planned:
        response, reference = by_hash.get(line.request_hash), references.get(line.item)
        if response is None:
            continue
        usable = reference is not None and reference.problem is None
        pairs[line.item, line.draw] = (
            response.text if response.status is Status.OK else None,
            reference.answer if reference is not None and usable else None,
        )
    return pairs


def corpus_sums(metric: str, planned: Sequence[PlannedItem], texts: TextPairs) -> CorpusSums:
    """Compute what each line of a plan adds to a corpus metric.

    Parameters
    ----------
    metric
        One of `CORPUS_METRICS`.
    planned
        The lines, in order.
    texts
        From `text_pairs`. A pair with an empty side does not count, which is not a value of 0.
    """
    chosen = CORPUS_METRICS[metric]
    pairs = [texts.get((line.item, line.draw)) for line in planned]
    predictions = [(pair and pair[0]) or "" for pair in pairs]
    references = [(pair and pair[1]) or "" for pair in pairs]
    counts = comparable(predictions, references)
    used = np.flatnonzero(counts)
    found = chosen.statistics([predictions[row] for row in used], [references[row] for row in used])
    table = np.zeros((len(planned), found.shape[1]), dtype=np.float64)
    table[used] = found
    return CorpusSums(
        table=table,
        asked=np.array([pair is not None for pair in pairs], dtype=np.bool_),
        counts=counts,
        value=chosen.value,
        range=chosen.range,
    )
