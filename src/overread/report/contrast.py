"""Circumstances side by side: every task with and without its box, on one line."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from overread.records import Estimate
from overread.report.data import ReportData, run_labels, setting_label
from overread.report.lookup import EstimateTable, contrast_key, values_of
from overread.report.marks import SHARE_AXIS, Mark, Span
from overread.report.scorecard import chance_band
from overread.report.wording import Shown, count, sentence, show_estimate, stratum_label

__all__ = ["Contrast", "ContrastRow", "Side", "contrast"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """One circumstance of one task."""

    shown: Shown
    n: str
    mark: Mark | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ContrastRow:
    """One task of one run; `sides` in the order of `Contrast.values`."""

    run: int
    colour: int
    label: str
    sides: tuple[Side, ...]
    chance_band: Span | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Contrast:
    """The whole table: for each task (and the total) one row a run."""

    key: str
    values: tuple[str, ...]
    """How the circumstances are called, in words."""
    groups: tuple[tuple[str, str, tuple[ContrastRow, ...]], ...]
    """Task, what it asks, rows."""


def contrast(data: ReportData) -> Contrast | None:
    """Set the circumstances side by side; None when the benchmark has no two of them.

    A circumstance is a condition under which the same task is asked (`Card.conditions`). Other
    strata, such as forms of questions, hold different questions and are no contrast.
    """
    key = contrast_key(data.plan.cells)
    if key is None:
        return None
    tables = [EstimateTable.of(run.estimates, data.plan.headline) for run in data.runs]
    values = sorted(values_of(tables, key), reverse=True)  # "no box" before "box"
    if len(values) < 2 or not set(values) <= set(data.card.conditions):
        return None
    tasks = list(
        dict.fromkeys(
            stratum["task"]
            for table in tables
            for stratum in table.strata(data.plan.cells)
            if "task" in stratum
        )
    )
    bases: list[dict[str, str]] = [{}, *({"task": task} for task in tasks)]
    return Contrast(
        key=key,
        values=tuple(stratum_label({key: value}) for value in values),
        groups=tuple(
            (
                setting_label(base, data),
                sentence(data.card.tasks.get(base.get("task", ""), "")),
                tuple(_rows(data, tables, base, key, values)),
            )
            for base in bases
        ),
    )


def _rows(
    data: ReportData,
    tables: list[EstimateTable],
    base: Mapping[str, str],
    key: str,
    values: list[str],
) -> list[ContrastRow]:
    rows: list[ContrastRow] = []
    for number, label in enumerate(run_labels(data.runs).values()):
        found = [tables[number].score("honest", {**base, key: value}) for value in values]
        known = [estimate for estimate in found if estimate is not None]
        if known:
            rows.append(
                ContrastRow(
                    run=number,
                    colour=number % 8,
                    label=label,
                    sides=tuple(_side(estimate) for estimate in found),
                    chance_band=chance_band(known[0]),
                )
            )
    return rows


def _side(estimate: Estimate | None) -> Side:
    if estimate is None:
        return Side(shown=Shown(value="", interval="", reason="not asked"), n="", mark=None)
    return Side(
        shown=show_estimate(estimate),
        n=count(estimate.n),
        mark=SHARE_AXIS.mark(estimate.value, estimate.low, estimate.high),
    )
