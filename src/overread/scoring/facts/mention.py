"""One term in a sentence, with what the words around make of it."""

from __future__ import annotations

from dataclasses import dataclass

from overread.scoring.facts.lexicon import Term

__all__ = ["Mention"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Mention:
    """One term in a sentence, by the places of its first word and after its last."""

    term: Term
    start: int
    end: int
    bare: bool = False
    """A word of many organs: "base", not "lung base"."""
    site: str | None = None
    """A numbered part of an organ: ``segment 7``, ``level L3``, ``rib 7``."""
    denied: bool = False
    """In the reach of a "no", "not", "without"."""
    dropped: bool = False
    """Says nothing about the lesion: history, an earlier state, an organ that is normal."""
    landmark: bool = False
    """Where the lesion is beside: "adjacent to the left kidney"."""
