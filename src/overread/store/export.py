"""A run's tables as files for other programs: Parquet or JSON Lines.

Tables: ``plan``, ``responses`` (the one that counts for each planned item), ``scores``,
``votes`` (of judges, also of earlier juries), ``estimates``, ``findings``; one file each. JSON
Lines keeps every record whole, as `records_json.to_json` writes it. Parquet is flat where it can
be: a mapping becomes one text column a key (``strata.task``), null where an item lacks the key;
receipts and published values are lists of structs. Findings carry their ``kind`` in both.
"""

from __future__ import annotations

import errno
import io
import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, cast

from overread.errors import StoreError, StoreFullError, UsageError, expected
from overread.records import JsonValue
from overread.store.records_json import to_json

if TYPE_CHECKING:
    import polars as pl

    from overread.store.run_store import RunStore

__all__ = ["TABLES", "export"]

TABLES = ("plan", "responses", "scores", "votes", "estimates", "findings")
"""The names of the tables, and of their files before the dot."""

_Row: TypeAlias = Mapping[str, JsonValue]
_FORMATS = ("parquet", "jsonl")
"""Names of the formats and endings of their files."""
_FULL = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})


def export(
    store: RunStore, out: Path, format: Literal["parquet", "jsonl"] = "parquet"
) -> tuple[Path, ...]:
    """Write every table of a run into the folder `out`, one file a table.

    Each file appears whole or not at all; files of an earlier export are replaced.

    Parameters
    ----------
    store
        The run, open for reading or writing.
    out
        A folder; made when absent.
    format
        ``parquet`` or ``jsonl`` (JSON Lines, UTF-8).

    Returns
    -------
    tuple of Path
        The files, in the order of `TABLES`.

    Raises
    ------
    UsageError
        The format is unknown, or `out` is no folder that can be written.
    StoreFullError
        The disk is full.
    """
    if format not in _FORMATS:
        raise UsageError(
            expected(
                "--format",
                rule="one of " + ", ".join(_FORMATS),
                got=repr(format),
                remedy="Parquet suits pandas and polars, JSON Lines everything else.",
            )
        )
    write: Callable[[str, Iterable[_Row], Path], None]
    write = _write_parquet if format == "parquet" else _write_lines
    written: list[Path] = []
    try:
        out.mkdir(parents=True, exist_ok=True)
        for table in TABLES:
            target = out / f"{table}.{format}"
            _whole(target, table, _rows(store, table), write)
            written.append(target)
    except OSError as error:
        raise _refused(out, error) from error
    return tuple(written)


def _refused(out: Path, error: OSError) -> StoreError | UsageError:
    got = error.strerror or str(error)
    if error.errno in _FULL:
        return StoreFullError(
            expected(
                str(out),
                rule="a disk that takes the tables",
                got=got,
                remedy="The run is untouched: make room and export again.",
            )
        )
    return UsageError(
        expected(
            str(out),
            rule="a folder that can be written",
            got=got,
            remedy="Choose another place.",
        )
    )


def _whole(
    target: Path,
    table: str,
    rows: Iterable[_Row],
    write: Callable[[str, Iterable[_Row], Path], None],
) -> None:
    unfinished = target.with_name(f".{target.name}.{os.getpid()}.new")
    try:
        write(table, rows, unfinished)
        unfinished.replace(target)
    finally:
        unfinished.unlink(missing_ok=True)


def _rows(store: RunStore, table: str) -> Iterator[_Row]:
    if table == "findings":
        for kind in store.finding_kinds():
            for finding in store.findings(kind):
                yield {"kind": kind, **to_json(finding)}
        return
    records: dict[str, Callable[[], Iterable[object]]] = {
        "plan": store.plan,
        "responses": store.responses,
        "scores": store.scores,
        "votes": store.votes,
        "estimates": store.estimates,
    }
    for record in records[table]():
        yield to_json(record)


# ---------------------------------------------------------------- JSON Lines


def _write_lines(table: str, rows: Iterable[_Row], target: Path) -> None:
    del table
    with target.open("wb") as file:
        for row in rows:
            file.write(_line(row))


