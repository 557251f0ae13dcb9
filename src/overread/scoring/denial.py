"""Whether the words around a mention deny it: "not in the liver", "option A is wrong"."""

from __future__ import annotations

import re

__all__ = ["is_conditional", "is_denied", "is_hypothetical", "is_negated_before"]

_REACH = 160
"""Characters looked at on either side; a clause is rarely longer."""

_BOUNDARY = re.compile(r"[;,!?\n()]|[.:](?=\s|$)|\b(?:but|however|although|whereas|while)\b", re.I)
_SENTENCE_END = re.compile(r"[!?\n]|\.(?=\s|$)")
_BEFORE = re.compile(
    r"\b(?:not(?!\s+only\b)|no(?!\s+(?:doubt|question)\b)|non|never|neither|nor|without|cannot|"
    r"unlikely|rather\s+than|instead\s+of|except|exclud(?:e|es|ed|ing)|rul(?:e|es|ed|ing)\s+out|"
    r"absence\s+of|absent|den(?:y|ies)|against|incorrect|wrong|other\s+than|unlike|normal|"
    r"unremarkable|spare[sd]?|less\s+likely)\b|n't\b",
    re.I,
)
_AFTER = re.compile(
    r"\b(?:(?:not|n't)(?!\s+(?:normal|unremarkable|spared|wrong|incorrect|excluded|only)\b)|"
    r"(?<!not\s)(?:wrong|incorrect|unlikely|less\s+likely|excluded|ruled\s+out|normal|unremarkable|"
    r"spared|uninvolved|false))\b|n't\b(?!\s+(?:normal|unremarkable|spared|wrong|incorrect))"
    r"|^\s?[:\-–—]\s?no\b",
    re.I,
)
# "If I had to choose" supposes nothing about the picture.
_NOT_THE_SPEAKER = r"(?!\s(?:I|we|you|forced|asked|pressed|required|necessary|only|one)\b)"
_IF = re.compile(
    rf"\b(?:if{_NOT_THE_SPEAKER}|unless|(?:had|were)\s(?:it|the|this))\b",
    re.I,
)
_ONLY_IF = re.compile(rf"\bonly\s(?:if|when){_NOT_THE_SPEAKER}\b", re.I)
_CONDITION = re.compile(rf"\b(?:if|unless|only\swhen){_NOT_THE_SPEAKER}\b", re.I)
_CONDITION_BEHIND_COMMA = re.compile(
    rf"\s(?:but\s|and\s|though\s)?(?:only\s)?(?:if|unless){_NOT_THE_SPEAKER}\b", re.I
)
_NEXT_CLAUSE = re.compile(rf"{_BOUNDARY.pattern}|\b(?:because|since|as|and|or)\b", re.I)
_WOULD = re.compile(r"\b(?:would|could|might|should)\b|'d\b", re.I)


def is_negated_before(text: str, start: int) -> bool:
    """Whether the clause that leads up to `start` negates what begins there."""
    before = text[max(0, start - _REACH) : start]
    clause = 0
    for boundary in _BOUNDARY.finditer(before.rstrip(" (")):
        clause = boundary.end()
    return _BEFORE.search(before, clause) is not None


def is_denied(text: str, start: int, end: int) -> bool:
    """Whether the clause around ``text[start:end]`` denies it."""
    if is_negated_before(text, start):
        return True
    after = text[end : end + _REACH]
    boundary = _BOUNDARY.search(after, 1 if after.startswith(":") else 0)
    return _AFTER.search(after[: boundary.start()] if boundary else after) is not None


def is_hypothetical(text: str, start: int, end: int) -> bool:
    """Whether the sentence around ``text[start:end]`` only supposes.

    "If …, it would be C" does, and "C only if …" in the clause that goes on from `end`.
    """
    if _ONLY_IF.search(_clause_after(text, end)):
        return True
    before = text[max(0, start - _REACH) : start]
    sentence = 0
    for stop in _SENTENCE_END.finditer(before):
        sentence = stop.end()
    after = text[end : end + _REACH]
    stop = _SENTENCE_END.search(after)
    whole = before[sentence:] + text[start:end] + (after[: stop.start()] if stop else after)
    return _IF.search(whole) is not None and _WOULD.search(whole) is not None


def is_conditional(text: str, end: int) -> bool:
    """Whether what ends at `end` is bound to a condition: "… is the best choice only if …".

    "…, if I am not mistaken" is politeness, not a condition.
    """
    clause = _clause_after(text, end)
    after = end + len(clause)
    comma = text[after : after + 1] == ","
    return _CONDITION.search(clause) is not None or (
        comma and _CONDITION_BEHIND_COMMA.match(text, after + 1) is not None
    )


def _clause_after(text: str, end: int) -> str:
    """Give what is left of the clause at `end`."""
    after = text[end : end + _REACH]
    boundary = _NEXT_CLAUSE.search(after)
    return after[: boundary.start()] if boundary else after
