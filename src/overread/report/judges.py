"""Judges: what each did, what the jury says, and how far they agree with each other and people."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from overread.analysis.judge_agreement import Agreement
from overread.contracts import AlsoMetric
from overread.records import Estimate, Profile
from overread.report.data import Panel, ReportData, run_labels
from overread.report.lookup import EstimateTable, jury_of
from overread.report.marks import SHARE_AXIS, Mark
from overread.report.metric_names import metric_label
from overread.report.sources import published_rows
from overread.report.wording import (
    MISSING,
    Shown,
    count,
    percent,
    show_estimate,
)

_Row = TypeVar("_Row", "JudgeRow", "AgreementRow", "CalibrationRow")

__all__ = [
    "AgreementRow",
    "CalibrationRow",
    "JudgeRow",
    "Judges",
    "JuryRow",
    "judges",
    "jury_estimate",
    "jury_metric",
    "panels_of",
]

_NO_NUMBER = Shown(value="", interval="")
_PROFILES: tuple[Profile, ...] = ("honest", "published")
_COUNTING: Mapping[Profile, str] = {
    "honest": "Honest profile",
    "published": "Published profile",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeRow:
    """One judge of one run under one profile."""

    group: str
    """Run and profile, as a heading."""
    label: str
    colour: int
    profile: str
    judge: str
    form: str
    n: str
    asked: str
    read: str
    read_share: str
    right_share: str
    reason: str
    """Why votes have no verdict; empty where all have one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JuryRow:
    """The share of answers that a jury, or one in the paper, calls right."""

    kind: str
    """``run`` or ``model`` (of the paper)."""
    group: str
    """How its votes were counted, as a heading."""
    label: str
    colour: int
    profile: str
    jurors: str
    """Who sat on it."""
    n: str
    shown: Shown
    mark: Mark | None
    source: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AgreementRow:
    """Two judges, or all of one jury."""

    group: str
    """Run and profile, as a heading."""
    label: str
    colour: int
    profile: str
    who: str
    n: str
    percent: Shown
    statistic: str
    """``Cohen's kappa``, ``Fleiss' kappa`` or ``Krippendorff's alpha``."""
    coefficient: Shown


@dataclass(frozen=True, slots=True, kw_only=True)
class CalibrationRow:
    """One judge, or the jury, against people."""

    group: str
    """Run and profile, as a heading."""
    label: str
    colour: int
    profile: str
    judge: str
    labelled: str
    says: str
    corrected: Shown
    finds_right: str
    finds_wrong: str
    kappa: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Judges:
    """The whole section."""

    metric: str
    """``jury accuracy``."""
    judges: tuple[JudgeRow, ...]
    juries: tuple[JuryRow, ...]
    agreement: tuple[AgreementRow, ...]
    calibration: tuple[CalibrationRow, ...]
    notes: tuple[str, ...]


def jury_metric(data: ReportData) -> AlsoMetric | None:
    """Find the plan's metric that a jury gives."""
    return jury_of(data.plan)


def jury_estimate(data: ReportData, run: int, profile: Profile = "honest") -> Estimate | None:
    """Find what the jury says of all questions of a run; None where nobody judged it."""
    also = jury_metric(data)
    if also is None:
        return None
    table = EstimateTable.of(data.runs[run].estimates, data.plan.headline)
    return table.get(also.metric, profile, {})


def judges(data: ReportData) -> Judges | None:
    """Lay the section out; None for a report without a judge."""
    also = jury_metric(data)
    panels = [
        (number, label, panel)
        for number, (run, label) in enumerate(
            zip(data.runs, run_labels(data.runs).values(), strict=True)
        )
        for panel in run.panels
    ]
    if also is None or not panels:
        return None
    return Judges(
        metric=metric_label(also.metric),
        judges=tuple(row for each in panels for row in _judge_rows(*each)),
        juries=(*_run_juries(data), *_published_juries(data, also)),
        agreement=tuple(row for each in panels for row in _agreement_rows(*each)),
        calibration=tuple(row for each in panels for row in _calibration_rows(*each)),
        notes=tuple(dict.fromkeys(_notes(panels))),
    )


def panels_of(rows: Iterable[_Row]) -> list[tuple[str, list[_Row]]]:
    """Gather rows under their headings, in the order given."""
    found: dict[str, list[_Row]] = {}
    for row in rows:
        found.setdefault(row.group, []).append(row)
    return list(found.items())


def _group(label: str, panel: Panel) -> str:
    return f"{label}, {panel.profile} profile"


def _judge_rows(number: int, label: str, panel: Panel) -> Iterator[JudgeRow]:
    for each in panel.judges:
        yield JudgeRow(
            group=_group(label, panel),
            label=label,
            colour=number % 8,
            profile=panel.profile,
            judge=each.judge,
            form=panel.form,
            n=count(each.n),
            asked=count(each.n_asked),
            read=count(each.n_read),
            read_share=percent(each.n_read / each.n_asked if each.n_asked else None),
            right_share=percent(each.n_yes / each.n_read if each.n_read else None),
            reason=each.reason,
        )


