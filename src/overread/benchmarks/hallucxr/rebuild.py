"""What saved outputs give: rates by output and by claim, risk of length, votes over models, chance.

No table per model was printed and no output released, so nothing here can be held against a printed
cell but arithmetic that the abstract implies. `published` is None elsewhere.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from overread.benchmarks.hallucxr import layout
from overread.benchmarks.hallucxr.layout import FINDINGS, Annotation, Output, Picture
from overread.benchmarks.hallucxr.protocol import POLICIES, published_numbers
from overread.contracts.replay import RebuiltCell
from overread.metrics.claims import (
    SPECIFICS,
    ClaimCounts,
    any_of_independent,
    effective_voters,
    keep_by_votes,
    length_auc,
    matched_difference,
    votes_of_independent,
    youden_threshold,
)
from overread.metrics.classes import class_counts, class_kappa
from overread.scoring.claims.claim import State
from overread.scoring.claims.compare import ClaimComparison, compare_claims
from overread.scoring.claims.reader import read_claims
from overread.scoring.claims.scorer import claimed_states

__all__ = ["rebuild"]

CellUnit: TypeAlias = Literal["share", "points", "1"]
_DECIMALS: Final = 3
_BLIND: Final = 0.33
"""Share of normal pictures in which a voter of the printed table makes something up, before votes:
0.050 / (1 - 0.848)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Judged:
    """One readable output against its picture."""

    output: Output
    picture: Picture
    published: ClaimComparison
    honest: ClaimComparison
    states: Mapping[str, State]

    @property
    def is_hallucinated(self) -> bool:
        return _is_wrong(self.honest)


def rebuild(
    root: Path, pictures: Mapping[str, Picture], asked: Mapping[str, str]
) -> Iterator[RebuiltCell]:
    """Compute the cells, column by column.

    Parameters
    ----------
    root
        The release.
    pictures
        By item name.
    asked
        The finding of each picture's yes/no question.
    """
    rows = [layout.output_of(row) for row in layout.read_rows(root, layout.OUTPUTS).rows]
    outputs = [one for one in rows if one is not None and one.picture in pictures]
    judged = [
        found
        for one in outputs
        if (found := _judge(one, pictures[one.picture], asked.get(one.picture, ""))) is not None
    ]
    by_model: dict[str, list[_Judged]] = {}
    for one in judged:
        by_model.setdefault(one.output.model, []).append(one)
    asked_of = {model: sum(one.model == model for one in outputs) for model in by_model}
    cells = [
        *_rates(by_model, asked_of),
        *_lengths(by_model),
        *_votes(by_model),
        *_detector(root, judged),
        *_arithmetic(),
    ]
    order = list(dict.fromkeys(cell.column for cell in cells))
    yield from sorted(cells, key=lambda cell: order.index(cell.column))


def _judge(output: Output, picture: Picture, asked: str) -> _Judged | None:
    reading = read_claims(output.response)
    is_closed = output.query == "yes-no"
    states = claimed_states(reading, output.response, asked if is_closed else "all")
    if reading.unreadable is not None and not states:
        return None
    findings = (asked,) if is_closed else FINDINGS
    sides = {finding: reading.sides(finding) for finding in findings}
    both = [
        compare_claims(states, picture.truth, findings=findings, policy=policy, sides=sides)
        for policy in (POLICIES["published"], POLICIES["honest"])
    ]
    if not both[1].cells:
        return None
    return _Judged(output=output, picture=picture, published=both[0], honest=both[1], states=states)


def _is_wrong(found: ClaimComparison) -> bool:
    return bool(found.named("fp") or found.named("fn") or found.wrong_sides)


def _counts(found: Sequence[ClaimComparison]) -> ClaimCounts:
    cells = [each for one in found for each in one.cells.values()]
    with_fp, with_fn = (sum(bool(one.named(cell)) for one in found) for cell in ("fp", "fn"))
    return ClaimCounts(
        tp=cells.count("tp"),
        fp=cells.count("fp"),
        fn=cells.count("fn"),
        tn=cells.count("tn"),
        outputs=len(found),
        with_fp=with_fp,
        with_fn=with_fn,
        with_either=sum(bool(one.named("fp") or one.named("fn")) for one in found),
    )


