"""Where a sentence names a place, a side, a type or an attribute."""

from __future__ import annotations

from bisect import bisect
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from overread.scoring.facts.lexicon import Term, lexicon
from overread.scoring.facts.mention import Mention
from overread.scoring.facts.scope import denied, told_beside
from overread.scoring.facts.words import Word

__all__ = ["mentions_in"]

_ROMAN: Final = {"i": 1, "ii": 2, "iii": 3, "iv": 4, "v": 5, "vi": 6, "vii": 7, "viii": 8}
_JOINS: Final = frozenset(("and", "/", ",", "&", "or"))
_LEVELS: Final = {"c": 7, "t": 12, "l": 5, "s": 5}
_ORDINALS: Final = {
    word: number
    for number, word in enumerate(
        ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth",
         "tenth", "eleventh", "twelfth"), 1,
    )
}  # fmt: skip
_TISSUE: Final = frozenset(
    ("attenuation", "density", "mass", "nodule", "lesion", "component", "focus", "thickening",
     "implant", "extension", "stranding",
     "attenuating", "tumor", "nodularity", "opacity", "deposit", "structure")
)  # fmt: skip
_OF_THE_BODY: Final = frozenset(("the", "in", "within", "of", "superficial", "deep", "adjacent"))
_NO_PLACE: Final = frozenset(("window", "view", "image", "scan", "ct", "setting", "algorithm"))
"""After "lung" or "bone": how the picture was made."""


def mentions_in(words: Sequence[Word], taken: Sequence[tuple[int, int]]) -> list[Mention]:
    """List the terms in their order, marked.

    Parameters
    ----------
    words
        Of one prepared text.
    taken
        Parts of the text that are sizes, as places of characters.
    """
    found = _of_soft_tissue(words, list(_found(words, _inside(words, taken))))
    found = _without_qualities(words, found)
    found = denied(words, found)
    found = told_beside(words, found)
    return [mention for mention in found if not mention.dropped]


def _inside(words: Sequence[Word], taken: Sequence[tuple[int, int]]) -> frozenset[int]:
    """Give the places of words that lie in sizes."""
    inside: set[int] = set()
    spans = iter(taken)
    span = next(spans, None)
    for place, word in enumerate(words):
        while span is not None and span[1] <= word.start:
            span = next(spans, None)
        if span is not None and span[0] <= word.start and word.end <= span[1]:
            inside.add(place)
    return frozenset(inside)


def _found(words: Sequence[Word], sizes: frozenset[int]) -> Iterator[Mention]:
    known, place = lexicon(), 0
    while place < len(words):
        if place in sizes:
            place += 1
            continue
        numbered = _numbered(words, place)
        if numbered:
            yield from numbered
            place = max(mention.end for mention in numbered)
            continue
        found = _soft_tissue(words, place) or known.longest(words, place) or _shared(words, place)
        if found is None:
            place += 1
            continue
        term, end = found
        follows = words[end].text if end < len(words) else ""
        if term != Term() and not (term.place and follows in _NO_PLACE):
            yield Mention(term=term, start=place, end=end, bare=_is_bare(words, place, end))
        place = end


def _soft_tissue(words: Sequence[Word], place: int) -> tuple[Term, int] | None:
    """Tell the soft tissues of the body from what a lesion is made of."""
    if [word.text for word in words[place : place + 2]] != ["soft", "tissue"]:
        return None
    follows = words[place + 2].text if place + 2 < len(words) else ""
    before = words[place - 1].text if place else ""
    if follows not in _TISSUE and before in _OF_THE_BODY:
        return Term(place="soft tissue"), place + 2
    swallowed = follows in ("attenuation", "density", "component", "attenuating")
    return Term(attribute=("attenuation", "soft")), place + (3 if swallowed else 2)


_LESIONS: Final = frozenset(("lesion", "tumor", "metastasis"))


