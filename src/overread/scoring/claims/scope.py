"""What the words around a finding make of it: denied, hedged, or stated.

The idea is that of NegEx (Chapman et al. 2001, doi:10.1006/jbin.2001.1029): words before a finding
reach forward to the end of their clause or list, words behind it reach back. Reports differ from
the single sentences of `scoring.facts.scope`: they list findings without "or", hedge half of what
they say, and one sentence may state a finding and deny another behind it. Places in a sentence are
places in its list of words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from overread.scoring.claims.claim import State
from overread.scoring.facts.words import Word

__all__ = ["Span", "clause_of", "decide"]

_ENDS: Final = frozenset(".;:!?") | frozenset(
    ("but", "however", "although", "though", "while", "whereas", "otherwise", "except")
)
_FARTHEST: Final = 30
"""Words that a denial or a hedge reaches at most."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """Where a mention stands: its first word and the place after its last."""

    start: int
    end: int


# ---------------------------------------------------------------- what reaches forward

_DENIES: Final[tuple[tuple[str, ...], ...]] = (
    ("no",), ("without",), ("not",), ("neither",), ("nor",), ("never",), ("none",), ("lack",),
    ("lacks",), ("lacking",), ("absent",), ("denies",), ("negative", "for"), ("free", "of"),
    ("absence", "of"), ("clear", "of"), ("devoid", "of"), ("resolved",), ("resolution", "of"),
    ("clearing", "of"), ("rather", "than"), ("unlikely",), ("instead", "of"), ("excludes",),
    ("excluding",),
    ("rules", "out"), ("ruled", "out"), ("against",),
)  # fmt: skip
_HEDGES: Final[tuple[tuple[str, ...], ...]] = (
    ("possible",), ("possibly",), ("probable",), ("probably",), ("likely",), ("may",), ("might",),
    ("could",), ("perhaps",), ("suggest",), ("suggests",), ("suggesting",), ("suggested",),
    ("suggestive",), ("suspicious",), ("suspicion",), ("suspected",), ("suspect",), ("concern",),
    ("concerning",), ("concerned",), ("questionable",), ("question",), ("questioned",),
    ("equivocal",), ("potential",), ("potentially",), ("presumed",), ("presumably",),
    ("versus",), ("vs",), ("differential",), ("borderline",), ("rule", "out"), ("evaluate", "for"),
    ("worrisome",), ("favor",), ("favored",), ("favors",), ("or", "early"), ("if",), ("whether",),
    ("would",), ("can", "be", "seen", "in"), ("can", "be", "seen", "with"), ("consider",),
    ("considered",), ("appearance", "of"), ("raise",), ("raises",), ("raising",),
    ("indeterminate",),
    ("uncertain",), ("unclear",), ("evocative",),
)  # fmt: skip
_OPENS: Final = re.compile(
    r"\b(?:can not|could not|not|difficult to|cannot|can't|impossible to)(?: \w+){0,2}? "
    r"(?:exclude|rule out|excluded|ruled out)\b"
)
"""Before a finding it leaves it open: "cannot exclude", "does not entirely exclude"."""
_NO_DENIAL: Final = re.compile(
    r"(?:no|not|without)(?: \w+){0,3}? (?:change|changed|increase|increased|decrease|decreased|"
    r"worsening|worsened|improvement|improved|progression|resolved|difference|longer than|doubt|"
    r"only|question|completely|fully|entirely|well|optimally|larger|appreciably|significantly "
    r"different|limited to|exclude|excluded)\b"
)
"""A "no" that denies a change, or that says how well something is seen."""
_PLAIN_LIST: Final = frozenset(
    ("a", "an", "the", "there", "is", "are", "with", "has", "have", "it", "its", "this", "was",
     "were", "stable", "unchanged", "mild", "mildly", "moderate", "moderately", "severe",
     "small", "trace",
     "minimal", "minor", "slight", "left", "right", "bilateral", "persistent", "increased",
     "increasing", "new", "interval", "patchy", "bibasilar", "basilar", "low", "linear",
     "prominent",
     "chronic", "old", "likely", "possible", "probable", "some", "few", "multiple", "several",
     "heart", "lung", "only")
)  # fmt: skip
"""Behind a comma or an "and": something new begins, unless an "or" still follows."""
_ANEW: Final = frozenset(
    ("a", "an", "the", "there", "is", "are", "with", "has", "have", "it", "its", "this", "stable",
     "unchanged", "also")
)  # fmt: skip
_LIKE: Final = frozenset(("compatible", "consistent", "associated", "commensurate"))
_VERBS: Final = frozenset(
    ("which", "that", "with", "is", "are", "was", "were", "has", "have", "shows", "show", "seen",
     "measuring", "causing", "due", "secondary", "associated")
)  # fmt: skip


def _by_first(cues: Sequence[tuple[str, ...]]) -> Mapping[str, Sequence[tuple[str, ...]]]:
    return {first: [cue for cue in cues if cue[0] == first] for first in {c[0] for c in cues}}


_DENIALS: Final = _by_first(_DENIES)
_DOUBTS: Final = _by_first(_HEDGES)


def clause_of(words: Sequence[Word], span: Span) -> tuple[int, int]:
    """Give the places where the clause around a mention begins and ends."""
    start, end = span.start, span.end
    while start > 0 and words[start - 1].text not in _ENDS:
        start -= 1
    while end < len(words) and words[end].text not in _ENDS:
        end += 1
    return start, end


def decide(words: Sequence[Word], span: Span, spans: Sequence[Span]) -> tuple[State, str]:
    """Say whether a sentence states, hedges or denies a mention, and by which words.

    Parameters
    ----------
    words
        Of one sentence.
    span
        The mention.
    spans
        All mentions of the sentence, in their order.
    """
    begin, end = clause_of(words, span)
    before = " ".join(word.text for word in words[max(begin, span.start - _FARTHEST) : span.start])
    after = _after(words, span, spans, end)
    if (found := _OPENS.search(before)) and not _BROKEN.search(before[found.end() :]):
        return "hedged", found[0]
    if found := _LEFT_OPEN.search(after):
        return "hedged", found[0].strip()
    if (rule := _reaching(words, begin, span, spans, _DENIALS, is_denial=True)) is not None:
        return "denied", rule
    if found := _ANSWERED_NO.match(after):
        return "denied", found[0].strip()
    if found := _NOT_SEEN.search(after):
        return "denied", found[0].strip()
    if found := _HEDGED_BEHIND.search(after):
        return "hedged", found[0].strip()
    if (rule := _reaching(words, begin, span, spans, _DOUBTS, is_denial=False)) is not None:
        return "hedged", rule
    return "asserted", "stated"


_BROKEN: Final = re.compile(r"\band (?:there|a|the|is|are)\b|, (?:there|and there)\b")


def _reaching(
    words: Sequence[Word],
    begin: int,
    span: Span,
    spans: Sequence[Span],
    cues: Mapping[str, Sequence[tuple[str, ...]]],
    *,
    is_denial: bool,
) -> str | None:
    """Give the words before a mention that reach it; the nearest that do."""
    starts = {each.start for each in spans}
    inside = {place for each in spans for place in range(each.start, each.end)}
    for place in range(span.start - 1, max(begin, span.start - _FARTHEST) - 1, -1):
        named = cues.get(words[place].text, ())
        cue = next((c for c in named if _is(words, place, c)), None) if named else None
        if cue is None or (place in inside and cue != ("no",)):
            continue
        if is_denial and _is_no_denial(words, place):
            continue
        if _arrives(words, place + len(cue), span.start, starts, is_denial=is_denial):
            return " ".join(cue)
    return None


def _is(words: Sequence[Word], place: int, cue: tuple[str, ...]) -> bool:
    return all(
        place + n < len(words) and words[place + n].text == text for n, text in enumerate(cue)
    )


def _is_no_denial(words: Sequence[Word], place: int) -> bool:
    ahead = " ".join(word.text for word in words[place : place + 6])
    found = _NO_DENIAL.match(ahead)
    if not found:
        return False
    # "no change" in something that is there; "no mass, no increase" denies the mass.
    return not (_NEW_START.search(found[0]))


_NEW_START: Final = re.compile(r" (?:or|and|effusion|pneumothorax|consolidation|opacity) ")


def _arrives(
    words: Sequence[Word], start: int, target: int, starts: set[int], *, is_denial: bool
) -> bool:
    """Whether nothing between a cue and a mention ends what the cue is about."""
    seen = False
    for place in range(start, target):
        text = words[place].text
        follows = words[place + 1].text if place + 1 < len(words) else ""
        if text in _ENDS or text == ")":
            return False
        seen = seen or place in starts
        if text in (",", "and") and follows not in ("or", "nor"):
            listed = any(words[p].text in ("or", "nor") for p in _rest(words, place))
            stops = _ANEW if (listed or not seen) else _PLAIN_LIST
            if follows in stops and (seen or follows in _ANEW):
                return False
            if text == "," and not is_denial and not listed and seen:
                return False
        if seen and text in _VERBS and text != "seen":
            return False
        if not seen and is_denial and text in ("which", "that", "with"):
            # "No finding compatible with …" denies; "no change, with an effusion" does not.
            return words[place - 1].text in _LIKE and _arrives(
                words, place + 1, target, starts, is_denial=is_denial
            )
    return True


def _rest(words: Sequence[Word], place: int) -> Iterator[int]:
    """Give the places up to the end of the clause."""
    for position in range(place + 1, len(words)):
        if words[position].text in _ENDS:
            return
        yield position


# ---------------------------------------------------------------- what reaches back

_SEEN: Final = (
    r"(?:seen|identified|present|observed|detected|evident|visible|visualized|found|noted|"
    r"demonstrated|appreciated|suspected|recognized|shown|apparent|noticed|discernible|encountered|"
    r"monitored|watched)"
)
_NOT_SEEN: Final = re.compile(
    rf"\b(?:not|no longer|never)(?: \w+){{0,2}}? {_SEEN}\b|"
    r"\b(?:is|are|was|were|be) (?:\w+ )?(?:absent|unlikely|excluded|ruled out|negative)\b|"
    r"\b(?:has|have|had)(?: \w+){0,2}? (?:resolved|cleared|disappeared)\b|"
    r"\b(?:is|are|was|were) (?:now |completely |fully )?(?:resolved|cleared)\b|"
    r"^(?: \w+){0,2} (?:resolved|absent|excluded|unlikely)$|\b(?:is|are) not$|"
    r"\bdo(?:es)? not exist\b|\bno longer\b(?! than\b)"
)
_ANSWERED_NO: Final = re.compile(
    r" ?(?:[:|=(] ?)*(?:no|none|absent|negative|nil|denied|false|0|excluded|"
    r"not (?:present|seen|identified|detected|visible|evident|observed))(?= [.,;|)]|$)(?! of\b)"
)
"""A line of a list: "Pneumothorax: no"."""
_LEFT_OPEN: Final = re.compile(
    r"\b(?:can|could|may|might|should|is|are|was|were)? ?(?:not|cannot)(?: \w+){0,2}? "
    r"(?:excluded|ruled out|exclude)\b"
)
_HEDGED_BEHIND: Final = re.compile(
    r"^ ?(?:[:|=(] ?)*(?:possible|possibly|probable|uncertain|equivocal|questionable|suspected|"
    r"indeterminate|likely|maybe|unclear|cannot be determined|not certain)(?= [.,;|)]|$)|"
    r"\b(?:is|are|was|were|remains?)(?: \w+)? (?:possible|probable|likely|suspected|questionable|"
    r"questioned|considered|uncertain|equivocal|indeterminate|unclear|not certain|a consideration|"
    r"a possibility)\b|"
    r"\b(?:may|might|could|can|should)(?: also)? be (?:present|seen|considered|possible)\b|^ ?\?|"
    r"\b(?:is|are|was|were) (?:\w+ )?in question\b|\bdifferential\b|"
    r"\b(?:may|might|could|can) (?:also )?(?:cause|give|lead|look|produce|appear)\b"
)


def _after(words: Sequence[Word], span: Span, spans: Sequence[Span], end: int) -> str:
    """Give the words behind a mention, up to the next one that is not listed with it."""
    stop = end
    if end < len(words) and words[end].text == ":" and end - span.end <= 1:
        # "Pneumothorax: absent" answers in the next clause.
        stop = next((p for p in range(end + 1, len(words)) if words[p].text in _ENDS), len(words))
    reach = min(stop, span.end + _FARTHEST)
    last = span.end
    for each in spans:
        if each.start < span.end or each.start >= reach:
            continue
        if not _is_list(words, last, each.start):
            reach = each.start
            break
        last = each.end
    return "".join(f" {word.text}" for word in words[span.end : reach])


def _is_list(words: Sequence[Word], start: int, end: int) -> bool:
    """Whether nothing but a list stands between two mentions."""
    between = [word.text for word in words[start:end]]
    joined = any(text in (",", "and", "or", "nor", "/") for text in between) or not between
    return joined and len(between) <= 4 and not (_VERBS | _ENDS | _ANEW) & set(between)
