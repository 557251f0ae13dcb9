"""From a table of reports to a release: read, generate, validate, decide, audit, write."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from overread.builders.report_qa.audit import Audit, read_audit
from overread.builders.report_qa.audit_sheet import draw_sheet, refuse_used_sheet, write_sheet
from overread.builders.report_qa.build_folder import claim_folder, settings_text
from overread.builders.report_qa.build_report import BuildReport, make_report
from overread.builders.report_qa.candidates import Candidate, judged, read_candidates
from overread.builders.report_qa.forms import KEPT, Form, form_of
from overread.builders.report_qa.pipeline import (
    Asker,
    BuildProgress,
    Generated,
    Validated,
    generate,
    validate,
)
from overread.builders.report_qa.release_files import (
    SETTINGS_FILE,
    STEPS_FILE,
    write_release,
)
from overread.builders.report_qa.reports import Columns, Report, ReportTable, read_reports
from overread.builders.report_qa.steps import StepLog
from overread.contracts import ModelOptions, Reporter
from overread.errors import (
    FatalModelError,
    PartialRunError,
    ReleaseError,
    UsageError,
    expected,
)
from overread.records import Finding, Profile, Severity
from overread.registry import open_model
from overread.store.hashes import file_sha256

__all__ = ["BuildOutcome", "BuildRequest", "build_report_qa"]

_SHEET_DRAW, _AUDIT_DRAW = 1, 2
"""Set the streams of the sheet and of the intervals apart."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BuildRequest:
    """What is to be built, of what, and by whom."""

    reports: Path
    out: Path
    """A new or empty folder, or the one of the same build."""
    validator: str
    """As for ``--model``."""
    generator: str | None = None
    """As for ``--model``; None where `candidates` are given."""
    candidates: Path | None = None
    """Pairs that were generated elsewhere."""
    profile: Profile = "honest"
    columns: Columns = field(default_factory=Columns)
    generator_options: ModelOptions = field(default_factory=ModelOptions)
    """Its temperature is the form's unless `temperature` says otherwise."""
    validator_options: ModelOptions = field(default_factory=ModelOptions)
    temperature: float | None = None
    """Of the generator; None takes the profile's."""
    limit: int | None = None
    """Only the first so many reports."""
    sheet: Path | None = None
    sheet_pairs: int = 100
    audited: Path | None = None
    seed: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class BuildOutcome:
    """What was built, and what this start asked for it."""

    report: BuildReport
    n_asked: int
    n_known: int
    """Replies that stood in the log before."""
    n_failed: int
    n_on_sheet: int
    """Pairs written for people."""


def build_report_qa(
    request: BuildRequest, *, on_progress: Callable[[str, BuildProgress], None]
) -> BuildOutcome:
    """Build a release of open spatial questions from reports.

    Every reply is stored as it comes: the same request again asks only what is missing, and same
    replies make the same bytes.

    Parameters
    ----------
    request
        What to build.
    on_progress
        Hears how far ``generate`` and ``validate`` are.

    Raises
    ------
    UsageError
        An argument breaks its rule, or `out` holds something else.
    ReleaseError
        The table cannot be read, or no question is left.
    FatalModelError, PartialRunError
        The build stopped; the same request goes on from there.
    """
    _check(request)
    form = form_of(request.profile)
    table, given = _inputs(request)
    temperature = form.temperature if request.temperature is None else request.temperature
    options = replace(request.generator_options, temperature=temperature, text_only=True)
    generator = open_model(request.generator, options) if request.generator else None
    checks = replace(request.validator_options, temperature=0.0, text_only=True)
    validator = open_model(request.validator, checks)
    settings = settings_text(
        profile=request.profile,
        form=form.name,
        generator=generator.identity if generator else None,
        candidates=file_sha256(request.candidates) if request.candidates else None,
        validator=validator.identity,
    )
    claim_folder(request.out, settings)
    log = StepLog(request.out / STEPS_FILE)
    try:
        (request.out / SETTINGS_FILE).write_text(settings + "\n", encoding="utf-8", newline="\n")
        n_known = log.n_replies
        work = _Work(
            request=request,
            form=form,
            table=table,
            given=given,
            generator=Asker(
                model=generator, log=log, on_progress=lambda p: on_progress("generate", p)
            )
            if generator
            else None,
            validator=Asker(
                model=validator, log=log, on_progress=lambda p: on_progress("validate", p)
            ),
        )
        _run(work, log)
        return _finish(work, log, n_known)
    finally:
        log.close()


