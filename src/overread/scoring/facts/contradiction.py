"""Whether two descriptions cannot be of one lesion: what a wrong choice of an exam must be."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from overread.scoring.facts.agreement import compared, size_text, sizes_agree, spelt
from overread.scoring.facts.compare import compare_facts
from overread.scoring.facts.facts import Lesion, LesionFacts, Size
from overread.scoring.facts.lexicon import lexicon

__all__ = ["APART_MM", "APART_SHARE", "contradicts", "same_lesion_facts"]

APART_SHARE: Final = 0.25
APART_MM: Final = 4.0
"""Sizes that a reader can tell apart differ by a quarter and by 4 mm: more than the slack of a
measurement on either side."""


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
    reasons = [_between(a, b) for a in one.present for b in other.present]
    if not reasons or None in reasons:
        return None
    return reasons[0]


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
    return next(_reasons(one, other), None)


def _reasons(one: Lesion, other: Lesion) -> Iterator[str]:
    both = (compared(one, other), compared(other, one))
    for fact in ("body part", "organ", "side", "site", "type"):
        wrong = [[v for v in side if v.fact == fact and v.outcome == "wrong"] for side in both]
        if not wrong[0] or not wrong[1]:
            continue
        if fact == "type" and _both_tumors(one, other):
            continue  # which tumour it is, one slice does not show
        yield f"{fact}: {wrong[0][0].reference} against {wrong[0][0].prediction}"
    if one.size and other.size and _apart(one.size, other.size):
        yield f"size: {size_text(one.size)} against {size_text(other.size)}"
    yield from _attributes(one, other)


def _both_tumors(one: Lesion, other: Lesion) -> bool:
    chain = lexicon().type_chain
    return all(any("tumor" in chain(name) for name in each.types) for each in (one, other))


def _apart(one: Size, other: Size) -> bool:
    larger, smaller = sorted((one, other), key=lambda size: -size.axes_mm[0])
    return not sizes_agree(larger, smaller, share=APART_SHARE, slack_mm=APART_MM)


def _attributes(one: Lesion, other: Lesion) -> Iterator[str]:
    known = lexicon()
    for attribute in sorted(one.attributes):
        for other_one in sorted(known.excludes.get(attribute, frozenset()) & other.attributes):
            yield f"{attribute[0]}: {attribute[1]} against {other_one[1]}"
    for kind, table in sorted(known.kinds.items()):
        if not (table.exclusive and table.visible):
            continue
        values = [{v for k, v in each.attributes if k == kind} for each in (one, other)]
        general = [s | {table.narrower[v] for v in s if v in table.narrower} for s in values]
        if values[0] and values[1] and not general[0] & general[1]:
            yield f"{kind}: {spelt(values[0])} against {spelt(values[1])}"
        for denied, said, order in ((one, general[1], 0), (other, general[0], 1)):
            absent = sorted(v for k, v in denied.denied if k == kind and v in said)
            if absent:
                words = (f"not {absent[0]}", absent[0])
                yield f"{kind}: {words[order]} against {words[1 - order]}"
