"""What was answered: letters against letters, and what became of the rest.

A score says how often a reader was right. This says how it was wrong: whether it prefers a
letter, which answers it mixes up, how many questions it left open and why.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from overread.analysis.reasons import plain_reason
from overread.analysis.strata import is_within
from overread.records import PlannedItem, Profile, Reference, Score, Status
from overread.stats.intervals import wilson
from overread.stats.uniformity import chi_square_uniform

__all__ = ["AnswerSummary", "Confusion", "LetterShare", "NonAnswer", "summarise_answers"]

_MOST_REASONS = 20
"""Distinct reasons kept for each task and status; server messages can all differ."""
_LONGEST_REASON = 120
_LONGEST_LETTER = 3
"""Of an option's name, such as ``A`` or ``10``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Confusion:
    """Reference letters (rows) against answers (columns)."""

    references: tuple[str, ...]
    """Row names; the last is ``none`` where some item has no usable reference."""
    answers: tuple[str, ...]
    """Column names; the last is always ``none``: no answer."""
    counts: tuple[tuple[int, ...], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class LetterShare:
    """How often a letter is used."""

    letter: str
    count: int
    share: float | None
    """Of all usable references, or of all answers; None where there are none."""
    low: float | None
    high: float | None
    """95 % Wilson interval of `share`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NonAnswer:
    """Questions of one task that have no answer for one reason."""

    task: str
    status: Status | None
    """None where the question was not asked or not scored yet."""
    reason: str
    """The rule that fired, or the model's error, cut at 120 characters."""
    count: int
    n_task: int
    """Planned questions of the task."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerSummary:
    """All of it, for one profile of one run."""

    profile: Profile
    n: int
    """Planned questions."""
    n_answered: int
    confusion: Confusion
    non_answers: tuple[NonAnswer, ...]
    """The most frequent first, within the tasks in the plan's order."""
    reference_balance: tuple[LetterShare, ...]
    answer_balance: tuple[LetterShare, ...]
    reference_balance_p: float | None
    """Chi-square test of equal use of all letters, which makes sense where all questions offer the
    same ones; None where undefined."""
    answer_balance_p: float | None


_NO_CONFUSION = Confusion(references=(), answers=(), counts=())


def summarise_answers(
    scores: Iterable[Score],
    planned: Sequence[PlannedItem],
    references: Mapping[str, Reference],
    *,
    profile: Profile = "honest",
    metric: str = "accuracy",
    task: str = "task",
    letters: Sequence[str] = (),
    only: Mapping[str, Collection[str]] | None = None,
) -> AnswerSummary:
    """Count answers against references, and non-answers by task, status and reason.

    Parameters
    ----------
    scores
        Score rows of one run; other metrics, other profiles and rows with a target are left out.
    planned
        The run's plan: every line of it is counted exactly once.
    references
        Item id → reference.
    profile, metric
        Which score rows.
    task
        Key of `PlannedItem.strata` that names the task; a line without it is in task ``""``.
    letters
        Letters on offer, so that one which nobody used has its row of zeros; those seen in
        references and answers are added.
    only
        Values of `PlannedItem.strata` that a question must have to count: the plan's
        `headline_only`, for others have no row of the metric.

    Returns
    -------
    AnswerSummary
        The counts of `confusion` add up to `n`; `n_answered` and the counts of `non_answers` too.
        Where references are words and not letters, there is no table of answers against them:
        `confusion` and the balances are empty, and the rest stands.
    """
    rows = {
        (score.item, score.draw): score
        for score in scores
        if score.metric == metric and score.profile == profile and score.target is None
    }
    planned = [line for line in planned if is_within(line.strata, only or {})]
    found = [rows.get((line.item, line.draw)) for line in planned]
    answers = [None if score is None else score.answer for score in found]
    rights = [_usable(references.get(line.item)) for line in planned]
    seen = {one for one in (*answers, *rights) if one is not None}
    columns = sorted(seen | set(letters)) if _are_letters(seen, letters) else []
    tasks = [line.strata.get(task, "") for line in planned]
    reference_counts = Counter(right for right in rights if right is not None)
    answer_counts = Counter(answer for answer in answers if answer is not None)
    return AnswerSummary(
        profile=profile,
        n=len(planned),
        n_answered=answer_counts.total(),
        confusion=_confusion(columns, rights, answers) if columns or not seen else _NO_CONFUSION,
        non_answers=_non_answers(tasks, found),
        reference_balance=_balance(columns, reference_counts),
        answer_balance=_balance(columns, answer_counts),
        reference_balance_p=_balance_p(columns, reference_counts),
        answer_balance_p=_balance_p(columns, answer_counts),
    )


def _are_letters(seen: Collection[str], letters: Sequence[str]) -> bool:
    """Tell letters of options from free answers, of which there are as many as questions."""
    return bool(letters) or all(len(one) <= _LONGEST_LETTER for one in seen)


def _usable(reference: Reference | None) -> str | None:
    return None if reference is None or reference.problem is not None else reference.answer


def _confusion(
    letters: Sequence[str], rights: Sequence[str | None], answers: Sequence[str | None]
) -> Confusion:
    pairs = Counter(zip(rights, answers, strict=True))
    rows: list[str | None] = [*letters, *([None] if None in rights else [])]
    columns: list[str | None] = [*letters, None]
    return Confusion(
        references=tuple(row or "none" for row in rows),
        answers=tuple(column or "none" for column in columns),
        counts=tuple(tuple(pairs[row, column] for column in columns) for row in rows),
    )


def _non_answers(tasks: Sequence[str], found: Sequence[Score | None]) -> tuple[NonAnswer, ...]:
    n_task = Counter(tasks)
    counts: dict[tuple[str, Status | None], Counter[str]] = {}
    for task, score in zip(tasks, found, strict=True):
        if score is not None and score.answer is not None:
            continue
        status = None if score is None else score.status
        reason = "not asked or not scored yet" if score is None else _short(score.reason)
        counts.setdefault((task, status), Counter())[reason] += 1
    order = {task: place for place, task in enumerate(n_task)}
    rows = [
        NonAnswer(task=task, status=status, reason=reason, count=count, n_task=n_task[task])
        for (task, status), reasons in counts.items()
        for reason, count in _bounded(reasons)
    ]
    return tuple(sorted(rows, key=lambda row: (order[row.task], -row.count, row.reason)))


def _bounded(reasons: Counter[str]) -> list[tuple[str, int]]:
    kept = reasons.most_common(_MOST_REASONS)
    left = reasons.total() - sum(count for _, count in kept)
    if left:
        kept.append((f"{len(reasons) - len(kept)} other reasons", left))
    return kept


def _short(reason: str | None) -> str:
    text = plain_reason(reason)
    return text if len(text) <= _LONGEST_REASON else f"{text[:_LONGEST_REASON]}…"


def _balance(letters: Sequence[str], counts: Counter[str]) -> tuple[LetterShare, ...]:
    total = counts.total()
    shares: list[LetterShare] = []
    for letter in letters:
        interval = wilson(counts[letter], total)
        shares.append(
            LetterShare(
                letter=letter,
                count=counts[letter],
                share=interval.value,
                low=interval.low,
                high=interval.high,
            )
        )
    return tuple(shares)


def _balance_p(letters: Sequence[str], counts: Counter[str]) -> float | None:
    return chi_square_uniform([counts[letter] for letter in letters]).p_value
