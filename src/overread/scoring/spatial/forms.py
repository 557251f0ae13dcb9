"""The form of a spatial question, told by its words alone: what kind of answer it asks for.

A form is *closed* when the facts asked for come from a short list, so that two answers can be
compared by rule: yes or no, a side, a height, a depth, central or peripheral, lung lobes and
segments, a number. A question that asks for a closed fact *and* for something else ("which kidney,
and how large is it?") is not closed: half an answer would be scored as a whole one.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Final, Literal, TypeAlias, cast

from overread.scoring.spatial.question_words import (
    ALTERNATIVES,
    ASKS,
    ASKS_WHERE,
    AXES,
    BESIDES,
    COMPARATIVE,
    CONJUNCT,
    COUNT,
    EXISTS,
    FURTHER,
    IF_SO,
    LOBE,
    LOBE_OF_OTHER_ORGAN,
    MORE_THAN_SIDE,
    NAMES_LIST,
    OTHER_ORGAN,
    POLAR,
    RATHER,
    SEGMENT,
    SIDE,
    SIDE_AT_END,
    SPECIFIC,
    TWO_LOBED,
    UNI_OR_BI,
    WHETHER,
)

__all__ = [
    "CLOSED_FORMS",
    "FORMS",
    "Asked",
    "Fact",
    "QuestionForm",
    "asked",
    "form_classes",
    "question_classes",
    "question_form",
]

QuestionForm: TypeAlias = Literal[
    "yes-no", "side", "height", "depth", "centrality", "lobe", "count", "where", "open"
]
Fact: TypeAlias = Literal[
    "polarity", "side", "height", "depth", "centrality", "lobe", "segment", "count", "place"
]

CLOSED_FORMS: Final[tuple[QuestionForm, ...]] = (
    "yes-no",
    "side",
    "height",
    "depth",
    "centrality",
    "lobe",
    "count",
)
"""Forms whose answers are compared by rule."""
FORMS: Final[tuple[QuestionForm, ...]] = (*CLOSED_FORMS, "where", "open")
"""All forms, the closed ones first."""

_LONGEST_QUESTION = 2000
_CLASSES: Final[Mapping[str, tuple[str, ...]]] = {
    "yes-no": ("yes", "no"),
    "side": ("left", "right", "both"),
    "height": ("upper", "middle", "lower"),
    "depth": ("anterior", "posterior"),
    "centrality": ("central", "peripheral"),
    "lobe": (
        "right upper lobe",
        "right middle lobe",
        "right lower lobe",
        "left upper lobe",
        "left lower lobe",
    ),
}
_IN_LOBE: Final[tuple[Fact, ...]] = ("side", "height")
_ORDER: Final[tuple[Fact, ...]] = ("side", "height", "depth", "centrality")


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What a question asks for."""

    form: QuestionForm
    facts: tuple[Fact, ...] = ()
    """What an answer must agree in. ``place`` after ``polarity`` stands for "and if so, where":
    side and lobe, as far as the reference names them. Empty unless the form is closed."""
    comparative: bool = False
    """Whether it asks where there is *more*: "both lungs, more on the left" then answers left."""
    one_or_both: bool = False
    """Whether it asks for one side or both, and not for which one."""


def question_form(question: str) -> QuestionForm:
    """Name the form of a question.

    Parameters
    ----------
    question
        Its bare words; of more than 2,000 characters only the first are read.

    Returns
    -------
    str
        One of `FORMS`: ``where`` asks for a place in free words, ``open`` for anything else.

    Examples
    --------
    >>> question_form("Is the effusion unilateral or bilateral?")
    'side'
    >>> question_form("Is there any effusion?"), question_form("Where is the stent?")
    ('yes-no', 'where')
    """
    return asked(question).form


def form_classes(form: str) -> tuple[str, ...] | None:
    """List the answers that a blind guesser chooses from; None where they cannot be listed.

    A reference may name several of them ("upper and lower lobes"), so that one guess in so many is
    the most a blind guess can expect.

    Examples
    --------
    >>> form_classes("side"), form_classes("where")
    (('left', 'right', 'both'), None)
    """
    return _CLASSES.get(form)


def question_classes(question: str) -> tuple[str, ...] | None:
    """List the answers that the question itself leaves open, where it is narrower than its form.

    Examples
    --------
    >>> question_classes("Are the nodules unilateral or bilateral?")
    ('unilateral', 'bilateral')
    >>> question_classes("Is it in the upper or lower lobe?")
    ('upper', 'lower')
    """
    found = asked(question)
    if len(found.facts) > 1 and found.form not in ("yes-no", "lobe"):
        return None
    if found.form == "side" and found.one_or_both:
        return ("unilateral", "bilateral")
    if found.form == "height" and "middle" not in question.lower():
        return ("upper", "lower")
    return form_classes(found.form)


