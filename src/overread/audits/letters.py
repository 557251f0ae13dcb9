"""Audit: right letters and places that are not spread evenly, up to one letter for a whole kind."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from overread.audits.exam_parts import ChoiceQuestion, ExamAudit, SplitPart, choice_questions
from overread.contracts import Audit, Release
from overread.errors import listed
from overread.records import Finding, Severity
from overread.stats.intervals import wilson
from overread.stats.uniformity import chi_square_uniform

__all__ = ["AUDIT"]

_ALPHA: Final = 0.01
"""Divided by the number of strata looked at."""
_FEWEST: Final = 8
"""Distinct questions below which one letter for all of them may be luck: 4⁻⁷ is 0.00006."""
_ORDINALS: Final = ("first", "second", "third", "fourth", "fifth", "sixth")


def _look(part: SplitPart, release: Release) -> Iterator[Finding]:
    questions = _distinct(choice_questions(part))
    strata = list(_strata(questions))
    fixed = [(name, members) for name, members in strata if _fixed_letter(members) is not None]
    yield from _fixed(part.split, fixed, n_all=len(questions))
    yield from _uneven(part.split, strata)


def _distinct(questions: Sequence[ChoiceQuestion]) -> list[ChoiceQuestion]:
    """Take a question that is asked under several conditions once: its letter is one draw."""
    seen: dict[tuple[object, ...], ChoiceQuestion] = {}
    for one in questions:
        key = (
            tuple(sorted(one.item.groups.items())),
            one.item.task,
            one.item.question,
            one.options if any(option.text for option in one.options) else one.item.id,
            one.right,
        )
        seen.setdefault(key, one)
    return list(seen.values())


def _strata(
    questions: Sequence[ChoiceQuestion],
) -> Iterator[tuple[str, list[ChoiceQuestion]]]:
    """Give all questions with one number of options, then by task and by each stratum of items."""
    by_options: dict[int, list[ChoiceQuestion]] = {}
    for one in questions:
        by_options.setdefault(len(one.options), []).append(one)
    for n_options, members in sorted(by_options.items()):
        if n_options < 2:
            continue
        yield f"all with {n_options} options", members
        cells: dict[tuple[str, str], list[ChoiceQuestion]] = {}
        for one in members:
            for key, value in _labels(one).items():
                cells.setdefault((key, value), []).append(one)
        for (key, value), cell in sorted(cells.items()):
            if len(cell) < len(members):
                yield f"{key} {value}, {n_options} options", cell


def _labels(one: ChoiceQuestion) -> Mapping[str, str]:
    return {"task": one.item.task, **one.item.strata}


def _fixed_letter(members: Sequence[ChoiceQuestion]) -> str | None:
    letters = {one.options[one.right].letter for one in members}
    return letters.pop() if len(letters) == 1 and len(members) >= _FEWEST else None


def _fixed(
    split: str, fixed: Sequence[tuple[str, list[ChoiceQuestion]]], *, n_all: int
) -> Iterator[Finding]:
    if not fixed:
        return
    named = [
        f"{name}: always {_fixed_letter(members)} ({len(members):,})" for name, members in fixed
    ]
    covered = {id(one) for _, members in fixed for one in members}
    letters = sorted({str(_fixed_letter(members)) for _, members in fixed})
    yield Finding(
        severity=Severity.ERROR,
        code="fixed-letter",
        where=f"{split}, {fixed[0][0]}",
        evidence=f"in {len(fixed)} {'stratum' if len(fixed) == 1 else 'strata'}"
        f" one letter is right every time: {listed(named)}",
        effect=f"who knows the kind of question, or tosses a coin among {', '.join(letters)}, "
        f"needs no picture for {len(covered):,} of {n_all:,} questions",
        remedy="Shuffle the options, and remap letters so that roles and not letters stay.",
        count=len(covered),
    )


def _uneven(split: str, strata: Sequence[tuple[str, list[ChoiceQuestion]]]) -> Iterator[Finding]:
    alpha = _ALPHA / max(1, len(strata))
    uneven: list[tuple[float, str, int]] = []
    for name, members in strata:
        n_options = len(members[0].options)
        places = Counter(one.right for one in members)
        p = chi_square_uniform([places[place] for place in range(n_options)]).p_value
        if p is not None and p < alpha:
            place, n = places.most_common(1)[0]
            uneven.append((n / len(members) * n_options, _told(name, members, place, n), n))
    if uneven:
        worst = max(uneven)
        yield Finding(
            severity=Severity.WARNING,
            code="uneven-letters",
            where=split,
            evidence=worst[1] + (f"; and {len(uneven) - 1} more strata" if len(uneven) > 1 else ""),
            effect="a constant answer scores above chance, and so does a model with that habit",
            remedy="Balance the places of right options, or shuffle them and score every order.",
            count=len(uneven),
        )


def _told(name: str, members: Sequence[ChoiceQuestion], place: int, n: int) -> str:
    letters = {one.options[place].letter for one in members}
    ordinal = _ORDINALS[place] if place < len(_ORDINALS) else f"{place + 1}th"
    letter = f" ({letters.pop()})" if len(letters) == 1 else ""
    share = wilson(n, len(members))
    bounds = (
        f" (95 % {100 * share.low:.1f} to {100 * share.high:.1f})"
        if share.low is not None and share.high is not None
        else ""
    )
    return (
        f"{name}: the {ordinal} option{letter} is right in {100 * n / len(members):.1f} %{bounds} "
        f"of {len(members):,} questions, {100 / len(members[0].options):.1f} % would be even"
    )


AUDIT: Audit = ExamAudit(
    name="letters",
    summary="right letters and places that are not spread evenly over questions and their kinds",
    look_at=_look,
)
