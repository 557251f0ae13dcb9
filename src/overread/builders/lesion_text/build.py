"""From report sentences to reviewed descriptions: ask, check by facts, take in what people say."""

from __future__ import annotations

import asyncio
import csv
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Final

from overread.benchmarks.ct_bench import layout
from overread.builders.lesion_text.drafts import Draft, make_draft
from overread.builders.lesion_text.form import VERSION, DraftText, prompt, read_draft_text
from overread.builders.lesion_text.review import (
    TextReview,
    read_text_reviews,
    write_text_sheet,
)
from overread.builders.lesion_text.sentences import Sentence, read_sentences
from overread.builders.people_shares import count_people, share_text
from overread.builders.report_qa.audit_sheet import guarded
from overread.builders.report_qa.pipeline import Asker, BuildProgress
from overread.builders.report_qa.steps import Step, StepLog, make_step
from overread.contracts import Model, ModelOptions, Reply
from overread.errors import FatalModelError, PartialRunError, UsageError, expected
from overread.records import Finding, Status
from overread.registry import open_model
from overread.store.hashes import canonical_json, file_sha256

__all__ = ["TextOutcome", "TextReport", "TextRequest", "build_lesion_text"]

_BENCHMARK: Final = "lesion-text"
_STEPS_FILE: Final = "steps.jsonl"
_SETTINGS_FILE: Final = "settings.json"
_SHEET_FILE: Final = "sheet.csv"
_DRAFTS_FILE: Final = "drafts.csv"


