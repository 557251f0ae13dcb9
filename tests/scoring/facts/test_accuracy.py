"""The reader's measured quality, and what the score sees that likeness of words does not."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path

import pytest
from nltk.translate.bleu_score import SmoothingFunction, sentence_bleu

from overread.metrics.text.rouge import rouge
from overread.scoring.facts.compare import compare_facts
from overread.scoring.facts.reader import read_facts

HERE = Path(__file__).parent
PAGE = HERE.parents[2] / "docs/why/fact-score.md"

_spec = importlib.util.spec_from_file_location("measure_facts", HERE / "measure_reader.py")
assert _spec is not None
assert _spec.loader is not None
measure_reader = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(measure_reader)


@pytest.mark.parametrize("half", ["dev", "held-out"])
def test_the_figures_of_the_page_are_those_measured(half: str) -> None:
    counts = measure_reader.measure(half)
    text = PAGE.read_text("utf-8")
    whole = counts.pop("sentence")
    assert f"| {half} | {whole.total()} | {whole['hit']} |" in text
    if half == "dev":
        return
    for fact, count in counts.items():
        stated = count["hit"] + count["missed"]
        read, found = measure_reader.precision(count), measure_reader.recall(count)
        assert f"| {fact} | {stated} | {read:.3f} | {found:.3f} |" in text, fact
    left_out, parted = measure_reader.measure_parted(half)
    words = " ".join(text.split())
    assert f"{left_out} sentences are parted into another number of lesions" in words
    for fact in ("organ", "side", "type"):
        read, found = (f(parted[fact]) for f in (measure_reader.precision, measure_reader.recall))
        assert f"{fact} {read:.3f} and {found:.3f}" in words


def test_two_hundred_sentences_are_labelled() -> None:
    n = [len(measure_reader.sentences(half)) for half in ("dev", "held-out")]
    assert sum(n) >= 200
    assert min(n) >= 90


def bleu_1(reference: str, prediction: str) -> float:
    """Give the benchmark's BLEU-1 of plain sentences, whose words are parted by blanks."""
    return float(
        sentence_bleu(
            [reference.lower().split()],
            prediction.lower().split(),
            weights=(1, 0, 0, 0),
            smoothing_function=SmoothingFunction().method4,
        )
    )


def rouge_1(reference: str, prediction: str) -> float:
    return float(rouge([prediction], [reference]).rouge1[0])


def facts(reference: str, prediction: str) -> float:
    score = compare_facts(read_facts(reference), read_facts(prediction)).score
    assert score is not None
    return score


CASES = [
    ("left lung nodule", "right lung nodule", "pulmonary nodule on the left"),
    (
        "spiculated nodule in the left upper lobe measuring 12 mm",
        "spiculated nodule in the right upper lobe measuring 12 mm",
        "1.2 cm LUL nodule with spiculation",
    ),
    (
        "hypodense lesion in the right lobe of the liver",
        "hypodense lesion in the right lobe of the thyroid",
        "low-attenuation hepatic lesion on the right",
    ),
    ("cyst in the left kidney", "no cyst in the left kidney", "left renal cyst"),
    ("solid mass in the right kidney of 2 cm", "solid mass in the right kidney of 8 cm",
     "20 mm solid renal mass on the right side"),
]  # fmt: skip


@pytest.mark.parametrize(("reference", "wrong", "right"), CASES)
def test_it_puts_another_wording_above_another_fact(reference: str, wrong: str, right: str) -> None:
    """Likeness of words puts the contradiction first, each time; the facts put it last."""
    assert facts(reference, right) > 0.95
    assert facts(reference, right) - facts(reference, wrong) > 0.1
    assert bleu_1(reference, wrong) > bleu_1(reference, right)
    assert rouge_1(reference, wrong) > rouge_1(reference, right)


def test_left_and_right_are_two_words_in_three_alike_and_half_as_good() -> None:
    reference, wrong = "left lung nodule", "right lung nodule"
    assert bleu_1(reference, wrong) == pytest.approx(2 / 3)
    assert rouge_1(reference, wrong) == pytest.approx(2 / 3)
    # A wrong word that is no fact costs these as much as the side does.
    assert bleu_1(reference, "this lung nodule") == bleu_1(reference, wrong)
    assert facts(reference, "this lung nodule") > facts(reference, wrong)


def test_the_page_names_the_weights_of_the_metric() -> None:
    from overread.metrics.facts import WEIGHTS

    text = PAGE.read_text("utf-8")
    for fact, weight in WEIGHTS.items():
        assert re.search(rf"^\| {fact} \|.*\| {weight:g} \|$", text, re.M), fact
