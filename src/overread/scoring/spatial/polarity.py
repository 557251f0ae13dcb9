"""Whether an answer says yes or no to its question, with or without these words."""

from __future__ import annotations

import re
from typing import Final, Literal, TypeAlias

__all__ = ["Polarity", "polarity"]

Polarity: TypeAlias = Literal["yes", "no"] | None
"""None where neither can be read."""

_YES: Final = re.compile(
    r"\W*(?:yes[a-z]{0,5}|yeah|yep|true|correct|affirmative|present|positive)\b"
)
"""Weak models run on without a blank: "yesThis"."""
_NO: Final = re.compile(
    r"\W*(?:no(?![dnrstvw])[a-z]{0,2}|no(?:are|there|the|this)|nope|none|false|negative)\b"
)
_NO_DOUBT: Final = re.compile(r"\W*no (?:doubt|question|longer)\b")
_UNKNOWN: Final = re.compile(
    r"\W*(?:no ct image\b|unclear|unknown|uncertain|indeterminate|not (?:sure|clear|"
    r"known|applicable)|n/a|maybe|"
    r"possibly$|cannot (?:be )?(?:determine|tell|say|assess))"
)
_NEGATION: Final = re.compile(
    r"\b(?:not(?! only\b)|no(?! doubt\b)|none|neither|nor|never|absent|absence of|free of|"
    r"negative for|unable to identify|lack(?:s|ing)? (?:of)?|fail(?:s|ed)? to)\b|n't\b"
)
_ABNORMAL: Final = (
    r"(?:abnormal\w*|patholog\w*|narrow\w*|stenos\w*|obstruct\w*|occlu\w*|reduc\w*|decreas\w*|"
    r"loss|lost|collaps\w*|deform\w*|enlarg\w*|dilat\w*|widen\w*|increas\w*|asymmetr\w*|"
    r"irregular\w*|closed|blocked|diseas\w*|degenerat\w*|scolio\w*|displac\w*|deviat\w*)"
)
_NORMAL: Final = (
    r"(?:normal|natural|unremarkable|preserved|open|patent|clear|symmetric\w*|intact|maintained|"
    r"usual|within (?:the )?(?:normal )?limits|midline|healthy|regular)"
)
_ASKS_NORMAL: Final = re.compile(rf"\b{_NORMAL}\b")
_ASKS_ABNORMAL: Final = re.compile(rf"\b{_ABNORMAL}\b")
_SAYS_NORMAL: Final = re.compile(rf"\b{_NORMAL}\b")
_SAYS_ABNORMAL: Final = re.compile(rf"\b(?:{_ABNORMAL})\b")
_NO_ABNORMAL: Final = re.compile(
    rf"\b(?:no|without|not|free of)\b(?: \w+){{0,4}}? (?:{_ABNORMAL}|change\w*|finding\w*|"
    rf"lesion\w*|"
    r"patholog\w*|significant|evidence)\b|\bnot? (?:abnormal|narrowed|enlarged|occluded|dilated|"
    r"reduced)\b"
)
_SENTENCE: Final = re.compile(r"(?<=[a-z)])[.;!?](?=\s|$)|\n")
_ASKS_ANY: Final = re.compile(r"\b(?:any|there|either)\b")
_SIDES: Final = re.compile(r"\b(left|right|both|bilateral(?:ly)?)\b")
_HEIGHTS: Final = re.compile(r"\b(upper|middle|lower)(?=[ -](?:\w+ )?(?:lobes?|zones?|lung))")
_DENIED: Final = re.compile(r"\b(?:not|no)((?: \w+){1,3})")
_WHOLLY: Final = re.compile(r"\b(?:fully|completely|entirely|wholly)\b")
_PARTLY: Final = re.compile(r"\b(?:partial\w*|partly|incomplete\w*|suboptimal\w*)\b")
_CONTRAST: Final = re.compile(
    r"\b(?:but|however|although|whereas|while|with no|without)\b|;|, no\b"
)
_EXISTS: Final = re.compile(
    r"\bthere (?:is|are|was|were)\b|\b(?:is|are|was|were|has been|have been) (?:\w+ )?(?:seen|"
    r"observed|detected|identified|noted|present|found|visible|demonstrated|evident)\b|"
    r"\bshows?\b|\bpresent\b"
)
_PLACE: Final = re.compile(
    r"\b(?:left|right|both|bilateral(?:ly)?|unilateral|upper|lower|middle|lobes?|lungs?|apical|"
    r"basal|segments?|anterior|posterior|medial|lateral|central\w*|periph\w+|subpleural|hilar|"
    r"mediastin\w+)\b"
)
_WORD: Final = re.compile(r"[a-z]{4,}")
_IDLE: Final = frozenset(
    """
    there this that these those with within from have been were does which where such any other
    observed detected seen identified noted present found evidence mentioned sections section
    described located area areas region regions level levels side sides lung lungs right left
    both upper lower image scan findings report specific part parts
    """.split()  # noqa: SIM905  a list of sixty words reads better as words
)
"""Words of a question whose return in an answer tells nothing."""


