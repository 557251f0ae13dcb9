"""Where a sentence names a place, a side, a type or an attribute, and what the words around say."""

from __future__ import annotations

import re
from bisect import bisect
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from overread.scoring.facts.lexicon import Term, lexicon
from overread.scoring.facts.words import Word

__all__ = ["CLAUSE_ENDS", "Mention", "mentions_in"]

CLAUSE_ENDS: Final = frozenset(".;:!?") | frozenset(
    ("but", "however", "although", "though", "while", "whereas", "otherwise")
)
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Mention:
    """One term in a sentence, by the places of its first word and after its last."""

    term: Term
    start: int
    end: int
    bare: bool = False
    """A single word: "base", not "lung base"."""
    site: str | None = None
    """A numbered part of an organ: ``segment 7``, ``level L3``, ``rib 7``."""
    denied: bool = False
    """In the reach of a "no", "not", "without"."""
    dropped: bool = False
    """Says nothing about the lesion: history, an earlier state, an organ that is normal."""
    landmark: bool = False
    """Where the lesion is beside: "adjacent to the left kidney"."""


def mentions_in(words: Sequence[Word], taken: Sequence[tuple[int, int]]) -> list[Mention]:
    """List the terms in their order, marked.

    Parameters
    ----------
    words
        Of one prepared text.
    taken
        Parts of the text that are sizes, as places of characters.
    """
    found = _without_qualities(words, list(_found(words, _inside(words, taken))))
    found = _denied(words, found)
    found = _marked(words, found)
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
            yield Mention(term=term, start=place, end=end, bare=end == place + 1)
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


_HEIGHTS: Final = frozenset(("upper", "middle", "lower"))


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


# ---------------------------------------------------------------- what is denied

_NO: Final = frozenset(
    ("no", "without", "not", "neither", "nor", "never", "lack", "lacking", "lacks", "denies",
     "absent", "excluding", "none")
)  # fmt: skip
_NO_OF: Final = frozenset(
    (("absence", "of"), ("free", "of"), ("negative", "for"), ("rather", "than"),
     ("instead", "of"), ("devoid", "of"))
)  # fmt: skip
_NOT_NO: Final = frozenset(
    (("not", "only"), ("no", "doubt"), ("no", "longer"), ("no", "more"), ("not", "well"),
     ("not", "completely"), ("not", "fully"), ("not", "clear"), ("not", "exceeding"),
     ("not", "larger"),
     ("not", "more"), ("not", "greater"), ("no", "larger"), ("no", "greater"))
)  # fmt: skip
_ANEW: Final = frozenset(
    ("a", "an", "the", "there", "is", "are", "with", "has", "have", "stable", "unchanged", "new",
     "it", "measures", "measuring", "its")
)  # fmt: skip
"""After an "and" or a comma: something new begins, which the "no" does not reach."""
_NOT_SEEN: Final = re.compile(
    r"\b(?:(?:is|are|was|were|has been|have been) (?:no longer|not) (?:\w+ )?(?:seen|identified|"
    r"present|observed|visualized|visible|detected|appreciated|evident|found|noted|demonstrated)\b"
    r"(?! previously)|(?:is|are) absent|(?:has|have) (?:completely )?resolved|"
    r"(?:is|are|was|were) (?:excluded|ruled out)|(?:is|are) no longer)"
)
_SEEN: Final = frozenset(
    ("seen", "identified", "present", "observed", "visualized", "visible", "detected", "evident",
     "appreciated", "found", "noted", "demonstrated")
)  # fmt: skip
_NORMAL: Final = re.compile(
    r"\b(?:is|are|appear|appears|look|looks|remain|remains)(?: \w+){0,1} (?:clear|normal|"
    r"unremarkable|spared|preserved|intact|uninvolved)\b"
    r"(?! (?:apart|except|other|aside|save|but)\b)"
)
_RESOLVED: Final = frozenset(("resolved",))


def _denied(words: Sequence[Word], found: list[Mention]) -> list[Mention]:
    """Mark what a "no" before it reaches, and types said not to be seen after them."""
    marked = {mention.start: mention for mention in found}
    starts = frozenset(marked)
    ends = _ends(words)
    for place in range(len(words)):
        reach = _reach(words, place, starts, ends)
        if not reach:
            continue
        inside = [each for each in found if reach[0] <= each.start < reach[1]]
        has_type = any(each.term.type for each in inside)
        for mention in inside:
            is_place = bool(mention.term.place or mention.term.side or mention.site)
            marked[mention.start] = replace(
                marked[mention.start], denied=True, dropped=is_place and not has_type
            )
    result = [marked[mention.start] for mention in found if mention.start in marked]
    return [_afterwards(words, mention, ends) for mention in result]


def _ends(words: Sequence[Word]) -> list[int]:
    """Give for each word where its clause ends."""
    ends = [len(words)] * (len(words) + 1)
    for place in range(len(words) - 1, -1, -1):
        ends[place] = place if words[place].text in CLAUSE_ENDS else ends[place + 1]
    return ends


_VERBS: Final = frozenset(("with", "which", "that", "measuring", "is", "are", "was", "were"))
_FARTHEST: Final = 30
"""Words that a "no" reaches at most."""


