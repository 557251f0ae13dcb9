"""The findings that the reader of claims knows, from the table beside this file."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias

from overread.scoring.facts.words import Word, words_of

__all__ = ["ClaimLexicon", "ClaimTerm", "Kind", "lexicon", "same_kind"]

Kind: TypeAlias = Literal["finding", "general", "subject", "elsewhere", "here", "ignored"]
"""What a row of words does: `finding` claims wherever it stands, `general` only of the lungs,
`subject` with a word on how it is; the others are no claims."""

_TABLE: Final = Path(__file__).parent / "findings.toml"


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimTerm:
    """What one row of words means: for each finding it is about, how."""

    kinds: tuple[tuple[Kind, str], ...] = ()
    """Kind and finding; the finding is empty where the kind is about none."""

    def findings(self, kind: Kind) -> tuple[str, ...]:
        """List the findings it is about in this way."""
        return tuple(name for each, name in self.kinds if each == kind)

    def has(self, kind: Kind) -> bool:
        """Whether it means this at all."""
        return any(each == kind for each, _ in self.kinds)


@dataclass(slots=True)
class _Node:
    """One step of the search tree."""

    term: ClaimTerm | None = None
    next: dict[str, _Node] = field(default_factory=dict[str, "_Node"])


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimLexicon:
    """Findings, what each is a kind of, and the search tree over their words."""

    findings: tuple[str, ...]
    part_of: Mapping[str, str]
    root: _Node

    def longest(self, words: Sequence[Word], start: int) -> tuple[ClaimTerm, int] | None:
        """Find the longest row that begins at a word; give it and the place after its end."""
        node, found = self.root, None
        for position in range(start, len(words)):
            following = node.next.get(words[position].text)
            if following is None:
                break
            node = following
            if node.term is not None:
                found = (node.term, position + 1)
        return found

    def wider(self, finding: str) -> tuple[str, ...]:
        """List a finding and all that it is a kind of, the narrowest first."""
        chain: list[str] = []
        current: str | None = finding
        while current is not None:
            chain.append(current)
            current = self.part_of.get(current)
        return tuple(chain)


def same_kind(one: str, other: str) -> bool:
    """Whether one of two findings is the other or a kind of it.

    Examples
    --------
    >>> same_kind("Lung Opacity", "Pneumonia"), same_kind("Edema", "Pneumonia")
    (True, False)
    """
    known = lexicon()
    return one in known.wider(other) or other in known.wider(one)


@cache
def lexicon() -> ClaimLexicon:
    """Read the table; once a process."""
    table: dict[str, Any] = tomllib.loads(_TABLE.read_text("utf-8"))
    root = _Node()
    rows: dict[str, dict[str, Any]] = table["findings"]
    kinds: tuple[tuple[Kind, str], ...] = (
        ("finding", "words"),
        ("general", "general"),
        ("subject", "subject"),
    )
    for name, row in rows.items():
        for kind, key in kinds:
            _enter(root, row.get(key, ()), kind, name)
    plain: tuple[Kind, ...] = ("elsewhere", "here", "ignored")
    for kind in plain:
        _enter(root, table[kind], kind, "")
    return ClaimLexicon(
        findings=tuple(rows),
        part_of={name: row["part_of"] for name, row in rows.items() if "part_of" in row},
        root=root,
    )


def _enter(root: _Node, rows: Sequence[str], kind: Kind, finding: str) -> None:
    """Enter rows of words; one that stands in two places means both."""
    for row in rows:
        node = root
        for word in words_of(row):
            node = node.next.setdefault(word.text, _Node())
        known = node.term.kinds if node.term else ()
        node.term = ClaimTerm(kinds=(*dict.fromkeys((*known, (kind, finding))),))