@dataclass(slots=True)
class _Work:
    request: BuildRequest
    form: Form
    table: ReportTable
    given: Mapping[str, Generated] | None
    """Pairs that were generated elsewhere."""
    generator: Asker | None
    validator: Asker
    generated: Mapping[str, Generated] = field(default_factory=dict[str, Generated])
    validated: Mapping[str, Validated] = field(default_factory=dict[str, Validated])

    @property
    def askers(self) -> list[Asker]:
        return [asker for asker in (self.generator, self.validator) if asker is not None]


def _check(request: BuildRequest) -> None:
    if (request.generator is None) == (request.candidates is None):
        raise UsageError(
            expected(
                "--generator",
                rule="a model that writes the pairs, or --candidates with pairs, not both",
                got="neither" if request.generator is None else "both",
                remedy="Give one of the two.",
            )
        )
    for option, value in (("--limit", request.limit), ("--sheet-pairs", request.sheet_pairs)):
        if value is not None and value < 1:
            raise UsageError(
                expected(option, rule="a number of 1 or more", got=value, remedy="Leave it out.")
            )
    if request.profile == "published" and request.generator_options.structured:
        raise UsageError(
            expected(
                "--structured",
                rule="the honest profile, which asks for an object",
                got="the published one, which asks for a list",
                remedy="Leave it out.",
            )
        )
    if request.seed < 0:
        raise UsageError(
            expected("--seed", rule="a number of 0 or more", got=request.seed, remedy="Change it.")
        )
    # Both before anything is paid for.
    if request.sheet is not None:
        refuse_used_sheet(request.sheet)
    if request.audited is not None and not request.audited.is_file():
        raise UsageError(
            expected(
                "--audited",
                rule="a filled-in sheet",
                got=f"{request.audited}, which is no file",
                remedy="Name the CSV that --sheet wrote.",
            )
        )


def _inputs(request: BuildRequest) -> tuple[ReportTable, Mapping[str, Generated] | None]:
    """Read the reports and, where they are given, the pairs; in the order of the release."""
    table = read_reports(request.reports, request.columns)
    if request.candidates is None:
        return _limited(table, table.reports, request.limit, ()), None
    read = read_candidates(request.candidates, honestly=request.profile == "honest")
    by_case = {report.case: report for report in table.reports}
    without = [case for case in read if case not in by_case]
    odd: list[Finding] = []
    if without:
        odd.append(
            Finding(
                severity=Severity.WARNING,
                code="candidates-without-report",
                where=without[0],
                evidence="the table has no report of their case that can be asked about",
                effect="their pairs are not in the exam",
                count=len(without),
            )
        )
    reports = [by_case[case] for case in read if case in by_case]
    if not reports:
        raise ReleaseError(
            expected(
                "--candidates",
                rule="pairs about cases of the table of reports",
                got=f"{len(read)} other cases",
                remedy="Compare the names of cases in both files.",
            )
        )
    limited = _limited(table, reports, request.limit, odd)
    return limited, {
        report.case: Generated(read=read[report.case], step=None) for report in limited.reports
    }


def _limited(
    table: ReportTable, reports: Sequence[Report], limit: int | None, odd: Sequence[Finding]
) -> ReportTable:
    return replace(table, reports=tuple(reports[:limit]), findings=(*table.findings, *odd))


# ---------------------------------------------------------------- asking