def _reach(
    words: Sequence[Word], place: int, starts: frozenset[int], ends: Sequence[int]
) -> tuple[int, int] | None:
    """Give the words that a denial at `place` reaches; None where there is none."""
    text = words[place].text
    pair = (text, words[place + 1].text if place + 1 < len(words) else "")
    if text == "non":
        following = next(
            (p for p in range(place + 1, min(place + 3, len(words))) if p in starts), 0
        )
        return (following, following + 1) if following else None
    seen_not = text == "not" and pair[1] in _SEEN  # of what stands before: `_afterwards`
    if (text not in _NO and pair not in _NO_OF) or pair in _NOT_NO or place in starts or seen_not:
        return None
    end = min(ends[place + 1], place + _FARTHEST)
    seen = False
    for position in range(place + 1, end):
        word = words[position].text
        follows = words[position + 1].text if position + 1 < end else ""
        listed = any(words[p].text in ("or", "nor") for p in range(position + 1, end))
        goes_on = (listed and follows not in _ANEW) or (
            word == "and" and follows not in _ANEW and position + 1 in starts
        )
        if seen and word in (",", "and") and not goes_on:
            return place + 1, position
        if seen and word in _VERBS:
            return place + 1, position
        seen = seen or position in starts
    return place + 1, end


def _afterwards(words: Sequence[Word], mention: Mention, ends: Sequence[int]) -> Mention:
    """Look at what the clause says after a mention."""
    end = min(ends[mention.end], mention.end + _FARTHEST)
    after = " ".join(word.text for word in words[mention.end : end])
    before = words[mention.start - 1].text if mention.start else ""
    if mention.term.type and (_NOT_SEEN.search(after) or before in _RESOLVED):
        return replace(mention, denied=True)
    if (mention.term.place or mention.term.side) and _NORMAL.search(after):
        return replace(mention, dropped=True)
    return mention


# ---------------------------------------------------------------- what is told beside

_HISTORY: Final = frozenset(
    (("history", "of"), ("hx", "of"), ("status", "post"), ("due", "to"), ("secondary", "to"),
     ("known", "primary"), ("prior", "left"), ("prior", "right"), ("compared", "to"),
     ("compared", "with"), ("similar", "to"), ("unlike", "the"), ("spares", "the"),
     ("sparing", "the"), ("sparing", "of"), ("s", "/"))
)  # fmt: skip
_BESIDE: Final = frozenset(
    ("near", "adjacent", "destroying", "replacing",
     "abutting", "abut", "beside", "above", "below", "beneath", "behind", "underneath",
     "compressing", "displacing", "encasing", "indenting", "invading", "toward", "towards",
     "contacting", "touching", "between", "surrounding", "overlying", "underlying", "bordering",
     "contiguous", "inseparable", "effacing", "narrowing", "obstructing", "compresses", "displaces",
     "abuts", "contacts", "invades", "encases", "indents", "displace", "invade", "contact")
)  # fmt: skip
_BESIDE_TO: Final = frozenset(
    ("adjacent", "next", "posterior", "anterior", "lateral", "medial", "inferior", "superior",
     "caudal", "cranial", "deep", "close", "anteriorly", "posteriorly", "laterally", "medially",
     "inferiorly", "superiorly", "extending", "extend", "proximal", "distal", "peripheral",
     "posterolateral", "anterolateral", "dorsal", "ventral", "superficial", "anteromedial",
     "posteromedial", "parallel", "attached")
)  # fmt: skip
_BESIDE_OF: Final = frozenset((("level", "of"), ("effect", "on"), ("junction", "with")))
_ADJOINED: Final = frozenset(("to", "into", "through", "towards", "toward", "from"))
_INTO: Final = frozenset(
    ("in", "within", "at", "involving", "arising", "from", "with", "measuring")
)
"""Where the landmark ends and the lesion's own place may begin."""


def _marked(words: Sequence[Word], found: list[Mention]) -> list[Mention]:
    """Mark history and landmarks."""
    marked: list[Mention] = []
    state, position, spread = "", 0, False
    for mention in found:
        for place in range(position, mention.start):
            state = _state(words, place, state)
            if spread and words[place].text == "from":
                state = "history"
        position = max(position, mention.end)
        is_place = bool(mention.term.place or mention.term.side or mention.site)
        beside_it = state == "beside" and words[mention.start - 1].text in ("the", "this")
        if state == "history" or (beside_it and mention.term.type):
            mention = replace(mention, dropped=True)
        elif state == "beside" and is_place:
            mention = replace(mention, landmark=True)
        if mention.term.type:
            spread = mention.term.type in ("metastasis", "implant")
            state = state if state == "history" else ""
        elif mention.term.attribute and _opens(words, mention) and not is_place:
            state = "beside"  # "posterior to the kidney": the attribute is a relation
            mention = replace(mention, dropped=True)
        marked.append(mention)
    return marked


def _opens(words: Sequence[Word], mention: Mention) -> bool:
    last = words[mention.end - 1].text
    follows = words[mention.end].text if mention.end < len(words) else ""
    return last in _BESIDE_TO and follows in _ADJOINED


def _state(words: Sequence[Word], place: int, state: str) -> str:
    """Give what the words up to and with `place` put a following mention in."""
    text = words[place].text
    follows = words[place + 1].text if place + 1 < len(words) else ""
    if text in CLAUSE_ENDS or text == ",":
        return ""
    if (text, follows) in _HISTORY:
        return "history"
    if (
        text in _BESIDE
        or (text, follows) in _BESIDE_OF
        or (text in _BESIDE_TO and follows in _ADJOINED)
    ):
        return "beside"
    if state == "beside" and text in _INTO and words[place - 1].text not in _BESIDE_TO:
        return ""
    if state == "history" and text in ("with", "now", "there", "is"):
        return ""
    return state
