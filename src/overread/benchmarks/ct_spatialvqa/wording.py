"""Words a synthetic case: its report, the pairs a generator would ask, and answers right and wrong.

Every closed question comes with the answers it could have had, so that the made-up models can be
wrong in a way that a reader of the volume would notice.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from overread.benchmarks.ct_spatialvqa.layout import CATEGORIES
from overread.benchmarks.ct_spatialvqa.signs import SIDED_KINDS, Case, Sign

__all__ = ["Asked", "ask_case", "report_of"]

_SIDE, _HEIGHT, _DEPTH, _ZONE, _NEXT, _EXTENT = CATEGORIES
_NUMBERS: Final = {1: "one", 2: "two", 3: "three"}
_KEPT_A_CASE: Final = 6
_DROPPED_A_CASE: Final = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A pair, whether the filter keeps it, and what else could be answered."""

    question: str
    answer: str
    short: str
    """The right answer in a word or two."""
    wrong: tuple[str, ...]
    """Answers that name another place, each wrong."""
    categories: tuple[str, ...] = ()
    is_spatial: bool = True
    is_relevant: bool = True

    @property
    def kept(self) -> bool:
        """Whether it passes the filter: it must be spatial and about the report."""
        return self.is_spatial and self.is_relevant


def ask_case(case: Case, rng: np.random.Generator) -> tuple[Asked, ...]:
    """Ask about a case as a generator would: up to six pairs to keep, three to drop."""
    spatial = [one for sign in case.signs for one in _about(case, sign)]
    spatial += [_pericardium(case), *_pleura(case, rng)]
    dropped = list(_not_spatial(case))
    chosen = [
        *_some(spatial, _KEPT_A_CASE, rng),
        *_some(dropped, _DROPPED_A_CASE, rng),
    ]
    return tuple(chosen[place] for place in rng.permutation(len(chosen)))


def report_of(case: Case) -> tuple[str, str]:
    """Word a case's findings and impression."""
    findings = [
        "Trachea and both main bronchi are open.",
        "Contrast material was given." if case.contrast else "No contrast material was given.",
    ]
    impression = [_sentence(sign) for sign in case.signs]
    fluid = "is a" if case.pericardial_effusion else "is no"
    findings += [*impression, f"There {fluid} pericardial effusion."]
    findings += [f"There is no {kind}." for kind in _kinds_not_seen(case)]
    return " ".join(findings), " ".join(impression)


def _sentence(sign: Sign) -> str:
    if sign.lobe is None:
        where = "on both sides" if len(sign.sides) > 1 else f"on the {sign.side}"
        return f"There is a {sign.kind} {where}."
    how_many = f"{_NUMBERS[sign.count].capitalize()} {_noun(sign)}"
    verb = "is" if sign.count == 1 else "are"
    return (
        f"{how_many} of {sign.size_mm} mm {verb} seen in the {sign.zone}, {sign.depth} part of "
        f"the {sign.side} {sign.lobe} lobe."
    )


# ---------------------------------------------------------------- pairs


def _about(case: Case, sign: Sign) -> Iterator[Asked]:
    noun, verb = _noun(sign), "is" if sign.count == 1 else "are"
    side = sign.side
    on_side = {"right": "On the right.", "left": "On the left.", "both": "On both sides."}
    yield Asked(
        question=f"On which side {verb} the {noun}, right or left or both?",
        answer=on_side[side],
        short=side.capitalize() + (" sides" if side == "both" else ""),
        wrong=tuple(text for key, text in on_side.items() if key != side),
        categories=(_SIDE,),
    )
    if sign.lobe is None:
        yield _one_or_both(sign)
        return
    for asked_side in ("right", "left"):
        yield _in_lung(sign, asked_side)
    lobes = [f"{s} {h} lobe" for s, h in _LOBES]
    lobe = f"{side} {sign.lobe} lobe"
    yield Asked(
        question=f"In which lobe {verb} the {noun} seen?",
        answer=f"In the {lobe}.",
        short=lobe.capitalize(),
        wrong=tuple(f"In the {other}." for other in lobes if other != lobe),
        categories=(_SIDE, _HEIGHT),
    )
    yield from _finer(case, sign, noun, verb)


