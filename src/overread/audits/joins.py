"""Lists that should match row by row: where they slip, and how they go together.

Results are often joined by row number: row 17 of one file with row 17 of another. One record lost
in one file pairs every later row with a stranger, and nothing fails. Where both sides carry a key
(a question, an answer, an id), the damage can be counted and mended.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

__all__ = ["Join", "Run", "join_rows", "rows_that_differ"]

_LARGEST_TABLE: Final = 4_000_000
"""Cells of an alignment table; a stretch that needs more is joined by occurrence order."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """Neighbouring rows of the right list that are off by the same number of rows."""

    first: int
    """First row in the right list, from 0."""
    length: int
    offset: int
    """How many rows further down the partner stands in the left list; 0 where rows match."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Join:
    """How two lists go together by their keys. Rows count from 0."""

    n_left: int
    n_right: int
    pairs: tuple[tuple[int, int], ...]
    """(left row, right row), in the order of the left list; every row at most once."""
    missing: tuple[int, ...]
    """Left rows that have no partner."""
    extra: tuple[int, ...]
    """Right rows that have no partner."""
    ambiguous: tuple[int, ...]
    """Left rows whose partner, or lack of one, rests on the order of equal keys alone."""
    first_mismatch: int | None
    """First row at which the two lists hold different keys; None where there is none."""
    n_mismatched: int
    """Rows that a join by row number pairs with a different key."""

    @property
    def runs(self) -> tuple[Run, ...]:
        """Stretches of the right list by their offset, in its order; a clean join has one of 0."""
        found: list[Run] = []
        for left, right in sorted(self.pairs, key=lambda pair: pair[1]):
            last = found[-1] if found else None
            if last and last.offset == left - right and last.first + last.length == right:
                found[-1] = Run(first=last.first, length=last.length + 1, offset=last.offset)
            else:
                found.append(Run(first=right, length=1, offset=left - right))
        return tuple(found)

    @property
    def n_shifted(self) -> int:
        """How many pairs stand at different row numbers in the two lists."""
        return sum(left != right for left, right in self.pairs)

    @property
    def is_by_row(self) -> bool:
        """Whether a join by row number is right: same length, same keys, same order."""
        return not (self.missing or self.extra or self.n_shifted)


def join_rows(left: Sequence[Hashable], right: Sequence[Hashable]) -> Join:
    """Join two lists by their keys, keeping to their order wherever it can be kept.

    Parameters
    ----------
    left, right
        One key a row. A key may stand several times; its rows are then told apart by their
        neighbours, and where these leave a choice, by their order of occurrence.

    Returns
    -------
    Join
        Exact where rows were only lost, gained or moved and keys are unique. Rows of repeated keys
        that could go together in another, equally good way are listed as ambiguous.

    Notes
    -----
    Keys that are unique on both sides anchor the join: the longest rising sequence of them keeps
    its order. Between two anchors the longest common subsequence is taken, with every row that
    not all best alignments treat alike counted as ambiguous. What is left was moved and goes
    together by key and order of occurrence. Time is n log n in the anchors plus the product of the
    lengths of each stretch between two of them.

    Examples
    --------
    Two files of any benchmark, by whatever tells their rows apart:

    >>> asked = [("Which lung?", "left"), ("How many?", "2"), ("Which lung?", "right")]
    >>> graded = [("Which lung?", "left"), ("Which lung?", "right")]
    >>> found = join_rows(asked, graded)
    >>> found.missing, found.first_mismatch, found.n_mismatched
    ((1,), 1, 1)
    >>> found.pairs, [(run.first, run.length, run.offset) for run in found.runs]
    (((0, 0), (2, 1)), [(0, 1, 0), (1, 1, 1)])
    """
    unsure: set[int] = set()
    if list(left) == list(right):
        partner = {row: row for row in range(len(left))}
    else:
        partner = dict(_anchors(left, right))
    for lefts, rights in _stretches(partner, len(left), len(right)):
        _align(left, right, lefts, rights, partner, unsure)
    _join_moved(left, right, partner, unsure)
    taken = set(partner.values())
    differing = rows_that_differ(left, right)
    return Join(
        n_left=len(left),
        n_right=len(right),
        pairs=tuple(sorted(partner.items())),
        missing=tuple(row for row in range(len(left)) if row not in partner),
        extra=tuple(row for row in range(len(right)) if row not in taken),
        ambiguous=tuple(sorted(unsure)),
        first_mismatch=next(iter(differing), None),
        n_mismatched=len(differing),
    )


def rows_that_differ(left: Sequence[Hashable], right: Sequence[Hashable]) -> tuple[int, ...]:
    """List the rows at which two lists hold different keys, over the length of the shorter one."""
    pairs = enumerate(zip(left, right, strict=False))
    return tuple(row for row, (one, other) in pairs if one != other)


