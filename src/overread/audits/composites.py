"""Audit: composites that a coin between letters scores well on, and rates that cancel in them.

A composite is a formula over the share right in each kind of question (`RateFormula`). Where each
kind has its letter, a mixture of letters has a rate in each, and the composite of those needs no
picture; and what looks like a part of an axis may drop out of it.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from overread.analysis.strata import is_within
from overread.audits.exam_parts import ChoiceQuestion, ExamAudit, SplitPart, choice_questions
from overread.audits.letter_mixtures import best_mixture
from overread.contracts import AlsoMetric, Audit, RateFormula, Release
from overread.errors import listed
from overread.records import Finding, PublishedValue, Severity
from overread.registry import metric_spec

__all__ = ["AUDIT", "CompositeFloor", "composite_floor"]

_Cell: TypeAlias = tuple[str, ...]
_Shares: TypeAlias = Mapping[_Cell, Mapping[str, float]]

_SEED: Final = 20260219
_SAMPLES: Final = 64
_INNER: Final = (0.25, 0.75)
_EQUAL: Final = 1e-9
_MOST_CORNERS: Final = 12
"""Cells whose every extreme is tried: 4,096 of them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CompositeFloor:
    """What blind policies score on one composite, 0..1."""

    metric: str
    letters: tuple[str, str]
    """The two letters that are right most often."""
    uniform: float | None
    """Every letter on offer with the same chance."""
    coin: float | None
    """A fair coin between `letters`."""
    best: float
    best_chances: Mapping[str, float]
    constant: float
    """The best single letter; 0 where the composite of all of them is undefined."""
    constant_letter: str


def composite_floor(
    metric: str, formula: RateFormula, shares: Mapping[_Cell, Mapping[str, float]]
) -> CompositeFloor | None:
    """Score mixtures of letters on a composite.

    Parameters
    ----------
    metric
        Its name.
    formula
        What is made of the rates.
    shares
        Cell → letter → share of its questions in which this letter is right; a letter on offer
        that is never right has the share 0.

    Returns
    -------
    CompositeFloor
        None where fewer than two letters are right anywhere, or no mixture has a value.
    """
    weight: defaultdict[str, float] = defaultdict(float)
    for by_letter in shares.values():
        for letter, share in by_letter.items():
            weight[letter] += share
    used = [letter for letter, total in weight.items() if total > 0]
    if len(used) < 2:
        return None

    def score(chances: Mapping[str, float]) -> float | None:
        rates = {
            cell: np.float64(sum(chances.get(one, 0.0) * share for one, share in each.items()))
            for cell, each in shares.items()
        }
        value = float(formula.value(rates))
        return None if np.isnan(value) else value

    best = best_mixture({letter: letter for letter in used}, score)
    if best is None:
        return None
    first, second = sorted(sorted(used, key=lambda one: (-weight[one], one))[:2])
    alone = {letter: score({letter: 1.0}) or 0.0 for letter in sorted(used)}
    constant = max(alone, key=lambda letter: alone[letter])
    return CompositeFloor(
        metric=metric,
        letters=(first, second),
        uniform=score(dict.fromkeys(weight, 1 / len(weight))),
        coin=score({first: 0.5, second: 0.5}),
        best=best.value,
        best_chances=best.chances,
        constant=alone[constant],
        constant_letter=constant,
    )


def _look(part: SplitPart, release: Release) -> Iterator[Finding]:
    questions = choice_questions(part)
    for also in release.plan().also:
        if not isinstance(also.pooled, RateFormula) or not _is_better_up(also.metric):
            continue
        asked = [one for one in questions if is_within(one.item.strata, also.only)]
        cells = _cells(asked, also.pooled)
        if not cells:
            continue
        shares = {cell: _letter_shares(members) for cell, members in cells.items()}
        floor = composite_floor(also.metric, also.pooled, shares)
        if floor is not None:
            yield _floor_finding(part.split, floor, release.published())
        yield from _cancelled(part.split, also, cells, questions, release)


def _is_better_up(metric: str) -> bool:
    spec = metric_spec(metric)
    return spec is None or spec.direction == "up"


