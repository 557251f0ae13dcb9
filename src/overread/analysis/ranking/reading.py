"""Reads the values to rank from a table as people write it, long or wide."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

import numpy as np

from overread.analysis.ranking.table import CaseTable
from overread.errors import UsageError, expected
from overread.records import Finding, Severity
from overread.store.printed_number import read_number, without_markup
from overread.store.printed_table import PrintedTable

__all__ = ["Columns", "ReadCases", "read_cases"]

_USUAL: Final[Mapping[str, tuple[str, ...]]] = {
    "method": ("algorithm", "alg_name", "method", "model", "team", "submission"),
    "case": ("case", "case_id", "item", "image", "study", "id"),
    "value": ("value", "score"),
    "metric": ("metric", "measure"),
    "task": ("task",),
    "patient": ("patient", "patient_id", "subject", "subject_id", "cluster"),
    "stratum": ("stratum",),
}
"""Headings that are recognised without being named, in this order, in any case of letters."""
_PLAIN: Final = re.compile(r"[+-]?[0-9]{1,15}(?:\.[0-9]{1,17})?(?:[eE][+-]?[0-9]{1,2})?")
_NO_HEADING: Final = re.compile(r"column \d+")
_JOIN: Final = " · "


@dataclass(frozen=True, slots=True, kw_only=True)
class Columns:
    """Which columns hold what, as typed; None and empty where a usual heading may stand in."""

    method: str | None = None
    case: str | None = None
    value: tuple[str, ...] = ()
    """Of a long table; several are several metrics."""
    metric: str | None = None
    task: str | None = None
    patient: str | None = None
    stratum: tuple[str, ...] = ()
    """Several together make the strata: tracer and centre."""
    ignore: tuple[str, ...] = ()
    wide: bool = False
    """Every column that is not named otherwise is a method."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadCases:
    """One table a task, in order of appearance, and what is odd."""

    tables: tuple[CaseTable, ...]
    metrics: tuple[str, ...]
    is_wide: bool
    findings: tuple[Finding, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Layout:
    """Places of columns in a row."""

    method: int | None
    """None for a wide table."""
    case: int | None
    task: int | None
    patient: int | None
    metric: int | None
    strata: tuple[int, ...]
    values: tuple[tuple[str, int], ...]
    """Long: metric → its column (one, ``value``, where a column names the metric). Wide: method
    → its column."""


_Key: TypeAlias = tuple[str, str]
"""Stratum and case."""


class _Gathered:
    """The cells of one task as they are read."""

    def __init__(self) -> None:
        self.methods: dict[str, None] = {}
        self.cases: dict[_Key, str | None] = {}
        self.cells: dict[tuple[str, _Key, str], tuple[float, int]] = {}


def read_cases(table: PrintedTable, columns: Columns, *, name: str) -> ReadCases:
    """Sort the cells of a table into methods, cases, metrics, tasks, patients and strata.

    Parameters
    ----------
    table
        As `store.printed_table.read_table` gives it.
    columns
        What its columns hold. A table is long where a column names the method, and wide (a case a
        row, a method a column) otherwise.
    name
        The file, for messages.

    Returns
    -------
    ReadCases
        A cell that is empty, a dash or ``n/a`` is a missing value, and so is a row that is not
        there. A long table without a column of cases has one value a method and stratum
        (`CaseTable.is_aggregated`).

    Raises
    ------
    UsageError
        A column is not there; a cell is no number; percent and plain numbers are mixed in one
        metric; two rows give one method's value of one case; a case has two patients, or none
        while others have one; there are fewer than two methods.
    """
    layout = _layout(table, columns, name)
    tasks: dict[str, _Gathered] = {}
    percent: dict[str, dict[bool, int]] = {}
    metrics: dict[str, None] = {}
    for row, cells in enumerate(table.rows):
        where = f"{name}, line {table.line_of_row[row]}"
        gathered = tasks.setdefault(_text(cells, layout.task), _Gathered())
        key = _case(cells, layout, where, gathered)
        for metric, method, place in _values(cells, layout, where):
            metrics.setdefault(metric)
            gathered.methods.setdefault(method)
            value, is_percent = _number(cells[place], table, f"{where}, {table.columns[place]}")
            if value is None:
                continue
            lines = percent.setdefault(metric, {})
            lines.setdefault(is_percent, table.line_of_row[row])
            if len(lines) > 1:
                raise _mixed(name, metric, lines)
            _keep(gathered, (metric, key, method), value, table.line_of_row[row], name)
    has_cases = layout.case is not None
    found = [
        _assembled(gathered, task, tuple(metrics), layout, has_cases=has_cases, name=name)
        for task, gathered in tasks.items()
    ]
    return ReadCases(
        tables=tuple(found),
        metrics=tuple(each for each in metrics if any(each in table.values for table in found)),
        is_wide=layout.method is None,
        findings=(*table.findings, *_odd(found, tuple(metrics), layout, name)),
    )


# ---------------------------------------------------------------- which column is what


def _layout(table: PrintedTable, columns: Columns, name: str) -> _Layout:
    ignored = {table.column(each, argument="--ignore") for each in columns.ignore}
    open_places = [
        place
        for place, heading in enumerate(table.columns)
        if place not in ignored and not _NO_HEADING.fullmatch(heading)
    ]

    def find(kind: str, given: str | None) -> int | None:
        if given is not None:
            return table.column(given, argument=f"--{kind}")
        folded = {table.columns[place].casefold(): place for place in reversed(open_places)}
        return next((folded[each] for each in _USUAL[kind] if each in folded), None)

    method = None if columns.wide else find("method", columns.method)
    case, task, patient = (
        find(kind, getattr(columns, kind)) for kind in ("case", "task", "patient")
    )
    strata = tuple(table.column(each, argument="--stratum") for each in columns.stratum)
    if not strata and (usual := find("stratum", None)) is not None:
        strata = (usual,)
    taken = {place for place in (case, task, patient, *strata) if place is not None}
    if method is None:
        return _wide(table, columns, name, open_places, taken, case, task, patient, strata)
    metric = find("metric", columns.metric)
    places = [table.column(each, argument="--value") for each in columns.value]
    if not places and (usual := find("value", None)) is not None:
        places = [usual]
    if not places:
        raise UsageError(
            expected(
                name,
                rule="a column 'value', or one named with --value",
                got="columns " + ", ".join(repr(each) for each in table.columns),
                remedy="Name the column of values: --value DSC. Name several to rank by several.",
            )
        )
    if metric is not None and len(places) > 1:
        raise UsageError(
            expected(
                "--value",
                rule="one column where another names the metric",
                got=", ".join(columns.value),
                remedy="Leave --metric out, or name one column of values.",
            )
        )
    values = tuple((table.columns[place], place) for place in places)
    return _Layout(
        method=method,
        case=case,
        task=task,
        patient=patient,
        metric=metric,
        strata=strata,
        values=values,
    )


def _wide(
    table: PrintedTable,
    columns: Columns,
    name: str,
    open_places: Sequence[int],
    taken: set[int],
    case: int | None,
    task: int | None,
    patient: int | None,
    strata: tuple[int, ...],
) -> _Layout:
    if case is None or columns.metric is not None or columns.value:
        raise UsageError(
            expected(
                name,
                rule="a column that names the method (--method), or one of cases with a column for "
                "each method (--case)",
                got="columns " + ", ".join(repr(each) for each in table.columns),
                remedy="Name the columns of the table.",
            )
        )
    return _Layout(
        method=None,
        case=case,
        task=task,
        patient=patient,
        metric=None,
        strata=strata,
        values=tuple((table.columns[place], place) for place in open_places if place not in taken),
    )


# ---------------------------------------------------------------- cells


def _text(cells: Sequence[str], place: int | None) -> str:
    return "" if place is None else without_markup(cells[place])


def _named(cells: Sequence[str], place: int, where: str, what: str) -> str:
    text = without_markup(cells[place])
    if not text:
        raise UsageError(
            expected(where, rule=f"a {what}", got="an empty cell", remedy="Fill it in.")
        )
    return text


def _case(cells: Sequence[str], layout: _Layout, where: str, gathered: _Gathered) -> _Key:
    stratum = _JOIN.join(_named(cells, place, where, "stratum") for place in layout.strata)
    case = "" if layout.case is None else _named(cells, layout.case, where, "case")
    patient = None if layout.patient is None else _named(cells, layout.patient, where, "patient")
    before = gathered.cases.setdefault((stratum, case), patient)
    if before != patient:
        raise UsageError(
            expected(
                where,
                rule=f"one patient for case {case!r}",
                got=f"{before!r} and {patient!r}",
                remedy="Give each case an id of its own, or name the column of patients right.",
            )
        )
    return stratum, case


def _values(cells: Sequence[str], layout: _Layout, where: str) -> list[tuple[str, str, int]]:
    """List metric, method and column of the values of one row."""
    if layout.method is None:
        return [("value", method, place) for method, place in layout.values]
    method = _named(cells, layout.method, where, "method")
    if layout.metric is not None:
        metric = _named(cells, layout.metric, where, "metric")
        return [(metric, method, layout.values[0][1])]
    return [(metric, method, place) for metric, place in layout.values]


def _number(cell: str, table: PrintedTable, where: str) -> tuple[float | None, bool]:
    if table.decimal == "." and _PLAIN.fullmatch(cell):
        return float(cell), False
    number = read_number(cell, decimal=table.decimal)
    if number.value is None and not number.is_missing:
        raise UsageError(
            expected(
                where,
                rule="a number, or an empty cell for a missing one",
                got=repr(cell),
                remedy="Leave out a column that holds no values: --ignore COLUMN.",
            )
        )
    return number.value, number.is_percent


def _keep(
    gathered: _Gathered, at: tuple[str, _Key, str], value: float, line: int, name: str
) -> None:
    before = gathered.cells.setdefault(at, (value, line))
    if before[1] == line:
        return
    metric, (stratum, case), method = at
    within = f" in {stratum}" if stratum else ""
    what = f"case {case!r}{within}" if case else within.strip() or "the table"
    raise UsageError(
        expected(
            f"{name}, line {line}",
            rule=f"one {metric} of method {method!r} for {what}",
            got=f"a second one; the first stands in line {before[1]}",
            remedy="Give each case an id of its own; name --task, --stratum or --case columns "
            "that tell the rows apart.",
        )
    )


def _mixed(name: str, metric: str, lines: Mapping[bool, int]) -> UsageError:
    return UsageError(
        expected(
            f"{name}, {metric}",
            rule="all values with a percent sign, or none",
            got=f"one with it in line {lines[True]} and one without in line {lines[False]}",
            remedy="Write all values in one unit.",
        )
    )


# ---------------------------------------------------------------- tables


def _assembled(
    gathered: _Gathered,
    task: str,
    metrics: tuple[str, ...],
    layout: _Layout,
    *,
    has_cases: bool,
    name: str,
) -> CaseTable:
    methods, cases = tuple(gathered.methods), tuple(gathered.cases)
    if len(methods) < 2:
        raise UsageError(
            expected(
                f"{name}, task {task!r}" if task else name,
                rule="two methods or more",
                got=f"{len(methods)}: {', '.join(methods)}",
                remedy="A ranking needs somebody to compare with. Name the column of methods with "
                "--method, or the one of cases with --case where each method is a column.",
            )
        )
    column = {method: place for place, method in enumerate(methods)}
    row = {case: place for place, case in enumerate(cases)}
    values = {metric: np.full((len(cases), len(methods)), np.nan) for metric in metrics}
    for (metric, case, method), (value, _) in gathered.cells.items():
        values[metric][row[case], column[method]] = value
    patients = tuple(patient or "" for patient in gathered.cases.values())
    return CaseTable(
        task=task,
        methods=methods,
        cases=tuple(case or stratum or "the table" for stratum, case in cases),
        # A metric that no row of this task has is none of this task's.
        values={name: each for name, each in values.items() if not np.isnan(each).all()} or values,
        patients=patients if layout.patient is not None and has_cases else None,
        strata=tuple(stratum for stratum, _ in cases) if layout.strata else None,
        is_aggregated=not has_cases,
    )


def _odd(
    tables: Sequence[CaseTable], metrics: Sequence[str], layout: _Layout, name: str
) -> list[Finding]:
    findings: list[Finding] = []

    def add(code: str, where: str, evidence: str, effect: str, remedy: str, count: int) -> None:
        findings.append(
            Finding(
                severity=Severity.WARNING,
                code=code,
                where=where,
                evidence=evidence,
                effect=effect,
                remedy=remedy,
                count=count,
            )
        )

    if layout.case is not None and layout.patient is None:
        add(
            "no-patients",
            name,
            "no column names the patients",
            "cases are taken as independent; where a patient has several, intervals are too narrow "
            "and differences look surer than they are",
            "Name the column with --patient.",
            1,
        )
    empty = [
        each for each in metrics if all(np.isnan(t.values.get(each, np.nan)).all() for t in tables)
    ]
    if empty:
        add(
            "no-values",
            name,
            "no value of " + ", ".join(empty),
            "it is not ranked by",
            "Fill the column in, or leave it out.",
            len(empty),
        )
    for table in tables:
        for metric, n in table.n_missing.items():
            if n:
                add(*_lacking(table, metric, n, name))
    return findings


def _lacking(
    table: CaseTable, metric: str, n: int, name: str
) -> tuple[str, str, str, str, str, int]:
    where = f"{name}, {table.task}" if table.task else name
    absent = np.isnan(table.values[metric])
    absent = absent & ~absent.all(axis=1, keepdims=True)
    most = sorted(
        zip(absent.sum(axis=0).tolist(), table.methods, strict=True), key=lambda pair: -pair[0]
    )
    shown = ", ".join(f"{method} {count}" for count, method in most[:5] if count)
    return (
        "missing-values",
        where,
        f"{n} values of {metric} are missing: {shown}",
        "what stands for them can decide who is first; see the order under the other policies",
        "Say why they are missing.",
        n,
    )
