"""Which side a finding is said to be on, and how it stands to an earlier picture."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from overread.scoring.claims.claim import Tense
from overread.scoring.claims.scope import Span, clause_of
from overread.scoring.facts.words import Word

__all__ = ["sides_of", "tenses_of"]

_BOTH: Final = frozenset(("left", "right"))
_SIDES: Final[Mapping[str, frozenset[str]]] = {
    "left": frozenset(("left",)),
    "right": frozenset(("right",)),
    "lingula": frozenset(("left",)),
    "lingular": frozenset(("left",)),
    "bilateral": _BOTH,
    "bilaterally": _BOTH,
    "both": _BOTH,
    "bibasilar": _BOTH,
    "bibasal": _BOTH,
    "biapical": _BOTH,
    "bilaterial": _BOTH,
}
_NOT_A_PLACE: Final = frozenset(("heart", "ventricle", "ventricular", "atrium", "atrial", "hilum"))
_TURNS: Final = frozenset((",", "and", "with", "or"))
_TENSES: Final[Mapping[str, Tense]] = {
    "new": "new",
    "newly": "new",
    "developed": "new",
    "unchanged": "unchanged",
    "stable": "unchanged",
    "persistent": "unchanged",
    "persists": "unchanged",
    "again": "unchanged",
    "worsened": "worse",
    "worsening": "worse",
    "increasing": "worse",
    "progressed": "worse",
    "improved": "better",
    "improving": "better",
    "decreasing": "better",
    "resolving": "better",
}
_PAST: Final = (
    ("history", "of"), ("hx", "of"), ("h", "/", "o"), ("status", "post"), ("s", "/", "p"),
    ("previous",), ("previously",), ("prior",),
)  # fmt: skip
_SEEN_BEFORE: Final = ("seen", "noted", "described", "identified", "reported", "demonstrated")
_FARTHEST: Final = 12
_FARTHEST_LAST: Final = 30
"""Words behind a mention that are looked at; more behind the last one of a clause."""


def sides_of(words: Sequence[Word], span: Span, spans: Sequence[Span]) -> frozenset[str]:
    """Give left, right or both as a clause tells them of a mention; empty where it does not.

    What stands next to the mention is its own: back to the last comma or "and", forward to the next
    mention. Only where that tells no side does what leads up to it, or the side of the mention
    before it ("left effusion and atelectasis").
    """
    own = _own(words, span, spans)
    if own:
        return own
    begin, end = clause_of(words, span)
    following = next((each for each in spans if each.start == span.end < end), None)
    if following is not None and (near := _own(words, following, spans)):
        return near  # "pleuroparenchymal atelectasis on the left": one thing of two names
    previous = [each for each in spans if begin <= each.start and each.end <= span.start]
    for place in range(len(previous) - 1, max(len(previous) - 4, -1), -1):
        if earlier := _own(words, previous[place], previous[: place + 1]):
            return earlier
    if told := _told(words, begin, span.end):
        return told
    # "infiltration accompanied by atelectasis in the right lung": the place at the end is of both.
    later = [each for each in spans if span.end <= each.start and each.end <= end][:3]
    for each in later:
        if behind := _own(words, each, spans):
            return behind
    return frozenset()


def _own(words: Sequence[Word], span: Span, spans: Sequence[Span]) -> frozenset[str]:
    """Give the sides that stand next to a mention."""
    begin, end = clause_of(words, span)
    before = max((each.end for each in spans if each.end <= span.start), default=begin)
    after = min((each.start for each in spans if each.start >= span.end), default=end)
    start = max(begin, before)
    turns = [place for place in range(start, span.start) if words[place].text in _TURNS]
    turn = turns[-1] if turns else start
    if turns and _is_side(words, turn - 1) and _is_side(words, turn + 1):
        turn -= 1  # "left and right effusions"
    stop = min(after, end, span.end + (_FARTHEST_LAST if after >= end else _FARTHEST))
    return _told(words, turn, span.end) | _behind(words, span.end, stop, is_last=after >= end)


def _is_side(words: Sequence[Word], place: int) -> bool:
    return 0 <= place < len(words) and words[place].text in ("left", "right")


def _behind(words: Sequence[Word], start: int, stop: int, *, is_last: bool) -> frozenset[str]:
    """Give the side behind a mention; what leads to the next mention is the next one's."""
    if not is_last:
        turns = [p for p in range(start, stop) if words[p].text in (*_TURNS, "is")]
        stop = turns[0] if turns and words[turns[0]].text != "is" else stop
        if not turns and not any(w in ("in", "at", "of", "on") for w in _texts(words, start, stop)):
            return frozenset()
    return _told(words, start, stop)


def _told(words: Sequence[Word], start: int, stop: int) -> frozenset[str]:
    found: set[str] = set()
    for place in range(start, stop):
        text = words[place].text
        follows = words[place + 1].text if place + 1 < len(words) else ""
        if text in _SIDES and follows not in _NOT_A_PLACE:
            found |= _SIDES[text]
    return frozenset(found)


def _texts(words: Sequence[Word], start: int, stop: int) -> list[str]:
    return [word.text for word in words[start:stop]]


def tenses_of(words: Sequence[Word], span: Span, spans: Sequence[Span]) -> frozenset[Tense]:
    """Give how a mention stands to an earlier picture, as its clause tells."""
    begin, end = clause_of(words, span)
    last = max((each.end for each in spans if each.end <= span.start), default=begin)
    start = max(begin, span.start - _FARTHEST)
    stop = min((each.start for each in spans if each.start >= span.end), default=end)
    stop = min(stop, end, span.end + _FARTHEST)
    near = range(max(start, last), stop)
    found: set[Tense] = {_TENSES[words[p].text] for p in near if words[p].text in _TENSES}
    for place in range(start, span.start):
        for cue in _PAST:
            if tuple(_texts(words, place, place + len(cue))) != cue:
                continue
            follows = words[place + len(cue)].text if place + len(cue) < len(words) else ""
            if cue[0] in ("previous", "previously", "prior") and follows in _SEEN_BEFORE:
                found.add("unchanged")
            elif not {",", "now"} & set(_texts(words, place, span.start)) and place >= start:
                found.add("past")
    return frozenset(found)
