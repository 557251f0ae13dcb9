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


# ---------------------------------------------------------------- counts, intervals, two scales


def _ends(count: int, n: int) -> tuple[float, float]:
    interval = wilson(count, n)
    return interval.low or 0.0, interval.high or 0.0


def _counted_table(seed: int) -> str:
    """Counts of many kinds beside an accuracy with its interval, on one scale or on two."""
    rng = np.random.default_rng([seed, 1])
    n_rows, decimals = int(rng.integers(2, 20)), int(rng.integers(0, 4))
    same, mixed, as_fraction = (bool(rng.integers(2)) for _ in range(3))
    n = rng.integers(8, 3000, size=n_rows)
    n = np.full(n_rows, n[0]) if same else n
    right = rng.binomial(n, rng.uniform(0.05, 0.98, size=n_rows))
    n_name = str(rng.choice(["n", "questions", "cases", "patients", "N test"]))
    right_name = str(rng.choice(["correct", "right", "k", "n correct", "hits"]))
    ends = [
        ("low", "high"),
        ("lower", "upper"),
        ("95% CI low", "95% CI high"),
        ("acc_lo", "acc_hi"),
    ][int(rng.integers(4))]
    has_right, has_n, has_ends = (bool(rng.integers(4)) for _ in range(3))

    def share(value: float, *, fraction: bool, digits: int) -> str:
        return f"{value:.{digits + 2}f}" if fraction else f"{100 * value:.{digits}f}"

    lines: list[str] = []
    for row in range(n_rows):
        total, count = int(n[row]), int(right[row])
        value, (low, high) = count / total, _ends(count, total)
        # 0.07 among percentages can be 0.07 %: only larger cells are on a scale of their own.
        fraction = as_fraction != (mixed and row % 4 == 3 and value > 0.1)
        digits = decimals
        positives = int(rng.integers(0, total + 1))
        cells = {
            "model": f"m{row}",
            n_name: f"{total}",
            right_name: f"{count}",
            "accuracy": share(value, fraction=fraction, digits=digits),
            ends[0]: share(low, fraction=as_fraction, digits=digits),
            ends[1]: share(high, fraction=as_fraction, digits=digits),
            "TP": f"{positives}",
            "false positives": f"{int(rng.integers(0, 500))}",
            "test": f"{count}/{total}",
            "test %": f"{count}/{total} ({100 * value:.{digits}f} %)",
            "solved, n (%)": f"{count} ({100 * value:.{digits}f})",
            "interval": f'"[{100 * low:.{digits}f}, {100 * high:.{digits}f}]"',
            "other slices": f"{int(rng.integers(0, 90))}",
            "weeks": f"{int(rng.integers(0, 60))}",
        }
        if not has_right:
            del cells[right_name]
        if not has_n:
            del cells[n_name]
        if not has_ends:
            del cells[ends[0]], cells[ends[1]]
        if not lines:
            lines.append(",".join(cells if "," not in "".join(cells) else map(_quoted, cells)))
        lines.append(",".join(cells.values()))
    return "\n".join(lines) + "\n"


def _quoted(text: str) -> str:
    return f'"{text}"'


@pytest.mark.parametrize("seed", range(80))
def test_no_error_in_a_right_table_of_counts(audit, seed: int) -> None:
    found = audit(_counted_table(seed))
    told = [each.finding for each in found.flaws if each.finding.code != "mixed-scale"]
    assert [each for each in told if each.severity == Severity.ERROR] == []
    assert [each for each in told if each.code in ("count-off", "interval-too-narrow")] == []
