"""A sentence as words: without markup, in one spelling, with their places in the text."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from overread.scoring.reply_text import normalise, plain, strip_thinking

__all__ = ["Word", "prepared", "spelt", "words_of"]

_LONGEST: Final = 4000
"""Characters read; of a reply with markup and thinking ten times as many are looked at first."""
_WORD: Final = re.compile(r"[^\W\d_]+|\d+(?:[.,]\d+)?|[^\w\s]|_")
_DASHES: Final = re.compile(r"[‐-―−]")
_ABBREVIATED: Final[Mapping[str, tuple[str, ...]]] = {
    "rul": ("right", "upper", "lobe"),
    "rml": ("right", "middle", "lobe"),
    "rll": ("right", "lower", "lobe"),
    "lul": ("left", "upper", "lobe"),
    "lll": ("left", "lower", "lobe"),
    "rt": ("right",),
    "lt": ("left",),
    "bl": ("bilateral",),
    "ln": ("lymph", "node"),
    "lns": ("lymph", "node"),
    "mets": ("metastasis",),
    "ggn": ("ground", "glass", "nodule"),
    "ggo": ("ground", "glass", "opacity"),
    "midpole": ("mid", "pole"),
    "intralobar": ("lobe",),
    "cannot": ("can", "not"),
}
_PLURALS: Final[Mapping[str, str]] = {
    "metastases": "metastasis",
    "vertebrae": "vertebra",
    "masses": "mass",
    "abscesses": "abscess",
    "bronchi": "bronchus",
    "hila": "hilum",
    "calculi": "calculus",
    "bullae": "bulla",
    "apices": "apex",
    "foci": "focus",
    "axillae": "axilla",
    "septae": "septa",
    "adnexae": "adnexa",
    "diverticula": "diverticulum",
    "processes": "process",
    "scapulae": "scapula",
    "thrombi": "thrombus",
    "emboli": "embolus",
    "atria": "atrium",
    "crura": "crus",
    "ova": "ovum",
}
_KEPT: Final = frozenset(
    ("this", "is", "was", "has", "as", "does", "its", "plus", "versus", "less", "previous", "these")
)
_BRITISH: Final = (
    (re.compile(r"^haem"), "hem"),
    (re.compile(r"oesoph"), "esoph"),
    (re.compile(r"^oedema"), "edema"),
    (re.compile(r"caecum|caecal"), "cecum"),
    (re.compile(r"tumour"), "tumor"),
    (re.compile(r"centre"), "center"),
    (re.compile(r"metre"), "meter"),
    (re.compile(r"coeliac"), "celiac"),
    (re.compile(r"^aneurism"), "aneurysm"),
    (re.compile(r"ised$"), "ized"),
    (re.compile(r"leiomyomata"), "leiomyoma"),
    (re.compile(r"hemangiomata"), "hemangioma"),
    (re.compile(r"granulomata"), "granuloma"),
)
_NON: Final = re.compile(r"non(?=calcif|enhanc|cavit|obstruct|necrot|enlarg|cystic)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Word:
    """One word, number or mark."""

    text: str
    """In the lexicon's spelling: lower case, singular, American."""
    start: int
    end: int
    """Its place in the prepared text; two words of one abbreviation share it."""


def prepared(text: str | None) -> str:
    """Take thinking and markup away; lower case; the first 4,000 characters."""
    if text is None:
        return ""
    told, _ = strip_thinking(normalise(text[: _LONGEST * 10]))
    return _DASHES.sub("-", plain(told)[:_LONGEST].lower())


def words_of(text: str) -> list[Word]:
    """Cut a prepared text into words; hyphens part words and are no words themselves."""
    words: list[Word] = []
    for match in _WORD.finditer(text):
        if match[0] == "-":
            continue
        parts = _ABBREVIATED.get(match[0]) or _parts(match[0])
        words.extend(Word(text=part, start=match.start(), end=match.end()) for part in parts)
    return words


@lru_cache(maxsize=8192)
def _parts(word: str) -> tuple[str, ...]:
    """Give a word in the lexicon's spelling, "noncalcified" as two."""
    if len(word) > 40:
        return (word[:40],)
    if _NON.match(word):
        return ("non", spelt(word[3:]))
    return (spelt(word),)


@lru_cache(maxsize=8192)
def spelt(word: str) -> str:
    """Give one lower-case word in the lexicon's spelling.

    Examples
    --------
    >>> [spelt(word) for word in ("tumours", "metastases", "adenopathies", "mass", "oesophagus")]
    ['tumor', 'metastasis', 'adenopathy', 'mass', 'esophagus']
    """
    for pattern, spelling in _BRITISH:
        word = pattern.sub(spelling, word)
    if word in _PLURALS:
        return _PLURALS[word]
    if len(word) < 4 or word in _KEPT or word.endswith(("ss", "us", "is", "axis")):
        return word
    if word.endswith("ies"):
        return word[:-3] + "y"
    return word[:-1] if word.endswith("s") else word
