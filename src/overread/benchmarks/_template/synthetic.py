"""Writes a template release from a seed: one bright shape in one quarter of a dark picture."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from overread.benchmarks._template.loader import COLUMNS, LETTERS, QUESTION_FILE
from overread.imaging.encode import encode_png

__all__ = ["synthesise"]

_QUESTIONS: Final = {
    "shape": ("Which shape is shown?", ("disc", "square", "cross", "ring")),
    "where": (
        "In which quarter is the shape?",
        ("upper left", "upper right", "lower left", "lower right"),
    ),
}


def synthesise(root: Path, *, seed: int, size: int) -> None:
    """Write `size` pictures of 64×64 pixels, two of each patient, with two questions each.

    Shape, quarter and the order of options are drawn independently and evenly, so that a reader
    who sees no picture scores at chance.
    """
    rng = np.random.default_rng(seed)
    (root / "pictures").mkdir(parents=True, exist_ok=True)
    with (root / QUESTION_FILE).open("w", encoding="utf-8", newline="") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(COLUMNS)
        for number in range(size):
            facts = {"shape": int(rng.integers(4)), "where": int(rng.integers(4))}
            picture = f"pictures/{number:04}.png"
            (root / picture).write_bytes(encode_png(_draw(rng, **facts)))
            table.writerows(_rows(rng, number, picture, facts))


def _draw(rng: np.random.Generator, *, shape: int, where: int) -> NDArray[np.uint8]:
    rows, columns = (
        np.mgrid[:64, :64]
        - np.array([16 + 32 * (where // 2), 16 + 32 * (where % 2)])[:, None, None]
    )
    far, near = np.maximum(abs(rows), abs(columns)), np.minimum(abs(rows), abs(columns))
    radius = np.hypot(rows, columns)
    inside = (radius < 9, far < 8, (far < 10) & (near < 3), (radius < 10) & (radius > 6))[shape]
    return (rng.normal(40, 8, (64, 64)) + 150 * inside).clip(0, 255).astype(np.uint8)


def _rows(
    rng: np.random.Generator, number: int, picture: str, facts: dict[str, int]
) -> Iterator[list[str]]:
    patient = number // 2
    split = "validation" if patient % 3 == 2 else "test"
    for task, (question, texts) in _QUESTIONS.items():
        order = [int(place) for place in rng.permutation(4)]
        answer = LETTERS[order.index(facts[task])]
        shown = [texts[place] for place in order]
        yield [str(number), f"P{patient:03}", split, task, picture, question, *shown, answer]