def _anchors(left: Sequence[Hashable], right: Sequence[Hashable]) -> list[tuple[int, int]]:
    """Give the longest rising sequence of pairs whose key is unique on both sides."""
    at_left, at_right = _unique(left), _unique(right)
    pairs = [(row, at_right[key]) for key, row in at_left.items() if key in at_right]
    ends: list[int] = []  # ends[k]: the smallest right row that ends a rising sequence of k + 1
    holders: list[int] = []
    before: list[int | None] = []
    for index, (_, row) in enumerate(pairs):
        place = bisect_left(ends, row)
        before.append(holders[place - 1] if place else None)
        ends[place : place + 1] = [row]
        holders[place : place + 1] = [index]
    kept: list[tuple[int, int]] = []
    at = holders[-1] if holders else None
    while at is not None:
        kept.append(pairs[at])
        at = before[at]
    return kept[::-1]


def _unique(keys: Sequence[Hashable]) -> dict[Hashable, int]:
    """Give the row of each key that stands once, in the order of rows."""
    counts = Counter(keys)
    return {key: row for row, key in enumerate(keys) if counts[key] == 1}


def _stretches(anchors: Mapping[int, int], n_left: int, n_right: int) -> list[tuple[range, range]]:
    """Give the rows between neighbouring anchors, where there are some on both sides."""
    found: list[tuple[range, range]] = []
    at_left = at_right = 0
    for one, other in (*anchors.items(), (n_left, n_right)):
        if at_left < one and at_right < other:
            found.append((range(at_left, one), range(at_right, other)))
        at_left, at_right = one + 1, other + 1
    return found


def _align(
    left: Sequence[Hashable],
    right: Sequence[Hashable],
    lefts: range,
    rights: range,
    partner: dict[int, int],
    unsure: set[int],
) -> None:
    """Pair the rows of one stretch in order, and note those that could pair otherwise."""
    ours, theirs = [left[row] for row in lefts], [right[row] for row in rights]
    if ours == theirs:
        partner.update(zip(lefts, rights, strict=True))
        return
    if len(ours) * len(theirs) > _LARGEST_TABLE:
        return  # joined by occurrence order, as moved rows are
    numbers = {key: number for number, key in enumerate(dict.fromkeys((*ours, *theirs)))}
    a = np.array([numbers[key] for key in ours])
    b = np.array([numbers[key] for key in theirs])
    before, after = _lengths(a, b), _lengths(a[::-1], b[::-1])[::-1, ::-1]
    best = before[-1, -1]
    # A pair (i, j) stands in some best alignment when what goes before and after it makes the rest.
    can_pair = (a[:, None] == b) & (before[:-1, :-1] + 1 + after[1:, 1:] == best)
    can_lack = (before[:-1] + after[1:] == best).any(axis=1)
    choices = can_pair.sum(axis=1) + can_lack
    unsure.update(lefts[int(i)] for i in np.flatnonzero((choices > 1) & can_pair.any(axis=1)))
    i = j = 0
    while i < a.size and j < b.size:  # first come, first paired
        if a[i] == b[j]:
            partner[lefts[i]] = rights[j]
            i, j = i + 1, j + 1
        elif after[i + 1, j] == after[i, j]:
            i += 1
        else:
            j += 1


def _lengths(a: NDArray[np.int64], b: NDArray[np.int64]) -> NDArray[np.int32]:
    """Length of the longest common subsequence of every two beginnings, (len a + 1, len b + 1)."""
    table = np.zeros((a.size + 1, b.size + 1), dtype=np.int32)
    for i in range(a.size):
        # The running maximum along the row stands for the step from its left neighbour.
        step = np.maximum(table[i, 1:], table[i, :-1] + (b == a[i]))
        table[i + 1, 1:] = np.maximum.accumulate(step)
    return table


def _join_moved(
    left: Sequence[Hashable],
    right: Sequence[Hashable],
    partner: dict[int, int],
    unsure: set[int],
) -> None:
    """Pair what is left by key; rows that share their key go by order of occurrence."""
    taken = set(partner.values())
    rights: defaultdict[Hashable, list[int]] = defaultdict(list)
    for row, key in enumerate(right):
        if row not in taken:
            rights[key].append(row)
    lefts: defaultdict[Hashable, list[int]] = defaultdict(list)
    for row, key in enumerate(left):
        if row not in partner and key in rights:
            lefts[key].append(row)
    ours, theirs = Counter(left), Counter(right)
    for key, rows in lefts.items():
        partner.update(zip(rows, rights[key], strict=False))
        if ours[key] > 1 or theirs[key] > 1:
            unsure.update(rows)
