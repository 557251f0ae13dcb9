"""Decides by facts whether a lesion can be a wrong choice: never a second right one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from overread.builders.retrieved_exam.lesions import ExamLesion
from overread.builders.shown_together import shows_also
from overread.models.baselines.words import stated_size
from overread.scoring.facts.contradiction import contradicts
from overread.scoring.facts.facts import Lesion, LesionFacts
from overread.scoring.facts.lexicon import lexicon
from overread.scoring.facts.reader import read_facts

__all__ = ["excludes", "seen_with", "told", "why_unlike"]

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


def seen_with(
    task: str, lesion: ExamLesion, others: Iterable[ExamLesion]
) -> tuple[ExamLesion, ...]:
    """Give the other lesions that what a question shows of one lesion shows as well.

    Those on the very same picture; where nine slices are shown, those of the patient on one of
    them, and those of which it is not known.
    """
    return tuple(
        other
        for other in others
        if other.lesion_idx != lesion.lesion_idx
        and (
            other.picture_sha256 == lesion.picture_sha256
            or (other.patient == lesion.patient and shows_also(task, lesion.stem, other.stem))
        )
    )


def why_unlike(
    task: str,
    one: ExamLesion,
    other: ExamLesion,
    *,
    with_one: Sequence[ExamLesion],
    with_other: Sequence[ExamLesion],
) -> str | None:
    """Say why two lesions can be options of one question; None where they cannot.

    Of other patients, on other pictures, told in other words, and each excluded by what is said of
    the other: either may be the right one. What is said of one must be wrong as well for whatever
    is seen with the other (`seen_with`): without a box nobody can tell which lesion is meant.
    """
    if one.patient == other.patient or one.picture_sha256 == other.picture_sha256:
        return None
    words = [" ".join(told(task, each).casefold().split()) for each in (one, other)]
    if not all(words) or words[0] == words[1]:
        return None
    reason = excludes(task, one, other)
    if reason is None or any(excludes(task, beside, other) is None for beside in with_one):
        return None
    is_apart = all(excludes(task, beside, one) is not None for beside in (other, *with_other))
    return reason if is_apart else None


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
