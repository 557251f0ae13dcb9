"""What the words around a mention say: that it is denied, history, or only a landmark."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from overread.scoring.facts.mention import Mention
from overread.scoring.facts.words import Word

__all__ = ["denied", "told_beside"]

CLAUSE_ENDS: Final = frozenset(".;:!?") | frozenset(
    ("but", "however", "although", "though", "while", "whereas", "otherwise")
)
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
_BUT: Final = r"(?! (?:apart|except|other|aside|save|but)\b)"
_NORMAL_AT_ONCE: Final = re.compile(
    r"(?:(?!(?:with|without|and|or|in|of|by|from|near|has|have|shows?|an?|the)\b)\w+ ){0,2}?"
    rf"(?:spared|normal|clear|unremarkable|intact|uninvolved)\b{_BUT}"
)
_SUFFERS: Final = re.compile(
    r"\b(?:is|are) (?:\w+ )?(?:displaced|compressed|invaded|encased|effaced|obstructed|narrowed|"
    r"surrounded|abutted|indented|contacted)\b"
)
"""Of an organ before it: the lesion is beside."""
_NORMAL: Final = re.compile(
    r"\b(?:is|are|appear|appears|look|looks|remain|remains)(?: \w+){0,1} (?:clear|normal|"
    rf"unremarkable|spared|preserved|intact|uninvolved)\b{_BUT}"
)
_RESOLVED: Final = frozenset(("resolved",))


def denied(words: Sequence[Word], found: list[Mention]) -> list[Mention]:
    """Mark what a "no" before it reaches, and types said not to be seen after them."""
    marked = {mention.start: mention for mention in found}
    starts = frozenset(marked)
    ends = _ends(words)
    for place in range(len(words)):
        reach = _reach(words, place, starts, ends)
        if not reach:
            continue
        inside = [each for each in found if reach[0] <= each.start < reach[1]]
        but = _exception(words, inside, reach)
        if but is not None:
            for mention in inside:
                if mention.start < but and (mention.term.type or mention.term.attribute):
                    marked[mention.start] = replace(marked[mention.start], dropped=True)
            continue
        has_type = any(each.term.type for each in inside)
        for mention in inside:
            is_place = bool(mention.term.place or mention.term.side or mention.site)
            marked[mention.start] = replace(
                marked[mention.start], denied=True, dropped=is_place and not has_type
            )
    result = [marked[mention.start] for mention in found if mention.start in marked]
    types = [mention for mention in result if mention.term.type]
    return [_afterwards(words, mention, ends, types) for mention in result]


def _exception(
    words: Sequence[Word], inside: Sequence[Mention], reach: tuple[int, int]
) -> int | None:
    """Find where what a "no" reaches turns to a lesion that is there: "no mass except a cyst"."""
    last = max((each.start for each in inside if each.term.type), default=0)
    for place in range(reach[0], last):
        follows = words[place + 1].text if place + 1 < len(words) else ""
        if words[place].text in _EXCEPT or (words[place].text, follows) in _EXCEPT_FOR:
            return place
    return None


_EXCEPT: Final = frozenset(("except", "beside", "excepting"))
_EXCEPT_FOR: Final = frozenset(
    (("other", "than"), ("apart", "from"), ("aside", "from"), ("save", "for"))
)


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


def _afterwards(
    words: Sequence[Word], mention: Mention, ends: Sequence[int], types: Sequence[Mention]
) -> Mention:
    """Look at what the clause says after a mention."""
    end = min(ends[mention.end], mention.end + _FARTHEST)
    after = " ".join(word.text for word in words[mention.end : end])
    before = words[mention.start - 1].text if mention.start else ""
    if mention.term.type and (_NOT_SEEN.search(after) or before in _RESOLVED):
        return replace(mention, denied=True)
    if mention.term.place or mention.term.side:
        following = next((each.start for each in types if each.start >= mention.end), end)
        until = " ".join(word.text for word in words[mention.end : min(end, following)])
        normal = _NORMAL.search(until) or _NORMAL_AT_ONCE.match(until)
        if (normal and not _is_where(words, mention, types)) or _is_normal(words, mention):
            return replace(mention, dropped=True)
        if mention.term.side and _is_of_image(words, mention):
            return replace(mention, dropped=True)
        if _SUFFERS.search(after):
            return replace(mention, landmark=True)
    return mention


def _is_normal(words: Sequence[Word], mention: Mention) -> bool:
    """Whether it is called normal up front: "normal left kidney, …"."""
    before: list[str] = []
    for word in reversed(words[max(0, mention.start - 3) : mention.start]):
        if word.text in _PAUSES:
            break
        before.append(word.text)
    n = 2 if mention.term.side else 1
    follows = [word.text for word in words[mention.end : mention.end + n]]
    ends = len(follows) < n or bool(_PAUSES & set(follows))
    return ends and bool({"normal", "unremarkable"} & set(before))


def _is_where(words: Sequence[Word], mention: Mention, types: Sequence[Mention]) -> bool:
    """Whether a type before it is in it: "cyst in the left kidney, the right one is normal"."""
    last = next((each for each in reversed(types) if each.end <= mention.start), None)
    if last is None:
        return False
    between = [word.text for word in words[last.end : mention.start]]
    at = next((place for place, text in enumerate(between) if text in _WHERE), None)
    return at is not None and not (_PAUSES | CLAUSE_ENDS) & set(between[at:])


_WHERE: Final = frozenset(("in", "within", "of", "at", "on", "involving", "from"))
_IMAGE: Final = r"(?:image|picture|screen|slice|scan|view|frame|figure|photo|photograph|viewer)"
_OF_IMAGE: Final = re.compile(
    rf"(?:(?:hand )?(?:side|half|part|portion|aspect|edge|border|third) )?(?:of|in|on) "
    rf"(?:the |this )?(?:(?:ct|axial|displayed|provided|given) ){{0,2}}{_IMAGE}\b"
)
_IMAGE_S: Final = re.compile(rf"\b(?:{_IMAGE}|reader|observer)(?: ' s| ')?$")


def _is_of_image(words: Sequence[Word], mention: Mention) -> bool:
    """Whether a side is the picture's, on which the patient's right may lie left."""
    after = " ".join(word.text for word in words[mention.end : mention.end + 8])
    before = " ".join(word.text for word in words[max(0, mention.start - 3) : mention.start])
    return _OF_IMAGE.match(after) is not None or _IMAGE_S.search(before) is not None


_PAUSES: Final = frozenset(",.;") | frozenset(("and", "with", "but"))


# ---------------------------------------------------------------- what is told beside

_APART: Final = frozenset(("history", "from"))
"""States in which nothing is said about the lesion at hand."""
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


def told_beside(words: Sequence[Word], found: list[Mention]) -> list[Mention]:
    """Mark history and landmarks."""
    marked: list[Mention] = []
    state, position, spread = "", 0, False
    for mention in found:
        for place in range(position, mention.start):
            state = _state(words, place, state)
            if _moved(words, place) and any(each.term.place or each.term.side for each in marked):
                state = "history"
            if spread and words[place].text == "from":
                state = "from"
        position = max(position, mention.end)
        is_place = bool(mention.term.place or mention.term.side or mention.site)
        beside_it = state == "beside" and words[mention.start - 1].text in ("the", "this")
        if state in _APART or (beside_it and mention.term.type):
            mention = replace(mention, dropped=True)
        elif state == "beside" and is_place:
            mention = replace(mention, landmark=True)
        if mention.term.type:
            spread = mention.term.type in ("metastasis", "implant")
            state = state if state in _APART else ""
        elif mention.term.attribute and _opens(words, mention) and not is_place:
            state = "beside"  # "posterior to the kidney": the attribute is a relation
            mention = replace(mention, dropped=True)
        marked.append(mention)
    return marked


def _moved(words: Sequence[Word], place: int) -> bool:
    """Whether an earlier place follows: "in the left lung, previously seen in the right lung"."""
    after = {word.text for word in words[place + 1 : place + 3]}
    return words[place].text in ("previously", "formerly", "earlier") and bool(
        after & {"in", "within", "at", "on"}
    )


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
    if state == "from" and text in ("in", "within", "to", "involving"):
        return ""  # "from breast cancer in the left femur"
    if state == "history" and text in ("with", "now", "there", "is"):
        return ""
    return state
