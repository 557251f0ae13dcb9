"""What masks came to, in whole sentences: for people who read no table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from overread.analysis.mask_summary import summarise
from overread.records import Status
from overread.report.masks.scales import is_signed, mask_number, metric_title
from overread.report.masks.sides import MaskSide, has_one_label, row_name
from overread.report.masks.worst import worst_rows
from overread.report.wording import count

__all__ = ["mask_sentences"]

_UNUSABLE: Final = (Status.FAILED, Status.REFUSED, Status.UNPARSED)
_REFERENCE_VOXELS: Final = "reference_voxels"


def mask_sentences(sides: Sequence[MaskSide]) -> tuple[str, ...]:
    """Say for each side what came out, what is missing, and where to look first."""
    return tuple(text for side in sides for text in _of(side, named=len(sides) > 1))


def _of(side: MaskSide, *, named: bool) -> list[str]:
    results = side.results
    rows, metric = results.label_rows, results.headline
    unit = results.units.get(metric, "share")
    title = metric_title(metric, unit)
    found = summarise(rows, (metric,), results)[metric]
    who = f"{side.label}: " if named else ""
    scored = sum(case.status is Status.OK for case in results.cases)
    cases = _plural(len(results.cases), "case")
    if found.mean is None:
        return [f"{who}{title} has no value in any of {cases}: {found.reason}."]
    between = (
        f" ({mask_number(found.low, metric, unit)} to {mask_number(found.high, metric, unit)})"
        if found.low is not None
        else ""
    )
    with_missing = _with_missing(side, found.values)
    lead = "Over what has a value, " if with_missing else who
    said = [
        *(f"{who}{text}" for text in with_missing),
        f"{lead}{title} has a median of {mask_number(found.median, metric, unit)} and a mean of "
        f"{mask_number(found.mean, metric, unit)}{between} over {_over(side, len(found.values))}.",
    ]
    gone = len(results.cases) - scored
    if gone:
        said.append(
            f"{_plural(gone, 'case')} of {count(len(results.cases))} "
            f"{'has' if gone == 1 else 'have'} no usable mask: the ledger counts them."
        )
    said += _lost(side)
    worst = worst_rows(results, most=1)
    if worst and len(rows) > 1 and not is_signed(metric):
        value = worst[0].values.get(metric)
        told = worst[0].fate if value is None else f"with {mask_number(value, metric, unit)}"
        said.append(
            f"The worst is {row_name(worst[0], results)}{', ' if value is None else ' '}{told}."
        )
    return said


def _with_missing(side: MaskSide, values: Sequence[float]) -> list[str]:
    """Say first what comes out with missing masks in the denominator; nothing where none is.

    Only of shares: a distance to a mask that never came has no value that all would agree on.
    """
    results = side.results
    metric = results.headline
    unit = results.units.get(metric, "share")
    missing = sum(
        row.status in _UNUSABLE and bool(row.values.get(_REFERENCE_VOXELS))
        for row in results.label_rows
    )
    if not missing or unit != "share":
        return []
    n = len(values) + missing
    mean = mask_number(sum(values) / n, metric, unit)
    what = "case" if has_one_label(results) else "label"
    return [
        f"{metric_title(metric, unit)} has a mean of {mean} over {_plural(n, what)} with something "
        f"to find, {_plural(missing, what)} without a usable mask counted 0."
    ]


def _over(side: MaskSide, n_values: int) -> str:
    """Name what has a value: ``38 of 40 labels in 1 case``, ``8 of 12 cases``."""
    rows, cases = side.results.label_rows, _plural(len(side.results.cases), "case")
    n = count(len(rows)) if n_values == len(rows) else f"{count(n_values)} of {count(len(rows))}"
    if has_one_label(side.results):
        return f"{n} case{'' if len(rows) == 1 else 's'}"
    return f"{n} labels in {cases}"


def _lost(side: MaskSide) -> list[str]:
    """Say how often a mask was missed or made up; nothing where neither happened."""
    fates = [row.fate for row in side.results.label_rows]
    missed, invented = fates.count("missed"), fates.count("invented")
    what = "The reference" if has_one_label(side.results) else "A label of a case"
    said = [f"{what} was missed altogether {_times(missed)}."] if missed else []
    if invented:
        said.append(f"Something was drawn {_times(invented)} where the reference has nothing.")
    return said


def _plural(number: int, noun: str) -> str:
    return f"{count(number)} {noun}{'' if number == 1 else 's'}"


def _times(number: int) -> str:
    return {1: "once", 2: "twice"}.get(number, f"{count(number)} times")
