"""`overread build lesion-text`: descriptions drafted from report sentences, then reviewed."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from overread.builders.lesion_text.build import TextRequest, build_lesion_text
from overread.cli.output import findings_table, notice, print_json, progress_bar, show
from overread.contracts import ModelOptions
from overread.run.asking import Progress

__all__ = ["lesion_text_command"]


def lesion_text_command(
    sentences: Path,
    out: Path,
    /,
    *,
    model: Annotated[str, Parameter(alias="-m")],
    reviewed: Annotated[list[Path] | None, Parameter(negative="")] = None,
    base_url: str | None = None,
    max_tokens: int = 400,
    seed: int = 0,
    concurrency: int = 16,
    timeout_s: float = 120.0,
    max_retries: int = 6,
    structured: bool = False,
    json: bool = False,
) -> int:
    """Draft a description and a size for every lesion from what its report says.

    Every reply is stored as it comes; the same command again asks only what is missing. Drafts
    whose facts differ from the sentence are held back. Exit status 1 when requests got no reply.

    Parameters
    ----------
    sentences
        A CSV with lesion_idx and sentence; patient and dataset may stand beside them.
    out
        A new or empty folder, or the one of the same build.
    model
        The model that writes, ADAPTER:NAME as in `overread list models`.
    reviewed
        Filled-in copies of sheet.csv.
    base_url
        Address of an OpenAI-compatible server; the key comes from OPENAI_API_KEY.
    max_tokens
        Longest reply.
    seed
        Sent to the model.
    concurrency
        At most so many requests at once.
    timeout_s
        Longest wait for one reply.
    max_retries
        How often one request is tried again.
    structured
        Let the server enforce a JSON object.
    json
        Print JSON for machines.
    """
    request = TextRequest(
        sentences=sentences,
        out=out,
        model=model,
        reviewed=tuple(reviewed or ()),
        options=ModelOptions(
            base_url=base_url,
            max_tokens=max_tokens,
            seed=seed,
            concurrency=concurrency,
            timeout_s=timeout_s,
            max_retries=max_retries,
            structured=structured,
        ),
    )
    with progress_bar("draft", quiet=json) as bar:
        outcome = build_lesion_text(
            request,
            on_progress=lambda one: bar(
                Progress(done=one.done, total=one.total, failed=one.failed, note=one.note)
            ),
        )
    report = outcome.report
    if json:
        print_json({**asdict(report), "asked": outcome.n_asked})
    elif report.findings:
        show(findings_table(report.findings))
    can_be_reviewed = report.review is None and report.drafted > 0
    held = "; ".join(f"{reason}: {n}" for reason, n in report.held_back.items())
    notice(
        f"{out}: {report.kept} descriptions of {report.sentences} sentences in Metadata.csv"
        + (f"; held back: {held}." if held else ".")
        + (f" People can review them: {out}/sheet.csv." if can_be_reviewed else "")
    )
    if not report.drafted:
        notice(
            f"{model} wrote no draft: there is nothing to review. The reasons are in "
            f"{out}/drafts.csv."
        )
    return 1 if outcome.n_failed or not report.drafted else 0
