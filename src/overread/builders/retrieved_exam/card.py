"""The card of a built exam: what it is, how it was made, what is known of its faults."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from overread.builders.people_shares import count_people, share_text
from overread.builders.retrieved_exam.checks import BlindCheck
from overread.builders.retrieved_exam.review import Review
from overread.records import Finding

__all__ = ["ExamReport", "card_text", "licence_text"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ExamReport:
    """What was built, and whether it is released."""

    is_released: bool
    name: str
    licence: str
    seed: int
    embedding: str
    source: str
    """published, synthetic or built: what kind of lesion set it was drawn from."""
    lesions: int
    patients: int
    lesions_by_split: Mapping[str, int]
    patients_by_split: Mapping[str, int]
    questions: Mapping[str, int]
    """``split/task/bbox_type`` → number of questions."""
    letters: Mapping[str, int]
    """Right letter → number of questions."""
    blind: tuple[BlindCheck, ...]
    readers: Mapping[str, tuple[int, int]]
    """Built-in reader → (right answers, answers)."""
    review: Review | None
    findings: tuple[Finding, ...] = field(repr=False)


def card_text(report: ExamReport) -> str:
    """Write the card in Markdown."""
    return "\n".join(_lines(report)) + "\n"


def _lines(report: ExamReport) -> Iterator[str]:
    status = "released" if report.is_released else "draft, not released: it leaks, see below"
    yield f"# {report.name}\n"
    yield f"Status: {status}.\n"
    n = sum(report.questions.values())
    yield (
        f"{n} four-choice questions about lesions on CT, drawn by overread from a lesion set "
        f"({report.source}) of {report.lesions} lesions of {report.patients} patients, in "
        "CT-Bench's layout. Not the published CT-Bench exam: its numbers are not comparable "
        "with published ones.\n"
    )
    if report.source == "synthetic":
        yield "All lesions are phantoms; no patient was imaged.\n"
    yield f"Licence: {report.licence}. The pictures keep the licence of the data they come from.\n"
    yield "## Splits, by patient\n"
    yield "| split | lesions | patients |\n| --- | --- | --- |"
    for split, count in report.lesions_by_split.items():
        yield f"| {split} | {count} | {report.patients_by_split[split]} |"
    yield "\nNo patient is in two splits, and no question has two lesions of one patient.\n"
    yield "## Questions\n"
    yield "| split / task / box | questions |\n| --- | --- |"
    for name, count in report.questions.items():
        yield f"| {name} | {count} |"
    letters = ", ".join(f"{letter} {count}" for letter, count in report.letters.items())
    yield f"\nRight letters: {letters}.\n"
    yield from _choices(report)
    yield from _blind(report.blind)
    yield from _readers(report.readers)
    yield from _review(report.review)
    if report.findings:
        yield "## Left out, or odd\n"
        for one in report.findings:
            times = f" ({one.count} times)" if one.count > 1 else ""
            yield f"- {one.code}, {one.where}: {one.evidence}{times}"


def _choices(report: ExamReport) -> Iterator[str]:
    yield "## How choices were drawn\n"
    yield (
        f"Likeness: cosine of {report.embedding}, picture and description alike, exact nearest "
        "neighbours within a split. Around each lesion the nearest are taken that differ in a fact "
        "the picture shows, from it and from each other, by what their words say; doubt is no "
        "difference. Which of the four is asked for was drawn last, evenly. Letters are balanced "
        f"by task. Seed {report.seed}.\n"
    )


def _blind(checks: Sequence[BlindCheck]) -> Iterator[str]:
    yield "## Without looking\n"
    yield "| split | best rule | score, % | chance, % | luck reaches, % | n |"
    yield "| --- | --- | --- | --- | --- | --- |"
    for one in checks:
        yield (
            f"| {one.split} | {one.policy} | {100 * one.value:.1f} | {100 * one.chance:.1f} | "
            f"{100 * one.mark:.1f} | {one.n} |"
        )
    yield ""
    for check in checks:
        for leak in (*check.leaks, *check.doubts):
            kind = "Leak" if leak in check.leaks else "Leak, or luck,"
            yield (
                f"- {kind} in {leak.split}, {leak.where}: '{leak.policy}' is right on "
                f"{100 * leak.value:.1f} % of {leak.n}; luck reaches {100 * leak.mark:.1f} %."
            )


def _readers(readers: Mapping[str, tuple[int, int]]) -> Iterator[str]:
    yield "\n## Difficulty\n"
    yield "| built-in reader | right | of |\n| --- | --- | --- |"
    for name, (right, n) in readers.items():
        yield f"| {name} | {right} | {n} |"
    yield "\n`choices.csv` says for every choice how many of them fell for it.\n"


def _review(review: Review | None) -> Iterator[str]:
    yield "## Review\n"
    if review is None:
        yield "Nobody has reviewed the questions.\n"
        return
    yield (
        f"{review.n_reviewed} questions were reviewed by {count_people(len(review.reviewers))}, "
        f"{review.n_by_two} of them by two; {len(review.struck)} were struck.\n"
    )
    yield f"- Error rate (struck of reviewed): {share_text(review.error_rate)}"
    yield f"- People's answers that are the key's: {share_text(review.answered_as_key)}"
    kappa = "undefined" if review.kappa is None else f"{review.kappa:.2f}"
    if len(review.reviewers) > 1:
        yield f"- Agreement of the first two on what to keep (Cohen's kappa): {kappa}"
    yield ""


def licence_text(report: ExamReport) -> str:
    """Say under what the files stand."""
    return (
        f"{report.licence}\n\n"
        "The pictures, descriptions and tables were taken from a lesion set and keep the licence "
        "of the data it was made from. Questions and choices were put together by overread.\n"
    )