def _cells(
    questions: Sequence[ChoiceQuestion], formula: RateFormula
) -> dict[_Cell, list[ChoiceQuestion]]:
    found: defaultdict[_Cell, list[ChoiceQuestion]] = defaultdict(list)
    for one in questions:
        cell = tuple(one.item.strata.get(key, "") for key in formula.by)
        if all(cell):
            found[cell].append(one)
    return dict(sorted(found.items()))


def _letter_shares(members: Sequence[ChoiceQuestion]) -> dict[str, float]:
    right = Counter(one.options[one.right].letter for one in members)
    offered = {option.letter for one in members for option in one.options}
    return {letter: right[letter] / len(members) for letter in sorted(offered)}


# ---------------------------------------------------------------- coins


def _floor_finding(
    split: str, floor: CompositeFloor, published: Sequence[PublishedValue]
) -> Finding:
    models = [
        each
        for each in published
        if each.metric == floor.metric and each.kind == "model" and not each.stratum
    ]
    coin = 0.0 if floor.coin is None else floor.coin
    blind = max(floor.best, floor.constant)
    below_coin = sorted((m for m in models if m.value < coin), key=lambda m: -m.value)
    below_best = sorted((m for m in models if m.value < blind), key=lambda m: -m.value)
    one, two = floor.letters
    mixed = ", ".join(f"{letter} {100 * p:.1f} %" for letter, p in floor.best_chances.items())
    told = [
        f"a fair coin between {one} and {two} has {_percent(floor.coin, 1)}",
        f"the best mixture of letters ({mixed}) {_percent(floor.best, 3)}",
        f"a letter at random {_percent(floor.uniform, 1)}",
        f"always {floor.constant_letter} {_percent(floor.constant, 1)}",
    ]
    if models:
        names = listed([f"{m.who} {100 * m.value:.1f}" for m in below_best], most=12)
        told.append(
            f"below the coin are {len(below_coin)} of {len(models)} published models, below the "
            f"best blind policy {len(below_best)}" + (f": {names}" if below_best else "")
        )
    return Finding(
        severity=Severity.ERROR if below_best else Severity.WARNING,
        code="blind-composite",
        where=f"{split}, {floor.metric}",
        evidence="; ".join(told),
        effect="a composite of this size needs no picture",
        remedy="Shuffle the options of every probe and print what coins score beside every model.",
        count=max(1, len(below_best)),
    )


def _percent(value: float | None, digits: int) -> str:
    return "no value" if value is None else f"{100 * value:.{digits}f} %"


# ---------------------------------------------------------------- rates that cancel


def _cancelled(
    split: str,
    also: AlsoMetric,
    cells: Mapping[_Cell, Sequence[ChoiceQuestion]],
    questions: Sequence[ChoiceQuestion],
    release: Release,
) -> Iterator[Finding]:
    """Find cells that matter to the formula somewhere, and not while rates are middling."""
    assert isinstance(also.pooled, RateFormula)
    formula, names = also.pooled, list(cells)
    rng = np.random.default_rng(_SEED)
    inner = rng.uniform(*_INNER, (len(names), _SAMPLES))
    whole = rng.uniform(0.0, 1.0, (len(names), _SAMPLES))
    deaf = [
        number
        for number in range(len(names))
        if not _moves(formula, names, inner, number, rng)
        and _moves(formula, names, whole, number, rng)
    ]
    if not deaf:
        return
    lost = listed([" ".join(names[number]) for number in deaf])
    low, high = (f"{100 * each:.0f}" for each in _INNER)
    law = _law(formula, names, inner)
    told = f"while all rates lie between {low} and {high} %, {lost} cancels out of {also.metric}"
    if law is not None:
        told += f", which is {_worded(law, names)}"
        told += _on_the_law(law, formula, cells, questions, release)
    told += _reach(formula, names)
    yield Finding(
        severity=Severity.WARNING,
        code="cancelled-rate",
        where=f"{split}, {also.metric}",
        evidence=told,
        effect=f"what is answered to {lost} is not in this number",
        remedy="Print the rates themselves, or count pairs in which both are right.",
        count=sum(len(cells[names[number]]) for number in deaf),
    )


def _value(
    formula: RateFormula, names: Sequence[_Cell], rates: NDArray[np.float64]
) -> NDArray[np.float64]:
    by_cell: dict[_Cell, Any] = dict(zip(names, rates, strict=True))
    return np.asarray(formula.value(by_cell), dtype=np.float64)


