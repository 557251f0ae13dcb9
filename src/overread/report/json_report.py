"""The report for machines: what `--json` of `score`, `run` and `report` prints.

Numbers stay as they are, shares as 0..1. A number that does not exist is null, and the status and
reason beside it say why.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path

from overread.analysis.compare import PairDifference
from overread.analysis.empty_masks import LedgerRow, ledger_of_labels, mask_ledger
from overread.analysis.mask_results import MaskResults
from overread.records import Estimate, Finding, JsonValue, PublishedValue, Status
from overread.report.data import ReportData, RunReport
from overread.report.masks.ledger import ledger_metrics
from overread.report.readings import FormReading
from overread.report.spread import quartiles
from overread.report.tokens import TokenTotals

__all__ = ["estimate_json", "finding_json", "report_json", "run_json", "write_json"]


def run_json(
    run: str,
    estimates: Iterable[Estimate],
    findings: Iterable[Finding],
    *,
    tokens: TokenTotals | None = None,
) -> dict[str, JsonValue]:
    """Write one run: ``{"run": …, "estimates": […], "findings": […]}``.

    Where responses state tokens, ``tokens`` holds their sums and how many responses they are of.
    """
    shown: dict[str, JsonValue] = {
        "run": run,
        "estimates": [estimate_json(estimate) for estimate in estimates],
        "findings": [finding_json(finding) for finding in findings],
    }
    if tokens is not None and tokens.known:
        shown["tokens"] = {
            "in": tokens.tokens_in,
            "out": tokens.tokens_out,
            "responses": tokens.n,
            "responses_in": tokens.n_in,
            "responses_out": tokens.n_out,
        }
    return shown


def report_json(data: ReportData) -> dict[str, JsonValue]:
    """Write a whole report.

    Parameters
    ----------
    data
        The report.

    Returns
    -------
    dict
        A report of one run has the form of `run_json`, with the release's findings before the
        run's; where there are open answers or descriptions also ``fates`` (planned questions by
        what became of them), ``scores`` (quartiles), ``readings`` and ``judges``; where there are
        masks ``masks``, with the ledger of empty ones. One of several
        runs holds such an object for each under ``runs``, the pairs under ``comparison``, and the
        release's findings under ``findings``.
    """
    if len(data.runs) == 1:
        return _one(data.runs[0], data.findings)
    return {
        "runs": [_one(run, ()) for run in data.runs],
        "comparison": None
        if data.comparison is None
        else [_pair_json(p) for p in (*data.comparison.pairs, *data.comparison.by_stratum)],
        "findings": [finding_json(finding) for finding in data.findings],
    }


def write_json(data: ReportData, path: Path) -> Path:
    """Write `report_json` to a file, in UTF-8."""
    path.parent.mkdir(parents=True, exist_ok=True)
    text = json.dumps(report_json(data), ensure_ascii=False, allow_nan=False, indent=1)
    # A release can hold half a surrogate pair, which UTF-8 cannot: it becomes a question mark.
    path.write_bytes(text.encode("utf-8", errors="replace") + b"\n")
    return path


def estimate_json(estimate: Estimate) -> dict[str, JsonValue]:
    """Write one estimate with all that makes it readable."""
    return {
        "metric": estimate.metric,
        "profile": estimate.profile,
        "stratum": dict(estimate.stratum),
        "n": estimate.n,
        "n_answered": estimate.n_answered,
        "n_clusters": estimate.n_clusters,
        "value": estimate.value,
        "low": estimate.low,
        "high": estimate.high,
        "level": estimate.level,
        "method": estimate.method,
        "status": str(estimate.status),
        "reason": estimate.reason,
        "chance": estimate.chance,
        "chance_low": estimate.chance_low,
        "chance_high": estimate.chance_high,
        "blind_floor": estimate.blind_floor,
        "blind_policy": estimate.blind_policy,
        "published": [_published_json(row) for row in estimate.published],
    }


def finding_json(finding: Finding) -> dict[str, JsonValue]:
    """Write one finding."""
    return {
        "severity": str(finding.severity),
        "code": finding.code,
        "where": finding.where,
        "evidence": finding.evidence,
        "effect": finding.effect,
        "remedy": finding.remedy,
        "count": finding.count,
    }


def _one(run: RunReport, release_findings: Iterable[Finding]) -> dict[str, JsonValue]:
    findings = (*release_findings, *run.findings)
    shown = run_json(run.manifest.run, run.estimates, findings, tokens=run.tokens)
    if run.fates.get("open") or "answered" in run.fates:
        shown["fates"] = dict(run.fates)
    found = quartiles(run.graded)
    if found is not None:
        names = ("lowest", "lower_quarter", "median", "upper_quarter", "highest")
        shown["scores"] = dict(zip(names, found, strict=True))
    if run.readings:
        shown["readings"] = [_reading_json(reading) for reading in run.readings]
    if run.masks is not None:
        shown["masks"] = _masks_json(run.masks)
    if run.panels:
        shown["judges"] = [dict(panel.as_json) for panel in run.panels]
    return shown


def _masks_json(masks: MaskResults) -> dict[str, JsonValue]:
    """Write cases that were not scored, and the ledger of empty masks."""
    ledger = ledger_of_labels(mask_ledger(masks.scores, metrics=ledger_metrics(masks.metrics)))
    return {
        "labels": {str(value): name for value, name in masks.labels.items()},
        "cases": len(masks.cases),
        "not_scored": [
            {"case": case.id, "status": str(case.status), "reason": case.reason}
            for case in masks.cases
            if case.status is not Status.OK
        ],
        "ledger": [_ledger_json(row) for row in ledger],
    }


def _ledger_json(row: LedgerRow) -> dict[str, JsonValue]:
    means: dict[str, JsonValue] = {str(policy): mean for policy, mean in row.means.items()}
    counted: dict[str, JsonValue] = {str(policy): n for policy, n in row.counted.items()}
    return {
        "metric": row.metric,
        "label": row.target,
        "n": row.n,
        "both_present": row.n_both_present,
        "missed": row.n_missed,
        "invented": row.n_invented,
        "both_empty": row.n_both_empty,
        "without_prediction": row.n_without_prediction,
        "means": means,
        "counted": counted,
    }


def _reading_json(reading: FormReading) -> dict[str, JsonValue]:
    return {
        "stratum": {reading.key: reading.form},
        "references": list(reading.references),
        "answers": list(reading.answers),
        "counts": [list(row) for row in reading.counts],
        "unreadable_references": reading.n_unreadable,
    }


def _published_json(row: PublishedValue) -> dict[str, JsonValue]:
    return {
        "who": row.who,
        "kind": row.kind,
        "value": row.value,
        "count": row.count,
        "n": row.n,
        "source": row.source,
    }


def _pair_json(pair: PairDifference) -> Mapping[str, JsonValue]:
    return {
        "first": pair.first,
        "second": pair.second,
        "stratum": dict(pair.stratum),
        "n": pair.n,
        "n_clusters": pair.n_clusters,
        "both": pair.both,
        "only_first": pair.only_first,
        "only_second": pair.only_second,
        "neither": pair.neither,
        "first_value": pair.first_value,
        "second_value": pair.second_value,
        "difference": pair.difference,
        "low": pair.low,
        "high": pair.high,
        "level": pair.level,
        "method": pair.method,
        "p_mcnemar": pair.p_mcnemar,
        "p_sign_flip": pair.p_sign_flip,
        "adjusted": pair.adjusted,
        "p_holm": pair.p_adjusted,
        "design_effect": pair.exam.design_effect,
        "units": pair.exam.units,
        "smallest_difference": pair.exam.smallest_difference,
        "units_needed": pair.exam.units_needed,
        "units_needed_at_best": pair.exam.units_needed_at_best,
        "reason": pair.reason,
    }
