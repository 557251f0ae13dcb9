"""Drafts, and what their facts say against them: a draft may leave out, never add or change."""

from __future__ import annotations

from dataclasses import dataclass

from overread.builders.lesion_text.form import DraftText
from overread.builders.lesion_text.sentences import Sentence
from overread.scoring.facts.compare import compare_facts
from overread.scoring.facts.reader import read_facts

__all__ = ["Draft", "make_draft"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """One lesion's draft."""

    sentence: Sentence
    description: str
    size: str
    problem: str | None
    """Why it cannot stand without a person; None where the facts agree."""


def make_draft(sentence: Sentence, written: DraftText | str) -> Draft:
    """Check what a model wrote against the sentence, fact by fact."""
    if isinstance(written, str):
        return Draft(sentence=sentence, description="", size="", problem=written)
    return Draft(
        sentence=sentence,
        description=written.description,
        size=written.size,
        problem=_problem(sentence.text, written),
    )


def _problem(text: str, written: DraftText) -> str | None:
    stated = read_facts(text)
    if stated.unreadable is not None:
        return f"the sentence cannot be read: {stated.unreadable}"
    if not stated.present:
        return "the sentence tells of no lesion: it says that there is none"
    # By itself: a size beside it would make a description of a bare "A".
    alone = read_facts(written.description)
    if alone.unreadable is not None:
        return f"the draft cannot be read: {alone.unreadable}"
    said = (
        read_facts(f"{written.description.rstrip('.')}, {written.size}.") if written.size else alone
    )
    against = [
        verdict
        for verdict in compare_facts(stated, said).verdicts
        if verdict.outcome in ("wrong", "added", "invented")
    ]
    if against:
        return "; ".join(
            f"{one.fact} {one.outcome}: {one.prediction}"
            + (f", not {one.reference}" if one.reference else "")
            for one in against[:3]
        )
    if said.unread_sizes:
        return f"a size in it is written in a way that is not read: {said.unread_sizes[0]}"
    if written.size and all(lesion.size is None for lesion in read_facts(written.size).lesions):
        return f"its size is none that can be read: {written.size}"
    return None
