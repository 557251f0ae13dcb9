"""Audit: questions asked twice, nearly alike or with two answers, and options that stand twice."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations
from typing import Final

from overread.audits.exam_parts import ExamAudit, SplitPart
from overread.audits.wording import counted
from overread.contracts import Audit, Release
from overread.errors import listed
from overread.records import Choice, Finding, Item, Severity

__all__ = ["AUDIT"]

_NEARLY: Final = 92.0
"""Of 100, the normalised edit similarity of two questions on one picture."""
_MOST_PER_PICTURE: Final = 200
"""Questions on one picture beyond which no pairs are formed."""
_MOST_NAMED: Final = 3


def _look(part: SplitPart, release: Release) -> Iterator[Finding]:
    del release
    by_picture: dict[tuple[object, ...], list[Item]] = {}
    for item in part.items:
        by_picture.setdefault(_shown(item), []).append(item)
    yield from _asked_again(part, by_picture.values())
    yield from _nearly_alike(part, by_picture.values())
    yield from _twin_options(part)


def _shown(item: Item) -> tuple[object, ...]:
    """Name what is looked at; without any picture, the case."""
    media = (item.media, tuple(option.media for option in item.options))
    looked_at = media if any(media[0]) or any(media[1]) else tuple(sorted(item.groups.items()))
    return item.task, item.condition, looked_at


def _plain(text: str | None) -> str:
    return " ".join((text or "").casefold().split())


def _said(item: Item) -> tuple[str, ...]:
    """Give the words of a question: itself, and the texts of its options in any order."""
    return _plain(item.question), *sorted(_plain(option.text) for option in item.options)


def _answer(part: SplitPart, item: Item) -> str:
    """Give the words of the answer, not its letter: options may be shuffled between two askings."""
    reference = part.references[item.id]
    if isinstance(item.answer_space, Choice):
        chosen = [option for option in item.options if option.letter == reference.answer]
        if chosen and chosen[0].text:
            return _plain(chosen[0].text)
    return _plain(reference.answer)


def _asked_again(part: SplitPart, groups: Iterable[Sequence[Item]]) -> Iterator[Finding]:
    again: list[str] = []
    contradicted: list[str] = []
    for items in groups:
        seen: dict[tuple[str, ...], Item] = {}
        for item in items:
            first = seen.setdefault(_said(item), item)
            if first is item:
                continue
            same = _answer(part, first) == _answer(part, item)
            (again if same else contradicted).append(f"{first.id} = {item.id}")
    if contradicted:
        yield Finding(
            severity=Severity.ERROR,
            code="contradicted-question",
            where=part.split,
            evidence=f"{counted(len(contradicted), 'question')} asked again on the same picture "
            f"with another answer: {listed(contradicted, most=_MOST_NAMED)}",
            effect="whoever is consistent is wrong once",
            remedy="Find the right answer, and drop the other question.",
            count=len(contradicted),
        )
    if again:
        yield Finding(
            severity=Severity.WARNING,
            code="question-again",
            where=part.split,
            evidence=f"{counted(len(again), 'question')} asked again on the same picture: "
            f"{listed(again, most=_MOST_NAMED)}",
            effect="one answer counts several times",
            remedy="Ask it once.",
            count=len(again),
        )


def _nearly_alike(part: SplitPart, groups: Iterable[Sequence[Item]]) -> Iterator[Finding]:
    from rapidfuzz.distance import Indel

    pairs: list[str] = []
    for items in groups:
        texts = {item.id: _plain(item.question) for item in items}
        if len(items) > _MOST_PER_PICTURE:
            continue
        for one, other in combinations(items, 2):
            first, second = texts[one.id], texts[other.id]
            # The same wording under other options is a template, told apart by its options.
            if first == second or _numbers(first) != _numbers(second):
                continue
            alike = 100 * Indel.normalized_similarity(first, second, score_cutoff=_NEARLY / 100)
            if alike >= _NEARLY and _answer(part, one) == _answer(part, other):
                pairs.append(f"{one.id} ~ {other.id}")
    if pairs:
        yield Finding(
            severity=Severity.INFO,
            code="question-nearly-again",
            where=part.split,
            evidence=f"{counted(len(pairs), 'pair')} of questions on one picture that differ in a "
            f"few letters and have the same answer: {listed(pairs, most=_MOST_NAMED)}",
            effect="they are one question and count as two",
            count=len(pairs),
        )


def _numbers(text: str) -> list[str]:
    """Give the numbers in a text: where they differ the question does, however alike the words."""
    return re.findall(r"\d+", text)


def _twin_options(part: SplitPart) -> Iterator[Finding]:
    twins: list[str] = []
    right_twice: list[str] = []
    empty: list[str] = []
    for item in part.items:
        texts = [_plain(option.text) for option in item.options if option.media is None]
        if any(not text for text in texts):
            empty.append(item.id)
        repeated = {text for text in texts if text and texts.count(text) > 1}
        if repeated:
            twins.append(item.id)
            if _answer(part, item) in repeated:
                right_twice.append(item.id)
    if right_twice:
        yield Finding(
            severity=Severity.ERROR,
            code="right-option-twice",
            where=part.split,
            evidence=f"in {counted(len(right_twice), 'question')} the right answer stands under "
            f"two letters: {listed(right_twice, most=_MOST_NAMED)}",
            effect="a right answer counts as wrong",
            remedy="Count both letters, or drop the question.",
            count=len(right_twice),
        )
    if len(twins) > len(right_twice):
        yield Finding(
            severity=Severity.WARNING,
            code="option-twice",
            where=part.split,
            evidence=f"in {counted(len(twins) - len(right_twice), 'question')} a wrong option "
            f"stands twice: {listed([t for t in twins if t not in right_twice], most=_MOST_NAMED)}",
            effect="who sees that two options are one knows that neither is right",
            count=len(twins) - len(right_twice),
        )
    if empty:
        yield Finding(
            severity=Severity.WARNING,
            code="empty-option",
            where=part.split,
            evidence=f"{counted(len(empty), 'question')} have an option without words or picture: "
            f"{listed(empty, most=_MOST_NAMED)}",
            effect="it cannot be chosen for what it says",
            count=len(empty),
        )


AUDIT: Audit = ExamAudit(
    name="repeated-questions",
    summary="questions asked twice, nearly alike or with two answers, and options that stand twice",
    look_at=_look,
)
