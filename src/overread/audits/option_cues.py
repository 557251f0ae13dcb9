"""Audit: cues in the wording of options that give the right one away.

A cue is something that some options of a question have and others lack: the greatest length, a
hedge, a negation. Where it says nothing of the answer, the right option has it as often as its
share of the options promises. How far it is from that, patient by patient, is what a reader who
follows (or avoids) the cue gains without a picture.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from overread.analysis.blind_exam import number_labels, unit_of
from overread.audits.exam_parts import ChoiceQuestion, ExamAudit, SplitPart, choice_questions
from overread.audits.wording import counted
from overread.contracts import Audit, Release
from overread.records import Finding, Severity
from overread.stats.cluster_wilson import DIFFERENCE
from overread.stats.few_clusters import cluster_interval
from overread.stats.intervals import Interval
from overread.stats.multiplicity import holm
from overread.stats.paired import sign_flip

__all__ = ["AUDIT", "CUES"]

_SEED: Final = 20260219
_ALPHA: Final = 0.05
_FEWEST: Final = 20
"""Questions with a cue below which nothing is said of it."""
_WORD: Final = re.compile(r"\w+")
_COMMON_WORDS: Final = frozenset(
    (
        *("a", "an", "and", "are", "as", "at", "be", "by", "for", "from", "has", "have", "in"),
        *("is", "it", "its", "of", "on", "or", "than", "that", "the", "there", "this", "to"),
        *("was", "were", "which", "with"),
    )
)

Marks = Callable[[str, Sequence[str]], tuple[bool, ...]]
"""(question, texts of its options) → which options have the cue."""


def _matching(pattern: str) -> Marks:
    compiled = re.compile(pattern, re.IGNORECASE)
    return lambda question, texts: tuple(compiled.search(text) is not None for text in texts)


def _greatest(merit: Callable[[str, str], float]) -> Marks:
    def marks(question: str, texts: Sequence[str]) -> tuple[bool, ...]:
        merits = [merit(question, text) for text in texts]
        best = max(merits, default=0.0)
        return tuple(each == best for each in merits)

    return marks


def _shared_words(question: str, text: str) -> float:
    asked, own = (
        frozenset(_WORD.findall(each.casefold())) - _COMMON_WORDS for each in (question, text)
    )
    return len(asked & own) / len(own) if own else 0.0


CUES: Final[Mapping[str, Marks]] = {
    "the longest option": _greatest(lambda question, text: float(len(text))),
    "the shortest option": _greatest(lambda question, text: -float(len(text))),
    "most of its words in the question": _greatest(_shared_words),
    "'all of the above'": _matching(
        r"\ball (?:of )?(?:the|these) (?:above|options|choices|answers)\b"
    ),
    "'none of the above'": _matching(
        r"\bnone (?:of )?(?:the|these) (?:above|options|choices|answers)\b"
    ),
    "a negation": _matching(r"\b(?:no|not|without|never|absent|absence|negative|cannot|nor)\b"),
    "a hedge": _matching(
        r"\b(?:may|might|could|possibl[ey]|probabl[ey]|likely|suggest\w*|suspicious|suspected|"
        r"cannot (?:be )?(?:exclude|rule)d?|consistent with|compatible with|indeterminate|"
        r"appears?|uncertain|equivocal|questionable)\b"
    ),
    "an absolute word": _matching(r"\b(?:always|never|only|all|every|entirely|completely|must)\b"),
    "a number": _matching(r"\d"),
}
"""Cue → which options have it. Lists of words are ours."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Followed:
    """What following one cue gets."""

    cue: str
    n: int
    """Questions in which some options have the cue and some have not."""
    n_all: int
    credit: float
    chance: float
    gain: Interval
    p_value: float | None


def _look(part: SplitPart, release: Release) -> Iterator[Finding]:
    questions = [
        one
        for one in choice_questions(part)
        if len(one.options) > 1 and all(option.text for option in one.options)
    ]
    # Thousands of pictures may be asked about in the same words: each is looked at once.
    wordings = number_labels(
        (one.item.question, *(option.text for option in one.options)) for one in questions
    ).tolist()
    cluster = release.plan().cluster
    followed = [
        found
        for name, marks in CUES.items()
        if (found := _follow(name, marks, questions, wordings, cluster)) is not None
    ]
    adjusted = holm([each.p_value for each in followed])
    telling = [
        each
        for each, p in zip(followed, adjusted, strict=True)
        if p is not None and p < _ALPHA and each.gain.value
    ]
    for each in sorted(telling, key=lambda one: -abs(one.gain.value or 0.0)):
        yield _finding(part.split, each)


def _follow(
    name: str,
    marks: Marks,
    questions: Sequence[ChoiceQuestion],
    wordings: Sequence[int],
    cluster: str | None,
) -> _Followed | None:
    """Choose among the options with the cue; where none or all have it, there is no cue."""
    credit: list[float] = []
    chance: list[float] = []
    units: dict[tuple[str, str], int] = {}
    codes: list[int] = []
    seen: dict[int, tuple[bool, ...]] = {}
    for one, wording in zip(questions, wordings, strict=True):
        if wording not in seen:
            texts = [option.text or "" for option in one.options]
            seen[wording] = marks(one.item.question, texts)
        marked = seen[wording]
        n_marked = sum(marked)
        if 0 < n_marked < len(marked):
            credit.append(marked[one.right] / n_marked)
            chance.append(1 / len(marked))
            codes.append(units.setdefault(unit_of(one.item, cluster), len(units)))
    if len(credit) < _FEWEST:
        return None
    clusters = np.array(codes, dtype=np.int64)
    gain = np.array(credit) - np.array(chance)
    # Each cue has its own stream, so that a new cue leaves the numbers of the others alone.
    seed = [_SEED, *name.encode()]
    rng = np.random.default_rng(seed)
    (interval,) = cluster_interval(gain, clusters, ends=(DIFFERENCE,), rng=rng)
    test = sign_flip(credit, chance, clusters, rng=np.random.default_rng([*seed, 1]))
    return _Followed(
        cue=name,
        n=len(credit),
        n_all=len(questions),
        credit=float(np.mean(credit)),
        chance=float(np.mean(chance)),
        gain=interval,
        p_value=test.p_value,
    )


def _finding(split: str, found: _Followed) -> Finding:
    gain = found.gain
    assert gain.value is not None  # without a mean there is no test either
    bounds = (
        f" (95 % {100 * gain.low:+.1f} to {100 * gain.high:+.1f})"
        if gain.low is not None and gain.high is not None
        else ""
    )
    follows = gain.value > 0
    return Finding(
        severity=Severity.WARNING,
        code="option-cue",
        where=split,
        evidence=f"{found.cue}: {'choosing' if follows else 'avoiding'} it says something; an "
        f"option with it is right in {100 * found.credit:.1f} % of the "
        f"{counted(found.n, 'question')} (of {found.n_all:,}) where it tells options apart, chance "
        f"is {100 * found.chance:.1f} %, {100 * gain.value:+.1f} points{bounds}",
        effect="the wording of options points at the answer, with no look at a picture",
        remedy="Write right and wrong options alike: one length, the same hedges and negations.",
        count=found.n,
    )


AUDIT: Audit = ExamAudit(
    name="option-cues",
    summary="length, hedges, negations and other wording of options that give answers away",
    look_at=_look,
)
