"""What every exam of ours draws alike, whether from phantoms or from a lesion table.

Letters, the order of the options, the slices that a task shows, and the names of the pictures.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

import numpy as np

from overread.benchmarks.ct_bench.layout import (
    KEY_SLICE,
    LETTERS,
    SLICES_PER_STACK,
    STACK_TASKS,
    QuestionSplit,
)

__all__ = ["View", "by_lesion", "draw_letters", "in_letter_order", "picture_name", "slices_of"]

T = TypeVar("T")
Mark = TypeVar("Mark")


@dataclass(frozen=True, slots=True, kw_only=True)
class View(Generic[Mark]):
    """One picture of the exam: which slice around which lesion, and what is boxed in it."""

    lesion_idx: int
    split: QuestionSplit
    slice_index: int
    """Place in the nine-slice stack; `layout.KEY_SLICE` for the key slice."""
    boxed: Mark | None
    """What the box marks, or its edges; None without a box."""


def draw_letters(n: int, rng: np.random.Generator) -> list[str]:
    """Give the right letters of n questions, each about equally often, in random order."""
    order = rng.permutation(len(LETTERS))  # which letters are left over is chance, too
    return [LETTERS[order[i % len(LETTERS)]] for i in rng.permutation(n)]


def in_letter_order(
    four: Sequence[T], right: int, letter: str, rng: np.random.Generator
) -> list[T]:
    """Order four options so that the one at place `right` gets `letter`, the others by lot."""
    options = [four[i] for i in rng.permutation(len(four)) if i != right]
    options.insert(LETTERS.index(letter), four[right])
    return options


def slices_of(task: str) -> Sequence[int]:
    """Give the places in a stack of the slices that a task shows."""
    return range(SLICES_PER_STACK) if task in STACK_TASKS else (KEY_SLICE,)


def picture_name(view: View[Mark], mark: object, *, seed: int) -> str:
    """Name a picture after what it shows, salted: the name must not tell it.

    Parameters
    ----------
    view
        What it shows.
    mark
        Its box, in the words that go into the name: other words, other names.
    seed
        The salt.
    """
    text = f"{seed} {view.lesion_idx} {view.slice_index} {mark}"
    return f"{hashlib.sha256(text.encode()).hexdigest()[:16]}.png"


def by_lesion(views: Mapping[str, View[Mark]]) -> Mapping[int, Mapping[str, View[Mark]]]:
    """Sort pictures by the lesion they show; a lesion without any has an empty mapping."""
    sorted_out: defaultdict[int, dict[str, View[Mark]]] = defaultdict(dict)
    for name, view in views.items():
        sorted_out[view.lesion_idx][name] = view
    return sorted_out
