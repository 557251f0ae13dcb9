"""The questions of a release split by split, with their references: what exam audits look at."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Final

from overread.contracts import Release, Selection
from overread.records import Choice, Finding, Item, Option, Reference

__all__ = [
    "ChoiceQuestion",
    "ExamAudit",
    "SplitPart",
    "choice_questions",
    "parts_kept",
    "split_parts",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class SplitPart:
    """One split of a release."""

    split: str
    items: Sequence[Item]
    references: Mapping[str, Reference]


@dataclass(frozen=True, slots=True, kw_only=True)
class ChoiceQuestion:
    """A question of choice whose reference is one of its options."""

    item: Item
    options: tuple[Option, ...]
    right: int
    """Place of the right option, from 0."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExamAudit:
    """An audit that looks at the questions of each split by themselves."""

    name: str
    summary: str
    look_at: Callable[[SplitPart, Release], Iterable[Finding]]

    def look(self, release: Release) -> Iterable[Finding]:
        """Report what is found, split by split; nothing for a release without questions."""
        for part in split_parts(release):
            yield from self.look_at(part, release)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Kept:
    release: Release
    parts: dict[str, SplitPart] = field(default_factory=dict[str, SplitPart])


_KEPT: Final[ContextVar[_Kept | None]] = ContextVar("parts of the release in hand", default=None)


@contextmanager
def parts_kept(release: Release) -> Iterator[None]:
    """Keep the questions of a release once read: eight audits in a row look at all of them."""
    token = _KEPT.set(_Kept(release=release))
    try:
        yield
    finally:
        _KEPT.reset(token)


def split_parts(release: Release) -> Iterator[SplitPart]:
    """Read the splits of a release that have questions, in the order of its card."""
    kept = _KEPT.get()
    parts: dict[str, SplitPart] = kept.parts if kept and kept.release is release else {}
    for split in release.card.splits:
        if split not in parts:
            items = list(release.items(Selection(split=split)))
            references = {item.id: release.reference(item.id) for item in items}
            parts[split] = SplitPart(split=split, items=items, references=references)
        if parts[split].items:
            yield parts[split]


def choice_questions(part: SplitPart) -> list[ChoiceQuestion]:
    """Give the questions of choice with a usable reference; others tell nothing of shortcuts."""
    found: list[ChoiceQuestion] = []
    for item in part.items:
        if not isinstance(item.answer_space, Choice):
            continue
        reference = part.references[item.id]
        letters = item.answer_space.letters
        if reference.problem is None and reference.answer in letters:
            found.append(
                ChoiceQuestion(
                    item=item,
                    options=item.answer_space.options,
                    right=letters.index(reference.answer),
                )
            )
    return found
