"""Which words of a text speak of which lesion."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from overread.scoring.facts.facts import Size
from overread.scoring.facts.lexicon import lexicon
from overread.scoring.facts.mention import Mention
from overread.scoring.facts.sizes import SizeMention
from overread.scoring.facts.words import Word

__all__ = ["Group", "groups_of"]

_SAME: Final = frozenset(
    ("likely", "probably", "possibly", "consistent", "compatible", "suspicious", "concerning",
     "suggestive", "suggesting", "suggests", "suggest", "representing", "represents", "represent",
     "favored", "favor", "worrisome", "versus", "vs", "such", "keeping", "may", "might", "could",
     "presumably", "presumed", "diagnostic", "typical", "characteristic", "reflecting", "reflect",
     "indicative", "indicating", "(", "or", "/", "called", "as", "considered", "appears", "appear")
)  # fmt: skip
"""Between two types: the second one says what the first one is."""
_AGAIN: Final = frozenset(
    (
        "the",
        "this",
        "these",
        "it",
        "that",
        "its",
        "which",
        "said",
        "same",
        "largest",
        "biggest",
        "dominant",
        "index",
    )
)
_ANOTHER: Final = frozenset(
    ("a", "an", "another", "one", "additional", "second", "further", "two", "three", "multiple",
     "several", "few", "other", "no", "there", "new", "also", "separate", "smaller", "larger",
     "satellite")
)  # fmt: skip
_WEAK: Final = frozenset(
    ("finding", "abnormality", "focus", "spot", "lesion", "nodular",
     "nodularity", "metastatic", "adenomatous", "lymphomatous", "masslike", "nodal", "lymphatic",
     "hypodensity", "hyperdensity", "lucency", "atelectatic", "calcification", "thickening",
     "cavitation", "edema", "stranding", "collapse", "fluid", "structure", "involvement")
)  # fmt: skip
"""Types that open no lesion of their own beside another one unless they are counted anew."""
_VAGUE: Final = frozenset(("lesion", "finding", "abnormality", "focus"))
"""Of these, words that take up a lesion of the sentence before."""
_STOPS: Final = frozenset(".;!?")


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """The mentions of one lesion, and its size."""

    mentions: tuple[Mention, ...]
    size: Size | None


def groups_of(
    words: Sequence[Word], mentions: Sequence[Mention], sizes: Sequence[SizeMention]
) -> list[Group]:
    """Part the mentions of a text among its lesions, in the order of their types."""
    cuts = _cuts(words, mentions)
    groups: list[Group] = []
    for start, end in zip([0, *cuts], [*cuts, len(words)], strict=True):
        own = tuple(each for each in mentions if start <= each.start < end)
        first = words[start].start if start < len(words) else 0
        last = words[end].start if end < len(words) else len(words) and words[-1].end + 1
        within = [each.size for each in sizes if first <= each.start < last]
        groups.append(Group(mentions=own, size=_largest(within)))
    return groups


def _largest(sizes: Sequence[Size]) -> Size | None:
    """Give the size with the most diameters; of equal ones the first."""
    return max(sizes, key=lambda size: len(size.axes_mm), default=None)


def _cuts(words: Sequence[Word], mentions: Sequence[Mention]) -> list[int]:
    """Find where a new lesion begins: before what belongs to its type."""
    cuts: list[int] = []
    last: Mention | None = None
    for mention in mentions:
        if not mention.term.type:
            continue
        if last is not None:
            cut = _cut(words, mentions, last, mention)
            if cut is not None:
                cuts.append(cut)
        last = mention
    return cuts


def _cut(
    words: Sequence[Word], mentions: Sequence[Mention], last: Mention, mention: Mention
) -> int | None:
    """Say where between two types the second lesion begins; None where both name one lesion."""
    between = [words[place].text for place in range(last.end, mention.start)]
    separators = [
        (strength, place)
        for place in range(last.end, mention.start)
        if (strength := _strength(words, place, mention.start))
    ]
    if not separators:
        return None
    strongest, cut = max(separators)
    if last.denied and mention.denied and last.term.type != mention.term.type:
        return cut + 1
    after = between[cut - last.end + 1 :]
    if last.denied != mention.denied and (last.denied or strongest > 1 or "no" in between):
        return cut + 1
    if any(word in _SAME for word in between) and not any(w in _STOPS for w in between):
        return None
    anew = any(word in _ANOTHER for word in after)
    elsewhere = _own_place(mentions, cut, mention)
    if any(word in _AGAIN for word in after[:2]) and not anew:
        return None if _may_be_same(last, mention) and not elsewhere else cut + 1
    first = words[mention.start].text
    if first in _WEAK and not anew and (strongest < _SENTENCE or first in _VAGUE):
        return cut + 1 if elsewhere else None
    if strongest == _SENTENCE and ":" in after and not elsewhere:
        return None
    return cut + 1


_SENTENCE: Final = 4


def _strength(words: Sequence[Word], place: int, end: int) -> int:
    """Say how strongly a word parts two lesions."""
    text = words[place].text
    follows = words[place + 1].text if place + 1 < end else ""
    if text in _STOPS:
        return _SENTENCE
    if text in ("and", ",", "plus", "while", "whereas", "but") and follows in _ANOTHER:
        return 3
    if text == "with" and (
        follows in _ANOTHER or follows in ("adjacent", "associated", "satellite")
    ):
        return 3
    if text in ("and", "plus", "while", "whereas", "but"):
        return 2
    return 1 if text in (",", "with", "or", "nor") else 0


def _may_be_same(last: Mention, mention: Mention) -> bool:
    one, other = last.term.type, mention.term.type
    return bool(one and other) and lexicon().may_be_same_type(str(one), str(other))


def _own_place(mentions: Sequence[Mention], cut: int, mention: Mention) -> bool:
    """Whether another place stands between the cut and the type: "…, left renal lesion"."""
    own = {
        each.term.place or each.term.side for each in mentions if cut < each.start < mention.start
    }
    before = {each.term.place or each.term.side for each in mentions if each.start < cut}
    return bool(own - before - {None})
