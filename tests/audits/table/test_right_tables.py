"""Tables computed from counts and rounded as people round: an audit finds nothing in them."""

from __future__ import annotations

import numpy as np
import pytest

from overread.records import Severity
from overread.stats.intervals import wilson

PARTS = (100, 150, 50, 37)


def _table(seed: int) -> tuple[str, str]:
    rng = np.random.default_rng(seed)
    n_rows, decimals = int(rng.integers(3, 30)), int(rng.integers(0, 3))
    counts = rng.binomial(PARTS, rng.uniform(0.2, 0.9, size=(n_rows, 1)))
    shares = 100 * counts / np.array(PARTS)
    total = 100 * counts.sum(axis=1) / sum(PARTS)
    columns = {f"part {k}": shares[:, k] for k in range(len(PARTS))}
    columns |= {
        "overall": total,
        "best": shares.max(axis=1),
        "worst": shares.min(axis=1),
        "gap": shares.max(axis=1) - shares.min(axis=1),
        "average": shares.mean(axis=1),
    }
    ranks = 1 + (total[:, None] < total[None, :]).sum(axis=1)
    lines = ["model," + ",".join(columns) + ",interval,rank"]
    for row in range(n_rows):
        cells = [f"{values[row]:.{decimals}f}" for values in columns.values()]
        low, high = (
            100 * end
            for end in (
                wilson(int(counts[row].sum()), sum(PARTS)).low or 0,
                wilson(int(counts[row].sum()), sum(PARTS)).high or 0,
            )
        )
        interval = f'"{total[row]:.{decimals}f} [{low:.{decimals}f}, {high:.{decimals}f}]"'
        lines.append(f"m{row}," + ",".join(cells) + f",{interval},{ranks[row]}")
    claims = f"""
[n.columns]
overall = {sum(PARTS)}
interval = {sum(PARTS)}
{"".join(f'"part {k}" = {n}' + chr(10) for k, n in enumerate(PARTS))}
[[total]]
column = "overall"
parts = ["part 0", "part 1", "part 2", "part 3"]
rule = "pooled"
[[summary]]
mean = "average"
best = "best"
worst = "worst"
gap = "gap"
sites = 4
[[rank]]
value = "overall"
rank = "rank"
smaller_is_better = false
"""
    return "\n".join(lines) + "\n", claims


@pytest.mark.parametrize("seed", [*range(60), 144, 182, 219, 317, 326])
def test_no_error_in_a_right_table(audit, seed: int) -> None:
    table, claims = _table(seed)
    for known in (claims, ""):
        found = audit(table, known)
        errors = [each.finding for each in found.flaws if each.finding.severity == Severity.ERROR]
        assert errors == []