def _moves(
    formula: RateFormula,
    names: Sequence[_Cell],
    rates: NDArray[np.float64],
    number: int,
    rng: np.random.Generator,
) -> bool:
    """Say whether the composite changes with one rate alone."""
    other = rates.copy()
    other[number] = rng.uniform(rates.min(), rates.max(), rates.shape[1])
    change = np.abs(_value(formula, names, rates) - _value(formula, names, other))
    return bool(np.nanmax(change, initial=0.0) > _EQUAL)


def _law(
    formula: RateFormula, names: Sequence[_Cell], rates: NDArray[np.float64]
) -> NDArray[np.float64] | None:
    """Give the constant and the factor of each rate where the formula is linear there."""
    table = np.vstack([np.ones(rates.shape[1]), rates]).T
    values = _value(formula, names, rates)
    if np.isnan(values).any():
        return None
    factors = np.asarray(np.linalg.lstsq(table, values, rcond=None)[0], dtype=np.float64)
    return factors if np.abs(table @ factors - values).max() < _EQUAL else None


def _worded(law: NDArray[np.float64], names: Sequence[_Cell]) -> str:
    constant = law[0]
    kept = [(law[n + 1], " ".join(names[n])) for n in range(len(names)) if abs(law[n + 1]) > _EQUAL]
    first = kept[0][0] if kept else 0.0
    if len(kept) == 1 and first > 0:
        return f"({kept[0][1]} + {100 * constant / first:.4g} %) × {first:.4g}"
    terms = " + ".join(f"{factor:.4g} × {name}" for factor, name in kept)
    return f"{100 * constant:.4g} % + {terms}"


def _reach(formula: RateFormula, names: Sequence[_Cell]) -> str:
    """Tell where a composite ends short of its range, at rates of nothing but 0 and 1."""
    told = ""
    perfect = float(_value(formula, names, np.ones((len(names), 1)))[0])
    if perfect < formula.high - _EQUAL:
        told = f"; with every question right it is {100 * perfect:.4g} %"
    if len(names) <= _MOST_CORNERS:
        corners = np.stack(
            np.meshgrid(*([np.array([0.0, 1.0])] * len(names)), indexing="ij"), axis=0
        ).reshape(len(names), -1)
        least = float(np.nanmin(_value(formula, names, corners)))
        if least > formula.low + _EQUAL:
            told += f"; whatever is answered it is never below {100 * least:.4g} %"
    return told


def _on_the_law(
    law: NDArray[np.float64],
    formula: RateFormula,
    cells: Mapping[_Cell, Sequence[ChoiceQuestion]],
    questions: Sequence[ChoiceQuestion],
    release: Release,
) -> str:
    """Count the printed rows in which the cancelled rate cancels."""
    names = list(cells)
    strata = [_strata_of(cells[name], questions) for name in names]
    headline = release.plan().headline
    rows: dict[str, dict[int, float]] = {}
    for each in release.published():
        for number, held in enumerate(strata):
            if each.metric == headline and any(dict(each.stratum) == one for one in held):
                rows.setdefault(each.who, {})[number] = each.value
    whole = {who: row for who, row in rows.items() if len(row) == len(names)}
    n_on = 0
    for row in whole.values():
        rates = np.array([[row[number]] for number in range(len(names))])
        stated = float(_value(formula, names, rates)[0])
        n_on += abs(stated - float(law[0] + law[1:] @ rates[:, 0])) < _EQUAL
    return f"; {n_on} of {len(whole)} printed rows lie on it" if whole else ""


def _strata_of(
    members: Sequence[ChoiceQuestion], questions: Sequence[ChoiceQuestion]
) -> list[dict[str, str]]:
    """Name the strata of one key that hold just these questions."""
    n_with = Counter(pair for one in questions for pair in one.item.strata.items())
    shared = set.intersection(*(set(one.item.strata.items()) for one in members))
    return [{key: value} for key, value in sorted(shared) if n_with[key, value] == len(members)]


AUDIT: Audit = ExamAudit(
    name="composites",
    summary="composites that a coin between letters scores well on, and rates that cancel in them",
    look_at=_look,
)
