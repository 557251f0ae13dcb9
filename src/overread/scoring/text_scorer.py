"""Scores free text by how alike it is to the reference: ROUGE, METEOR, cosine of embeddings.

Likeness is not correctness, so these stand beside a headline, never in its place. BLEU is missing
here because it is no mean over items: `metrics.text.bleu` makes it of all of them together.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from overread.errors import UsageError, expected
from overread.metrics.spec import MetricSpec
from overread.metrics.text.specs import COSINE, METEOR, ROUGE_1, ROUGE_2, ROUGE_L
from overread.records import Item, Profile, Reference, Response, Score, Status, Text
from overread.scoring.rows import Outcome, check_records, score_row, undefined

if TYPE_CHECKING:
    from overread.metrics.text.rouge import Rouge

__all__ = ["ITEM_TEXT_METRICS", "TextScorer", "text_scorers"]

ITEM_TEXT_METRICS = tuple(spec.name for spec in (ROUGE_1, ROUGE_2, ROUGE_L, METEOR, COSINE))
"""The measures that have a value for each item."""

_Row = tuple[Item, Reference, Response]
_Texts = tuple[str, ...]
_Values = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class TextScorer:
    """Turns replies into one row each of one measure.

    There is a value exactly when both sides have text. An empty reply is `UNDEFINED`, and so is
    every row where WordNet or the embedding model is not installed: the reason says what to
    install. A reply that failed keeps its status. The ``published`` profile scores the text of a
    reply that the host marked as refused, as released scripts look at the text alone; the
    ``honest`` one does not.
    """

    metric: str
    profile: Profile = "published"

    def __post_init__(self) -> None:
        if self.metric not in _MEASURES:
            raise UsageError(
                expected(
                    "metric",
                    rule="one of " + ", ".join(ITEM_TEXT_METRICS),
                    got=repr(self.metric),
                    remedy="BLEU has no value for an item: it is made of all items together.",
                )
            )

    def score(self, item: Item, reference: Reference, response: Response) -> tuple[Score, ...]:
        """Score one response; `score_all` is faster for many.

        Raises
        ------
        UsageError
            The three records do not belong together.
        """
        return self.score_all([(item, reference, response)])

    def score_all(self, rows: Sequence[_Row]) -> tuple[Score, ...]:
        """Score all responses at once, one row each and in their order.

        Raises
        ------
        UsageError
            Three records do not belong together.
        """
        for item, reference, response in rows:
            check_records(item, reference, response, space=Text)
        outcomes = [self._text_of(reference, response) for _, reference, response in rows]
        # Sorted out here, so that neither weights nor WordNet are loaded for nothing.
        asked = [place for place, outcome in enumerate(outcomes) if isinstance(outcome, tuple)]
        pairs = [outcome for outcome in outcomes if isinstance(outcome, tuple)]
        measured = dict(zip(asked, self._measure(pairs), strict=True))
        spec = _MEASURES[self.metric].spec
        scores: list[Score] = []
        for place, (row, outcome) in enumerate(zip(rows, outcomes, strict=True)):
            verdict = measured[place] if isinstance(outcome, tuple) else outcome
            scores.append(score_row(row[0], row[2], verdict, spec=spec, profile=self.profile))
        return tuple(scores)

    def _text_of(self, reference: Reference, response: Response) -> tuple[str, str] | Outcome:
        """Give both sides, or why there is nothing to compare."""
        declined = response.status is Status.REFUSED and self.profile == "published"
        if response.status is not Status.OK and not (declined and response.text):
            return Outcome(value=None, status=response.status, reason=response.reason)
        if reference.problem is not None or reference.answer is None:
            return undefined(reference.problem or "the release has no answer")
        prediction = response.text or ""
        if not prediction.strip():
            return undefined("the reply is empty")
        if not reference.answer.strip():
            return undefined("the reference is empty")
        return prediction, reference.answer

    def _measure(self, pairs: Sequence[tuple[str, str]]) -> list[Outcome]:
        if not pairs:
            return []
        predictions, references = zip(*pairs, strict=True)
        try:
            values = _MEASURES[self.metric].compute(predictions, references)
        except UsageError as problem:
            return [undefined(str(problem))] * len(pairs)
        return [
            undefined("the embedding has no length")
            if np.isnan(value)
            else Outcome(value=value, status=Status.OK, reason=None)
            for value in values.tolist()
        ]


def text_scorers(profile: Profile) -> tuple[TextScorer, ...]:
    """Give a scorer of every measure that has a value for each item."""
    return tuple(TextScorer(metric=metric, profile=profile) for metric in ITEM_TEXT_METRICS)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Measure:
    spec: MetricSpec
    compute: Callable[[_Texts, _Texts], _Values]


@lru_cache(maxsize=1)
def _rouge(predictions: tuple[str, ...], references: tuple[str, ...]) -> Rouge:
    """Keep the last ones: three scorers in a row ask for one measure each of the same replies."""
    from overread.metrics.text.rouge import rouge

    return rouge(predictions, references)


def _rouge_1(predictions: _Texts, references: _Texts) -> _Values:
    return _rouge(predictions, references).rouge1


def _rouge_2(predictions: _Texts, references: _Texts) -> _Values:
    return _rouge(predictions, references).rouge2


def _rouge_l(predictions: _Texts, references: _Texts) -> _Values:
    return _rouge(predictions, references).rouge_l


def _meteor(predictions: _Texts, references: _Texts) -> _Values:
    from overread.metrics.text.meteor import meteor
    from overread.metrics.text.wordnet import open_wordnet

    return meteor(predictions, references, open_wordnet())


def _cosine(predictions: _Texts, references: _Texts) -> _Values:
    from overread.embedding.sentences import open_sentence_model
    from overread.metrics.text.cosine import cosine

    # Both sides in one go: a text that stands on both is embedded once.
    vectors = open_sentence_model().embed([*predictions, *references])
    return cosine(vectors[: len(predictions)], vectors[len(predictions) :])


_MEASURES: Mapping[str, _Measure] = MappingProxyType(
    {
        measure.spec.name: measure
        for measure in (
            _Measure(spec=ROUGE_1, compute=_rouge_1),
            _Measure(spec=ROUGE_2, compute=_rouge_2),
            _Measure(spec=ROUGE_L, compute=_rouge_l),
            _Measure(spec=METEOR, compute=_meteor),
            _Measure(spec=COSINE, compute=_cosine),
        )
    }
)
