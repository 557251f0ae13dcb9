"""From a lesion set to an exam: draw, write, ask, check, release; and again after a review."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Final, TypeAlias

from overread.benchmarks.ct_bench import layout
from overread.benchmarks.ct_bench.exam_files import Question
from overread.benchmarks.ct_bench.loader import CtBenchRelease
from overread.builders.half_built import begin, finish, make_way
from overread.builders.retrieved_exam.card import ExamReport, card_text, licence_text
from overread.builders.retrieved_exam.checks import BlindCheck, leak_findings
from overread.builders.retrieved_exam.croissant import write_croissant
from overread.builders.retrieved_exam.difficulty import READERS, ask_readers
from overread.builders.retrieved_exam.draft import (
    Draft,
    check_same_set,
    fingerprint_of,
    read_draft,
    write_draft,
)
from overread.builders.retrieved_exam.draw import Unit, draw_units, reletter
from overread.builders.retrieved_exam.embeddings import Embeddings
from overread.builders.retrieved_exam.lesions import ExamLesion, LesionSet, read_lesion_set
from overread.builders.retrieved_exam.pictures import Stacks, make_misplacer
from overread.builders.retrieved_exam.release import (
    CARD_FILE,
    HASHES_FILE,
    LICENCE_FILE,
    OWN_NAMES,
    REVIEW_FOLDER,
    write_build_file,
    write_hashes,
    write_leaks,
    write_lesions,
    write_questions,
    write_table_of_choices,
)
from overread.builders.retrieved_exam.review import Review, read_reviews
from overread.builders.retrieved_exam.review_page import write_pages
from overread.builders.retrieved_exam.review_sheet import SHEET_FILE, write_sheet
from overread.contracts import Release
from overread.errors import ReleaseError, UsageError, expected
from overread.records import Finding
from overread.run.exam_building.blind_check import check_blind
from overread.run.exam_building.request import ExamOutcome, ExamRequest

__all__ = ["build_lesion_exam"]

_LICENCES: Final[Mapping[str, str]] = {
    "published": "CC BY-NC-SA 4.0",
    "synthetic": "Apache-2.0 (phantoms)",
}
_UNKNOWN_LICENCE: Final = "that of the data the lesion set was made from"

_Questions: TypeAlias = Sequence[tuple[Unit, Question]]
_OnProgress: TypeAlias = Callable[[str, int, int], None]
"""Step, how much is done, of how much (0: not known)."""


def build_lesion_exam(request: ExamRequest, *, on_progress: _OnProgress) -> ExamOutcome:
    """Build an exam; equal requests give equal bytes.

    Parameters
    ----------
    request
        What to build.
    on_progress
        Told how far things are.

    Returns
    -------
    ExamOutcome
        Its report says whether the exam is released: it is not when it leaks.

    Raises
    ------
    UsageError
        An argument is wrong, or an embedding holds numbers that are not finite.
    ReleaseError
        The lesion set cannot be read, or no question can be drawn from it.
    """
    started_over = _check(request)
    folder = request.out / REVIEW_FOLDER
    # What was drawn goes on under its own seed, whatever the command says this time.
    drawn = read_draft(folder) if request.reviewed else None
    held = read_lesion_set(request.lesion_set, seed=drawn.seed if drawn else request.seed)
    asked_about = [one for one in held.lesions if one.split in layout.QUESTION_SPLITS]
    by_number = {lesion.lesion_idx: lesion for lesion in held.lesions}
    stacks = Stacks(request.slices, _merged_table(request.lesion_set), asked_about)
    review: Review | None = None
    findings: tuple[Finding, ...] = ()
    if drawn is not None:
        draft = drawn
        check_same_set(draft, held.lesions, folder)
        review = read_reviews(request.reviewed, draft.units, by_number)
        kept = [unit for unit in draft.units if unit.number not in review.struck]
        if not kept:
            raise _all_struck(request.reviewed, len(draft.units))
        units, findings = reletter(kept, seed=draft.seed), review.findings
        begin(request.out, command=_command(request), holds_work=True)
        (request.out / HASHES_FILE).unlink(missing_ok=True)
    else:
        units, findings = _draw(request, asked_about, stacks, on_progress)
        draft = Draft(
            fingerprint=fingerprint_of(held.lesions),
            seed=request.seed,
            embedding=request.embedder.label,
            units=units,
        )
        begin(request.out, command=_command(request), holds_work=False)
        write_lesions(request.out, held.lesions)
    on_progress("write pictures", 0, 0)
    # The mark makes it a built release for whoever opens it, this build's own checks included.
    (request.out / layout.BUILT_MARK).write_text(
        "Being built by overread.\n", encoding="utf-8", newline="\n"
    )
    questions = write_questions(request.out, units, by_number, stacks, seed=draft.seed)
    release = CtBenchRelease(request.out, unfinished=True)
    chosen = _difficulty(release, request.readers, on_progress)
    on_progress("look for leaks", 0, 0)
    checks = check_blind(release)
    if not request.reviewed:
        _write_review(request.out, draft, questions, by_number, chosen)
    report = _report(
        request,
        held,
        draft,
        questions,
        checks,
        review,
        write_table_of_choices(request.out, questions, chosen),
        (*held.findings, *findings, *leak_findings(checks)),
    )
    _finish(request.out, report, checks)
    return ExamOutcome(
        out=request.out, report=report, n_units=len(units), started_over=started_over
    )


def _command(request: ExamRequest) -> str:
    """Word the command, as the shell takes it, up to what a start over takes from it."""
    words = ["overread", "build", "lesion-exam", str(request.lesion_set), str(request.out)]
    for path in request.reviewed:
        words += ["--reviewed", str(path)]
    return shlex.join([*words, "…"] if not request.reviewed else words)


def _check(request: ExamRequest) -> bool:
    """Refuse wrong arguments; say whether a half-built exam was cleared away."""
    if request.out.resolve().is_relative_to(request.lesion_set.resolve()):
        raise UsageError(
            expected(
                "OUT",
                rule="a folder outside the lesion set",
                got=request.out,
                remedy="Name one beside it.",
            )
        )
    weight, most = request.picture_weight, request.most
    for name, value, is_good, rule in (
        ("--seed", request.seed, request.seed >= 0, "a whole number of 0 or more"),
        ("--most", most, most is None or most >= 1, "a whole number of 1 or more"),
        ("--picture-weight", weight, 0 <= weight <= 1, "a number from 0 to 1"),
    ):
        if not is_good:
            raise UsageError(
                expected(name, rule=rule, got=value, remedy="Leave it out for the default.")
            )
    strange = [name for name in request.readers if name not in READERS]
    if strange:
        raise UsageError(
            expected(
                "--reader",
                rule=f"one of {', '.join(READERS)}",
                got=", ".join(strange),
                remedy="Leave it out to ask all of them.",
            )
        )
    if request.slices is not None and not request.slices.is_dir():
        raise UsageError(
            expected(
                "--slices",
                rule="a folder of slices by DeepLesion's names",
                got=request.slices,
                remedy="Leave it out: then no question shows nine slices.",
            )
        )
    return not request.reviewed and make_way(request.out, own=OWN_NAMES)


def _all_struck(reviewed: Sequence[Path], n: int) -> UsageError:
    return UsageError(
        expected(
            "--reviewed",
            rule="sheets that leave a question",
            got=f"{', '.join(map(str, reviewed))}: all {n} questions are struck",
            remedy="Nothing was changed. Draw another exam, or correct keep and also_right.",
        )
    )


def _merged_table(root: Path) -> Path | None:
    wanted = "".join(layout.MERGED_FILE.split()).casefold()
    found = (p for p in sorted(root.iterdir()) if "".join(p.name.split()).casefold() == wanted)
    return next(found, None)


def _draw(
    request: ExamRequest,
    lesions: Sequence[ExamLesion],
    stacks: Stacks,
    on_progress: _OnProgress,
) -> tuple[tuple[Unit, ...], tuple[Finding, ...]]:
    if not lesions:
        raise _nothing_drawn("all lesions are in the training split", "Give it more patients.")
    pictures, texts = request.embedder.embed(
        [lesion.seen for lesion in lesions],
        on_progress=lambda done: on_progress("embed", done, len(lesions)),
    )
    embeddings = Embeddings.join(
        pictures,
        texts,
        label=request.embedder.label,
        numbers=[lesion.lesion_idx for lesion in lesions],
        picture_weight=request.picture_weight,
    )
    on_progress("draw questions", 0, 0)
    units, findings = draw_units(
        lesions,
        embeddings,
        stacks.lesions,
        make_misplacer(lesions),
        seed=request.seed,
        most=request.most,
    )
    if not units:
        why = "; ".join(f"{one.where}: {one.evidence}" for one in findings)
        raise _nothing_drawn(why, "Give it more lesions that differ in fact, of more patients.")
    return units, findings


def _nothing_drawn(got: str, remedy: str) -> ReleaseError:
    return ReleaseError(
        expected(
            "LESION-SET",
            rule="four lesions of four patients in one split that differ in fact",
            got=got,
            remedy=remedy,
        )
    )


def _difficulty(
    release: Release, readers: Sequence[str], on_progress: _OnProgress
) -> dict[int, dict[str, str]]:
    """Ask the built-in readers: qa_id → reader → letter."""
    chosen: dict[int, dict[str, str]] = {}
    for split in layout.QUESTION_SPLITS:
        answers = ask_readers(
            release,
            readers,
            split=split,
            on_progress=lambda name, done, n: on_progress(f"ask {name}", done, n),
        )
        for one in answers:
            if one.letter is not None:
                said = chosen.setdefault(int(one.item.groups["qa_id"]), {})
                said[one.reader] = one.letter
    return chosen


def _write_review(
    out: Path,
    draft: Draft,
    questions: _Questions,
    lesions: Mapping[int, ExamLesion],
    chosen: Mapping[int, Mapping[str, str]],
) -> None:
    folder = out / REVIEW_FOLDER
    folder.mkdir(exist_ok=True)
    fell_for: dict[int, dict[str, Mapping[str, str]]] = {}
    for unit, question in questions:
        said = chosen.get(question.qa_id, {})
        fell_for.setdefault(unit.number, {})[question.bbox_type] = said
    write_sheet(folder / SHEET_FILE, draft.units, lesions)
    write_pages(folder, questions, lesions, fell_for)
    write_draft(folder, draft)


def _report(
    request: ExamRequest,
    held: LesionSet,
    draft: Draft,
    questions: _Questions,
    checks: tuple[BlindCheck, ...],
    review: Review | None,
    readers: Mapping[str, tuple[int, int]],
    findings: tuple[Finding, ...],
) -> ExamReport:
    splits = ("train", "validation", "test")
    made = [question for _, question in questions]
    return ExamReport(
        is_released=not any(check.leaks for check in checks),
        name=request.name,
        licence=request.licence or _LICENCES.get(held.origin, _UNKNOWN_LICENCE),
        seed=draft.seed,
        embedding=draft.embedding,
        source=held.origin,
        lesions=len(held.lesions),
        patients=held.patients,
        lesions_by_split={s: sum(one.split == s for one in held.lesions) for s in splits},
        patients_by_split={
            s: len({one.patient for one in held.lesions if one.split == s}) for s in splits
        },
        questions=dict(Counter(f"{one.split}/{one.q_type}/{one.bbox_type}" for one in made)),
        letters={a: sum(one.correct_choice == a for one in made) for a in layout.LETTERS},
        blind=checks,
        readers=readers,
        review=review,
        findings=findings,
    )


def _finish(out: Path, report: ExamReport, checks: tuple[BlindCheck, ...]) -> None:
    """Write what tells people about the exam; the hashes last, so that they vouch for all.

    Then the mark goes that told it from a finished one.
    """
    text = card_text(report)
    (out / CARD_FILE).write_text(text, encoding="utf-8", newline="\n")
    (out / LICENCE_FILE).write_text(licence_text(report), encoding="utf-8", newline="\n")
    status = "Released" if report.is_released else "A draft that leaks, NOT released"
    mark = (
        f"{status}: an exam drawn by overread, seed {report.seed}; see CARD.md.\n"
        "Not the published CT-Bench exam: its numbers are not comparable with published ones.\n"
        "The pictures keep the licence of the data they were made from.\n"
    )
    (out / layout.BUILT_MARK).write_text(mark, encoding="utf-8", newline="\n")
    write_leaks(out, checks)
    write_build_file(out, report)
    write_croissant(
        out,
        name=report.name,
        description=text.split("\n\n")[2],
        licence=report.licence,
        status="Published" if report.is_released else "Draft",
        date=None,
    )
    write_hashes(out)
    finish(out)
