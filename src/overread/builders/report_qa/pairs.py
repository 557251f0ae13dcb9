"""What a generator wrote: question and answer pairs, and what of its reply could not be used."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from overread.builders.report_qa.found_json import TwiceNamed, find_objects
from overread.builders.report_qa.reports import Report

__all__ = [
    "MOST_PAIRS",
    "Pair",
    "PairsRead",
    "Refused",
    "read_as_released",
    "read_honestly",
    "read_members",
]

MOST_PAIRS = 10
"""Pairs that a report is asked for at most (CT-SpatialVQA: 7 to 10)."""
_LONGEST_TEXT = 1_000
_LONGEST_SHOWN = 200
_ELLIPSIS = re.compile(r"\s*(?:\.\.\.|…|\[\.\.\.\])\s*")
_SHORTEST_EVIDENCE = 8
"""Characters of the report that a quotation must hold: one word is no evidence."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """One question with its answer."""

    question: str
    answer: str
    evidence: str | None = None
    """The words of the report that say so, as the generator quotes them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Refused:
    """A piece of a reply that became no candidate."""

    reason: str
    """A short stable name: ``evidence-not-in-report``."""
    text: str
    """What stood there, cut."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PairsRead:
    """What a generator's reply holds."""

    pairs: tuple[Pair, ...] = ()
    refused: tuple[Refused, ...] = ()
    problem: str | None = None
    """Why there is no pair at all, or what of the reply could not be read."""


def read_as_released(text: str | None) -> PairsRead:
    """Read a reply as the released script does: the whole of it is JSON, or all of it is lost.

    A member that is no object with two texts, which that script would keep and stumble over
    later, is refused. Source: QA_generation/qa_generation.py of Mashrafi27/CT-SpatialVQA.
    """
    try:
        held: object = json.loads((text or "").strip())
    except (ValueError, RecursionError):
        return PairsRead(problem="not JSON as a whole" if (text or "").strip() else "empty")
    members = cast("list[object]", held) if isinstance(held, list) else [held]
    read = [_plain_pair(member) for member in members]
    pairs = tuple(each for each in read if isinstance(each, Pair))
    return PairsRead(
        pairs=pairs,
        refused=tuple(each for each in read if isinstance(each, Refused)),
        problem=None if pairs else "no pair in it",
    )


def read_members(members: Sequence[object], *, honestly: bool) -> PairsRead:
    """Take pairs that were generated elsewhere, which bring no evidence.

    Honestly, empty and overlong texts, ambiguous objects and repeated questions are left out, as
    by `read_honestly`.
    """
    read = [(member, _plain_pair(member)) for member in members]
    refused = [each for _, each in read if isinstance(each, Refused)]
    pairs = [(member, each) for member, each in read if isinstance(each, Pair)]
    if not honestly:
        return PairsRead(pairs=tuple(pair for _, pair in pairs), refused=tuple(refused))
    usable: list[Pair] = []
    for member, pair in pairs:
        fault = _fault(pair, cast("Mapping[str, object]", member))
        if fault:
            refused.append(_refused(fault, pair))
        else:
            usable.append(pair)
    kept, repeated = _once(usable)
    return PairsRead(pairs=tuple(kept), refused=(*refused, *repeated))


def read_honestly(text: str | None, report: Report) -> PairsRead:
    """Read every whole pair of a reply, and say what is left out and why.

    A pair needs two texts of sensible length and words of the report as evidence, found there by
    the program itself (white space, case and dashes aside; an ellipsis parts two quotations). A
    question that comes twice counts once; with two answers, not at all. Pairs beyond the ten
    asked for are left out, so that no report can fill the exam.
    """
    found = find_objects(text or "", "question")
    words = _normal(f"{report.findings}\n{report.impressions}")
    usable: list[Pair] = []
    refused: list[Refused] = []
    for member in found.objects:
        pair = _plain_pair(member)
        if isinstance(pair, Refused):
            refused.append(pair)
        elif fault := _fault(pair, member) or _evidence_fault(pair, words):
            refused.append(Refused(reason=fault, text=_shown(member)))
        else:
            usable.append(pair)
    pairs, repeated = _once(usable)
    refused += repeated
    refused += [_refused("beyond-the-number-asked-for", pair) for pair in pairs[MOST_PAIRS:]]
    return PairsRead(
        pairs=tuple(pairs[:MOST_PAIRS]),
        refused=tuple(refused),
        problem=_problem(text, found.n_broken, bool(found.objects)),
    )