def _rates(
    by_model: Mapping[str, Sequence[_Judged]], asked_of: Mapping[str, int]
) -> Iterator[RebuiltCell]:
    for model, rows in by_model.items():
        wrong = tuple(float(one.is_hallucinated) for one in rows)
        silent = asked_of[model] - len(rows)
        yield RebuiltCell(
            row=model,
            column="hallucination rate",
            unit="share",
            published=None,
            decimals=_DECIMALS,
            source=layout.OUTPUTS,
            recomputed=float(np.mean([_is_wrong(one.published) for one in rows])),
            corrected=float(np.mean(wrong)),
            n_published=len(rows),
            n_corrected=len(rows),
            values=wrong,
            clusters=tuple(one.picture.subject for one in rows),
            fault="findings that the report leaves out count as absent"
            + (f"; {silent} outputs without a readable claim are in neither" if silent else ""),
        )
    for name in SPECIFICS:
        for model, rows in by_model.items():
            published = _counts([one.published for one in rows])
            honest = _counts([one.honest for one in rows])
            yield _cell(model, name, published.rate(name), corrected=honest.rate(name))


def _lengths(by_model: Mapping[str, Sequence[_Judged]]) -> Iterator[RebuiltCell]:
    drawn: dict[str, tuple[NDArray[np.float64], NDArray[np.bool_]]] = {}
    claims: dict[str, tuple[NDArray[np.float64], NDArray[np.bool_]]] = {}
    for model, rows in by_model.items():
        wrong = np.array([one.is_hallucinated for one in rows])
        drawn[model] = np.array([float(len(one.output.response)) for one in rows]), wrong
        claims[model] = np.array([float(len(one.states)) for one in rows]), wrong
        yield _cell(model, "length AUC", length_auc(*drawn[model]), unit="1")
        yield _cell(
            model, "length threshold (characters)", youden_threshold(*drawn[model]), unit="1"
        )
    first = next(iter(drawn), None)
    for column, table in (("at equal length", drawn), ("at equal number of claims", claims)):
        for model in list(table)[1:]:
            values = np.concatenate([table[str(first)][0], table[model][0]])
            edges = sorted({float(edge) for edge in np.quantile(values, (0.2, 0.4, 0.6, 0.8))})
            difference = matched_difference(table[str(first)], table[model], edges)
            yield _cell(f"{model} less {first}", f"rate {column}", difference, unit="1")


def _votes(by_model: Mapping[str, Sequence[_Judged]]) -> Iterator[RebuiltCell]:
    """Vote over the findings of free descriptions that every model has answered."""
    free = {
        model: {
            (one.output.picture, one.output.query): one
            for one in rows
            if one.output.query != "yes-no"
        }
        for model, rows in by_model.items()
    }
    shared = [
        key for key in next(iter(free.values()), {}) if all(key in each for each in free.values())
    ]
    if len(free) < 2 or not shared:
        return
    asserted = np.array(
        [
            [
                [rows[key].states.get(finding) == "asserted" for finding in FINDINGS]
                for key in shared
            ]
            for rows in free.values()
        ]
    )
    truths = [next(iter(free.values()))[key].picture.truth for key in shared]
    labels = [[truth.labels.get(finding) for finding in FINDINGS] for truth in truths]
    present = np.array([[label == "present" for label in row] for row in labels])
    counts = np.array([[label in ("present", "absent") for label in row] for row in labels])
    for k in range(1, len(free) + 1):
        kept = keep_by_votes(asserted, k)
        row = f"{k} of {len(free)} votes"
        found = _masked(present, kept, counts)
        yield _cell(row, "outputs with something made up", found.with_fp / found.outputs)
        for name in ("fabricated_of_absent", "omitted_of_present", "claim_f1"):
            yield _cell(row, name, found.rate(name))
    errors = (asserted != present[None])[:, counts]
    yield _cell("all models", "independent voters", effective_voters(errors), unit="1")


def _masked(
    present: NDArray[np.bool_], asserted: NDArray[np.bool_], counts: NDArray[np.bool_]
) -> ClaimCounts:
    fp, fn = asserted & ~present & counts, ~asserted & present & counts
    return ClaimCounts(
        tp=int((asserted & present & counts).sum()),
        fp=int(fp.sum()),
        fn=int(fn.sum()),
        tn=int((~asserted & ~present & counts).sum()),
        outputs=len(present),
        with_fp=int(fp.any(axis=1).sum()),
        with_fn=int(fn.any(axis=1).sum()),
        with_either=int((fp | fn).any(axis=1).sum()),
    )


