"""The columns that compare texts: cosine of embeddings, BLEU, ROUGE, METEOR."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np
from numpy.typing import NDArray

from overread.audits.reproduce.cells import Draft, Unit
from overread.audits.reproduce.samples import MeanSample, Sample, SumsSample
from overread.audits.shipped import JoinedPredictions, models_of
from overread.audits.wording import counted
from overread.contracts.replay import Replay
from overread.embedding.sentences import SentenceModel, open_sentence_model
from overread.errors import UsageError
from overread.metrics.text.bleu import BLEU_COLUMNS, bleu, bleu_statistics
from overread.metrics.text.cosine import cosine
from overread.metrics.text.meteor import meteor
from overread.metrics.text.pairs import comparable
from overread.metrics.text.rouge import Rouge, rouge
from overread.metrics.text.wordnet import WordNet, open_wordnet
from overread.stats.cluster_wilson import DIFFERENCE, SHARE, Ends

__all__ = ["text_cells"]

_NO_FILE: Final = "no readable predictions"
_OTHER_BATCHES: Final = 1e-6
"""How far a cosine moves with the sentences embedded beside it and with the computer."""

_BLEU: Final[Ends] = (0.0, 100.0)

_Values = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Column:
    metric: str
    title: str
    unit: Unit
    empty_is_zero: bool
    """Whether an empty answer has a value: it shares no word, but has no embedding."""


_COLUMNS: Final = (
    _Column(metric="cosine", title="SBERT cosine", unit="1", empty_is_zero=False),
    _Column(metric="bleu", title="BLEU", unit="points", empty_is_zero=True),
    _Column(metric="rouge1", title="ROUGE-1", unit="1", empty_is_zero=True),
    _Column(metric="rouge2", title="ROUGE-2", unit="1", empty_is_zero=True),
    _Column(metric="rougeL", title="ROUGE-L", unit="1", empty_is_zero=True),
    _Column(metric="meteor", title="METEOR", unit="1", empty_is_zero=True),
)


def text_cells(
    replay: Replay,
    joined: Mapping[str, JoinedPredictions],
    *,
    on_progress: Callable[[str], None],
) -> Iterator[Draft]:
    """Recompute the columns of texts, column by column.

    The released numbers skip every pair with an empty side. Corrected, an empty answer shares no
    word with its reference: it counts, with 0, in all but the cosine, which is undefined for it.

    Parameters
    ----------
    replay
        What the release ships.
    joined
        From `shipped.join_predictions`.
    on_progress
        Is told what is being computed.
    """
    models = models_of(replay)
    texts = {model: _Texts(one, replay) for model, one in joined.items()}
    tools = _Tools(tuple(text for one in texts.values() for text in one.all_texts))
    for column in _COLUMNS:
        for model, title in models:
            one = texts.get(model)
            if one is None:
                yield _draft(column, model, title, None, None, None, (_NO_FILE,))
                continue
            on_progress(f"{column.title} of {title}")
            yield _cell(column, model, title, one, tools, len(replay.questions))


class _Texts:
    """One model's answers beside the references, in file order."""

    def __init__(self, joined: JoinedPredictions, replay: Replay) -> None:
        rows = joined.predictions.rows
        predictions = [row.prediction or "" for row in rows]
        references = [row.answer for row in rows]
        self.kept = comparable(predictions, references)
        self.predictions = [predictions[row] for row in np.flatnonzero(self.kept)]
        self.references = [references[row] for row in np.flatnonzero(self.kept)]
        self.place = np.array(
            [-1 if place is None else place for place in joined.question_of], dtype=np.int64
        )
        empty = [
            row
            for row, place in enumerate(joined.question_of)
            if not self.kept[row] and place is not None and references[row].strip()
        ]
        self.empty = np.array(empty, dtype=np.int64)
        self.empty_references = [references[row] for row in empty]
        self.n_skipped = int((~self.kept).sum())
        self.n_strange = int((self.place[self.kept] < 0).sum())

    @property
    def all_texts(self) -> Sequence[str]:
        return (*self.predictions, *self.references)

    @cached_property
    def rouge(self) -> Rouge:
        return rouge(self.predictions, self.references)

    @cached_property
    def bleu_rows(self) -> NDArray[np.int64]:
        return bleu_statistics(self.predictions, self.references, lowercase=True)

    @property
    def places(self) -> NDArray[np.int64]:
        """Places of the questions of the pairs kept; -1 for a row that fits none."""
        return self.place[self.kept]


