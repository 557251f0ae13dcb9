"""Made-up tables with a known character, to see what a ranking rule makes of each.

What a rule, a figure or a threshold should do is best seen where the answer is known: when one
method is plainly better, when none is, when one case decides, when preferences go in a circle.
"""

from __future__ import annotations

from itertools import permutations

import numpy as np
from numpy.typing import NDArray

from overread.analysis.ranking.table import CaseTable

__all__ = ["all_orders", "circle", "clear_order", "many_missing", "no_order", "one_case_decides"]


def clear_order(n: int, k: int, rng: np.random.Generator) -> CaseTable:
    """Every method is better than the next in every case."""
    base = np.linspace(0.9, 0.5, k)
    return _table(base + rng.uniform(-0.4, 0.4, size=(n, 1)) / k + _noise(rng, n, k) * 0.05)


def no_order(n: int, k: int, rng: np.random.Generator) -> CaseTable:
    """All methods draw from one distribution: who is first is luck."""
    return _table(rng.uniform(0.6, 1.0, size=(n, k)))


def all_orders(k: int) -> CaseTable:
    """Give every order of the methods once: all means are equal but for the rounding of sums."""
    steps = np.linspace(1.0, 0.8, k)
    return _table(np.array(list(permutations(steps))))


def circle(k: int) -> CaseTable:
    """Let the first beat the second, the second the third, and the last the first (Condorcet)."""
    steps = np.linspace(0.9, 0.7, k)
    return _table(np.array([np.roll(steps, shift) for shift in range(k)]))


def one_case_decides(n: int, k: int, rng: np.random.Generator) -> CaseTable:
    """Give the first method a clear lead in all cases but one, whose loss turns its mean."""
    values = np.linspace(0.85, 0.75, k) + _noise(rng, n, k) * 0.02
    values[0, 0] = values[:, 1:].max() - n * 0.2
    return _table(values)


def many_missing(n: int, k: int, share: float, rng: np.random.Generator) -> CaseTable:
    """Give a clear order whose best method fails in a share of the cases, the worst ones first."""
    table = clear_order(n, k, rng)
    values = table.values["value"].copy()
    failed = np.argsort(values[:, 0])[: round(share * n)]
    values[failed, 0] = np.nan
    return _table(values)


def _noise(rng: np.random.Generator, n: int, k: int) -> NDArray[np.float64]:
    return rng.uniform(-1.0, 1.0, size=(n, k)) / k


def _table(values: NDArray[np.float64]) -> CaseTable:
    n, k = values.shape
    return CaseTable(
        methods=tuple(f"method {chr(ord('A') + place)}" for place in range(k)),
        cases=tuple(f"case {row}" for row in range(1, n + 1)),
        values={"value": values},
    )