def asked(question: str) -> Asked:
    """Tell what a question asks for, by its first 2,000 characters; never raises."""
    return _asked(question[:_LONGEST_QUESTION])  # cut first: a cache must not hold megabytes


@lru_cache(maxsize=8192)
def _asked(question: str) -> Asked:
    words = " ".join(question.lower().split())
    words = re.sub(r"[‐-―−]", "-", words)
    polar = POLAR.search(words) is not None
    if polar and _is_plainly_polar(words):
        return _polar(words)
    facts = _all_facts(words)
    if not facts and polar:
        return _polar(words)
    if not facts:
        return Asked(form="where" if ASKS_WHERE.search(words) else "open")
    return _closed(words, facts)


def _is_plainly_polar(words: str) -> bool:
    """Whether a question that opens with a verb asks for yes or no, whatever it lists."""
    return any(pattern.search(words) for pattern in (EXISTS, WHETHER, RATHER))


def _polar(words: str) -> Asked:
    """Name the facts of a yes-or-no question, with its "and if so, on which side"."""
    tail = IF_SO.search(words)
    if tail is None:
        opening = POLAR.match(words)
        if FURTHER.search(words, opening.end() if opening else 0) or SPECIFIC.search(words):
            return Asked(form="open")
        if SIDE_AT_END.search(words) and not WHETHER.search(words):
            return Asked(form="yes-no", facts=("polarity", "side"))
        offers = " or " in words and not _is_plainly_polar(words)
        if offers and not NAMES_LIST.search(words):
            return Asked(form="open")  # "open or closed": answers of its own
        return Asked(form="yes-no", facts=("polarity",))
    rest = words[tail.end() :]
    if COMPARATIVE.search(rest) or not (ASKS_WHERE.search(rest) or _asked_by_word(rest)):
        return Asked(form="open")
    only_side = _asked_by_word(rest) == ("side",)
    return Asked(form="yes-no", facts=("polarity", "side" if only_side else "place"))


def _all_facts(words: str) -> tuple[Fact, ...]:
    """List the facts that all parts of a question ask for; none when a part is not closed."""
    if any(pattern.search(words) for pattern in (MORE_THAN_SIDE, BESIDES, SPECIFIC)):
        return ()
    facts: list[Fact] = []
    part = ""
    for piece in _pieces(words):
        part = f"{part}{piece}".lstrip()
        if not ASKS.search(part):  # "on the left side," leads up to the question
            continue
        found = _alternatives(part) or _asked_by_word(part)
        if not found or (facts and COMPARATIVE.search(part)):
            return ()  # "…, and which side is larger?": two answers about sides
        facts.extend(fact for fact in found if fact not in facts)
        part = ""
    return tuple(facts)


def _pieces(words: str) -> list[str]:
    ends = [match.end() for match in CONJUNCT.finditer(words)]
    return [words[start:end] for start, end in pairwise([0, *ends, len(words)])]


def _alternatives(words: str) -> tuple[Fact, ...]:
    """List the facts for which the question offers alternatives: "right or left"."""
    return tuple(fact for fact in _ORDER if ALTERNATIVES[fact].search(words))


def _asked_by_word(words: str) -> tuple[Fact, ...]:
    """List the facts that "which side", "which lobe" and the like ask for."""
    if COUNT.search(words):
        return ("count",)
    other = OTHER_ORGAN.search(words) is not None
    facts: list[Fact] = []
    if LOBE.search(words) and not other:
        facts.append("lobe")
        if SEGMENT.search(words):
            facts.append("segment")
    elif SIDE.search(words) or (LOBE_OF_OTHER_ORGAN.search(words) and TWO_LOBED.search(words)):
        facts.append("side")
    facts.extend(fact for fact in _ORDER if fact not in facts and AXES[fact].search(words))
    return tuple(facts)


def _closed(words: str, facts: tuple[Fact, ...]) -> Asked:
    """Name the form of a question that asks for closed facts alone."""
    form: QuestionForm = "lobe"
    if "lobe" in facts:  # it holds side and height
        facts = tuple(fact for fact in facts if fact not in _IN_LOBE)
    else:
        form = cast("QuestionForm", facts[0])
    return Asked(
        form=form,
        facts=facts,
        comparative=COMPARATIVE.search(words) is not None,
        one_or_both=UNI_OR_BI.search(words) is not None,
    )
