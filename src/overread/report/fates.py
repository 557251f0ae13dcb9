"""What became of the questions: right, wrong, and every kind of no answer with its reasons."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from overread.analysis.answers import AnswerSummary
from overread.analysis.strata import is_within
from overread.contracts import AnalysisPlan
from overread.records import PlannedItem, Score, Status
from overread.report.data import ReportData, run_labels
from overread.report.metric_names import is_graded, score_metric
from overread.report.wording import count, percent

__all__ = ["FATES", "Fates", "Reason", "Slice", "count_fates", "fates", "kinds_shown"]

FATES = {
    "answered": "answered",
    "right": "right",
    "wrong": "wrong",
    "open": "open: for judges",
    "unparsed": "no answer readable",
    "refused": "refused",
    "failed": "no reply",
    "undefined": "reference unusable",
    "pending": "not asked yet",
}
"""Kinds in the order shown, and how they are called."""
_GRADED = ("answered",)
_MARKED = ("right", "wrong")
"""Kinds of a headline that is a score, and of one that is a share of right answers."""
_RARE = ("open", "undefined", "pending")
"""Kinds that are left out where no run has them; all others are shown, zero or not."""


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
    """Every kind that the headline knows, zeros included; together they are the whole plan."""
    reasons: tuple[Reason, ...]


def count_fates(
    scores: Iterable[Score],
    planned: Sequence[PlannedItem],
    plan: AnalysisPlan,
    *,
    answered: Collection[str],
) -> dict[str, int]:
    """Count what became of every planned question, by the honest reading.

    Parameters
    ----------
    scores
        Score rows of one run; other metrics than the headline are left out.
    planned
        The run's plan.
    plan
        Names the headline and the questions it is about (`AnalysisPlan.headline_only`).
    answered
        Request hashes with a response, a failed one included.

    Returns
    -------
    dict
        Every kind of `FATES` that the headline knows, zeros included; the counts add up to the
        plan. Where the headline is a score (`is_graded`) an answer is ``answered``, else ``right``
        or ``wrong``. A question outside
        the headline has no row of it: once it was asked it is ``open``, whatever came back.
    """
    rows = {
        (score.item, score.draw): score
        for score in scores
        if score.metric == plan.headline and score.profile == "honest" and score.target is None
    }
    counts: Counter[str] = Counter()
    graded = is_graded(plan.headline)
    for line in planned:
        score = rows.get((line.item, line.draw))
        if score is not None:
            counts[_fate(score, graded=graded)] += 1
        elif is_within(line.strata, plan.headline_only) or line.request_hash not in answered:
            counts["pending"] += 1
        else:
            counts["open"] += 1
    strange = _MARKED if graded else _GRADED
    return {kind: counts[kind] for kind in FATES if kind not in strange}


def fates(data: ReportData) -> tuple[Fates, ...]:
    """Lay out the fates of each run of a report."""
    labels = run_labels(data.runs).values()
    return tuple(
        Fates(
            label=label,
            colour=number % 8,
            n=count(run.n_planned),
            slices=_slices(run.fates),
            reasons=_reasons(run.answers, graded=is_graded(data.plan.headline)),
        )
        for number, (run, label) in enumerate(zip(data.runs, labels, strict=True))
    )


def kinds_shown(fated: Sequence[Fates], *, plan: AnalysisPlan | None = None) -> dict[str, str]:
    """Name the kinds worth a column, with the rare ones only when some run has them.

    Where a `plan` scores descriptions beside its questions, they are what is ``open``.
    """
    known = {part.kind for run in fated for part in run.slices}
    met = {part.kind for run in fated for part in run.slices if part.n}
    names = {k: name for k, name in FATES.items() if k in met or k in known.difference(_RARE)}
    if "open" in names and plan is not None and score_metric(plan) is not None:
        names["open"] = "described: see the scores"
    return names


def _slices(counts: Mapping[str, int]) -> tuple[Slice, ...]:
    total = sum(counts.values())
    slices: list[Slice] = []
    before = 0
    for kind, n in counts.items():
        slices.append(
            Slice(
                kind=kind,
                n=n,
                shown=count(n),
                share=percent(n / total if total else None),
                x=f"{100 * before / max(total, 1):.3f}%",
                width=f"{100 * n / max(total, 1):.3f}%",
            )
        )
        before += n
    return tuple(slices)


def _fate(score: Score, *, graded: bool) -> str:
    if score.status is Status.OK and score.value is not None:
        if graded:
            return "answered"
        return "right" if score.value >= 1 else "wrong"
    return _kind(score.status)


def _kind(status: Status | None) -> str:
    if status is None:
        return "pending"
    # An answer that is OK and yet absent would be a fault of the scorer: show it as unread.
    return "unparsed" if status is Status.OK else str(status)


def _reasons(answers: AnswerSummary, *, graded: bool) -> tuple[Reason, ...]:
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
        # A scored description has no letter, and its reason tells the facts: it is an answer.
        if not (graded and row.status is Status.OK)
    )
