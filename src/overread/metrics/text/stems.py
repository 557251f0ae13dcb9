"""The Porter stems that ROUGE and METEOR share, each distinct word stemmed once."""

from __future__ import annotations

import importlib
from functools import cache, lru_cache
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["porter_stem"]

_MOST_WORDS = 1 << 18
"""Kept at once: far more than any exam has, and a bound for hostile texts."""


@lru_cache(maxsize=_MOST_WORDS)
def porter_stem(word: str) -> str:
    """Give the stem of a word by NLTK's Porter stemmer in its default mode, in lower case."""
    return _stemmer()(word)


@cache
def _stemmer() -> Callable[[str], str]:
    # Imported when needed: not every run asks for a measure of text.
    porter = importlib.import_module("nltk.stem.porter")
    return cast("Callable[[str], str]", porter.PorterStemmer().stem)