def polarity(words: str, question: str) -> Polarity:
    """Read yes or no in an answer.

    Parameters
    ----------
    words
        The answer as `reader.answer_words` prepares it.
    question
        What was asked; of a question that asks for no yes or no, only these words are looked for.

    Examples
    --------
    >>> polarity("no enlarged nodes were detected", "Are there any enlarged nodes?")
    'no'
    >>> polarity("the trachea is open", "Is the trachea open?")
    'yes'
    >>> polarity("no abnormality", "Are the heights normal?")
    'yes'
    """
    asks = question.lower()
    if _UNKNOWN.match(words):
        return None
    asks_normal = _ASKS_NORMAL.search(asks) is not None and not _ASKS_ABNORMAL.search(asks)
    if _YES.match(words):
        return "yes"
    first = _SENTENCE.split(words, maxsplit=1)[0]
    if asks_normal and _NO_ABNORMAL.search(first):
        return "yes"
    if _NO.match(words) and not _NO_DOUBT.match(words):
        return "no"
    if not asks:
        return None
    if asks_normal:
        return _of_normal(first)
    return _of_finding(first, asks)


def _of_normal(first: str) -> Polarity:
    """Read the answer to "is it normal?"."""
    if _SAYS_NORMAL.search(first):
        return "no" if _NEGATION.search(first) else "yes"
    if _SAYS_ABNORMAL.search(first):
        return "no"
    return None


def _of_finding(first: str, asks: str) -> Polarity:
    """Read the answer to "is there any …?", "is it in the left lung?"."""
    if _WHOLLY.search(asks) and _PARTLY.search(first):
        return "no"
    if _NEGATION.search(_CONTRAST.split(first, maxsplit=1)[0]) or _denies(first, asks):
        return "no"
    if _SAYS_NORMAL.search(first) and not _ASKS_NORMAL.search(asks):
        return "no"
    elsewhere = _elsewhere(first, asks, _SIDES) or _elsewhere(first, asks, _HEIGHTS)
    if elsewhere:
        return "no"
    content = set(_WORD.findall(asks)) - _IDLE
    said = set(_WORD.findall(first)) - _IDLE
    stems = {word[:6] for word in content} & {word[:6] for word in said}
    if stems or _EXISTS.search(first) or _PLACE.search(first):
        return "yes"
    return None


def _denies(first: str, asks: str) -> bool:
    """Whether a word of the question is denied later on: "…, but no involvement"."""
    denied = {word[:6] for match in _DENIED.finditer(first) for word in match[1].split()}
    return bool(denied & {word[:6] for word in _WORD.findall(asks) if word not in _IDLE})


def _elsewhere(first: str, asks: str, words: re.Pattern[str]) -> bool:
    """Whether the answer names only the other side, or only other lobes, than the question."""
    asked_for = {_same(word) for word in words.findall(asks)}
    told = {_same(word) for word in words.findall(first)}
    if not asked_for or not told or "both" in told:
        return False
    if asked_for == {"both"}:
        return words is _SIDES and len(told) == 1 and not _ASKS_ANY.search(asks)
    return not asked_for & told and "both" not in asked_for


def _same(word: str) -> str:
    return "both" if word.startswith("bilateral") else word
