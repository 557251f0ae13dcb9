"""The terms that the reader knows, from the tables beside this file.

A term is found as a row of words, the longest first; one step a word, whatever the number of terms.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias

from overread.scoring.facts.words import Word, words_of

__all__ = ["AttributeKind", "Lexicon", "Place", "Sense", "Term", "lexicon"]

_TABLES: Final = Path(__file__).parent / "terms"

Sense: TypeAlias = Literal["place", "type", "attribute", "side"]
"""What a term tells."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A place of `terms/places.toml`."""

    name: str
    level: Literal["region", "organ", "site"]
    within: str | None
    group: str | None
    side: str | None
    near: frozenset[str]
    region: str | None
    """Where the larger places tell none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AttributeKind:
    """A kind of attribute of `terms/attributes.toml`."""

    name: str
    exclusive: bool
    visible: bool
    narrower: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Term:
    """What one row of words means; it may mean an attribute and a type at once."""

    place: str | None = None
    type: str | None = None
    attribute: tuple[str, str] | None = None
    """Kind and value."""
    side: str | None = None


@dataclass(slots=True)
class _Node:
    """One step of the search tree."""

    term: Term | None = None
    next: dict[str, _Node] = field(default_factory=dict[str, "_Node"])


_SIDES: Final[Mapping[str, tuple[str, ...]]] = {
    "left": ("left", "left sided", "left side", "left hemi"),
    "right": ("right", "right sided", "right side"),
    "both": (
        "bilateral", "bilaterally", "both", "biapical", "bibasilar", "bibasal", "either side",
        "left and right", "right and left", "both side",
    ),
    "midline": ("midline", "in the midline", "mid line"),
}  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Lexicon:
    """All tables, and the search tree over their words."""

    places: Mapping[str, Place]
    types: Mapping[str, str | None]
    """Type → the next more general one."""
    may_be: Mapping[str, frozenset[str]]
    usual_organ: Mapping[str, str]
    """Type → where it lies when no place is named."""
    kinds: Mapping[str, AttributeKind]
    excludes: Mapping[tuple[str, str], frozenset[tuple[str, str]]]
    """Attribute → those of other kinds that it rules out; both ways."""
    languages: Mapping[str, frozenset[str]]
    root: _Node

    def longest(self, words: Sequence[Word], start: int) -> tuple[Term, int] | None:
        """Find the longest term that begins at a word; give it and the place after its end."""
        node, found = self.root, None
        for position in range(start, len(words)):
            following = node.next.get(words[position].text)
            if following is None:
                break
            node = following
            if node.term is not None:
                found = (node.term, position + 1)
        return found

    def place_chain(self, name: str) -> tuple[str, ...]:
        """List a place and all larger places it lies in, the smallest first."""
        chain: list[str] = []
        current: str | None = name
        while current is not None:
            chain.append(current)
            current = self.places[current].within
        return tuple(chain)

    def type_chain(self, name: str) -> tuple[str, ...]:
        """List a type and all more general ones, the narrowest first."""
        chain: list[str] = []
        current: str | None = name
        while current is not None:
            chain.append(current)
            current = self.types[current]
        return tuple(chain)

    def organ_of(self, name: str) -> str | None:
        """Give the narrowest organ that a place is or lies in."""
        organs = (each for each in self.place_chain(name) if self.places[each].level == "organ")
        return next(organs, None)

    def region_of(self, name: str) -> str | None:
        """Give the body part that a place is or lies in; None for bone, muscle, vessel."""
        chain = [self.places[each] for each in self.place_chain(name)]
        told = (each.name if each.level == "region" else each.region for each in chain)
        return next((region for region in told if region), None)

    def may_be_same_organ(self, one: str, other: str) -> bool:
        """Whether two organs may be two names for one spot: nested, or near by the table."""
        chains = (self.place_chain(one), self.place_chain(other))
        organs = [[p for p in chain if self.places[p].level == "organ"] for chain in chains]
        if one in organs[1] or other in organs[0]:
            return True
        return any(
            b in self.places[a].near or a in self.places[b].near
            for a in organs[0]
            for b in organs[1]
        )

    def may_be_same_type(self, one: str, other: str) -> bool:
        """Whether two types may name one lesion: nested, or two aspects of it."""
        chains = (self.type_chain(one), self.type_chain(other))
        if one in chains[1] or other in chains[0]:
            return True
        return any(b in self.may_be[a] or a in self.may_be[b] for a in chains[0] for b in chains[1])


@cache
def lexicon() -> Lexicon:
    """Read the tables; once a process."""
    places, types, attributes = (_table(name) for name in ("places", "types", "attributes"))
    root = _Node()
    for name, row in places.items():
        _enter(root, row["words"], Term(place=name))
    for name, row in types.items():
        _enter(root, row["words"], Term(type=name))
    for kind, row in attributes.items():
        for value, words in row["words"].items():
            _enter(root, words, Term(attribute=(kind, value)))
    _enter(root, _table("ignored")["words"], Term())
    for side, words in _SIDES.items():
        _enter(root, words, Term(side=side))
    return Lexicon(
        places={
            name: Place(
                name=name,
                level=row["level"],
                within=row.get("within"),
                group=row.get("group"),
                side=row.get("side"),
                near=frozenset(row.get("near", ())),
                region=row.get("region"),
            )
            for name, row in places.items()
        },
        types={name: row.get("within") for name, row in types.items()},
        may_be={name: frozenset(row.get("may_be", ())) for name, row in types.items()},
        usual_organ={name: row["organ"] for name, row in types.items() if "organ" in row},
        kinds={
            kind: AttributeKind(
                name=kind,
                exclusive=row["exclusive"],
                visible=row["visible"],
                narrower=row.get("narrower", {}),
            )
            for kind, row in attributes.items()
        },
        excludes=_exclusions(),
        languages={name: frozenset(words) for name, words in _table("languages").items()},
        root=root,
    )


def _exclusions() -> dict[tuple[str, str], frozenset[tuple[str, str]]]:
    excludes: dict[tuple[str, str], frozenset[tuple[str, str]]] = {}
    for one, other in _table("exclusions")["pairs"]:
        for this, that in ((tuple(one), tuple(other)), (tuple(other), tuple(one))):
            excludes[this] = excludes.get(this, frozenset()) | {that}
    return excludes


def _table(name: str) -> dict[str, Any]:
    return tomllib.loads((_TABLES / f"{name}.toml").read_text("utf-8"))


def _enter(root: _Node, rows: Sequence[str], term: Term) -> None:
    """Enter the words of a term; a row of two tables means what both say."""
    for row in rows:
        node = root
        for word in words_of(row):
            node = node.next.setdefault(word.text, _Node())
        known = node.term or Term()
        node.term = Term(
            place=term.place or known.place,
            type=term.type or known.type,
            attribute=term.attribute or known.attribute,
            side=term.side or known.side,
        )
