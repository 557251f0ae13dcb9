"""Questions on one case: exams repeat it, with what has happened since, before each of them."""

from __future__ import annotations

from typing import Final

__all__ = ["linked"]

_SHINGLE: Final = 8
_SHARED: Final = 0.5
"""Share of the shorter text's shingles that linked questions have in common at least."""
_SHORTEST_LINKED: Final = 100


def linked(first: str, second: str) -> bool:
    """Whether two texts share a passage: questions on one patient repeat the case before each.

    Pieces of eight characters are compared, so that a slip of the scanner's in the passage, or a
    passage that grows, does not part them. Takes time in proportion to the texts.
    """
    if min(len(first), len(second)) < _SHORTEST_LINKED:
        return False
    one, two = _shingles(first), _shingles(second)
    return len(one & two) >= _SHARED * min(len(one), len(two))


def _shingles(text: str) -> set[str]:
    return {text[place : place + _SHINGLE] for place in range(len(text) - _SHINGLE + 1)}
