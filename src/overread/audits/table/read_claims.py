"""Reads a file of claims: TOML, as ``docs/how-to/audit-a-table.md`` describes it.

An unknown key is an error: a claim misspelt must not pass as kept.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any, Final, cast

from overread.audits.table.claims import (
    Block,
    Claims,
    Counts,
    Equation,
    Intervals,
    Ranks,
    RowCount,
    Scale,
    Summary,
    Total,
    Union,
)
from overread.errors import UsageError, expected

__all__ = ["read_claims"]

_LARGEST_FILE_BYTES: Final = 2**20


def read_claims(path: Path) -> Claims:
    """Read a file of claims.

    Raises
    ------
    UsageError
        The file cannot be read, or holds an unknown key or a value of the wrong form; the message
        says which.
    """
    try:
        with path.open("rb") as file:
            text = file.read(_LARGEST_FILE_BYTES + 1)
        if len(text) > _LARGEST_FILE_BYTES:
            raise ValueError(f"more than {_LARGEST_FILE_BYTES:,} bytes")
        values = tomllib.loads(text.decode("utf-8-sig"))
    except (OSError, ValueError, RecursionError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise UsageError(
            expected(
                str(path),
                rule="a TOML file of claims",
                got=reason or type(error).__name__,
                remedy="docs/how-to/audit-a-table.md shows one.",
            )
        ) from error
    return _Reader(path).claims(values)


_TOP: Final = (
    *("table", "source", "names", "ignore_rows", "ignore_columns", "scale", "rounding", "n"),
    *(
        "total",
        "summary",
        "rank",
        "block",
        "equation",
        "union",
        "row_count",
        "interval",
        "infer",
        "sites",
    ),
)


class _Reader:
    def __init__(self, path: Path) -> None:
        self._path = path

    def claims(self, values: dict[str, Any]) -> Claims:
        self._known(values, _TOP, "the top")
        return Claims(
            table=self._text(values, "table", ""),
            source=self._text(values, "source", ""),
            names=self._texts(values, "names"),
            ignore_rows=self._texts(values, "ignore_rows"),
            ignore_columns=self._texts(values, "ignore_columns"),
            scale=self._scales(values.get("scale", {})),
            rounding=self._one_of(values, "rounding", ("nearest", "truncated"), "nearest"),
            n=self._counts(values.get("n", {})),
            totals=self._each(values, "total", self._total),
            summaries=self._each(values, "summary", self._summary),
            ranks=self._each(values, "rank", self._ranks),
            blocks=self._each(values, "block", self._block),
            equations=self._each(values, "equation", self._equation),
            unions=self._each(values, "union", self._union),
            row_counts=self._each(values, "row_count", self._row_count),
            intervals=self._each(values, "interval", self._interval),
            sites=self._positive(values["sites"], "sites") if "sites" in values else None,
            infer=self._flag(values, "infer", True),
        )

    # ------------------------------------------------------------ parts

    def _scales(self, value: Any) -> Mapping[str, Scale]:
        scales = {"*": value} if isinstance(value, str) else self._map(value, "scale", str)
        for scale in scales.values():
            if scale not in ("percent", "fraction", "other"):
                raise self._bad("scale", "one of percent, fraction, other", scale)
        return cast("Mapping[str, Scale]", scales)

    def _counts(self, value: Any) -> Counts:
        if isinstance(value, int) and not isinstance(value, bool):
            return Counts(all=self._positive(value, "n"))
        values = self._table(value, "n", ("all", "columns", "rows", "cells", "column", "runs"))
        cells: dict[tuple[str, str], int] = {}
        for each in self._list(values, "cells"):
            one = self._table(each, "n.cells", ("row", "column", "n"))
            key = (self._text(one, "row", None), self._text(one, "column", None))
            cells[key] = self._positive(one.get("n"), "n.cells.n")
        columns = self._map(values.get("columns", {}), "n.columns", int)
        rows = self._map(values.get("rows", {}), "n.rows", int)
        for name, n in (*columns.items(), *rows.items()):
            self._positive(n, f"n of {name}")
        return Counts(
            all=self._positive(values["all"], "n.all") if "all" in values else None,
            columns=columns,
            rows=rows,
            cells=cells,
            column=self._text(values, "column", "") or None,
            runs=self._positive(values.get("runs", 1), "n.runs"),
        )

    def _total(self, value: Any) -> Total:
        keys = ("column", "parts", "weights", "rule", "tolerance")
        values = self._table(value, "total", keys)
        parts = self._texts(values, "parts")
        weights = tuple(self._number(each, "weights") for each in self._list(values, "weights"))
        if (
            len(parts) < 2
            or (weights and len(weights) != len(parts))
            or any(w < 0 for w in weights)
        ):
            raise self._bad(
                "total", "two or more parts, and a weight of 0 or more for each", values
            )
        if weights and not any(weights):
            raise self._bad("total.weights", "a weight above 0", weights)
        return Total(
            column=self._text(values, "column", None),
            parts=parts,
            weights=weights,
            rule=self._one_of(values, "rule", ("pooled", "mean", "sum"), None),
            tolerance=self._number(values.get("tolerance", 0), "tolerance"),
        )

    def _summary(self, value: Any) -> Summary:
        values = self._table(value, "summary", ("mean", "best", "worst", "gap", "sites"))
        named = {key: values[key] for key in ("mean", "best", "worst", "gap") if key in values}
        if len(named) < 2:
            raise self._bad("summary", "two or more of mean, best, worst, gap", sorted(values))
        sites = values.get("sites")
        return Summary(
            **{key: self._text(values, key, None) for key in named},
            sites=None if sites is None else self._positive(sites, "summary.sites"),
        )

    def _ranks(self, value: Any) -> Ranks:
        values = self._table(value, "rank", ("value", "rank", "smaller_is_better"))
        smaller = values.get("smaller_is_better")
        return Ranks(
            value=self._text(values, "value", None),
            rank=self._text(values, "rank", "") or None,
            smaller_is_better=None
            if smaller is None
            else self._flag(values, "smaller_is_better", False),
        )

    def _block(self, value: Any) -> Block:
        values = self._table(value, "block", ("name", "columns"))
        return Block(name=self._text(values, "name", None), columns=self._texts(values, "columns"))

    def _equation(self, value: Any) -> Equation:
        values = self._table(value, "equation", ("says", "equation"))
        equation = self._text(values, "equation", None)
        return Equation(says=self._text(values, "says", equation), equation=equation)

    def _union(self, value: Any) -> Union:
        values = self._table(value, "union", ("what", "parts", "distinct"))
        parts = self._map(values.get("parts", {}), "union.parts", int)
        if len(parts) < 2:
            raise self._bad("union.parts", "two or more counts", parts)
        return Union(
            what=self._text(values, "what", "items"),
            parts=parts,
            distinct=self._positive(values.get("distinct"), "union.distinct"),
        )

    def _row_count(self, value: Any) -> RowCount:
        values = self._table(value, "row_count", ("stated", "source", "where"))
        return RowCount(
            stated=self._positive(values.get("stated"), "row_count.stated"),
            source=self._text(values, "source", "the text"),
            where=self._map(values.get("where", {}), "row_count.where", str),
        )

    def _interval(self, value: Any) -> Intervals:
        values = self._table(value, "interval", ("value", "low", "high", "spread", "level"))
        level = float(self._number(values.get("level", 0.95), "interval.level"))
        if not 0 < level < 1:
            raise self._bad("interval.level", "a coverage between 0 and 1", level)
        low, high = (self._text(values, key, "") or None for key in ("low", "high"))
        if (low is None) != (high is None):
            raise self._bad("interval", "both low and high, or neither", values)
        return Intervals(
            value=self._text(values, "value", None),
            low=low,
            high=high,
            spread=self._one_of(values, "spread", ("sd", "se", "half-width"), None),
            level=level,
        )

    # ------------------------------------------------------------ forms

    def _bad(self, key: str, rule: str, got: object) -> UsageError:
        return UsageError(
            expected(
                f"{self._path}: {key}",
                rule=rule,
                got=repr(got),
                remedy="docs/how-to/audit-a-table.md lists all keys.",
            )
        )

    def _known(self, values: Mapping[str, Any], keys: Sequence[str], where: str) -> None:
        unknown = sorted(set(values) - set(keys))
        if unknown:
            raise self._bad(where, "keys of " + ", ".join(keys), ", ".join(unknown))

    def _table(self, value: Any, where: str, keys: Sequence[str]) -> Mapping[str, Any]:
        if not isinstance(value, dict):
            raise self._bad(where, "a table", value)
        values = cast("dict[str, Any]", value)
        self._known(values, keys, where)
        return values

    def _list(self, values: Mapping[str, Any], key: str) -> list[Any]:
        value = values.get(key, [])
        if not isinstance(value, list):
            raise self._bad(key, "a list", value)
        return cast("list[Any]", value)

    def _each(self, values: Mapping[str, Any], key: str, read: Callable[[Any], Any]) -> Any:
        return tuple(read(each) for each in self._list(values, key))

    def _text(self, values: Mapping[str, Any], key: str, default: str | None) -> str:
        value = values.get(key, default)
        if not isinstance(value, str):
            raise self._bad(key, "a text", value)
        return value

    def _texts(self, values: Mapping[str, Any], key: str) -> tuple[str, ...]:
        found = self._list(values, key)
        if not all(isinstance(each, str) for each in found):
            raise self._bad(key, "a list of texts", found)
        return tuple(found)

    def _map(self, value: Any, where: str, kind: type) -> dict[str, Any]:
        if not isinstance(value, dict) or not all(
            isinstance(each, kind) and not isinstance(each, bool)
            for each in cast("dict[str, Any]", value).values()
        ):
            raise self._bad(where, f"a table with a {_KINDS[kind]} for each name", value)
        return cast("dict[str, Any]", value)

    def _flag(self, values: Mapping[str, Any], key: str, default: bool) -> bool:
        value = values.get(key, default)
        if not isinstance(value, bool):
            raise self._bad(key, "true or false", value)
        return value

    def _positive(self, value: Any, where: str) -> int:
        if not isinstance(value, int) or isinstance(value, bool) or value < 1:
            raise self._bad(where, "a whole number of 1 or more", value)
        return value

    def _number(self, value: Any, where: str) -> Fraction:
        if isinstance(value, bool) or not isinstance(value, int | float) or value != value:
            raise self._bad(where, "a number", value)
        try:
            return Fraction(str(value))
        except ValueError as error:
            raise self._bad(where, "a finite number", value) from error

    def _one_of(
        self, values: Mapping[str, Any], key: str, rule: tuple[str, ...], default: Any
    ) -> Any:
        value = values.get(key, default)
        if value is not default and value not in rule:
            raise self._bad(key, "one of " + ", ".join(rule), value)
        return value


_KINDS: Final = {int: "whole number", str: "text"}