def _detector(root: Path, judged: Sequence[_Judged]) -> Iterator[RebuiltCell]:
    """Hold the rules against people, where a release has annotations."""
    rows = [layout.annotation_of(row) for row in layout.read_rows(root, layout.ANNOTATIONS).rows]
    said: dict[str, dict[tuple[str, str, str], bool]] = {}
    for one in rows:
        if one is not None:
            key = one.picture, one.query, one.model
            votes = said.setdefault(one.annotator, {})
            votes[key] = votes.get(key, False) or one.category != "none"
    ruled = {
        (one.output.picture, one.output.query, one.output.model): one.is_hallucinated
        for one in judged
    }
    for annotator, votes in said.items():
        pairs = [(ruled[key], wrong) for key, wrong in votes.items() if key in ruled]
        tp = sum(rule and wrong for rule, wrong in pairs)
        claimed, there = sum(rule for rule, _ in pairs), sum(wrong for _, wrong in pairs)
        row = f"rules against {annotator}"
        yield _cell(row, "precision", tp / claimed if claimed else None, n=len(pairs))
        yield _cell(row, "recall", tp / there if there else None, n=len(pairs))
        f1 = 2 * tp / (claimed + there) if claimed + there else None
        yield _cell(row, "F1", f1, n=len(pairs))
    yield from _severities([one for one in rows if one is not None])
    names = list(said)
    for place, one in enumerate(names):
        for other in names[place + 1 :]:
            shared = sorted(said[one].keys() & said[other].keys())
            if shared:
                verdicts = [[str(said[who][key]) for key in shared] for who in (one, other)]
                kappa = float(class_kappa(*class_counts(*verdicts)[1:]))
                yield _cell(
                    f"{one}, {other}",
                    "kappa",
                    None if math.isnan(kappa) else kappa,
                    unit="1",
                    n=len(shared),
                )


def _severities(rows: Sequence[Annotation]) -> Iterator[RebuiltCell]:
    """Count outputs with an error, with a severe one, and with each category, by annotator."""
    by_annotator: dict[str, list[Annotation]] = {}
    for one in rows:
        by_annotator.setdefault(one.annotator, []).append(one)
    columns: tuple[tuple[str, Callable[[Annotation], bool]], ...] = (
        ("with an error", lambda one: one.category != "none"),
        ("with a severe error", lambda one: one.severity == "severe"),
        *((each, _of_category(each)) for each in layout.CATEGORIES),
    )
    for column, holds in columns:
        for annotator, told in by_annotator.items():
            all_of = {(one.picture, one.query, one.model) for one in told}
            some = {(one.picture, one.query, one.model) for one in told if holds(one)}
            yield _cell(annotator, column, len(some) / len(all_of), n=len(all_of))


def _of_category(category: str) -> Callable[[Annotation], bool]:
    return lambda one: one.category == category


def _arithmetic() -> Iterator[RebuiltCell]:
    """Say what the printed numbers imply."""
    printed = published_numbers()
    outputs = printed["images"] * printed["models"] * printed["queries"]
    yield RebuiltCell(
        row="design",
        column="outputs",
        unit="1",
        published=float(printed["outputs"]),
        decimals=0,
        source="arXiv 2605.20469, abstract: 856 pictures, 3 questions, 6 models",
        recomputed=float(outputs),
    )
    for probability in (0.10, 0.05):
        yield _cell(
            f"blind, each of 12 findings with {probability:.2f}",
            "made up something",
            any_of_independent(probability, len(FINDINGS)),
            decimals=5,
        )
    before = printed["ensemble_fabrication"] / (1 - printed["ensemble_reduction"])
    yield RebuiltCell(
        row="six models",
        column="fabrication before votes, implied",
        unit="share",
        published=None,
        decimals=_DECIMALS,
        source="arXiv 2605.20469: 0.050 after a fall of 84.8 %",
        recomputed=before,
    )
    for k, voters in ((2, 3), (3, 6), (4, 6)):
        yield _cell(
            f"{k} of {voters} independent voters at {_BLIND}",
            "made up something",
            votes_of_independent(_BLIND, voters=voters, at_least=k),
            decimals=6,
        )


def _cell(
    row: str,
    column: str,
    recomputed: float | None,
    *,
    corrected: float | None = None,
    unit: CellUnit = "share",
    decimals: int = _DECIMALS,
    n: int | None = None,
) -> RebuiltCell:
    return RebuiltCell(
        row=row,
        column=column,
        unit=unit,
        published=None,
        decimals=decimals,
        source=layout.OUTPUTS,
        recomputed=recomputed,
        corrected=corrected,
        n_published=n,
        fault=None if recomputed is not None else "nothing to divide by",
    )
