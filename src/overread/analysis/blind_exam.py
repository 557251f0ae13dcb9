"""The part of an exam that is there without its pictures, as arrays: letters, texts, answers.

Everything a blind policy may use is here and nothing else: which letters are offered, what the
options say, which task and question they belong to. The reference letters stand beside it, to
judge the policies.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from overread.records import Choice, Item, Reference

__all__ = ["BlindExam", "blind_exam", "number_labels", "unit_of"]

_WORD = re.compile(r"\w+")
_NOTHING_SEEN = re.compile(
    r"\b(no (acute |significant |abnormal )*(findings?|abnormalit(y|ies)|lesions?)|normal"
    r"|unremarkable|none of the above)\b"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class BlindExam:
    """Choice items as arrays: n items in their order, L distinct letters, columns by letter."""

    ids: tuple[str, ...]
    letters: tuple[str, ...]
    offered: NDArray[np.bool_]
    """(n, L) which letters an item offers."""
    right: NDArray[np.int64]
    """(n,) column of the reference letter; -1 where the release has no usable one."""
    tasks: NDArray[np.int64]
    """(n,) number of the task."""
    stems: NDArray[np.int64]
    """(n,) number of the task and question text."""
    twins: NDArray[np.int64]
    """(n,) number of the question as worded and answered within its cluster: one that is asked
    with and without a box is one question twice, so that its letter is one draw and not two."""
    texts: NDArray[np.int64]
    """(n, L) number of the option text within its task; -1 where an option has none, or one that
    no other fold has, of which nothing can be learned."""
    folds: NDArray[np.int64]
    """(n,) fold for policies that learn: items of one cluster are in one fold."""
    picks: Mapping[str, NDArray[np.float64]]
    """Policies that need no learning: name → (n, L) probability of choosing each letter."""

    @property
    def chances(self) -> NDArray[np.float64]:
        """(n,) probability that a uniform guess is right; 0 where nothing is on offer."""
        n_offered = self.offered.sum(axis=1)
        return np.where(n_offered > 0, 1.0 / np.maximum(n_offered, 1), 0.0)


def blind_exam(
    items: Sequence[Item],
    references: Mapping[str, Reference],
    *,
    cluster: str | None,
    n_folds: int,
) -> BlindExam:
    """Turn choice items (others must be left out before) into arrays.

    Parameters
    ----------
    items
        Items whose answer space is a `Choice`.
    references
        Item id → reference. A missing one, one with a problem, and one whose letter is not on
        offer count as no usable answer: no policy is right there.
    cluster
        Key of `Item.groups` whose items stay in one fold; items without it stand alone.
    n_folds
        Number of folds, at least 2.
    """
    spaces = [item.answer_space for item in items if isinstance(item.answer_space, Choice)]
    options = [_options(space) for space in spaces]
    letters = tuple(sorted({letter for one in options for letter in one}))
    column = {letter: place for place, letter in enumerate(letters)}
    shape = (len(items), len(letters))
    offered = np.zeros(shape, dtype=np.bool_)
    right = np.full(len(items), -1, dtype=np.int64)
    wording: list[list[str | None]] = []
    for row, (item, one) in enumerate(zip(items, options, strict=True)):
        offered[row, [column[letter] for letter in one]] = True
        answer = _usable_answer(references.get(item.id))
        if answer in one:
            right[row] = column[answer]
        wording.append([one.get(letter) for letter in letters])
    folds = number_labels(unit_of(item, cluster) for item in items) % n_folds
    return BlindExam(
        ids=tuple(item.id for item in items),
        letters=letters,
        offered=offered,
        right=right,
        tasks=number_labels(item.task for item in items),
        stems=number_labels((item.task, _plain(item.question)) for item in items),
        twins=number_labels(
            (unit_of(item, cluster), item.task, _plain(item.question), tuple(texts), answer)
            for item, texts, answer in zip(items, wording, right.tolist(), strict=True)
        ),
        texts=_text_codes(items, wording, folds).reshape(shape),
        folds=folds,
        picks=_picks(wording, offered),
    )


def _options(space: Choice) -> dict[str, str | None]:
    return {option.letter: _plain(option.text) if option.text else None for option in space.options}


def _usable_answer(reference: Reference | None) -> str | None:
    if reference is None or reference.problem is not None:
        return None
    return reference.answer


def unit_of(item: Item, cluster: str | None) -> tuple[str, str]:
    """Name the cluster of an item, or the item itself where it has none."""
    named = item.groups.get(cluster) if cluster is not None else None
    return ("item", item.id) if named is None else ("cluster", named)


def _plain(text: str) -> str:
    return " ".join(text.casefold().split())


def number_labels(labels: Iterable[Hashable]) -> NDArray[np.int64]:
    """Give each distinct label a number from 0, by first appearance; shape (n,)."""
    numbers: dict[Hashable, int] = {}
    return np.array([numbers.setdefault(label, len(numbers)) for label in labels], dtype=np.int64)


def _text_codes(
    items: Sequence[Item], wording: list[list[str | None]], folds: NDArray[np.int64]
) -> NDArray[np.int64]:
    found_in: dict[tuple[str, str], set[int]] = {}
    for item, texts, fold in zip(items, wording, folds.tolist(), strict=True):
        for text in texts:
            if text is not None:
                found_in.setdefault((item.task, text), set()).add(fold)
    shared = (key for key, where in found_in.items() if len(where) > 1)
    numbers = {key: place for place, key in enumerate(shared)}
    codes = [
        -1 if text is None else numbers.get((item.task, text), -1)
        for item, texts in zip(items, wording, strict=True)
        for text in texts
    ]
    return np.array(codes, dtype=np.int64)


def _picks(
    wording: list[list[str | None]], offered: NDArray[np.bool_]
) -> dict[str, NDArray[np.float64]]:
    shape = offered.shape
    lengths = np.full(shape, np.nan)
    alike = np.full(shape, np.nan)
    nothing = np.zeros(shape)
    for row, texts in enumerate(wording):
        places = [place for place, text in enumerate(texts) if text is not None]
        words = [frozenset(_WORD.findall(texts[place] or "")) for place in places]
        for place, own in zip(places, words, strict=True):
            text = texts[place] or ""
            lengths[row, place] = len(text)
            alike[row, place] = sum(_overlap(own, other) for other in words)
            nothing[row, place] = _NOTHING_SEEN.search(text) is not None
    picks = {
        "longest option": _soft_choice(lengths, offered),
        "shortest option": _soft_choice(-lengths, offered),
        "option most like the others": _soft_choice(alike, offered),
        "odd one out": _soft_choice(-alike, offered),
    }
    if nothing.any():
        picks["always no finding"] = _soft_choice(np.where(nothing > 0, 1.0, np.nan), offered)
    return picks


def _overlap(one: frozenset[str], other: frozenset[str]) -> float:
    joint = len(one | other)
    return len(one & other) / joint if joint else 1.0


def _soft_choice(merit: NDArray[np.float64], offered: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Choose the letter of greatest merit; ties share, and an item without merits is guessed."""
    known = offered & ~np.isnan(merit)
    filled = np.where(known, merit, -np.inf)
    best = filled.max(axis=1, keepdims=True, initial=-np.inf)
    chosen = np.where(known.any(axis=1, keepdims=True), known & (filled >= best), offered)
    return chosen / np.maximum(chosen.sum(axis=1, keepdims=True), 1)
