"""Writes a built release in CT-SpatialVQA's layout, and beside it how it came about."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path

from overread.benchmarks.ct_spatialvqa import layout
from overread.builders.report_qa.build_report import BuildReport, markdown
from overread.builders.report_qa.candidates import Candidate
from overread.builders.report_qa.reports import Report

__all__ = ["BUILD_FOLDER", "SETTINGS_FILE", "STEPS_FILE", "write_release"]

BUILD_FOLDER = "build"
"""In the release's folder: how it was built. Nothing of it belongs to the layout."""
STEPS_FILE = f"{BUILD_FOLDER}/steps.jsonl"
SETTINGS_FILE = f"{BUILD_FOLDER}/settings.json"
_DECISIONS_FILE = f"{BUILD_FOLDER}/decisions.jsonl"
_REPORT_FILES = (f"{BUILD_FOLDER}/report.json", f"{BUILD_FOLDER}/report.md")
_NEW = f"{BUILD_FOLDER}/new"


def write_release(
    out: Path,
    reports: Sequence[Report],
    candidates: Sequence[Candidate],
    fates: Mapping[str, str],
    report: BuildReport,
) -> None:
    """Write question files, candidates, reports, decisions and the build's own report.

    Same replies, same bytes. Everything is written aside first: a process that dies leaves the
    files of the last build whole.
    """
    new = out / _NEW
    shutil.rmtree(new, ignore_errors=True)
    pairs = [_pair(each) for each in candidates if fates[each.id] == "kept"]
    layout.write_questions(new, pairs)
    layout.write_pairs(new / layout.CANDIDATES_FILE, map(_pair, candidates))
    layout.write_reports(new, {one.case: (one.findings, one.impressions) for one in reports})
    layout.write_json_lines(
        new / _DECISIONS_FILE, [_decision(each, fates[each.id]) for each in candidates]
    )
    as_json, as_markdown = _REPORT_FILES
    (new / as_json).write_text(_json(report), encoding="utf-8", newline="\n")
    (new / as_markdown).write_text(markdown(report), encoding="utf-8", newline="\n")
    (new / layout.BUILT_MARK).write_text(_mark(report), encoding="utf-8", newline="\n")
    for path in sorted(new.rglob("*")):
        if path.is_file():
            path.replace(out / path.relative_to(new))
    shutil.rmtree(new)


def _pair(candidate: Candidate) -> layout.Pair:
    return layout.Pair(
        case=candidate.case, question=candidate.pair.question, answer=candidate.pair.answer
    )


def _decision(candidate: Candidate, fate: str) -> dict[str, str | bool | None]:
    labels = candidate.labels
    return {
        "pair": candidate.id,
        "question": candidate.pair.question,
        "answer": candidate.pair.answer,
        "evidence": candidate.pair.evidence,
        "is_spatial": labels.is_spatial if labels else None,
        "is_relevant": labels.is_relevant if labels else None,
        "is_supported": labels.is_supported if labels else None,
        "validator": candidate.decision,
        "fate": fate,
        "generate_step": candidate.generate_step,
        "validate_step": candidate.validate_step,
    }


def _json(report: BuildReport) -> str:
    return json.dumps(asdict(report), ensure_ascii=False, allow_nan=False, indent=2) + "\n"


def _mark(report: BuildReport) -> str:
    looked = (
        f"People looked at {report.audit.n_pairs} of the pairs."
        if report.audit
        else "Nobody has looked at the questions."
    )
    return (
        f"Built by overread from {report.reports} reports, {report.profile} profile: "
        f"{report.kept} questions on {report.cases} cases of {report.patients} patients.\n"
        f"Generator: {report.generator}. Validator: {report.validator}. {looked}\n"
        "Not the published CT-SpatialVQA exam: its numbers are not comparable with published "
        "ones.\nThe questions hold facts of the reports, whose terms of use they keep.\n"
    )
