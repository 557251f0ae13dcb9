"""Whether two descriptions cannot be of one lesion: what a wrong choice of an exam must be.

An exam compares millions of pairs of descriptions that share a few hundred places and types: what
two places, sides or types say of each other is therefore worked out once and kept.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Final, TypeAlias

from overread.scoring.facts.agreement import compared, size_text, sizes_agree, spelt
from overread.scoring.facts.compare import compare_facts
from overread.scoring.facts.facts import Lesion, LesionFacts, Size
from overread.scoring.facts.lexicon import lexicon

__all__ = ["APART_MM", "APART_SHARE", "contradicts", "same_lesion_facts"]

APART_SHARE: Final = 0.25
APART_MM: Final = 4.0
"""Sizes that a reader can tell apart differ by a quarter and by 4 mm: more than the slack of a
measurement on either side."""

_KEPT: Final = 2**16
"""Pairs of values kept of each fact: all of a release, some 20 MB."""

_Names: TypeAlias = frozenset[str]
_Attributes: TypeAlias = frozenset[tuple[str, str]]


def contradicts(one: LesionFacts, other: LesionFacts) -> str | None:
    """Say why two descriptions cannot be of one lesion; None where they may be.

    Only facts count that a picture shows: organ, side, part of the organ, type, size, and
    attributes that one slice shows; not growth since an earlier scan, not the number of lesions
    elsewhere. Doubt is no contradiction: what one side does not say, a more general word, or two
    words that may name one thing ("mass" and "nodule", "lung" and "pleura").

    Where a description speaks of several lesions, each of one must contradict each of the other.
    An unreadable description contradicts nothing. The relation is symmetric.

    Examples
    --------
    >>> from overread.scoring.facts.reader import read_facts
    >>> one = read_facts("8 mm nodule in the left lung")
    >>> contradicts(one, read_facts("Nodule in the right lung"))
    'side: left against right'
    >>> contradicts(one, read_facts("Pulmonary mass")) is None
    True
    """
    first: str | None = None
    others = other.present
    for a in one.present:
        for b in others:
            reason = _between(a, b)
            if reason is None:
                return None
            first = first or reason
    return first


def same_lesion_facts(one: LesionFacts, other: LesionFacts) -> bool:
    """Whether two descriptions say the same: no fact wrong, missing or added, either way.

    Two unreadable descriptions are not the same: nothing is known of them.
    """
    if not one.lesions or not other.lesions:
        return False
    both = (*compare_facts(one, other).verdicts, *compare_facts(other, one).verdicts)
    return all(verdict.outcome == "right" for verdict in both)


def _between(one: Lesion, other: Lesion) -> str | None:
    """Give the first fact in which two lesions exclude each other, the gravest first."""
    elsewhere, spot = _spot(one.regions, one.organs, other.regions, other.organs)
    if spot is not None:
        return spot
    return (
        _side(one.sides, other.sides)
        # Parts of different organs are no two parts of one.
        or (None if elsewhere else _site(one.sites, other.sites))
        or _type(one.types, other.types)
        or _size(one.size, other.size)
        or _attribute(one, other)
    )


@lru_cache(maxsize=_KEPT)
def _spot(
    regions: _Names, organs: _Names, other_regions: _Names, other_organs: _Names
) -> tuple[bool, str | None]:
    """Say whether body part or organ differ either way round, and what excludes if both ways."""
    one = Lesion(regions=regions, organs=organs)
    other = Lesion(regions=other_regions, organs=other_organs)
    wrong = [
        {v.fact for v in compared(*pair) if v.outcome == "wrong"}
        for pair in ((one, other), (other, one))
    ]
    reason = _stated("body part", one, other) or _stated("organ", one, other)
    return bool(wrong[0] | wrong[1]), reason


@lru_cache(maxsize=_KEPT)
def _side(one: _Names, other: _Names) -> str | None:
    return _stated("side", Lesion(sides=one), Lesion(sides=other))


@lru_cache(maxsize=_KEPT)
def _site(one: _Names, other: _Names) -> str | None:
    return _stated("site", Lesion(sites=one), Lesion(sites=other))


@lru_cache(maxsize=_KEPT)
def _type(one: _Names, other: _Names) -> str | None:
    chain = lexicon().type_chain
    if all(any("tumor" in chain(name) for name in types) for types in (one, other)):
        return None  # which tumour it is, one slice does not show
    return _stated("type", Lesion(types=one), Lesion(types=other))


def _stated(fact: str, one: Lesion, other: Lesion) -> str | None:
    """Give what two lesions say of a fact if that is wrong both ways round; else None."""
    ways = (compared(one, other), compared(other, one))
    wrong = [[v for v in way if v.fact == fact and v.outcome == "wrong"] for way in ways]
    if not wrong[0] or not wrong[1]:
        return None
    return f"{fact}: {wrong[0][0].reference} against {wrong[0][0].prediction}"


def _size(one: Size | None, other: Size | None) -> str | None:
    if one is None or other is None:
        return None
    larger, smaller = (one, other) if one.axes_mm[0] >= other.axes_mm[0] else (other, one)
    if sizes_agree(larger, smaller, share=APART_SHARE, slack_mm=APART_MM):
        return None
    return f"size: {size_text(one)} against {size_text(other)}"


def _attribute(one: Lesion, other: Lesion) -> str | None:
    """Give the first attributes that exclude each other; None where one side says none."""
    if not (one.attributes or one.denied) or not (other.attributes or other.denied):
        return None
    return next(_attributes(one, other), None)


def _attributes(one: Lesion, other: Lesion) -> Iterator[str]:
    known = lexicon()
    for attribute in sorted(one.attributes):
        for other_one in sorted(known.excludes.get(attribute, frozenset()) & other.attributes):
            yield f"{attribute[0]}: {attribute[1]} against {other_one[1]}"
    values = _visible(one.attributes), _visible(other.attributes)
    denied = _visible(one.denied), _visible(other.denied)
    for kind in sorted(values[0].keys() | values[1].keys()):
        said = [each.get(kind, frozenset()) for each in values]
        general = [_general(kind, each) for each in said]
        if said[0] and said[1] and not general[0] & general[1]:
            yield f"{kind}: {spelt(said[0])} against {spelt(said[1])}"
        for order in (0, 1):
            absent = sorted(denied[order].get(kind, frozenset()) & general[1 - order])
            if absent:
                words = (f"not {absent[0]}", absent[0])
                yield f"{kind}: {words[order]} against {words[1 - order]}"


@lru_cache(maxsize=_KEPT)
def _visible(attributes: _Attributes) -> Mapping[str, _Names]:
    """Give the values by kind, of kinds that exclude each other and that one slice shows."""
    kinds = lexicon().kinds
    shown = {kind for kind, _ in attributes if kinds[kind].exclusive and kinds[kind].visible}
    return {kind: frozenset(v for k, v in attributes if k == kind) for kind in shown}


@lru_cache(maxsize=_KEPT)
def _general(kind: str, values: _Names) -> _Names:
    """Add the more general values that these imply."""
    narrower = lexicon().kinds[kind].narrower
    return values | {narrower[value] for value in values if value in narrower}