class _Tools:
    """WordNet and the sentence model, opened when first needed."""

    def __init__(self, texts: Sequence[str]) -> None:
        self._texts = texts

    @cached_property
    def wordnet(self) -> WordNet:
        return open_wordnet()

    @cached_property
    def vectors(self) -> Callable[[Sequence[str]], NDArray[np.float32]]:
        """Embed every text of every model once, and give the rows of any of them."""
        model: SentenceModel = open_sentence_model()
        distinct = sorted(set(self._texts))
        rows = {text: row for row, text in enumerate(distinct)}
        table = model.embed(distinct)
        return lambda texts: table[[rows[text] for text in texts]]


def _cell(column: _Column, model: str, title: str, texts: _Texts, tools: _Tools, n: int) -> Draft:
    faults: list[str] = []
    for count, what in (
        (texts.n_skipped, ("empty answer", "left out")),
        (texts.n_strange, ("prediction", "on no question counted")),
        (n - int((texts.place >= 0).sum()), ("question", "without a prediction left out")),
    ):
        if count > 0:
            faults.append(counted(count, *what))
    if column.metric == "bleu":
        value, sample = _bleu(texts)
        return _draft(column, model, title, value, len(texts.predictions), sample, tuple(faults))
    try:
        values = _values(column.metric, texts, tools)
    except UsageError as problem:
        return _draft(column, model, title, None, None, None, (str(problem),))
    defined = ~np.isnan(values)
    value = float(values[defined].mean()) if defined.any() else None
    sample = _mean_sample(column, texts, values, n)
    return _draft(column, model, title, value, int(defined.sum()), sample, tuple(faults))


def _values(metric: str, texts: _Texts, tools: _Tools) -> _Values:
    """Give the measure of each pair kept; NaN where it is undefined."""
    if metric == "cosine":
        return cosine(tools.vectors(texts.predictions), tools.vectors(texts.references))
    if metric == "meteor":
        return meteor(texts.predictions, texts.references, tools.wordnet)
    found = texts.rouge
    return {"rouge1": found.rouge1, "rouge2": found.rouge2, "rougeL": found.rouge_l}[metric]


def _mean_sample(column: _Column, texts: _Texts, values: _Values, n: int) -> MeanSample:
    by_question, counts = np.zeros(n), np.zeros(n, dtype=np.bool_)
    usable = (texts.places >= 0) & ~np.isnan(values)
    by_question[texts.places[usable]] = values[usable]
    counts[texts.places[usable]] = True
    if column.empty_is_zero:
        counts[texts.place[texts.empty]] = True
    ends = DIFFERENCE if column.metric == "cosine" else SHARE
    return MeanSample(values=by_question, counts=counts, ends=ends)


def _bleu(texts: _Texts) -> tuple[float | None, Sample]:
    """BLEU of the pairs kept, and what all pairs add to it: an empty answer has a length of 0."""
    rows = texts.bleu_rows
    value = float(bleu(rows.sum(axis=0)))
    empty = np.zeros((len(texts.empty), len(BLEU_COLUMNS)), dtype=np.int64)
    if len(texts.empty):
        itself = bleu_statistics(texts.empty_references, texts.empty_references, lowercase=True)
        words = BLEU_COLUMNS.index("reference words")
        empty[:, words] = itself[:, words]
    fits = texts.places >= 0
    sample = SumsSample(
        table=np.concatenate([rows[fits], empty]).astype(np.float64),
        places=np.concatenate([texts.places[fits], texts.place[texts.empty]]),
        statistic=bleu,
        ends=_BLEU,
    )
    return (None if np.isnan(value) else value), sample


def _draft(
    column: _Column,
    model: str,
    title: str,
    recomputed: float | None,
    n_recomputed: int | None,
    sample: Sample | None,
    faults: tuple[str, ...],
) -> Draft:
    return Draft(
        model=model,
        title=title,
        metric=column.metric,
        column=column.title,
        unit=column.unit,
        recomputed=recomputed,
        n_recomputed=n_recomputed,
        sample=sample,
        faults=faults,
        tolerance=_OTHER_BATCHES if column.metric == "cosine" else 0.0,
    )
