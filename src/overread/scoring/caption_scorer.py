"""Scores a caption by how alike it is to the reference, by the measures that caption scripts use.

None of them asks whether the caption is right: "nodule in the left lung" and "nodule in the right
lung" are nearly the same to all of them. The facts are read by `scoring.facts`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from overread.errors import UsageError, expected
from overread.metrics.captions import BERT_F1, BLEU_1, METEOR_PENN, ROUGE_1_PLAIN
from overread.metrics.spec import MetricSpec
from overread.metrics.text.specs import COSINE
from overread.records import Item, Profile, Reference, Response, Score, Status, Text
from overread.scoring.published.ct_bench_captions import script_caption
from overread.scoring.rows import Outcome, check_records, score_row, undefined

__all__ = ["CAPTION_MEASURES", "LONGEST_CAPTION", "CaptionScorer", "caption_scorers"]

CAPTION_MEASURES = tuple(
    spec.name for spec in (BLEU_1, METEOR_PENN, ROUGE_1_PLAIN, BERT_F1, COSINE)
)
"""The measures, in the order in which CT-Bench's script prints them."""

LONGEST_CAPTION = 10_000
"""Characters measured: several pages. What stands beyond could only lower a precision that is next
to nothing already, and the tokeniser and METEOR would take minutes over a reply of 10 MB."""
_BERT_PART = 256
"""Pairs compared at once: the vectors of all pieces of thousands of captions fill the memory."""
_Row = tuple[Item, Reference, Response]
_Values = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class CaptionScorer:
    """Turns captions into one row each of one measure.

    What counts as the caption is settled by `caption_of`: the released script's way, which gives a
    failed call a caption too. An empty caption shares nothing and scores 0, save for the cosine,
    which embeds it. Of a caption the first 10,000 characters are measured. A response without any
    caption keeps its status. Where WordNet or a model's
    weights are not installed every row is `UNDEFINED`, and its reason says what to install.
    """

    metric: str
    profile: Profile = "published"
    caption_of: Callable[[Response], str | None] = script_caption

    def __post_init__(self) -> None:
        if self.metric not in _MEASURES:
            raise UsageError(
                expected(
                    "metric",
                    rule="one of " + ", ".join(CAPTION_MEASURES),
                    got=repr(self.metric),
                    remedy="Take one of these, or a scorer of another module.",
                )
            )

    def takes(self, item: Item) -> bool:
        """Say whether an item asks for free text: no other has a caption."""
        return isinstance(item.answer_space, Text)

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
        texts = [self._texts(reference, response) for _, reference, response in rows]
        # Sorted out here, so that neither weights nor WordNet are loaded for nothing.
        pairs = list(dict.fromkeys(each for each in texts if isinstance(each, tuple)))
        found = dict(zip(pairs, self._measure(pairs), strict=True))
        spec = _MEASURES[self.metric].spec
        return tuple(
            score_row(
                item,
                response,
                found[each] if isinstance(each, tuple) else each,
                spec=spec,
                profile=self.profile,
            )
            for (item, _, response), each in zip(rows, texts, strict=True)
        )

    def _texts(self, reference: Reference, response: Response) -> tuple[str, str] | Outcome:
        """Give both sides, or why there is nothing to compare."""
        caption = self.caption_of(response)
        if caption is None:
            return Outcome(value=None, status=response.status, reason=response.reason)
        if reference.problem is not None or not (reference.answer or "").strip():
            return undefined(reference.problem or "the release has no description")
        return caption[:LONGEST_CAPTION], (reference.answer or "").strip()

    def _measure(self, pairs: Sequence[tuple[str, str]]) -> list[Outcome]:
        """Measure pairs, none with an empty reference; no measure but the cosine meets silence."""
        measure = _MEASURES[self.metric]
        kept = [pair for pair in pairs if pair[0] or measure.takes_empty]
        try:
            values = measure.compute([p for p, _ in kept], [r for _, r in kept]) if kept else ()
        except UsageError as problem:
            return [undefined(str(problem))] * len(pairs)
        found = dict(zip(kept, values, strict=True))
        return [_verdict(float(found.get(pair, 0.0))) for pair in pairs]


def caption_scorers(profile: Profile) -> tuple[CaptionScorer, ...]:
    """Give a scorer of every measure."""
    return tuple(CaptionScorer(metric=metric, profile=profile) for metric in CAPTION_MEASURES)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Measure:
    spec: MetricSpec
    compute: Callable[[Sequence[str], Sequence[str]], _Values]
    takes_empty: bool = False
    """Whether a prediction may be empty."""


def _verdict(value: float) -> Outcome:
    if np.isnan(value):
        return undefined("the embedding has no length")
    return Outcome(value=value, status=Status.OK, reason=None)


def _bleu_1(predictions: Sequence[str], references: Sequence[str]) -> _Values:
    from overread.metrics.text.unigrams import bleu1

    return bleu1(predictions, references)


def _meteor(predictions: Sequence[str], references: Sequence[str]) -> _Values:
    from overread.metrics.text.meteor import meteor
    from overread.metrics.text.penn_words import penn_words
    from overread.metrics.text.wordnet import open_wordnet

    # Its words are what white space parts: no word of `penn_words` holds any.
    ours, theirs = (
        [" ".join(penn_words(text)) for text in side] for side in (predictions, references)
    )
    return meteor(ours, theirs, open_wordnet())


def _rouge_1(predictions: Sequence[str], references: Sequence[str]) -> _Values:
    from overread.metrics.text.unigrams import rouge1_plain

    return rouge1_plain(predictions, references)


def _bert_f1(predictions: Sequence[str], references: Sequence[str]) -> _Values:
    from overread.embedding.word_pieces import open_piece_model
    from overread.metrics.text.bert_score import bert_f1

    model, parts = open_piece_model(), list[_Values]()
    for start in range(0, len(predictions), _BERT_PART):
        end = start + _BERT_PART
        ours, theirs = predictions[start:end], references[start:end]
        # Both sides in one go: a text that stands on both is embedded once.
        pieces = model.embed([*ours, *theirs])
        parts.append(bert_f1(pieces[: len(ours)], pieces[len(ours) :]))
    return np.concatenate(parts)


def _cosine(predictions: Sequence[str], references: Sequence[str]) -> _Values:
    from overread.embedding.sentences import open_sentence_model
    from overread.metrics.text.cosine import cosine

    vectors = open_sentence_model().embed([*predictions, *references])
    return cosine(vectors[: len(predictions)], vectors[len(predictions) :])


_MEASURES: Mapping[str, _Measure] = MappingProxyType(
    {
        measure.spec.name: measure
        for measure in (
            _Measure(spec=BLEU_1, compute=_bleu_1),
            _Measure(spec=METEOR_PENN, compute=_meteor),
            _Measure(spec=ROUGE_1_PLAIN, compute=_rouge_1),
            _Measure(spec=BERT_F1, compute=_bert_f1),
            _Measure(spec=COSINE, compute=_cosine, takes_empty=True),
        )
    }
)
