"""What masks came to, in whole sentences: for people who read no table."""

from __future__ import annotations

from collections.abc import Sequence

from overread.analysis.mask_summary import summarise
from overread.records import Status
from overread.report.masks.scales import is_signed, mask_number, metric_title
from overread.report.masks.sides import MaskSide, row_name
from overread.report.masks.worst import worst_rows
from overread.report.wording import count

__all__ = ["mask_sentences"]


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
    of_labels = len(results.by_label())
    over = f"{_plural(of_labels, 'label')} in {cases}" if of_labels > 1 else cases
    said = [
        f"{who}{title} over {over} has a median of {mask_number(found.median, metric, unit)} and a "
        f"mean of {mask_number(found.mean, metric, unit)}{between}."
    ]
    gone = len(results.cases) - scored
    if gone:
        said.append(
            f"{_plural(gone, 'case')} of {count(len(results.cases))} "
            f"{'has' if gone == 1 else 'have'} no score and {'is' if gone == 1 else 'are'} in no "
            "mean above: the ledger counts them."
        )
    fates = [row.fate for row in rows]
    missed, invented = fates.count("missed"), fates.count("invented")
    if missed or invented:
        where = "a label in a case" if of_labels > 1 else "the reference"
        said.append(
            f"{_times(missed)} {where} was missed altogether, {_times(invented).lower()} one was "
            "drawn where there is none."
        )
    worst = worst_rows(results, most=1)
    if worst and len(rows) > 1 and not is_signed(metric):
        said.append(
            f"The worst is {row_name(worst[0])} with "
            f"{mask_number(worst[0].values[metric], metric, unit)}."
        )
    return said


def _plural(number: int, noun: str) -> str:
    return f"{count(number)} {noun}{'' if number == 1 else 's'}"


def _times(number: int) -> str:
    return {0: "Never", 1: "Once", 2: "Twice"}.get(number, f"{count(number)} times")