def _of_soft_tissue(words: Sequence[Word], found: list[Mention]) -> list[Mention]:
    """Take "soft tissue lesion" for a lesion of the soft tissues where nothing else has it.

    In a limb or nowhere, it is what lies there; "soft tissue lesion in the lung" tells a density.
    """
    stops = [place for place, word in enumerate(words) if word.text in _STOPS]
    placed = {
        bisect(stops, each.start)
        for each in found
        if each.site or (each.term.place and each.term.place != "limb")
    }
    return [
        replace(each, term=Term(place="soft tissue"))
        if each.term.attribute == ("attenuation", "soft")
        and each.end - each.start == 2
        and words[each.start].text == "soft"
        and each.end < len(words)
        and words[each.end].text in _LESIONS
        and bisect(stops, each.start) not in placed
        else each
        for each in found
    ]


_HEIGHTS: Final = frozenset(("upper", "middle", "lower"))


_BARE: Final = frozenset(("apex", "base", "head", "body", "tail"))


def _is_bare(words: Sequence[Word], start: int, end: int) -> bool:
    return end == start + 1 and words[start].text in _BARE


def _shared(words: Sequence[Word], place: int) -> tuple[Term, int] | None:
    """Read the first of two parts that share a noun: "upper and left lower lobe"."""
    if words[place].text not in _HEIGHTS:
        return None
    rest = [word.text for word in words[place + 1 : place + 6]]
    if not rest or rest[0] not in _JOINS:
        return None
    for noun in ("lobe", "pole"):
        if noun in rest and not set(rest[: rest.index(noun)]) - _JOINS - _HEIGHTS - _SIDES:
            name = "mid pole" if noun == "pole" and words[place].text == "middle" else None
            return Term(place=name or f"{words[place].text} {noun}"), place + 1
    return None


_SIDES: Final = frozenset(("left", "right", "the"))


def _numbered(words: Sequence[Word], place: int) -> list[Mention]:
    """Read "segment 7/8", "L3", "7th rib"."""
    word = words[place].text
    if word == "segment":
        return _segments(words, place)
    following = words[place + 1].text if place + 1 < len(words) else ""
    if word in _LEVELS and following.isdigit() and words[place].end == words[place + 1].start:
        if 1 <= int(following) <= _LEVELS[word]:
            level = f"level {word.upper()}{int(following)}"
            return [Mention(term=Term(place="vertebra"), start=place, end=place + 2, site=level)]
        return []
    number = _ORDINALS.get(word)
    end = place + 1
    if number is None and word.isdigit() and following in ("th", "st", "nd", "rd"):
        number, end = int(word), place + 2
    if number is None or not 1 <= number <= 12 or end >= len(words):
        return []
    end += words[end].text in ("left", "right", "anterior", "posterior", "lateral")
    if end < len(words) and words[end].text == "rib":
        rib = Mention(term=Term(place="rib"), start=place, end=end + 1, site=f"rib {number}")
        side = words[end - 1].text
        if side in ("left", "right"):
            return [rib, Mention(term=Term(side=side), start=end - 1, end=end)]
        return [rib]
    return []


def _segments(words: Sequence[Word], place: int) -> list[Mention]:
    found: list[Mention] = []
    position = place + 1
    while position < len(words):
        text = words[position].text
        number = _ROMAN.get(text) or (int(text) if text.isdigit() and len(text) < 3 else 0)
        if 1 <= number <= 10:
            site = f"segment {number}"
            found.append(Mention(term=Term(), start=position, end=position + 1, site=site))
        elif not (text in _JOINS or (found and text in ("a", "b", "s"))):
            break
        position += 1
    return found


_QUALITIES: Final = frozenset(("calcified", "cavitary", "low", "high"))
"""Values of attributes whose nouns are types too: "with calcification", "a calcification"."""


def _without_qualities(words: Sequence[Word], found: list[Mention]) -> list[Mention]:
    """Take calcification, cavitation and the like for an attribute where a type stands beside."""
    stops = [place for place, word in enumerate(words) if word.text in _STOPS]
    typed = {bisect(stops, each.start) for each in found if _is_type(each)}
    return [
        replace(each, term=replace(each.term, type=None))
        if each.term.type and not _is_type(each) and bisect(stops, each.start) in typed
        else each
        for each in found
    ]


_STOPS: Final = frozenset(".;!?")


def _is_type(mention: Mention) -> bool:
    """Whether it names a type and no more than a type."""
    quality = mention.term.attribute
    return mention.term.type is not None and not (quality and quality[1] in _QUALITIES)
