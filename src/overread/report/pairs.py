"""Runs against each other: differences item by item, on one axis around zero."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from overread.analysis.compare import Comparison, PairDifference
from overread.analysis.standings import letter
from overread.report.data import ReportData
from overread.report.marks import Axis, Mark, symmetric_axis
from overread.report.metric_names import is_graded
from overread.report.wording import (
    MISSING,
    count,
    gain,
    p_value,
    percent,
    sentence,
    stratum_label,
)

__all__ = ["PairRow", "Pairs", "PowerRow", "StandingRow", "pairs"]


@dataclass(frozen=True, slots=True, kw_only=True)
class PairRow:
    """Two runs over one stratum."""

    first: str
    second: str
    stratum: str
    n: str
    values: str
    counts: tuple[str, str, str, str]
    """Right by both, only the first, only the second, neither."""
    difference: str
    interval: str
    p_mcnemar: str
    p_sign_flip: str
    adjusted: str
    """Which of the two `p_holm` adjusts: ``mcnemar``, ``sign flip`` or nothing."""
    p_holm: str
    verdict: str
    """``first``, ``second`` is better, or ``level``: the adjusted p decides."""
    mark: Mark | None
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PowerRow:
    """What the questions can show of two such runs, and what would settle it."""

    first: str
    second: str
    difference: str
    shows_from: str
    """The smallest true difference that is found, in points."""
    effect: str
    """The design effect."""
    units: str
    needed: str
    """Units in all that tell the two apart at the observed difference; empty where they are."""
    at_best: str
    reason: str

    @property
    def numbers(self) -> tuple[str, ...]:
        """The columns in the order above, without names and reason."""
        return (
            self.difference, self.shows_from, self.effect, self.units, self.needed, self.at_best,
        )  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class StandingRow:
    """One run in the order of all."""

    label: str
    value: str
    groups: str
    """Letters; runs that share one cannot be told apart."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pairs:
    """All pairs, and each pair by stratum."""

    axis: Axis
    rows: tuple[PairRow, ...]
    details: tuple[tuple[str, tuple[PairRow, ...]], ...]
    notes: tuple[str, ...]
    level: str
    unit: str
    """What the permutation swaps: ``patient``."""
    units: str
    """The same in the plural; ``questions`` where none are named."""
    tests: str
    """Which p is adjusted, as a sentence."""
    order: tuple[StandingRow, ...]
    """Empty for two runs."""
    power: tuple[PowerRow, ...]
    power_means: str
    """How the columns of `power` are read, as sentences."""


def pairs(data: ReportData) -> Pairs | None:
    """Build the comparison's rows; None for a report without one."""
    comparison = data.comparison
    if comparison is None or not comparison.pairs:
        return None
    axis = symmetric_axis(_extremes(comparison.pairs))
    wide = symmetric_axis(_extremes(comparison.by_stratum)) if comparison.by_stratum else axis
    details: dict[str, list[PairRow]] = {}
    for pair in comparison.by_stratum:
        details.setdefault(f"{pair.first} and {pair.second}", []).append(_row(pair, wide))
    return Pairs(
        axis=axis,
        rows=tuple(_row(pair, axis) for pair in comparison.pairs),
        details=tuple((name, tuple(rows)) for name, rows in details.items()),
        notes=comparison.notes,
        level=f"{100 * comparison.pairs[0].level:.0f} %",
        unit=_unit(data),
        units=_units(comparison),
        tests=_tests(comparison, _unit(data), graded=is_graded(data.plan.headline)),
        order=tuple(
            StandingRow(
                label=standing.label,
                value=percent(standing.value),
                groups="".join(letter(group) for group in standing.groups),
            )
            for standing in comparison.standings
        )
        if len(comparison.labels) > 2
        else (),
        power=tuple(map(_power, comparison.pairs)),
        power_means=_power_means(comparison),
    )


def _unit(data: ReportData) -> str:
    return (data.plan.cluster or "item").replace("_", " ")


def _units(comparison: Comparison) -> str:
    unit = "question" if comparison.unit == "item" else comparison.unit.replace("_", " ")
    return f"{unit[:-1]}ies" if unit.endswith("y") else f"{unit}s"


def _power(pair: PairDifference) -> PowerRow:
    exam = pair.exam
    return PowerRow(
        first=pair.first,
        second=pair.second,
        difference=gain(pair.difference),
        shows_from=percent(exam.smallest_difference),
        effect=MISSING if exam.design_effect is None else f"{exam.design_effect:.2f}",
        units=count(exam.units),
        needed="told apart" if pair.is_told_apart else count(exam.units_needed),
        at_best="" if pair.is_told_apart else count(exam.units_needed_at_best),
        reason="" if exam.reason is None else sentence(exam.reason),
    )


def _power_means(comparison: Comparison) -> str:
    units, power = _units(comparison), comparison.pairs[0].exam.power
    among = " after adjusting for all pairs" if len(comparison.pairs) > 1 else ""
    return (
        f"“Shows from” is the smallest true difference, in points, that is found in "
        f"{100 * power:.0f} % of such exams{among}. “Needed” is how many {units}, all in all, "
        "would tell the two apart if the observed difference is the true one; “at best” takes the "
        "end of its interval that is farther from 0. If there is no difference, no number is "
        "enough."
    )


def _tests(comparison: Comparison, unit: str, *, graded: bool) -> str:
    used = {pair.adjusted for pair in (*comparison.pairs, *comparison.by_stratum)}
    by_unit = f"the permutation that swaps the two runs {unit} by {unit}"
    match ("sign flip" in used, "mcnemar" in used):
        case (True, True):
            start = f"{by_unit} where a {unit} has several questions, else exact McNemar"
        case (False, True):
            start = "exact McNemar"
        case _:
            start = by_unit
    mcnemar = "" if graded else " Exact McNemar takes the questions as independent."
    return (
        f"The adjusted p (Holm, over all pairs) starts from {start}; the p it starts from is bold."
        f"{mcnemar}"
    )


def _extremes(found: Sequence[PairDifference]) -> list[float]:
    values = [(pair.difference, pair.low, pair.high) for pair in found]
    return [value for triple in values for value in triple if value is not None]


def _row(pair: PairDifference, axis: Axis) -> PairRow:
    has_interval = pair.low is not None and pair.high is not None
    counts = (pair.both, pair.only_first, pair.only_second, pair.neither)
    both, only_first, only_second, neither = (count(n) for n in counts)
    return PairRow(
        first=pair.first,
        second=pair.second,
        stratum=stratum_label(pair.stratum),
        n=count(pair.n),
        values=f"{percent(pair.first_value)} and {percent(pair.second_value)}",
        counts=(both, only_first, only_second, neither),
        difference=gain(pair.difference),
        interval=f"{gain(pair.low)} to {gain(pair.high)}" if has_interval else "",
        p_mcnemar=p_value(pair.p_mcnemar),
        p_sign_flip=p_value(pair.p_sign_flip),
        adjusted=pair.adjusted or "",
        p_holm=p_value(pair.p_adjusted),
        verdict=_verdict(pair),
        mark=axis.mark(pair.difference, pair.low, pair.high),
        reason=pair.reason or "",
    )


def _verdict(pair: PairDifference) -> str:
    if not pair.is_told_apart:
        return "level"
    return "first" if pair.difference > 0 else "second"
