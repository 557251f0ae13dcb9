"""Drawing the choices of an exam from a lesion set of the released size, without its pictures.

Run by itself as ``python -m benches.exam_drawing LESIONS``: writes varied sentences about lesions
of the test and validation split, embeds them as vectors of their words beside random pictures, and
draws every question that the split allows, up to the count of a complete release.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import Any, Final

import numpy as np

from benches.measure import measure, python
from overread.builders.retrieved_exam.draw import draw_units
from overread.builders.retrieved_exam.embeddings import Embeddings
from overread.builders.retrieved_exam.lesions import ExamLesion
from overread.scoring.facts.ontology import OntologyTerms
from overread.scoring.facts.reader import read_facts

__all__ = ["EXAM_LESIONS", "measure_exam_drawing"]

EXAM_LESIONS: Final = 5000
"""Of the released 20,335 about a quarter are in the test and validation split."""
_SEED: Final = 20260219
_WIDTH: Final = 256
_PLACES: Final = (
    "right upper lobe", "left lower lobe", "left lung", "mediastinum", "left hilum", "liver",
    "segment 7 of the liver", "left kidney", "right kidney", "left adrenal gland", "spleen",
    "pancreatic head", "gallbladder", "mesentery", "retroperitoneum", "pelvis", "right breast",
    "left lobe of the thyroid", "left iliac bone", "abdominal wall", "right axilla",
)  # fmt: skip
_TYPES: Final = ("nodule", "mass", "cyst", "lymph node", "lesion", "metastasis", "consolidation")
_LOOKS: Final = (
    "smooth", "spiculated", "hypodense", "hyperdense", "calcified", "enhancing", "irregular",
    "lobulated", "well-defined", "necrotic", "ground-glass", "heterogeneous",
)  # fmt: skip
_FORMS: Final = (
    "A {look} {type} in the {place}.",
    "There is a {size:.1f} cm {type} in the {place}, {look} and {second}.",
    "{second} {type} of the {place}.",
    "A {look}, {second} {type} of the {place}, and a small nodule in the right lung.",
)


def measure_exam_drawing(*, lesions: int) -> dict[str, Any]:
    """Draw an exam in a new process.

    Returns
    -------
    dict
        Seconds of wall clock and of CPU, peak MB, and how many questions were drawn.
    """
    run = measure(python("benches.exam_drawing", lesions))
    return {f"{lesions:,} lesions": {**run.report, "peak_mb": run.peak_mb}}


def _lesions(count: int, rng: np.random.Generator) -> list[ExamLesion]:
    """Write lesions of half as many patients; every second patient is in the test split."""
    found: list[ExamLesion] = []
    for number in range(count):
        longest = float(rng.uniform(5, 60))
        look, second = rng.choice(_LOOKS, 2, replace=False)
        told = str(rng.choice(_FORMS)).format(
            look=look,
            second=second,
            type=rng.choice(_TYPES),
            place=rng.choice(_PLACES),
            size=longest / 10,
        )
        size = f"{longest:.1f} x {longest * rng.uniform(0.5, 0.95):.1f} mm"
        patient = int(rng.integers(max(2, count // 2)))
        terms = OntologyTerms(size=size)
        found.append(
            ExamLesion(
                lesion_idx=number,
                patient=str(patient),
                study="1",
                split="test" if patient % 2 else "validation",
                plain=Path(f"{number}.png"),
                boxed=Path(f"{number}_box.png"),
                picture_sha256=f"{patient} {rng.integers(2)}",
                box=None,
                spacing_mm=None,
                description=told,
                size=size,
                attributes="",
                terms=terms,
                facts=read_facts(told, ontology=terms),
                cells={},
            )
        )
    return found


def _embeddings(lesions: list[ExamLesion], rng: np.random.Generator) -> Embeddings:
    """Add up a random vector for each word: sentences that read alike lie together."""
    words: dict[str, Any] = {}
    texts = np.zeros((len(lesions), _WIDTH))
    for row, lesion in enumerate(lesions):
        for word in lesion.description.casefold().replace(",", "").rstrip(".").split():
            texts[row] += words.setdefault(word, rng.normal(size=_WIDTH))
    pictures = rng.normal(size=(len(lesions), _WIDTH))
    return Embeddings.join(
        pictures,
        texts,
        label="bench",
        numbers=[lesion.lesion_idx for lesion in lesions],
        picture_weight=0.5,
    )


def _main(count: int) -> None:
    rng = np.random.default_rng(_SEED)
    lesions = _lesions(count, rng)
    embeddings = _embeddings(lesions, rng)
    stacks = frozenset(range(0, count, 2))
    start, cpu = time.perf_counter(), time.process_time()
    units, _ = draw_units(lesions, embeddings, stacks, lambda _, __: None, seed=1, most=None)
    report = {"seconds": time.perf_counter() - start, "cpu_seconds": time.process_time() - cpu}
    print(json.dumps({**report, "questions": len(units)}))


if __name__ == "__main__":
    _main(int(sys.argv[1]))