def _run_juries(data: ReportData) -> Iterator[JuryRow]:
    labels = list(run_labels(data.runs).values())
    for profile in _PROFILES:
        for number, run in enumerate(data.runs):
            estimate = jury_estimate(data, number, profile)
            jurors = [each.judge for p in run.panels if p.profile == profile for each in p.judges]
            if estimate is not None and jurors:
                yield JuryRow(
                    kind="run",
                    group=_COUNTING[profile],
                    label=labels[number],
                    colour=number % 8,
                    profile=profile,
                    jurors=", ".join(jurors),
                    n=count(estimate.n),
                    shown=show_estimate(estimate),
                    mark=SHARE_AXIS.mark(estimate.value, estimate.low, estimate.high),
                    source="",
                )


def _published_juries(data: ReportData, also: AlsoMetric) -> Iterator[JuryRow]:
    totals = [
        estimate
        for run in data.runs
        for estimate in run.estimates
        if estimate.metric == also.metric and not estimate.stratum
    ]
    for row in published_rows(totals):
        yield JuryRow(
            kind=row.row.kind,
            group="As published",
            label=row.row.who,
            colour=0,
            profile="",
            jurors="",
            n=count(row.row.n),
            shown=Shown(
                value=percent(row.row.value),
                interval=f"{percent(row.low)} to {percent(row.high)}"
                if row.low is not None and row.high is not None
                else "",
                reason=row.reason or "",
            ),
            mark=SHARE_AXIS.mark(row.row.value, row.low, row.high),
            source=row.row.source,
        )


def _agreement_rows(number: int, label: str, panel: Panel) -> Iterator[AgreementRow]:
    found = panel.agreement
    for pair in found.pairs:
        yield AgreementRow(
            group=_group(label, panel),
            label=label,
            colour=number % 8,
            profile=panel.profile,
            who=f"{pair.first} and {pair.second}",
            n=count(pair.kappa.n),
            percent=_share(pair.percent),
            statistic="Cohen's kappa",
            coefficient=_coefficient(pair.kappa),
        )
    if len(found.pairs) < 2:  # of two judges the whole jury says what the pair said
        return
    for statistic, one, who in (
        ("Fleiss' kappa", found.fleiss, "all judges, where each voted"),
        ("Krippendorff's alpha", found.alpha, "all judges, where two or more voted"),
    ):
        if one is not None:
            yield AgreementRow(
                group=_group(label, panel),
                label=label,
                colour=number % 8,
                profile=panel.profile,
                who=who,
                n=count(one.n),
                # The share is over all answers with two votes, as is alpha.
                percent=_share(found.percent) if one is found.alpha else _NO_NUMBER,
                statistic=statistic,
                coefficient=_coefficient(one),
            )


def _share(one: Agreement | None) -> Shown:
    if one is None or one.value is None:
        return Shown(value=MISSING, interval="", reason=(one.reason or "") if one else "")
    has_interval = one.low is not None and one.high is not None
    return Shown(
        value=percent(one.value),
        interval=f"{percent(one.low)} to {percent(one.high)}" if has_interval else "",
        reason=one.reason or "",
    )


def _coefficient(one: Agreement) -> Shown:
    if one.value is None:
        return Shown(value=MISSING, interval="", reason=one.reason or "undefined")
    has_interval = one.low is not None and one.high is not None
    return Shown(
        value=_decimals(one.value),
        interval=f"{_decimals(one.low)} to {_decimals(one.high)}" if has_interval else "",
        reason=one.reason or "",
    )


def _decimals(value: float | None) -> str:
    return MISSING if value is None else f"{value:.3f}".replace("-", "\N{MINUS SIGN}")


def _calibration_rows(number: int, label: str, panel: Panel) -> Iterator[CalibrationRow]:
    for each in panel.calibration:
        share = each.share
        has_interval = share.low is not None and share.high is not None
        yield CalibrationRow(
            group=_group(label, panel),
            label=label,
            colour=number % 8,
            profile=panel.profile,
            judge=metric_label(each.judge) if each.judge.startswith("jury") else each.judge,
            labelled=f"{count(share.n_labelled)} of {count(share.n)}",
            says=percent(share.judged),
            corrected=Shown(
                value=percent(share.value),
                interval=f"{percent(share.low)} to {percent(share.high)}" if has_interval else "",
                reason=share.reason or "",
            ),
            finds_right=percent(share.sensitivity.value),
            finds_wrong=percent(share.specificity.value),
            kappa=_decimals(each.kappa.value),
        )


def _notes(panels: Sequence[tuple[int, str, Panel]]) -> Iterable[str]:
    for _, label, panel in panels:
        for each in panel.judges:
            if each.reason:
                n = count(each.n_asked - each.n_read)
                yield f"{label}: {n} votes of {each.judge} have no verdict, mostly: {each.reason}."
        for reason, pairs in _kappas_without(panel).items():
            yield f"Kappa of {'; '.join(pairs)}: {reason}."
        for judged in panel.calibration:
            if judged.share.reason:
                yield f"{judged.judge} against people: {judged.share.reason}."


def _kappas_without(panel: Panel) -> dict[str, list[str]]:
    """Gather the pairs whose kappa or interval is undefined by the reason."""
    found: dict[str, list[str]] = {}
    for pair in panel.agreement.pairs:
        if pair.kappa.reason:
            found.setdefault(pair.kappa.reason, []).append(f"{pair.first} and {pair.second}")
    return found