@dataclass(frozen=True, slots=True, kw_only=True)
class TextRequest:
    """Descriptions to draft."""

    sentences: Path
    out: Path
    """A new or empty folder, or the one of the same build."""
    model: str
    """As for ``--model``."""
    options: ModelOptions = field(default_factory=ModelOptions)
    reviewed: tuple[Path, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class TextReport:
    """What came of it."""

    model: str
    sentences: int
    drafted: int
    kept: int
    """Descriptions in Metadata.csv."""
    held_back: Mapping[str, int]
    """Why others are not: reason → number."""
    review: TextReview | None
    findings: tuple[Finding, ...] = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class TextOutcome:
    """The report, and what this start asked for it."""

    report: TextReport
    n_asked: int
    n_failed: int


def build_lesion_text(
    request: TextRequest, *, on_progress: Callable[[BuildProgress], None]
) -> TextOutcome:
    """Draft descriptions; replies are stored as they come, the same request asks what is missing.

    A draft stands where its facts agree with the sentence, and people did not call it wrong; a
    person's words take its place. The others are held back, with the reason, in drafts.csv.

    Raises
    ------
    UsageError
        `out` holds something else, or a sheet is none of this build.
    ReleaseError
        The sentences cannot be read.
    FatalModelError, PartialRunError
        The build stopped; the same request goes on from there.
    """
    table = read_sentences(request.sentences)
    options = replace(request.options, text_only=True)
    model = open_model(request.model, options)
    _claim(request, model)
    log = StepLog(request.out / _STEPS_FILE)
    try:
        asker = Asker(model=model, log=log, on_progress=on_progress)
        replies = _ask(table.sentences, asker, request.out)
    finally:
        log.close()
    drafts = [
        make_draft(sentence, _written(reply, sentence.text))
        for sentence, reply in zip(table.sentences, replies, strict=True)
    ]
    review = read_text_reviews(request.reviewed, drafts) if request.reviewed else None
    fates = [_fate(draft, review) for draft in drafts]
    held_back: dict[str, int] = {}
    for _, _, why in fates:
        if why is not None:
            kind = why.partition(":")[0]
            held_back[kind] = held_back.get(kind, 0) + 1
    report = TextReport(
        model=model.identity.label,
        sentences=len(drafts),
        drafted=sum(bool(draft.description) for draft in drafts),
        kept=sum(why is None for _, _, why in fates),
        held_back=held_back,
        review=review,
        findings=(*table.findings, *(review.findings if review else ())),
    )
    _write(request.out, drafts, fates, report)
    return TextOutcome(report=report, n_asked=asker.n_asked, n_failed=asker.n_failed)


_Fate = tuple[str, str, str | None]
"""Description, size, and why it is held back."""


def _fate(draft: Draft, review: TextReview | None) -> _Fate:
    verdict = review.verdicts.get(draft.sentence.lesion_idx) if review else None
    if verdict is not None and verdict.description is not None:
        return verdict.description, verdict.size or draft.size, None
    if verdict is not None:
        size = verdict.size or draft.size
        fixed = verdict.is_right or (verdict.size is not None and draft.problem is None)
        return draft.description, size, None if fixed else "people call it wrong"
    return draft.description, draft.size, draft.problem


def _written(reply: Reply, text: str) -> DraftText | str:
    if reply.status is not Status.OK:
        return f"no reply: {reply.reason or reply.status.value}"
    return read_draft_text(reply.text, text)


def _claim(request: TextRequest, model: Model) -> None:
    """Make the folder where it is new, or find that it is of the same build."""
    identity = model.identity
    settings = canonical_json(
        {
            "form": VERSION,
            "sentences": file_sha256(request.sentences),
            "model": [identity.kind, identity.name, identity.revision, dict(identity.settings)],
        }
    )
    place = request.out / _SETTINGS_FILE
    if not place.is_file():
        layout.refuse_used_folder(request.out, argument="OUT")
        request.out.mkdir(parents=True, exist_ok=True)
        place.write_text(settings + "\n", encoding="utf-8", newline="\n")
    elif place.read_text("utf-8").strip() != settings:
        raise UsageError(
            expected(
                "OUT",
                rule="a new or empty folder, or one of the same sentences and model",
                got=f"{request.out}, of others",
                remedy="Name another folder; what was asked for stays there.",
            )
        )


def _ask(sentences: Sequence[Sentence], asker: Asker, out: Path) -> list[Reply]:
    steps: list[Step] = [
        make_step(
            "generate",
            asker.identity,
            prompt(sentence.text),
            benchmark=_BENCHMARK,
            case=sentence.lesion_idx,
            number=0,
            attempt=0,
            is_shared=True,
        )
        for sentence in sentences
    ]

    async def ask() -> Mapping[str, Reply]:
        try:
            return await asker.ask(steps)
        finally:
            await asker.model.close()

    way_on = f"The replies so far are in {out / _STEPS_FILE}; the same command goes on from there."
    try:
        replies = asyncio.run(ask())
    except FatalModelError as error:
        raise FatalModelError(f"{error} {way_on}") from error
    except KeyboardInterrupt:
        raise PartialRunError(f"Stopped. {way_on}") from None
    return [replies[step.hash] for step in steps]


def _write(out: Path, drafts: Sequence[Draft], fates: Sequence[_Fate], report: TextReport) -> None:
    if report.review is None:
        write_text_sheet(out / _SHEET_FILE, drafts)
    with (out / layout.METADATA_FILE).open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(layout.METADATA_COLUMNS)
        for draft, (description, size, why) in zip(drafts, fates, strict=True):
            if why is None:
                one = draft.sentence
                writer.writerow((one.lesion_idx, description, size, one.split))
    with (out / _DRAFTS_FILE).open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(("lesion_idx", "sentence", "draft", "size", "held_back"))
        for draft, (_, _, why) in zip(drafts, fates, strict=True):
            row = (draft.sentence.lesion_idx, draft.sentence.text, draft.description, draft.size)
            # Spreadsheets open it: what a report or a model wrote must be no formula there.
            writer.writerow([guarded(cell) for cell in (*row, why or "")])
    text = json.dumps(asdict(report), ensure_ascii=False, indent=1)
    (out / "build.json").write_text(text + "\n", encoding="utf-8", newline="\n")
    (out / "CARD.md").write_text(_card(report), encoding="utf-8", newline="\n")


def _card(report: TextReport) -> str:
    lines = [
        "# Lesion descriptions\n",
        f"{report.kept} descriptions from {report.sentences} report sentences, drafted by "
        f"{report.model} (form {VERSION}) and checked against their sentences fact by fact.\n",
    ]
    lines += [f"- held back, {reason}: {n}" for reason, n in report.held_back.items()]
    review = report.review
    if review is None:
        return "\n".join([*lines, "\nNobody has reviewed them.\n"])
    kappa = "undefined" if review.kappa is None else f"{review.kappa:.2f}"
    lines += [
        f"\nReviewed: {review.n_reviewed} drafts by {count_people(len(review.reviewers))}.\n",
        f"- Error rate of drafts: {share_text(review.error_rate)}",
        f"- Wrong ones that the fact check let pass: {share_text(review.missed)}",
        f"- Fact check and people agree: {share_text(review.check_agrees)}",
        f"- Agreement of the first two people (Cohen's kappa): {kappa}",
    ]
    return "\n".join([*lines, ""])
