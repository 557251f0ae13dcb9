"""Compares an answer with the reference of a closed question, fact by fact."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from overread.records import Status
from overread.scoring.spatial.forms import CLOSED_FORMS, Asked, Fact, asked
from overread.scoring.spatial.reader import Facts, read_facts

__all__ = ["Verdict", "canonical_answer", "compare"]


_NAMED_LOBE: Final = re.compile(
    r"\b(?:upper|middle|lower)(?: lung)? lobe(?!s? (?:or|and)\b)|\blingula\b"
)
"""A lobe that the question itself states."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """Whether two answers agree, or the reason why that cannot be told."""

    value: float | None
    """1.0 or 0.0; None where the reference or the reply could not be read."""
    status: Status
    """`OK` with a value; `UNDEFINED` by the reference alone, whatever the reply; `UNPARSED` by the
    reply."""
    reason: str
    """The rule that decided: ``side: agrees``, ``lobe: not read in the reference``."""
    answer: str | None = None
    """What was read in the reply, in words that read as the same."""


def compare(question: str, reference: str, reply: str | None) -> Verdict:
    """Compare a reply with the reference.

    Right needs agreement in every fact that the question asks for. Sets must be equal: a side too
    many is as wrong as one too few.

    Parameters
    ----------
    question
        The bare question; its form must be closed.
    reference
        The right answer in the release's words.
    reply
        The answer to judge, raw.

    Returns
    -------
    Verdict
        Never raises. A question whose form is not closed is `UNDEFINED`.

    Examples
    --------
    >>> compare("Which lung shows it?", "The left lung.", "On the left, not the right.").value
    1.0
    >>> compare("Which lung shows it?", "The left lung.", "yes").status
    <Status.UNPARSED: 'unparsed'>
    """
    wanted = asked(question)
    if wanted.form not in CLOSED_FORMS:
        return _undefined(f"{wanted.form}: not a closed question")
    right = read_facts(reference, question=question)
    facts = _facts_to_compare(wanted, right, question)
    for fact in facts:
        if not _is_readable(right, fact, wanted):
            return _undefined(f"{fact}: not read in the reference")
    said = read_facts(reply, question=question)
    answer = _spelt(said, facts, wanted) or None
    missing = [fact for fact in facts if not _is_readable(said, fact, wanted)]
    for fact in facts:
        if fact not in missing and not _AGREE[fact](right, said, wanted):
            return Verdict(value=0.0, status=Status.OK, reason=f"{fact}: differs", answer=answer)
    if missing:
        return Verdict(
            value=None,
            status=Status.UNPARSED,
            reason=f"{missing[0]}: not read in the reply",
            answer=answer,
        )
    return Verdict(value=1.0, status=Status.OK, reason=f"{facts[0]}: agrees", answer=answer)


def canonical_answer(question: str, reference: str) -> str | None:
    """Spell what was read in the reference as a short answer: ``both``, ``right lower lobe``.

    Returns
    -------
    str or None
        It reads as the very facts of the reference. None where the question is not closed or the
        reference cannot be read.

    Examples
    --------
    >>> canonical_answer("Is it unilateral or bilateral?", "Seen in both lungs.")
    'both sides'
    """
    wanted = asked(question)
    if wanted.form not in CLOSED_FORMS:
        return None
    right = read_facts(reference, question=question)
    facts = _facts_to_compare(wanted, right, question)
    if not all(_is_readable(right, fact, wanted) for fact in facts):
        return None
    return _spelt(right, facts, wanted) or None


def _undefined(reason: str) -> Verdict:
    return Verdict(value=None, status=Status.UNDEFINED, reason=reason)


def _facts_to_compare(wanted: Asked, right: Facts, question: str) -> tuple[Fact, ...]:
    """List the facts to compare: no place where nothing is, no segment that is not named."""
    facts: tuple[Fact, ...] = wanted.facts
    if "polarity" in facts and right.polarity == "no":
        facts = ("polarity",)
    if "segment" in facts and right.segments and _NAMED_LOBE.search(question.lower()):
        facts = _without("lobe", facts)  # "which segment of the right lower lobe?"
    if "segment" in facts and not right.segments:
        facts = _without("segment", facts)
    return facts


def _without(left_out: Fact, facts: tuple[Fact, ...]) -> tuple[Fact, ...]:
    return tuple(fact for fact in facts if fact != left_out)


def _is_readable(facts: Facts, fact: Fact, wanted: Asked) -> bool:
    if fact == "polarity":
        return facts.polarity is not None
    if fact == "count":
        return facts.count is not None
    if fact == "place":
        return bool(facts.sides or facts.lobes) and not facts.elsewhere
    if fact == "side" and wanted.one_or_both and facts.one_side:
        return True
    return bool(_named(facts, fact)) or _is_absent(facts, fact)


def _named(facts: Facts, fact: Fact) -> frozenset[str]:
    named: Mapping[Fact, frozenset[str]] = {
        "side": facts.sides,
        "height": facts.heights,
        "depth": facts.depths,
        "centrality": facts.centralities,
        "lobe": facts.lobes,
        "segment": facts.segments,
    }
    return named[fact]


def _is_absent(facts: Facts, fact: Fact) -> bool:
    """Whether an answer to "which side?" says that there is nothing."""
    return facts.absent and not _named(facts, fact) and not facts.one_side


def _same_set(fact: Fact) -> Callable[[Facts, Facts, Asked], bool]:
    def same(right: Facts, said: Facts, wanted: Asked) -> bool:
        if said.wrong_side:
            return False
        return _named(right, fact) == _named(said, fact) and _is_absent(right, fact) == _is_absent(
            said, fact
        )

    return same


def _same_side(right: Facts, said: Facts, wanted: Asked) -> bool:
    if _is_absent(right, "side") or _is_absent(said, "side"):
        return _is_absent(right, "side") == _is_absent(said, "side")
    if wanted.one_or_both and (not right.sides or not said.sides):
        return _is_one(right) == _is_one(said)
    return right.sides == said.sides


def _is_one(facts: Facts) -> bool:
    return len(facts.sides) == 1 if facts.sides else facts.one_side


def _same_segments(right: Facts, said: Facts, wanted: Asked) -> bool:
    """Whether the segments are the same, and no other lobe is named beside them."""
    both = (right.lobes, said.lobes)
    heights = [{lobe.split()[-1] for lobe in lobes} for lobes in both]
    sides = [{lobe.split()[0] for lobe in lobes if " " in lobe} for lobes in both]
    elsewhere = any(all(pair) and pair[0] != pair[1] for pair in (heights, sides))
    return right.segments == said.segments and not elsewhere


def _same_lobes(right: Facts, said: Facts, wanted: Asked) -> bool:
    """Whether the lobes are the same; a side that the reference leaves open is not asked for."""
    if _is_absent(right, "lobe") or _is_absent(said, "lobe"):
        return _is_absent(right, "lobe") == _is_absent(said, "lobe")
    if all(" " not in lobe for lobe in right.lobes):
        return right.lobes == frozenset(lobe.split()[-1] for lobe in said.lobes)
    return right.lobes == said.lobes


def _same_place(right: Facts, said: Facts, wanted: Asked) -> bool:
    if right.lobes:
        return _same_lobes(right, said, wanted)
    return right.sides == said.sides


_AGREE: Final[Mapping[Fact, Callable[[Facts, Facts, Asked], bool]]] = {
    "polarity": lambda right, said, wanted: right.polarity == said.polarity,
    "count": lambda right, said, wanted: right.count == said.count,
    "place": _same_place,
    "side": _same_side,
    "lobe": _same_lobes,
    "segment": _same_segments,
    **{fact: _same_set(fact) for fact in ("height", "depth", "centrality")},
}


def _spelt(facts: Facts, wanted: tuple[Fact, ...], question: Asked) -> str:
    """Spell the facts in words that read as the same facts; empty where nothing was read."""
    if "segment" in wanted and facts.segments and facts.lobes:
        parts = f"{_spelt_fact(facts, 'segment', question)} of {_spelt_lobes(facts.lobes)}"
        rest = _without("segment", _without("lobe", wanted))
        return ", ".join([parts, *filter(None, (_spelt_fact(facts, f, question) for f in rest))])
    return ", ".join(part for fact in wanted if (part := _spelt_fact(facts, fact, question)))


def _spelt_fact(facts: Facts, fact: Fact, question: Asked) -> str:
    if fact == "polarity":
        return facts.polarity or ""
    if fact == "count":
        return "" if facts.count is None else str(facts.count)
    if fact == "place":
        return _spelt_lobes(facts.lobes) if facts.lobes else _spelt_sides(facts.sides)
    if _is_absent(facts, fact):
        return "none"
    if fact == "side":
        return _spelt_sides(facts.sides) or ("unilateral" if facts.one_side else "")
    if fact == "lobe":
        return _spelt_lobes(facts.lobes)
    if fact == "segment":
        named = sorted(facts.segments)
        return f"{' and '.join(named)} segment" if named else ""
    return " and ".join(sorted(_named(facts, fact)))


def _spelt_sides(sides: frozenset[str]) -> str:
    rest = sorted(sides - {"left", "right"}) if {"left", "right"} <= sides else sorted(sides)
    return " and ".join((["both sides"] if {"left", "right"} <= sides else []) + rest)


def _spelt_lobes(lobes: frozenset[str]) -> str:
    # A lobe without a side comes first, lest it take the side of another.
    return " and ".join(f"{lobe} lobe" for lobe in sorted(lobes, key=lambda one: (" " in one, one)))
