"""Reads what a free report claims, sentence by sentence: no model, the same reading every time.

Time grows in proportion to the length, of which the first 20,000 characters count. Whatever the
text holds, reading ends without an exception.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from overread.scoring.claims.claim import Claim, ClaimReading, State, Tense
from overread.scoring.claims.lexicon import ClaimTerm, lexicon
from overread.scoring.claims.scope import Span, decide
from overread.scoring.claims.subjects import how_it_is
from overread.scoring.claims.surroundings import sides_of, tenses_of
from overread.scoring.facts.lexicon import lexicon as fact_lexicon
from overread.scoring.facts.words import Word, words_of
from overread.scoring.reply_text import normalise, plain, strip_thinking

__all__ = ["read_claims"]

_LONGEST: Final = 20_000
_LONGEST_SENTENCE: Final = 120
"""Words; what goes on longer is read in pieces."""
_SENTENCE: Final = re.compile(r"[\n;•]|[.!?](?=\s|$|[a-z])")
_DASHES: Final = re.compile(r"\s[‐-―−-]+\s|[‒-―]")
_HYPHENS: Final = re.compile(r"[‐‑−]")
_NORMAL: Final = re.compile(
    r"\bno (?:\w+ ){0,2}(?:cardiopulmonary|intrathoracic|chest|thoracic) (?:\w+ ){0,1}"
    r"(?:process|abnormality|disease|finding|pathology)|"
    r"\bnormal (?:frontal )?(?:chest|radiograph|study|examination|x ray|cxr)|"
    r"\b(?:chest|study|radiograph|examination|x ray|cxr|image) (?:is|appears?|are) (?:\w+ )?"
    r"(?:normal|unremarkable)|\bno (?:\w+ )?(?:abnormality|abnormal finding)\b"
)


_UNPAIRED: Final = frozenset(("Cardiomegaly", "Enlarged Cardiomediastinum", "Support Devices"))
"""Of the middle, or of no side of the patient."""


@lru_cache(maxsize=4096)
def read_claims(text: str | None) -> ClaimReading:
    """Read the claims of a report or of an answer.

    Parameters
    ----------
    text
        As people or models write it; any length, any content.

    Returns
    -------
    ClaimReading
        Never raises.

    Examples
    --------
    >>> read_claims("No pleural effusion or pneumothorax. Possible edema.").states
    {'Pleural Effusion': 'denied', 'Pneumothorax': 'denied', 'Edema': 'hedged'}
    >>> [(c.finding, sorted(c.sides)) for c in read_claims("Small left effusion.").claims]
    [('Pleural Effusion', ['left'])]
    """
    told, _ = strip_thinking(normalise((text or "")[: 10 * _LONGEST]))
    prepared = _HYPHENS.sub("-", _DASHES.sub(" : ", plain(told)[:_LONGEST].lower()))
    if not any(character.isalnum() for character in prepared):
        return ClaimReading(text=prepared, unreadable="empty")
    if (foreign := _foreign(prepared)) is not None:
        return ClaimReading(text=prepared, unreadable=foreign)
    claims: list[Claim] = []
    says_normal = False
    begin = 0
    for stop in (*(match.start() for match in _SENTENCE.finditer(prepared)), len(prepared)):
        whole = words_of(prepared[begin:stop])
        for first in range(0, len(whole), _LONGEST_SENTENCE):
            words = whole[first : first + _LONGEST_SENTENCE]
            claims += _sentence(words, begin)
            joined = " ".join(word.text for word in words)
            says_normal = says_normal or _NORMAL.search(joined) is not None
        begin = stop + 1
    unreadable = None
    if not claims and not says_normal:
        unreadable = "names no finding"
    return ClaimReading(
        text=prepared, claims=tuple(claims), says_normal=says_normal, unreadable=unreadable
    )


def _foreign(text: str) -> str | None:
    """Say what language a text seems to be in where that is not English."""
    letters = [character for character in text if character.isalpha()]
    if letters and sum(each.isascii() for each in letters) < len(letters) / 2:
        return "not in English (another script)"
    said = [word.text for word in words_of(text)]
    known = fact_lexicon().languages
    counts = {name: sum(word in own for word in said) for name, own in known.items()}
    name, count = max(counts.items(), key=lambda pair: pair[1], default=("", 0))
    return f"not in English ({name}?)" if count > 1 and 4 * count > len(said) else None


def _sentence(words: Sequence[Word], offset: int) -> list[Claim]:
    """Read the claims of one sentence; its words lie at `offset` in the text."""
    terms = _terms(words)
    is_elsewhere = any(term.has("elsewhere") for term, _ in terms)
    is_here = any(term.has("here") for term, _ in terms)
    told = [
        (term, span)
        for term, span in terms
        if term.findings("finding")
        or term.findings("subject")
        or (term.findings("general") and (is_here or not is_elsewhere))
    ]
    mentioned = [
        span for term, span in told if term.findings("finding") or term.findings("general")
    ]
    claims: list[Claim] = []
    for term, span in told:
        for finding, state, rule in _states(words, term, span, mentioned):
            claims.append(
                Claim(
                    finding=finding,
                    state=state,
                    sides=(
                        frozenset() if finding in _UNPAIRED else sides_of(words, span, mentioned)
                    ),
                    tenses=_tenses(words, span, mentioned, rule),
                    start=offset + words[span.start].start,
                    end=offset + words[span.end - 1].end,
                    rule=rule,
                )
            )
    return claims


def _states(
    words: Sequence[Word], term: ClaimTerm, span: Span, mentioned: Sequence[Span]
) -> list[tuple[str, State, str]]:
    named = (*term.findings("finding"), *term.findings("general"))
    if named:
        state, rule = decide(words, span, mentioned)
        return [(finding, state, rule) for finding in dict.fromkeys(named)]
    found = how_it_is(words, span, term.findings("subject"), mentioned)
    if found is None:
        return []
    findings, state, rule = found
    return [(finding, state, rule) for finding in findings]


def _tenses(
    words: Sequence[Word], span: Span, mentioned: Sequence[Span], rule: str
) -> frozenset[Tense]:
    resolved: frozenset[Tense] = frozenset(("resolved",) if _GONE.search(rule) else ())
    return tenses_of(words, span, mentioned) | resolved


_GONE: Final = re.compile(r"resol|cleared|disappear")


def _terms(words: Sequence[Word]) -> list[tuple[ClaimTerm, Span]]:
    """Find the rows of words of a sentence from left to right, the longest first."""
    known = lexicon()
    found: list[tuple[ClaimTerm, Span]] = []
    place = 0
    while place < len(words):
        match = known.longest(words, place)
        if match is None:
            place += 1
            continue
        found.append((match[0], Span(start=place, end=match[1])))
        place = match[1]
    return found
