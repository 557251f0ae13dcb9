"""How the template asks and scores: card, wording, scorers of both profiles, plan."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from overread.contracts import AnalysisPlan, Card, Scorer
from overread.records import Media, Option, Part, Profile, Status
from overread.scoring.choice_scorer import ChoiceScorer
from overread.scoring.honest_choice import read_choice
from overread.scoring.reading import Reading

__all__ = ["CARD", "PLAN", "prompt", "read_first_character", "scorers"]

CARD: Final = Card(
    name="template",
    title="One shape: what is it, and where?",
    protocol_version="1",
    licence="Apache-2.0",
    access="synthetic only: nothing to download",
    tasks={"shape": "which shape is it?", "where": "in which quarter is it?"},
    conditions=("plain",),
    splits=("test", "validation"),
)

PLAN: Final = AnalysisPlan(strata=((), ("task",)), cells=("task",), cluster="patient")


def prompt(question: str, options: Sequence[Option], media: Sequence[Media]) -> tuple[Part, ...]:
    """Word a question for a chat model, its picture first."""
    lines = [question] if question else []
    lines += [f"{option.letter}) {option.text}" for option in options]
    words = Part(text="\n".join([*lines, "Answer with one letter."]))
    return (*(Part(media=one) for one in media), words)


def scorers(profile: Profile) -> tuple[Scorer, ...]:
    """Give the scorers of a profile: what the benchmark's script reads, and what is right."""
    reader = read_first_character if profile == "published" else read_choice
    return (ChoiceScorer(profile=profile, reader=reader),)


def read_first_character(text: str | None, options: tuple[Option, ...]) -> Reading:
    """Read a reply as the template's script does: "A disc" is A, and "The answer is B" is none."""
    first = (text or "").lstrip()[:1].upper()
    if first in {option.letter for option in options}:
        return Reading(answer=first, status=Status.OK, rule="script:first-character")
    return Reading(answer=None, status=Status.UNPARSED, rule="script:no-letter")