def _finer(case: Case, sign: Sign, noun: str, verb: str) -> Iterator[Asked]:
    """Ask for depth, zone, number and neighbours of a finding in a lobe."""
    del case
    zones = {"central": "It is central.", "peripheral": "It is peripheral."}
    zone, depth = sign.zone or "", sign.depth or ""
    if sign.count == 1:
        yield Asked(
            question=f"Is the {noun} central or peripheral?",
            answer=zones[zone],
            short=zone.capitalize(),
            wrong=tuple(text for key, text in zones.items() if key != zone),
            categories=(_ZONE,),
        )
    if sign.lobe == "upper":
        other = "anterior" if depth == "posterior" else "posterior"
        yield Asked(
            question=f"{verb.capitalize()} the {noun} in the anterior or posterior part of the "
            "lobe?",
            answer=f"In the {depth} part.",
            short=depth.capitalize(),
            wrong=(f"In the {other} part.",),
            categories=(_DEPTH,),
        )
    if sign.kind == "nodule":
        yield Asked(
            question=f"How many nodules are in the {sign.side} {sign.lobe} lobe?",
            answer=f"There {verb} {_NUMBERS[sign.count]} {noun}.",
            short=_NUMBERS[sign.count].capitalize(),
            wrong=tuple(f"There are {n}." for k, n in _NUMBERS.items() if k != sign.count),
            categories=(_SIDE, _HEIGHT, _EXTENT),
        )
    neighbour, others = ("pleura", "hilum") if zone == "peripheral" else ("hilum", "pleura")
    yield Asked(
        question=f"Where {verb} the {noun} located, and what lies next to it?",
        answer=f"In the {sign.side} {sign.lobe} lobe, next to the {neighbour}.",
        short=f"{sign.side.capitalize()} {sign.lobe} lobe, at the {neighbour}",
        wrong=tuple(
            f"In the {s} {h} lobe, next to the {others}."
            for s, h in _LOBES
            if (s, h) != (sign.side, sign.lobe)
        ),
        categories=(_SIDE, _HEIGHT, _NEXT),
    )


def _in_lung(sign: Sign, asked_side: str) -> Asked:
    there = sign.side == asked_side
    yes, no = (
        f"Yes, in the {asked_side} {sign.lobe} lobe.",
        f"No, the {asked_side} lung has none.",
    )
    return Asked(
        question=f"Is there a {sign.kind} in the {asked_side} lung?",
        answer=yes if there else no,
        short="Yes" if there else "No",
        wrong=(no if there else yes,),
        categories=(_SIDE,),
    )


def _one_or_both(sign: Sign) -> Asked:
    both = len(sign.sides) > 1
    return Asked(
        question=f"Is the {sign.kind} unilateral or bilateral?",
        answer="It is bilateral." if both else "It is unilateral.",
        short="Bilateral" if both else "Unilateral",
        wrong=("It is unilateral.",) if both else ("It is bilateral.",),
        categories=(_SIDE, _EXTENT),
    )


def _pericardium(case: Case) -> Asked:
    there = case.pericardial_effusion
    yes, no = "Yes, there is a pericardial effusion.", "No, there is no pericardial effusion."
    return Asked(
        question="Is there fluid around the heart?",
        answer=yes if there else no,
        short="Yes" if there else "No",
        wrong=(no if there else yes,),
        categories=(_NEXT, _EXTENT),
    )


def _pleura(case: Case, rng: np.random.Generator) -> Iterator[Asked]:
    for kind in _kinds_not_seen(case):
        if rng.uniform() < 0.5:
            continue  # each kind is absent twice as often as present: yes would be rare
        yield Asked(
            question=f"Is there a {kind} on either side?",
            answer=f"No, there is no {kind}.",
            short="No",
            wrong=(f"Yes, there is a {kind} on the right.", f"Yes, a {kind} on both sides."),
            categories=(_SIDE,),
        )
    for sign in case.signs:
        if sign.lobe is None:
            yield Asked(
                question=f"Is there a {sign.kind} on either side?",
                answer=f"Yes, on {'both sides' if sign.side == 'both' else f'the {sign.side}'}.",
                short="Yes",
                wrong=(f"No, there is no {sign.kind}.",),
                categories=(_SIDE,),
            )


def _not_spatial(case: Case) -> Iterator[Asked]:
    given = "Yes, it was given." if case.contrast else "No, it was not given."
    yield Asked(
        question="Was contrast material given?", answer=given, short="", wrong=(), is_spatial=False
    )
    for sign in case.signs:
        if sign.size_mm is not None:
            yield Asked(
                question=f"What is the size of the {_noun(sign)}?",
                answer=f"{sign.size_mm} mm.",
                short="",
                wrong=(),
                is_spatial=False,
            )
    yield Asked(
        question="Is the gallbladder below the liver?",
        answer="Not mentioned in the report.",
        short="",
        wrong=(),
        is_relevant=False,
    )


_LOBES: Final = (
    ("right", "upper"),
    ("right", "middle"),
    ("right", "lower"),
    ("left", "upper"),
    ("left", "lower"),
)


def _noun(sign: Sign) -> str:
    return sign.kind if sign.count == 1 else f"{sign.kind}s"


def _kinds_not_seen(case: Case) -> list[str]:
    return [kind for kind in SIDED_KINDS if all(sign.kind != kind for sign in case.signs)]


def _some(pairs: Sequence[Asked], n: int, rng: np.random.Generator) -> list[Asked]:
    return [pairs[place] for place in sorted(rng.permutation(len(pairs))[:n])]
