"""Decides by facts whether a lesion can be a wrong choice: never a second right one."""

from __future__ import annotations

from typing import Final

from overread.builders.retrieved_exam.lesions import ExamLesion
from overread.models.baselines.words import stated_size
from overread.scoring.facts.contradiction import contradicts
from overread.scoring.facts.facts import Lesion, LesionFacts
from overread.scoring.facts.lexicon import lexicon
from overread.scoring.facts.reader import read_facts

__all__ = ["excludes", "told", "why_unlike"]

_LEAST_ATTRIBUTES: Final = 2
_APART_SHARE: Final = 1.25
"""Sizes in pixels differ when one is a quarter larger; in mm `contradicts` decides."""


def told(task: str, lesion: ExamLesion) -> str:
    """Give what a task's option says of a lesion; empty where nothing is known.

    Attributes are those that description and ontology mapping state and one slice shows, two or
    more of them, in one form for all: ``attenuation: low; margin: smooth``.
    """
    if task == "img2size":
        return lesion.size
    if not task.endswith("attrib"):
        return lesion.description
    named = _attributes(lesion)
    kinds = [f"{kind}: {value}" for kind, value in sorted(named)]
    return "; ".join(kinds) if len(named) >= _LEAST_ATTRIBUTES else ""


def _attributes(lesion: ExamLesion) -> frozenset[tuple[str, str]]:
    """Give the attributes of a lesion that is spoken of alone, of kinds that exclude and show."""
    if len(lesion.facts.present) != 1:
        return frozenset()
    kinds = lexicon().kinds
    (one,) = lesion.facts.present
    return frozenset(
        (kind, value)
        for kind, value in one.attributes
        if kinds[kind].exclusive and kinds[kind].visible
    )


def excludes(task: str, shown: ExamLesion, wrong: ExamLesion) -> str | None:
    """Say why the words about one lesion cannot be right for the picture of another.

    The words count alone, as a reader of the question sees them; of the lesion that is shown all
    that is known counts, ontology mapping and size included. So two lesions whose sentences read
    alike never stand side by side, although the tables tell them apart.

    Returns
    -------
    str or None
        The fact, as in ``side: left against right``; None where the words may be right.
    """
    if task == "img2size":
        return _size_apart(shown.size, wrong.size)
    if not task.endswith("attrib"):
        return contradicts(shown.facts, read_facts(told(task, wrong)))
    return contradicts(_said(shown), _said(wrong))


def _said(lesion: ExamLesion) -> LesionFacts:
    return LesionFacts(lesions=(Lesion(attributes=_attributes(lesion)),))


def why_unlike(task: str, one: ExamLesion, other: ExamLesion) -> str | None:
    """Say why two lesions can be options of one question; None where they cannot.

    Of other patients, on other pictures, told in other words, and each excluded by what is said of
    the other: either may be the right one.
    """
    if one.patient == other.patient or one.picture_sha256 == other.picture_sha256:
        return None
    words = [" ".join(told(task, each).casefold().split()) for each in (one, other)]
    if not all(words) or words[0] == words[1]:
        return None
    reason = excludes(task, one, other)
    return reason if reason is not None and excludes(task, other, one) is not None else None


def _size_apart(one: str, other: str) -> str | None:
    reason = contradicts(read_facts(one), read_facts(other))
    if reason is not None:
        return reason if reason.startswith("size") else None
    sizes = stated_size(one), stated_size(other)
    if any(size is None or size.unit != "px" for size in sizes):
        return None
    longest = sorted(max(size.lengths) for size in sizes if size is not None)
    if longest[0] * _APART_SHARE > longest[1]:
        return None
    return f"size: {longest[0]:g} against {longest[1]:g} pixels"