def _line(row: _Row) -> bytes:
    try:
        return f"{json.dumps(row, ensure_ascii=False, allow_nan=False)}\n".encode()
    except UnicodeEncodeError:  # a lone surrogate has no UTF-8: this line in JSON's own escapes
        return f"{json.dumps(row, allow_nan=False)}\n".encode()


# ---------------------------------------------------------------- Parquet


def _write_parquet(table: str, rows: Iterable[_Row], target: Path) -> None:
    # Through memory: a full disk is then an OSError of ours, with its number, not of polars.
    buffer = io.BytesIO()
    _frame(table, rows).write_parquet(buffer, compression="zstd")
    target.write_bytes(buffer.getbuffer())


def _frame(table: str, rows: Iterable[_Row]) -> pl.DataFrame:
    import polars as pl

    schema = _schemas(pl)[table]
    columns: dict[str, list[Any]] = {name: [] for name, kind in schema.items() if kind is not None}
    loose: dict[str, list[str | None]] = {}
    count = 0
    for row in rows:
        for name, kind in schema.items():
            value = row[name]
            if kind is not None:
                columns[name].append(_cell(value))
                continue
            for key, inner in cast("Mapping[str, str]", value).items():
                column = loose.setdefault(f"{name}.{_cell(key)}", [])
                column.extend([None] * (count - len(column)))
                column.append(_cell(inner))
        count += 1
    for column in loose.values():
        column.extend([None] * (count - len(column)))
    kinds = {name: kind for name, kind in schema.items() if kind is not None}
    frame = pl.DataFrame(columns, schema=kinds)
    return frame.with_columns(
        [pl.Series(name, column, dtype=pl.String) for name, column in sorted(loose.items())]
    )


def _cell(value: Any) -> Any:
    if isinstance(value, str):
        # Parquet texts are UTF-8: a lone surrogate is shown as its escape.
        return value.encode("utf-8", "backslashreplace").decode()
    if isinstance(value, list):
        return [_cell(each) for each in cast("list[Any]", value)]
    if isinstance(value, dict):
        held = cast("dict[str, Any]", value)
        if "stratum" in held:  # of a published value: its keys differ from row to row
            held = {**held, "stratum": json.dumps(held["stratum"], sort_keys=True)}
        return {key: _cell(each) for key, each in held.items()}
    return value


def _schemas(pl: Any) -> dict[str, dict[str, Any]]:
    """Give the columns of each table with their types; None for a mapping, which spreads out."""
    text, whole, real = pl.String, pl.Int64, pl.Float64
    receipt = pl.Struct(
        {"sha256": text, "width": whole, "height": whole, "size_bytes": whole}
        | {"media_type": text, "sources": pl.List(text), "window": text, "layout": text}
        | {"orientation": text, "boxes_drawn": whole}
    )
    published = pl.Struct(
        {"metric": text, "stratum": text, "who": text, "kind": text, "value": real}
        | {"count": whole, "n": whole, "source": text}
    )
    return {
        "plan": {"item": text, "draw": whole, "request_hash": text, "groups": None}
        | {"strata": None, "chance": real},
        "responses": {"run": text, "item": text, "draw": whole, "status": text, "text": text}
        | {"path": text, "reason": text, "finish_reason": text, "tokens_in": whole}
        | {"tokens_out": whole, "seconds": real, "request_hash": text}
        | {"receipts": pl.List(receipt)},
        "scores": {"run": text, "item": text, "draw": whole, "patient": text, "metric": text}
        | {"metric_version": text, "profile": text, "target": text, "unit": text}
        | {"value": real, "status": text, "reason": text, "answer": text},
        "votes": {"run": text, "item": text, "draw": whole, "profile": text, "judge": text}
        | {"judge_hash": text, "request_hash": text, "position": whole, "verdict": pl.Boolean}
        | {"status": text, "reason": text, "rationale": text, "text": text},
        "estimates": {"metric": text, "profile": text, "stratum": None, "n": whole}
        | {"n_answered": whole, "n_clusters": whole, "value": real, "low": real, "high": real}
        | {"level": real, "method": text, "status": text, "reason": text, "chance": real}
        | {"chance_low": real, "chance_high": real, "blind_floor": real, "blind_policy": text}
        | {"published": pl.List(published)},
        "findings": {"kind": text, "severity": text, "code": text, "where": text}
        | {"evidence": text, "effect": text, "remedy": text, "count": whole},
    }
