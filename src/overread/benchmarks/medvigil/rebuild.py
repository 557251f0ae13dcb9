"""What the printed numbers and released counts give when they are computed again.

No predictions are released. Every printed rate of a model is a count of all probes of its kind; the
axes and the composite follow from these counts to the last printed digit. The radiologist's are
released as counts; the pilot's shares are counts of 80 cases; the agreement of
refusal rules with a judge follows from the records behind it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, TypeAlias, cast

import numpy as np

from overread.benchmarks.medvigil import layout
from overread.benchmarks.medvigil.axes import (
    GROUND_FORMS,
    TRAP,
    WEIGHT_SCHEMES,
    Array,
    capability,
    cell_of,
    composite,
    grounding,
    safety,
)
from overread.benchmarks.medvigil.protocol import published_numbers
from overread.benchmarks.medvigil.readers import (
    ALL,
    ReaderCount,
    decay_steps,
    reader_counts,
    reader_rates,
)
from overread.contracts.replay import RebuiltCell
from overread.metrics.classes import class_counts, class_kappa
from overread.metrics.evidence import lost_at

__all__ = ["counted_rates", "printed_rates", "rebuild", "sensitivity"]

_HALF_DIGIT: Final = 0.0005 + 1e-9
"""Of a share printed in per cent with one digit; halves may be rounded either way."""
_CALIBRATION: Final = "llm_judge_calibration.json"
_Rates: TypeAlias = Mapping[tuple[str, ...], float]
_WEIGHTS: Final = next(iter(WEIGHT_SCHEMES.values()))
_FORM: Final = next(iter(GROUND_FORMS.values()))
_COLUMNS: Final[Mapping[str, Callable[[Any], Array]]] = {
    "capability": capability,
    "safety": lambda rates: safety(rates, _WEIGHTS),
    "grounding": lambda rates: grounding(rates, _FORM),
    "MCS": lambda rates: composite(rates, _WEIGHTS, _FORM),
}


def rebuild(data: Path, *, is_synthetic: bool) -> Iterator[RebuiltCell]:
    """Compute the cells, column by column.

    Parameters
    ----------
    data
        The folder of the tables.
    is_synthetic
        Whether printed numbers are of another release than this one.
    """
    rows = {str(row["who"]): row for row in published_numbers()["row"]}
    counts = reader_counts(data)
    reader = published_numbers()["reader"]
    for column, measure in _COLUMNS.items():
        if counts:
            yield _reader_cell(column, measure, counts, None if is_synthetic else reader)
        yield _printed_cell(str(reader["who"]), reader, column, measure)
        for who, row in rows.items():
            if "kinds" in row or column == "MCS":
                yield _printed_cell(who, row, column, measure)
    for who, row in {str(reader["who"]): reader, **rows}.items():
        yield from _printed_totals(who, row)
    yield from _overall(counts, None if is_synthetic else reader)
    yield from sensitivity(
        {who: counted_rates(row)[0] for who, row in rows.items() if "kinds" in row}
    )
    yield from _blur()
    yield from _decay(data)
    yield from _calibration(data)


def printed_rates(row: Mapping[str, Any]) -> dict[tuple[str, ...], float]:
    """Give the rates of a printed row by cell, 0..1; of traps those refused.

    Parameters
    ----------
    row
        From ``published.toml``, in per cent; empty where it prints no rates.
    """
    if "kinds" not in row:
        return {}
    order: Sequence[str] = published_numbers()["order"]
    rates = {(kind,): value / 100 for kind, value in zip(order, row["kinds"], strict=True)}
    for tier, value in zip(layout.TIERS, row["sfr"], strict=True):
        rates[(cell_of(TRAP, tier),)] = 1 - value / 100
    return rates


def counted_rates(row: Mapping[str, Any]) -> tuple[dict[tuple[str, ...], float], list[str]]:
    """Give the exact rates behind printed ones: the counts of all probes that round to them.

    Parameters
    ----------
    row
        From ``published.toml``.

    Returns
    -------
    rates, odd
        By cell, 0..1; and the cells whose printed rate no count gives, which keep the nearest.
    """
    sizes, odd = _sizes(), list[str]()
    found: dict[tuple[str, ...], float] = {}
    for cell, rate in printed_rates(row).items():
        n = sizes[cell]
        found[cell] = round(rate * n) / n
        if abs(found[cell] - rate) > _HALF_DIGIT:
            odd.append(f"{cell[0]}: {100 * rate:.1f} % is no count of {n}")
    return found, odd


def _sizes() -> dict[tuple[str, ...], int]:
    numbers = published_numbers()
    sizes = {(kind,): int(n) for kind, n in numbers["counts"].items()}
    for tier, n in numbers["cases"]["tiers"].items():
        sizes[(cell_of(TRAP, tier),)] = 2 * n
    return sizes


def sensitivity(rows: Mapping[str, _Rates]) -> Iterator[RebuiltCell]:
    """Rank models under other weights and other forms of the grounding axis.

    Parameters
    ----------
    rows
        Model → its rates by cell.

    Yields
    ------
    RebuiltCell
        Of each variant Spearman's correlation with the published order, 1 for the same one.
    """
    variants = [(f"weights {name}", weights, _FORM) for name, weights in WEIGHT_SCHEMES.items()]
    variants += [(f"grounding: {name}", _WEIGHTS, form) for name, form in GROUND_FORMS.items()]
    first: list[float] | None = None
    for name, weights, form in variants:
        scores = [float(composite(rates, weights, form)) for rates in rows.values()]
        first = scores if first is None else first
        leader = list(rows)[int(np.argmax(scores))]
        yield RebuiltCell(
            row=name,
            column="rank correlation with the published order",
            unit="1",
            published=None,
            decimals=3,
            source=f"printed rates of {len(rows)} models; the paper has 0.97 to 1.00 over 16",
            recomputed=_spearman(first, scores),
            n_published=len(rows),
            fault=f"first is {leader}",
        )


def _printed_cell(
    who: str, row: Mapping[str, Any], column: str, measure: Callable[[Any], Array]
) -> RebuiltCell:
    rates, odd = counted_rates(row)
    published = float(row["mcs"]) if column == "MCS" else None
    return RebuiltCell(
        row=who,
        column=column,
        unit="points",
        published=published,
        decimals=1,
        source=str(published_numbers()["source"]),
        recomputed=100 * float(measure(rates)) if rates else None,
        fault="; ".join(odd) or None if rates else "its rates by kind are not at hand",
    )


def _printed_totals(who: str, row: Mapping[str, Any]) -> Iterator[RebuiltCell]:
    """Compute what the printed parts say of traps as a whole, and of what is not printed."""
    rates, _ = counted_rates(row)
    if not rates:
        return
    sizes = _sizes()
    right = {cell: round(rate * sizes[cell]) for cell, rate in rates.items()}
    traps = [cell for cell in rates if cell[0].startswith(TRAP)]
    n_traps = sum(sizes[cell] for cell in traps)
    source = str(published_numbers()["source"])
    yield RebuiltCell(
        row=who,
        column="traps answered",
        unit="share",
        published=round(float(row["trap_failure"]) / 100, 6),
        decimals=3,
        source=source,
        recomputed=1 - sum(right[cell] for cell in traps) / n_traps,
        n_published=n_traps,
    )
    counts: Mapping[str, int] = published_numbers()["counts"]
    n = sum(counts.values())
    left = (float(row["overall"]) / 100 * n - sum(right.values())) / counts["lr_flip"]
    spread = 100 * _HALF_DIGIT * n / counts["lr_flip"]
    yield RebuiltCell(
        row=who,
        column="mirrored pictures, from what the total leaves",
        unit="share",
        published=None,
        decimals=3,
        source=source,
        recomputed=left,
        n_published=counts["lr_flip"],
        fault=f"not printed; known to {spread:.1f} points",
    )


def _reader_cell(
    column: str,
    measure: Callable[[Any], Array],
    counts: Sequence[ReaderCount],
    printed: Mapping[str, Any] | None,
) -> RebuiltCell:
    value = float(measure(reader_rates(counts)))
    known = not np.isnan(value)
    return RebuiltCell(
        row="radiologist, from counts",
        column=column,
        unit="points",
        published=float(printed["mcs"]) if printed and column == "MCS" else None,
        decimals=1,
        source=layout.CLINICIAN_FILE,
        recomputed=100 * value if known else None,
        corrected=100 * value if known else None,
        n_published=sum(one.n for one in counts if one.tier == ALL) or None,
        fault=None if known else "a kind of probe has no count",
    )


def _overall(
    counts: Sequence[ReaderCount], printed: Mapping[str, Any] | None
) -> Iterator[RebuiltCell]:
    whole = [one for one in counts if one.tier == ALL]
    n, right = sum(one.n for one in whole), sum(one.right for one in whole)
    if n:
        yield RebuiltCell(
            row="radiologist, from counts",
            column="all probes",
            unit="share",
            published=round(float(printed["overall"]) / 100, 6) if printed else None,
            decimals=3,
            source=layout.CLINICIAN_FILE,
            recomputed=right / n,
            corrected=right / n,
            n_published=n,
            n_corrected=n,
        )
    traps = next((one for one in whole if one.kind == TRAP), None)
    if traps is not None and traps.n:
        yield RebuiltCell(
            row="radiologist, from counts",
            column="traps answered",
            unit="share",
            published=round(float(printed["trap_failure"]) / 100, 6) if printed else None,
            decimals=3,
            source=layout.CLINICIAN_FILE,
            recomputed=1 - traps.right / traps.n,
            n_published=traps.n,
        )


def _blur() -> Iterator[RebuiltCell]:
    """Find at which blur the printed series has lost its picture."""
    for one in published_numbers()["blur"]:
        lost = lost_at(
            one["sigma_px"],
            [each / 100 for each in one["accuracy"]],
            without=one["no_image"] / 100,
        )
        yield RebuiltCell(
            row=str(one["who"]),
            column="blur at which the picture is lost, sigma in px",
            unit="1",
            published=float(one["lost_at_px"]),
            decimals=0,
            source=str(published_numbers()["source"]),
            recomputed=lost,
            fault=None if lost is not None else "no blur of the series loses it",
        )


def _decay(data: Path) -> Iterator[RebuiltCell]:
    """Give the pilot's refusals as counts, so that they have an interval."""
    for one in decay_steps(data):
        share = None if one.refused is None else one.refused / one.n
        n_refused = one.refused or 0
        yield RebuiltCell(
            row=f"{one.model}, step {one.step}",
            column="refused while the box is greyed out",
            unit="share",
            published=round(one.refused_percent / 100, 6),
            decimals=3,
            source=layout.DECAY_FILE,
            recomputed=share,
            corrected=share,
            n_published=one.n,
            n_corrected=one.n,
            values=() if share is None else (1.0,) * n_refused + (0.0,) * (one.n - n_refused),
            clusters=() if share is None else tuple(str(case) for case in range(one.n)),
            fault="no count of the cases gives it" if share is None else None,
        )


