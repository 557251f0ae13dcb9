"""What became of the questions: right, wrong, and every kind of no answer with its reasons."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from overread.analysis.answers import AnswerSummary
from overread.records import Status
from overread.report.data import ReportData, run_labels
from overread.report.wording import count, percent

__all__ = ["FATES", "Fates", "Reason", "Slice", "fates"]

FATES = {
    "right": "right",
    "wrong": "wrong",
    "unparsed": "no answer readable",
    "refused": "refused",
    "failed": "no reply",
    "undefined": "reference unusable",
    "pending": "not asked yet",
}
"""Kinds in the order shown, and how they are called."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Slice:
    """One stretch of a run's bar."""

    kind: str
    n: int
    shown: str
    share: str
    x: str
    width: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Reason:
    """Why questions of one task have no answer."""

    task: str
    kind: str
    reason: str
    n: str
    of: str
    share: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Fates:
    """One run's questions by what became of them."""

    label: str
    colour: int
    n: str
    slices: tuple[Slice, ...]
    """Every kind of `FATES`, zeros included; together they are the whole plan."""
    reasons: tuple[Reason, ...]


def fates(data: ReportData) -> tuple[Fates, ...]:
    """Count fates for each run of a report."""
    labels = run_labels(data.runs).values()
    return tuple(
        Fates(
            label=label,
            colour=number % 8,
            n=count(run.answers.n),
            slices=_slices(run.answers),
            reasons=_reasons(run.answers),
        )
        for number, (run, label) in enumerate(zip(data.runs, labels, strict=True))
    )


def _slices(answers: AnswerSummary) -> tuple[Slice, ...]:
    counts = _counts(answers)
    slices: list[Slice] = []
    before = 0
    for kind in FATES:
        n = counts[kind]
        share = n / answers.n if answers.n else 0.0
        slices.append(
            Slice(
                kind=kind,
                n=n,
                shown=count(n),
                share=percent(n / answers.n if answers.n else None),
                x=f"{100 * before / max(answers.n, 1):.3f}%",
                width=f"{100 * share:.3f}%",
            )
        )
        before += n
    return tuple(slices)


def _counts(answers: AnswerSummary) -> Counter[str]:
    """Split the plan by kind; a read answer to an unusable reference is ``undefined``."""
    confusion = answers.confusion
    counts: Counter[str] = Counter()
    for reference, row in zip(confusion.references, confusion.counts, strict=True):
        for answer, n in zip(confusion.answers, row, strict=True):
            if answer == "none":
                continue
            usable = reference != "none"
            counts["undefined" if not usable else "right" if answer == reference else "wrong"] += n
    for non_answer in answers.non_answers:
        counts[_kind(non_answer.status)] += non_answer.count
    return counts


def _kind(status: Status | None) -> str:
    if status is None:
        return "pending"
    # An answer that is OK and yet absent would be a fault of the scorer: show it as unread.
    return "unparsed" if status is Status.OK else str(status)


def _reasons(answers: AnswerSummary) -> tuple[Reason, ...]:
    return tuple(
        Reason(
            task=row.task,
            kind=FATES[_kind(row.status)],
            reason=row.reason,
            n=count(row.count),
            of=count(row.n_task),
            share=percent(row.count / row.n_task if row.n_task else None),
        )
        for row in answers.non_answers
    )
