"""How the juries of a run are printed: coverage of each judge, agreement of each pair."""

from __future__ import annotations

from collections.abc import Iterator

from rich.table import Table

from overread.analysis.judge_agreement import Agreement
from overread.cli.output import interval, number_table, percent, safe
from overread.records import JsonValue
from overread.run.jury_report import JuryReport

__all__ = ["jury_json", "jury_tables"]


def jury_tables(report: JuryReport) -> Iterator[Table | str]:
    """Tabulate one jury; what cannot be computed has a dash, and a sentence says why."""
    yield _judges(report)
    agreement = report.agreement
    if agreement.pairs:
        yield _pairs(report)
        yield _whole("Fleiss' kappa", agreement.fleiss, "every judge voted")
        yield _whole("Krippendorff's alpha", agreement.alpha, "two judges or more voted")
    if report.calibration:
        yield _calibration(report)
    for name, reason in _reasons(report):
        yield f"Note: {safe(name)}: {safe(reason)}."


def _judges(report: JuryReport) -> Table:
    table = number_table(f"Judges, {report.profile} profile, form {report.form}")
    table.add_column("judge", no_wrap=True)
    for name in ("to judge", "asked", "read", "read %", "right %"):
        table.add_column(name, justify="right", no_wrap=True)
    for each in report.coverage:
        table.add_row(
            safe(each.judge),
            str(each.n),
            str(each.n_asked),
            str(each.n_read),
            percent(each.n_read / each.n_asked if each.n_asked else None),
            percent(each.n_yes / each.n_read if each.n_read else None),
        )
    return table


def _pairs(report: JuryReport) -> Table:
    table = number_table("Agreement of judges")
    table.add_column("pair", no_wrap=True)
    for name in ("n", "same %", "95 %", "Cohen's kappa", "95 %"):
        table.add_column(name, justify="right", no_wrap=True)
    for pair in report.agreement.pairs:
        table.add_row(
            safe(f"{pair.first} – {pair.second}"),
            str(pair.percent.n),
            percent(pair.percent.value),
            interval(pair.percent.low, pair.percent.high),
            _coefficient(pair.kappa.value),
            _bounds(pair.kappa),
        )
    return table


def _calibration(report: JuryReport) -> Table:
    table = number_table("Against people (%)")
    table.add_column("judge", no_wrap=True)
    columns = ("labelled", "says", "corrected", "95 %", "finds right", "finds wrong", "kappa")
    for name in columns:
        table.add_column(name, justify="right", no_wrap=True)
    for each in report.calibration:
        share = each.share
        table.add_row(
            safe(each.judge),
            f"{share.n_labelled} of {share.n}",
            percent(share.judged),
            percent(share.value),
            interval(share.low, share.high),
            percent(share.sensitivity.value),
            percent(share.specificity.value),
            _coefficient(each.kappa.value),
        )
    return table


def _whole(name: str, agreement: Agreement | None, over: str) -> str:
    if agreement is None or agreement.value is None:
        reason = agreement.reason if agreement else None
        return f"{name}: –" + (f" ({safe(reason)})" if reason else "")
    return (
        f"{name}: {_coefficient(agreement.value)} ({_bounds(agreement)}), over {agreement.n} "
        f"answers on which {over}."
    )


def _coefficient(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"


def _bounds(agreement: Agreement) -> str:
    if agreement.low is None or agreement.high is None:
        return "–"
    return f"{agreement.low:.3f} to {agreement.high:.3f}"


def _reasons(report: JuryReport) -> Iterator[tuple[str, str]]:
    for pair in report.agreement.pairs:
        if pair.kappa.reason:
            yield f"kappa of {pair.first} and {pair.second}", pair.kappa.reason
    for each in report.calibration:
        if each.share.reason:
            yield f"{each.judge} against people", each.share.reason
    for each in report.coverage:
        if each.most_common_reason:
            n = each.n_asked - each.n_read
            yield f"{n} votes of {each.judge} without a verdict", each.most_common_reason


def jury_json(report: JuryReport) -> dict[str, JsonValue]:
    """Write one jury: who judged, what was read, how far they agree."""
    agreement = report.agreement
    return {
        "profile": report.profile,
        "form": report.form,
        "judges": [
            {
                "judge": each.judge,
                "judge_hash": juror.judge_hash,
                "n": each.n,
                "n_asked": each.n_asked,
                "n_read": each.n_read,
                "n_yes": each.n_yes,
                "most_common_reason": each.most_common_reason or None,
            }
            for juror, each in zip(report.jury, report.coverage, strict=True)
        ],
        "pairs": [
            {
                "first": pair.first,
                "second": pair.second,
                "percent": _agreement_json(pair.percent),
                "cohen_kappa": _agreement_json(pair.kappa),
            }
            for pair in agreement.pairs
        ],
        "percent": _agreement_json(agreement.percent),
        "fleiss_kappa": _agreement_json(agreement.fleiss),
        "krippendorff_alpha": _agreement_json(agreement.alpha),
        "calibration": [
            {
                "judge": each.judge,
                "judged": each.share.judged,
                "value": each.share.value,
                "low": each.share.low,
                "high": each.share.high,
                "level": each.share.level,
                "method": each.share.method,
                "sensitivity": each.share.sensitivity.value,
                "specificity": each.share.specificity.value,
                "n": each.share.n,
                "n_labelled": each.share.n_labelled,
                "n_clusters_labelled": each.share.n_clusters_labelled,
                "reason": each.share.reason,
                "cohen_kappa": _agreement_json(each.kappa),
            }
            for each in report.calibration
        ],
    }


def _agreement_json(agreement: Agreement | None) -> JsonValue:
    if agreement is None:
        return None
    return {
        "value": agreement.value,
        "low": agreement.low,
        "high": agreement.high,
        "level": agreement.level,
        "method": agreement.method,
        "n": agreement.n,
        "n_left_out": agreement.n_left_out,
        "reason": agreement.reason,
    }