def _calibration(data: Path) -> Iterator[RebuiltCell]:
    """Compute the agreement of refusal rules and judge again from its records."""
    content, problem = layout.read_json(data, _CALIBRATION)
    if problem is not None or not isinstance(content, dict):
        return
    parts = cast("dict[str, object]", content)
    samples = [one for one in _objects(parts.get("samples")) if isinstance(one.get("_model"), str)]
    printed = {str(one.get("model")): one for one in _objects(parts.get("summary"))}
    models = [*dict.fromkeys(str(one["_model"]) for one in samples), "__overall__"]
    for what in ("refusal", "critical"):
        for model in models:
            rows = [one for one in samples if model in (one["_model"], "__overall__")]
            by_rule = [str(one.get(f"_rule_is_{what}")) for one in rows]
            by_judge = [str(one.get(f"_llm_is_{what}")) for one in rows]
            kappa = float(class_kappa(*class_counts(by_judge, by_rule)[1:]))
            stated = printed.get(model, {}).get(f"kappa_{what}")
            known = not np.isnan(kappa)
            yield RebuiltCell(
                row="all models" if model == "__overall__" else model,
                column=f"kappa of rules and judge, {what}",
                unit="1",
                published=float(stated) if isinstance(stated, int | float) else None,
                decimals=4,
                source=_CALIBRATION,
                recomputed=kappa if known else None,
                n_published=len(rows),
                fault=None if known else "both gave one and the same verdict every time",
            )


def _objects(content: object) -> list[dict[str, object]]:
    listed = cast("list[object]", content) if isinstance(content, list) else []
    return [cast("dict[str, object]", each) for each in listed if isinstance(each, dict)]


def _spearman(one: Sequence[float], other: Sequence[float]) -> float:
    """Give the correlation of ranks; equal values share theirs."""
    return float(np.corrcoef(_ranks(one), _ranks(other))[0, 1])


def _ranks(values: Sequence[float]) -> Array:
    held = np.asarray(values, dtype=np.float64)
    below = (held[None, :] < held[:, None]).sum(axis=1)
    return below + ((held[None, :] == held[:, None]).sum(axis=1) - 1) / 2
