"""`overread build`: releases from lesion tables and from reports."""

from __future__ import annotations

from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import Parameter
from rich.table import Table

from overread.builders.lesion_set import build_lesion_set
from overread.cli.output import (
    findings_table,
    notice,
    number_table,
    percent,
    print_json,
    progress_bar,
    safe,
    show,
)
from overread.run.asking import Progress

if TYPE_CHECKING:
    from overread.builders.report_qa.build_report import BuildReport

__all__ = ["lesion_set_command", "report_qa_command"]


def lesion_set_command(
    table: Path,
    images: Path,
    out: Path,
    /,
    *,
    seed: int = 1,
    grey_range: tuple[int, int] | None = None,
    json: bool = False,
) -> int:
    """Turn a lesion table and its key slices into a release in CT-Bench's layout.

    Parameters
    ----------
    table
        A CSV with DeepLesion's columns, or a folder of .tru files.
    images
        The folder of the key slices.
    out
        A new or empty folder for the release.
    seed
        Of splits, wrong choices and letters.
    grey_range
        For 8-bit slices that look dim: the stored values to show as black and as white.
    json
        Print JSON for machines.
    """
    report = build_lesion_set(table, images, out, seed=seed, grey_range=grey_range)
    if json:
        print_json(asdict(report))
    elif report.findings:
        show(findings_table(report.findings))
    notice(
        f"Wrote {report.lesions} lesions of {report.patients} patients and "
        f"{sum(report.questions.values())} questions: {out}; "
        f"'overread check ct-bench {out}' counts them."
    )
    return 0


def report_qa_command(
    reports: Path,
    out: Path,
    /,
    *,
    validator: Annotated[str, Parameter(alias="-v")],
    generator: Annotated[str | None, Parameter(alias="-g")] = None,
    candidates: Path | None = None,
    profile: Literal["published", "honest"] = "honest",
    sheet: Path | None = None,
    sheet_pairs: int = 100,
    audited: Path | None = None,
    case_column: str | None = None,
    findings_column: str | None = None,
    impressions_column: str | None = None,
    limit: int | None = None,
    base_url: str | None = None,
    validator_base_url: str | None = None,
    temperature: float | None = None,
    max_tokens: int = 2000,
    seed: int = 1,
    concurrency: int = 16,
    timeout_s: float = 120.0,
    max_retries: int = 6,
    structured: bool = False,
    json: bool = False,
) -> int:
    """Turn radiology reports into an exam of spatial questions in CT-SpatialVQA's layout.

    One model writes questions with answers, another one checks them, people may look at a sample.
    Every prompt and reply is stored as it comes; the same command again asks only what is missing.
    Exit status 1 when requests got no reply.

    Parameters
    ----------
    reports
        A CSV of reports, or JSON as CT-SpatialVQA releases them.
    out
        A new or empty folder for the release, or the one of the same build.
    validator
        The model that checks, ADAPTER:NAME as in `overread list models`.
    generator
        The model that writes questions.
    candidates
        A file of questions written elsewhere, instead of a generator.
    profile
        How to ask and to filter: as the released scripts do, or with evidence from the report.
    sheet
        Write a CSV here for people to fill in.
    sheet_pairs
        So many questions on it, half of them dropped ones.
    audited
        A filled-in sheet: how often the validator errs, and what people overrule.
    case_column
        Column that names the volume.
    findings_column
        Column of the findings.
    impressions_column
        Column of the impressions.
    limit
        Only the first so many reports.
    base_url
        Address of an OpenAI-compatible server; the key comes from OPENAI_API_KEY.
    validator_base_url
        Address of the validator's server where it is another one.
    temperature
        Of the generator; 0.2 as published, 0 honestly. The validator has 0.
    max_tokens
        Longest reply.
    seed
        Sent to the models, and of the sheet's draw.
    concurrency
        At most so many requests at once.
    timeout_s
        Longest wait for one reply.
    max_retries
        How often one request is tried again.
    structured
        Let the server enforce a JSON object (honest profile only).
    json
        Print JSON for machines.
    """
    from overread.builders.report_qa.build import BuildRequest, build_report_qa
    from overread.builders.report_qa.reports import Columns
    from overread.contracts import ModelOptions

    options = ModelOptions(
        base_url=base_url,
        max_tokens=max_tokens,
        seed=seed,
        concurrency=concurrency,
        timeout_s=timeout_s,
        max_retries=max_retries,
        structured=structured,
    )
    request = BuildRequest(
        reports=reports,
        out=out,
        validator=validator,
        generator=generator,
        candidates=candidates,
        profile=profile,
        columns=Columns(case=case_column, findings=findings_column, impressions=impressions_column),
        generator_options=options,
        validator_options=replace(options, base_url=validator_base_url or base_url),
        temperature=temperature,
        limit=limit,
        sheet=sheet,
        sheet_pairs=sheet_pairs,
        audited=audited,
        seed=seed,
    )
    with progress_bar("build", quiet=json) as bar:
        outcome = build_report_qa(
            request,
            on_progress=lambda phase, one: bar(
                Progress(
                    done=one.done,
                    total=one.total,
                    failed=one.failed,
                    note=f"{phase} {one.note}".strip(),
                )
            ),
        )
    report = outcome.report
    if json:
        print_json({**asdict(report), "asked": outcome.n_asked, "known": outcome.n_known})
    else:
        show(_counts(report))
        if report.findings:
            show(findings_table(report.findings))
    if outcome.n_on_sheet:
        notice(f"{sheet}: {outcome.n_on_sheet} questions for people; give it back with --audited.")
    notice(
        f"Wrote {report.kept} questions on {report.cases} cases of {report.patients} patients: "
        f"{out}; asked {outcome.n_asked}, {outcome.n_failed} requests got no reply."
        + (
            " The same command asks them again."
            if outcome.n_failed
            else f" 'overread check ct-spatialvqa {out}' counts them."
        )
    )
    return 1 if outcome.n_failed else 0


def _counts(report: BuildReport) -> Table:
    """Tabulate the way from reports to questions, and what people said."""
    table = number_table(f"From reports to questions, {report.profile} profile")
    table.add_column("step")
    table.add_column("count", justify="right")
    table.add_column("of candidates, %", justify="right")
    for name, n in {
        "rows of the table": report.rows,
        "reports asked about": report.reports,
        "reports without a pair": report.reports_without_pairs,
        **{f"refused: {_said(code)}": n for code, n in report.refused.items()},
    }.items():
        table.add_row(safe(name), str(n))
    steps = {"candidates": report.candidates}
    steps |= {f"dropped: {_said(code)}": n for code, n in report.dropped.items()}
    steps["kept"] = report.kept
    for name, n in steps.items():
        share = percent(n / report.candidates if report.candidates else None)
        table.add_row(safe(name), str(n), share, style="bold" if name == "kept" else None)
    if report.audit is not None:
        audit = report.audit
        table.add_section()
        table.add_row("judged by people", str(audit.n_pairs))
        table.add_row("of the kept ones, put back by people", str(report.put_back))
        for name, rate in {
            "kept, people would drop": audit.wrongly_kept,
            "dropped, people would keep": audit.wrongly_dropped,
        }.items():
            between = (
                "no interval"
                if rate.low is None or rate.high is None
                else f"{100 * rate.low:.1f} to {100 * rate.high:.1f}"
            )
            shown = f"{percent(rate.value)} ({between})"
            table.add_row(name, f"{rate.count:g} of {rate.n}", shown)
    return table


def _said(code: str) -> str:
    from overread.builders.report_qa.build_report import reason_words

    return f"{code} ({words})" if (words := reason_words(code)) != code else code
