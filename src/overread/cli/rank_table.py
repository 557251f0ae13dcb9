"""A table for `overread rank`: read, with the directions and numbers that options give."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal

from overread.analysis.ranking.reading import Columns, ReadCases, read_cases
from overread.cli.rank_runs import RankSource
from overread.errors import UsageError, expected
from overread.registry import metric_specs
from overread.store.printed_table import read_table

__all__ = ["numbers_of", "source_of_table"]

_Direction = Literal["smaller", "larger"]


def source_of_table(
    table: Path,
    columns: Columns,
    decimal: Literal[".", ","] | None,
    better: Sequence[str],
    smaller_is_better: bool | None,
) -> RankSource:
    """Read a table of cases, and find the direction of each of its metrics.

    Raises
    ------
    UsageError
        The table cannot be read, or a direction is not known.
    """
    read = read_cases(read_table(table, decimal=decimal), columns, name=table.name)
    directions = _directions(read, better, smaller_is_better)
    return RankSource(
        name=table.name,
        read=read,
        larger_is_better={name: each == "larger" for name, each in directions.items()},
    )


def _directions(
    read: ReadCases, better: Sequence[str], smaller_is_better: bool | None
) -> dict[str, _Direction]:
    stated: dict[str, _Direction] = {
        name: _direction(text) for name, text in _pairs("--better", better, read.metrics).items()
    }
    known: dict[str, _Direction] = {}
    if smaller_is_better is not None:
        known = dict.fromkeys(read.metrics, "smaller" if smaller_is_better else "larger")
    elif set(read.metrics) - set(stated):
        specs = {spec.name.casefold(): spec.direction for spec in metric_specs()}
        for name in read.metrics:
            direction = specs.get(name.casefold())
            if direction in ("up", "down"):
                known[name] = "larger" if direction == "up" else "smaller"
    found: dict[str, _Direction] = {**known, **stated}
    lacking = [name for name in read.metrics if name not in found]
    if lacking:
        raise UsageError(
            expected(
                "--better",
                rule="the direction of " + ", ".join(repr(name) for name in lacking),
                got="none",
                remedy="Add --larger-is-better or --smaller-is-better, or one direction a metric: "
                f"--better {lacking[0]}=larger.",
            )
        )
    return found


def _direction(text: str) -> _Direction:
    if text == "smaller":
        return "smaller"
    if text == "larger":
        return "larger"
    raise UsageError(
        expected(
            "--better", rule="'smaller' or 'larger'", got=repr(text), remedy="Write DSC=larger."
        )
    )


def numbers_of(argument: str, texts: Sequence[str], metrics: Sequence[str]) -> dict[str, float]:
    """Read METRIC=NUMBER; a bare number holds for the only metric there is.

    Raises
    ------
    UsageError
        A metric is unknown or named twice, or something is no number.
    """
    found: dict[str, float] = {}
    for name, text in _pairs(argument, texts, metrics).items():
        try:
            number = float(text)
        except ValueError:
            number = math.nan
        if not math.isfinite(number):
            raise UsageError(
                expected(
                    f"{argument} {name}", rule="a number", got=repr(text), remedy="Write DSC=0.5."
                )
            )
        found[name] = number
    return found


def _pairs(argument: str, texts: Sequence[str], metrics: Sequence[str]) -> Mapping[str, str]:
    """Take METRIC=TEXT apart; a bare TEXT holds for the only metric there is."""
    found: dict[str, str] = {}
    for text in texts:
        name, equals, rest = text.rpartition("=")
        if not equals and len(metrics) == 1:
            name = metrics[0]
        if name not in metrics or name in found:
            raise UsageError(
                expected(
                    argument,
                    rule="METRIC=…, each metric once, of " + ", ".join(metrics),
                    got=repr(text),
                    remedy="Name the metric as the table does.",
                )
            )
        found[name] = rest
    return found
