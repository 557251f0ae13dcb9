"""Where places are mentioned in an answer, and whether it denies, stresses or offers them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from overread.scoring.spatial.lexicon import MEANING, PLACES

__all__ = ["Mention", "mentions", "without_choices"]

_CLAUSE_END: Final = re.compile(
    r"[;!?\n]|[.,:](?=\s|$)|\b(?:but|however|although|whereas|while|though|instead|rather it)\b"
)
_NOT_BEFORE: Final = re.compile(
    r"\b(?:not(?! only\b)|no(?! (?:doubt|longer only)\b)|none|neither|nor|never|without|"
    r"except(?:ing)?|excluding|absen(?:t|ce)|rather than|instead of|other than|free of|spar(?:es|"
    r"ed|ing)|unlike|cannot)\b|n't\b"
)
_NOT_AFTER: Final = re.compile(
    r"^(?:(?! (?:left|right|upper|middle|lower|both)\b)[^;.,!?\n]){0,80}?(?:\b(?:is|are|was|were|"
    r"has been|have been|does|do|did)(?: not\b|n't\b)(?! only\b)|\b(?:not|"
    r"never) (?:\w+ )?(?:detected|observed|seen|identified|found|noted|present|involved|affected|"
    r"visible|visuali[sz]ed)\b|\b(?:is|are|was|were|appears?) (?:clear|spared|absent|"
    r"unremarkable|uninvolved|unaffected|normal|preserved)\b|\b(?:shows?|showed|showing|has|have|"
    r"had|contains?|with) no\b)"
)
_STRESS: Final = re.compile(
    r"\b(?:more|most|mostly|especially|particularly|predominant(?:ly)?|prominent(?:ly)?|mainly|"
    r"notably|primarily|dominant|weighted|larger|largest|greater|pronounced|marked(?:ly)?|"
    r"intense)\b"
)
_STRESS_AFTER: Final = re.compile(
    r"^(?: (?:lung|side|hemithorax|lobes?|kidney|pleural|effusion|is|are|was|being|shows?|has|"
    r"have|the|a))* (?:more|larger|largest|greater|predominan\w+|dominant|prominent|>)\b"
)
_AND_STRESS: Final = re.compile(r"\band (?:especially|particularly|most|mostly|more|also)\b")
_THAN: Final = re.compile(r"\b(?:than|compared (?:to|with)|versus|vs)\b")
_LIST: Final = re.compile(r",? ?(?:or|and|nor)?,? ?(?:the |in |on )*")
"""What parts the members of a list: "no right, left, or bilateral effusion"."""
_CHOICE: Final = re.compile(
    r"(?: (?:lungs?|lobes?|sides?|zones?))?(?:,? or |, )(?:(?:in|on|the|to) ){0,3}"
)
"""What parts the members of a choice: "in the left lung or in both"."""
_FAMILY: Final[Mapping[str, str]] = {"height-word": "height", "one": "side"}
"""Kinds whose words exclude those of another kind: "unilateral" says how many sides."""
_REACH = 120
_MOST = 400


@dataclass(frozen=True, slots=True, kw_only=True)
class Mention:
    """One word for a place in an answer."""

    kind: str
    """side, one, height, height-word, depth, centrality, segment, lobes."""
    value: str
    start: int
    end: int
    denied: bool
    """"not in the right", "the left is spared"."""
    stressed: bool
    """"more on the right": where there is more of what is also elsewhere."""
    compared: bool
    """Only the other side of a comparison: "larger than on the left"."""


def mentions(text: str, *, negative: bool = False) -> tuple[Mention, ...]:
    """List the places mentioned, in their order; of thousands the first 400.

    Parameters
    ----------
    text
        Lower-case words with single blanks (`reader` prepares them).
    negative
        Whether the question itself is one of absence ("which kidney is not seen?"): then "not"
        repeats the question and denies nothing.
    """
    found: list[Mention] = []
    for match in PLACES.finditer(text):
        found.append(_mention(text, match, found[-1] if found else None, negative=negative))
        if len(found) == _MOST:
            break
    return tuple(found)


def _mention(text: str, match: re.Match[str], last: Mention | None, *, negative: bool) -> Mention:
    kind, value = MEANING[str(match.lastgroup)]
    start, end = match.span()
    before = _clause_before(text, start)
    after = text[end : end + _REACH]
    listed = last is not None and _LIST.fullmatch(text, last.end, start) is not None
    denied = _NOT_BEFORE.search(before) is not None or _NOT_AFTER.search(after) is not None
    stressed = _STRESS.search(before) is not None and _AND_STRESS.search(before) is None
    return Mention(
        kind=kind,
        value=value,
        start=start,
        end=end,
        denied=not negative and (denied or (listed and last is not None and last.denied)),
        stressed=stressed or _STRESS_AFTER.search(after) is not None,
        compared=_THAN.search(before) is not None,
    )


def _clause_before(text: str, start: int) -> str:
    """Give what leads up to `start` in its clause."""
    before = text[max(0, start - _REACH) : start]
    begin = 0
    for end in _CLAUSE_END.finditer(before):
        begin = end.end()
    return before[begin:]


def without_choices(said: Sequence[Mention], text: str) -> list[Mention]:
    """Leave out places offered for choice: "left, right or both" repeats a question.

    Parameters
    ----------
    said
        Of `text`, in their order; none that is denied ("not in the left or right lung").
    text
        As for `mentions`.
    """
    kept: list[Mention] = []
    start = 0
    for place, last in enumerate(said):
        if place + 1 < len(said) and _leaves_a_choice(text, last, said[place + 1]):
            continue
        row = said[start : place + 1]
        is_choice = " or " in text[row[0].start : last.start]
        if not is_choice or len({each.value for each in row}) == 1:
            kept += row
        start = place + 1
    return kept


def _leaves_a_choice(text: str, one: Mention, other: Mention) -> bool:
    families = {_FAMILY.get(each.kind, each.kind) for each in (one, other)}
    return len(families) == 1 and _CHOICE.fullmatch(text, one.end, other.start) is not None