def _problem(text: str | None, n_broken: int, has_pairs: bool) -> str | None:
    if not (text or "").strip():
        return "empty"
    if not has_pairs:
        return "cut off before the first pair was whole" if n_broken else "prose without a pair"
    return f"{n_broken} objects cut off or broken" if n_broken else None


def _plain_pair(member: object) -> Pair | Refused:
    if not isinstance(member, dict):
        return Refused(reason="no-pair", text=_shown(member))
    held = cast("dict[str, object]", member)
    question, answer, evidence = (held.get(key) for key in ("question", "answer", "evidence"))
    if not isinstance(question, str) or not isinstance(answer, str):
        which = "question" if not isinstance(question, str) else "answer"
        return Refused(reason=f"{which}-is-no-text", text=_shown(held))
    return Pair(
        question=_whole(question),
        answer=_whole(answer),
        evidence=_whole(evidence) if isinstance(evidence, str) else None,
    )


def _fault(pair: Pair, member: Mapping[str, object]) -> str:
    if isinstance(member, TwiceNamed):
        return "key-given-twice"
    if not (_normal(pair.question) and _normal(pair.answer)):
        return "empty"
    if max(len(pair.question), len(pair.answer)) > _LONGEST_TEXT:
        return "too-long"
    return ""


def _evidence_fault(pair: Pair, words: str) -> str:
    if not pair.evidence:
        return "without-evidence"
    quoted = [_normal(piece) for piece in _ELLIPSIS.split(pair.evidence)]
    quoted = [piece for piece in quoted if piece]
    if sum(map(len, quoted)) < _SHORTEST_EVIDENCE or not all(piece in words for piece in quoted):
        return "evidence-not-in-report"
    return ""


def _once(pairs: Sequence[Pair]) -> tuple[list[Pair], list[Refused]]:
    """Keep each question once; none of those that have two answers."""
    answers: dict[str, set[str]] = {}
    for pair in pairs:
        answers.setdefault(_normal(pair.question), set()).add(_normal(pair.answer))
    kept: dict[str, Pair] = {}
    refused: list[Refused] = []
    for pair in pairs:
        question = _normal(pair.question)
        if len(answers[question]) > 1:
            refused.append(_refused("two-answers-to-one-question", pair))
        elif question in kept:
            refused.append(_refused("twice-in-the-report", pair))
        else:
            kept[question] = pair
    return list(kept.values()), refused


def _refused(reason: str, pair: Pair) -> Refused:
    return Refused(reason=reason, text=_shown({"question": pair.question, "answer": pair.answer}))


def _normal(text: str) -> str:
    """Fold what copying changes: case, white space, kinds of dashes and quotes, the end's sign."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    folded = re.sub(r"[‐-―−]", "-", folded).translate({0x2018: "'", 0x2019: "'"})
    return re.sub(r"[\s\"“”„*]+", " ", folded).strip(" .,;:?!")


def _shown(value: object) -> str:
    shown = json.dumps(value, ensure_ascii=False)
    shown = shown.encode("utf-8", "replace").decode()
    return shown if len(shown) <= _LONGEST_SHOWN else f"{shown[:_LONGEST_SHOWN]}…"


def _whole(text: str) -> str:
    """Replace half characters, which no file of ours can hold."""
    return text.encode("utf-8", "replace").decode()