def _run(work: _Work, log: StepLog) -> None:
    async def ask() -> None:
        try:
            reports = work.table.reports
            if work.given is not None:
                work.generated = work.given
            elif work.generator is not None:
                work.generated = await generate(reports, work.form, work.generator)
            pairs = {case: one.read.pairs for case, one in work.generated.items()}
            work.validated = await validate(reports, pairs, work.form, work.validator)
        finally:
            for asker in work.askers:
                await asker.model.close()

    try:
        asyncio.run(ask())
    except FatalModelError as error:
        raise FatalModelError(f"{error} {_way_on(work, log)}") from error
    except KeyboardInterrupt:
        raise PartialRunError(f"Stopped. {_way_on(work, log)}") from None


def _way_on(work: _Work, log: StepLog) -> str:
    return (
        f"{log.n_replies} replies are in {work.request.out / STEPS_FILE}; "
        "the same command goes on from there."
    )


# ---------------------------------------------------------------- what came of it


def _finish(work: _Work, log: StepLog, n_known: int) -> BuildOutcome:
    request = work.request
    candidates = judged(work.table.reports, work.generated, work.validated, work.form)
    audit = None
    if request.audited is not None:
        rng = np.random.default_rng([request.seed, _AUDIT_DRAW])
        audit = read_audit(request.audited, candidates, rng)
    fates = _fates(candidates, audit, request.profile)
    report = make_report(
        profile=request.profile,
        form=work.form.name,
        generator=work.generator.identity.label
        if work.generator
        else f"file {request.candidates.name if request.candidates else ''}",
        validator=work.validator.identity.label,
        table=work.table,
        candidates=candidates,
        fates=fates,
        generated=work.generated,
        validated=work.validated,
        audit=audit,
        findings=(*work.table.findings, *_odd(work, log)),
    )
    if not report.kept and report.unanswered_requests:
        raise PartialRunError(f"{_nothing_left(report, request.out)} {_way_on(work, log)}")
    if not report.kept:
        raise ReleaseError(_nothing_left(report, request.out))
    write_release(request.out, work.table.reports, candidates, fates, report)
    drawn: tuple[Candidate, ...] = ()
    if request.sheet is not None:
        rng = np.random.default_rng([request.seed, _SHEET_DRAW])
        drawn = draw_sheet(candidates, request.sheet_pairs, rng)
        write_sheet(request.sheet, drawn)
    return BuildOutcome(
        report=report,
        n_asked=sum(asker.n_asked for asker in work.askers),
        n_known=n_known,
        n_failed=report.unanswered_requests,
        n_on_sheet=len(drawn),
    )


def _fates(
    candidates: Sequence[Candidate], audit: Audit | None, profile: Profile
) -> dict[str, str]:
    """Say what becomes of every pair: people overrule the validator, honestly at least.

    The released pipeline counts its audit and changes nothing by it.
    """
    overruled = audit.verdicts if audit is not None and profile == "honest" else {}
    fates: dict[str, str] = {}
    for each in candidates:
        good = overruled.get(each.id, each.is_kept)
        fates[each.id] = KEPT if good else each.decision if not each.is_kept else "audit"
    return fates


def _odd(work: _Work, log: StepLog) -> list[Finding]:
    found = [
        finding
        for asker in work.askers
        if isinstance(asker.model, Reporter)
        for finding in asker.model.findings()
    ]
    if log.n_unreadable:
        found.append(
            Finding(
                severity=Severity.WARNING,
                code="step-unreadable",
                where=STEPS_FILE,
                evidence="lines of the log cannot be read",
                effect="what they answered was asked again",
                count=log.n_unreadable,
            )
        )
    return found


def _nothing_left(report: BuildReport, out: Path) -> str:
    reasons = {**report.refused, **report.dropped}
    said = ", ".join(f"{reason} {n}" for reason, n in reasons.items()) or "no pair in any reply"
    problems = "; ".join(each.evidence for each in report.findings[:3])
    return expected(
        "build",
        rule="at least one pair that may stay",
        got=f"{report.candidates} candidates of {report.reports} reports ({said}; {problems})",
        remedy=f"Look at the replies in {out / STEPS_FILE}; a stronger model may do.",
    )
