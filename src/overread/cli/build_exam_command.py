"""`overread build lesion-exam`: questions whose wrong choices look alike and differ in fact."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter
from rich.table import Table

from overread.builders.retrieved_exam.card import ExamReport
from overread.builders.retrieved_exam.difficulty import READERS
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
from overread.run.exam_building.build import build_lesion_exam
from overread.run.exam_building.embedders import BUILT_IN, open_embedder
from overread.run.exam_building.request import ExamRequest

__all__ = ["exam_table", "lesion_exam_command"]


def lesion_exam_command(
    lesion_set: Path,
    out: Path,
    /,
    *,
    embedding: str = BUILT_IN,
    picture_weight: float = 0.5,
    slices: Path | None = None,
    most: int | None = None,
    reviewed: Annotated[list[Path] | None, Parameter(negative="")] = None,
    reader: Annotated[list[str] | None, Parameter(negative="")] = None,
    seed: int = 1,
    name: str = "Lesion exam",
    licence: str | None = None,
    json: bool = False,
) -> int:
    """Draw an exam from a lesion set: wrong choices look alike and differ in fact.

    Exit status 1 when it leaks: then it is a draft, and leaks.csv names the questions.

    Parameters
    ----------
    lesion_set
        A folder in CT-Bench's layout: Metadata.csv, the merged table, key slices.
    out
        A new or empty folder for the exam; with --reviewed, the one that was reviewed.
    embedding
        What looks alike: built-in, or an image-text scorer as clip:TARGET (extra torch), or a
        .npz file with the arrays lesion_idx, pictures and texts.
    picture_weight
        0 to 1: how much likeness of pictures counts; likeness of words counts for the rest.
    slices
        A folder of all slices by DeepLesion's names, for questions on nine of them.
    most
        At most so many questions a task and split.
    reviewed
        Filled-in copies of review/sheet.csv: questions that people strike leave the exam.
    reader
        Ask only these built-in readers how hard the questions are; radiomics takes the time.
    seed
        Of wrong choices, letters, picture names, and splits where none are stated.
    name
        Of the exam, on its card.
    licence
        Of the exam, on its card.
    json
        Print JSON for machines.
    """
    request = ExamRequest(
        lesion_set=lesion_set,
        out=out,
        # A review draws nothing anew: no model need be loaded for it.
        embedder=open_embedder(BUILT_IN if reviewed else embedding),
        picture_weight=picture_weight,
        seed=seed,
        most=most,
        slices=slices,
        reviewed=tuple(reviewed or ()),
        readers=tuple(reader or READERS),
        name=name,
        licence=licence,
    )
    with progress_bar("build", quiet=json) as bar:
        outcome = build_lesion_exam(
            request,
            on_progress=lambda step, done, total: bar(
                Progress(done=done, total=total, failed=0, note=step)
            ),
        )
    report = outcome.report
    if json:
        print_json({**asdict(report), "out": str(out)})
    else:
        show(exam_table(report))
        if report.findings:
            show(findings_table(report.findings))
    if outcome.started_over:
        notice(f"{out} held a half-built exam: it was cleared away, and built from the start.")
    n = sum(report.questions.values())
    if not report.is_released:
        notice(f"{out}: a draft of {n} questions, NOT released: it leaks; see leaks.csv.")
        return 1
    review = "" if report.review else f" People can review it: {out}/review/index.html."
    notice(
        f"Released {n} questions on lesions of {report.patients} patients: {out};"
        f" 'overread run ct-bench {out} --model …' asks them.{review}"
    )
    return 0


def exam_table(report: ExamReport) -> Table:
    """Tabulate the best blind rules, what leaks, and the built-in readers."""
    table = number_table("Without looking, and the built-in readers")
    table.add_column("who")
    table.add_column("right, %", justify="right")
    table.add_column("luck reaches, %", justify="right")
    table.add_column("n", justify="right")
    for check in report.blind:
        table.add_row(
            safe(f"best blind rule, {check.split}: {check.policy}"),
            percent(check.value),
            percent(check.mark),
            str(check.n),
        )
        for leak in check.leaks:
            table.add_row(
                safe(f"leak in {leak.split}, {leak.where}: {leak.policy}"),
                percent(leak.value),
                percent(leak.mark),
                str(leak.n),
                style="bold red",
            )
    for name, (right, n) in report.readers.items():
        table.add_row(safe(name), percent(right / n if n else None), "", str(n))
    return table
