"""A ranking as CSV tables: one for methods, one for pairs, one for ranks drawn, one for orders."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from pathlib import Path

from overread.analysis.ranking.ranking import TaskRanking

__all__ = ["write_rank_tables"]

_PAIR_COLUMNS = (
    *("first", "second", "what", "n", "n_units", "difference", "low", "high", "method", "test"),
    *("p_first", "p_second", "p_first_holm", "p_second_holm", "better", "won", "lost", "ahead"),
    *("behind", "units_needed"),
)
_ROW_COLUMNS = (
    *("rank", "method", "score", "mean_rank", "rank_low", "rank_high", "set_low", "set_high"),
    *("first", "best"),
)


def write_rank_tables(rankings: Sequence[TaskRanking], out: Path) -> tuple[Path, ...]:
    """Write ``ranks.csv``, ``pairs.csv``, ``frequencies.csv`` and ``orders.csv`` into a folder."""
    tables = {
        "ranks.csv": (("task", *_ROW_COLUMNS), _ranks(rankings)),
        "pairs.csv": (("task", *_PAIR_COLUMNS), _pairs(rankings)),
        "frequencies.csv": (("task", "method", "rank", "share"), _frequencies(rankings)),
        "orders.csv": (
            ("task", "kind", "choice", "method", "rank", "tau_b", "pairs_swapped"),
            _orders(rankings),
        ),
    }
    return tuple(_write(out / name, columns, rows) for name, (columns, rows) in tables.items())


def _write(path: Path, columns: Sequence[str], rows: Iterator[Sequence[object]]) -> Path:
    with path.open("w", encoding="utf-8", errors="replace", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(columns)
        writer.writerows(rows)  # None is an empty cell
    return path


def _ranks(rankings: Sequence[TaskRanking]) -> Iterator[Sequence[object]]:
    for ranking in rankings:
        for row in ranking.rows:
            yield ranking.task, *(getattr(row, name) for name in _ROW_COLUMNS)


def _pairs(rankings: Sequence[TaskRanking]) -> Iterator[Sequence[object]]:
    for ranking in rankings:
        by_metric = [pair for pairs in ranking.metric_pairs.values() for pair in pairs]
        for pair in (*ranking.pairs, *by_metric):
            yield ranking.task, *(getattr(pair, name) for name in _PAIR_COLUMNS)


def _frequencies(rankings: Sequence[TaskRanking]) -> Iterator[Sequence[object]]:
    for ranking in rankings:
        if ranking.stability is None:
            continue
        for method, shares in zip(ranking.methods, ranking.stability.frequency, strict=True):
            for rank, share in enumerate(shares, 1):
                yield ranking.task, method, rank, share


def _orders(rankings: Sequence[TaskRanking]) -> Iterator[Sequence[object]]:
    for ranking in rankings:
        for other in ranking.others:
            for method, rank in zip(ranking.methods, other.ranks, strict=True):
                yield (
                    *(ranking.task, other.kind, other.name, method),
                    *(rank, other.tau, other.swapped),
                )
