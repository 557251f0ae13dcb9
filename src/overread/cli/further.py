"""The metrics beside the headline, over all items: one row each, with its judge or label."""

from __future__ import annotations

from collections.abc import Sequence

from rich.table import Table

from overread.cli.output import interval, number_table, percent, safe
from overread.records import Estimate
from overread.registry import metric_spec

__all__ = ["further_metrics", "further_table"]

_JUDGE, _TARGET = "judge", "target"
_MOST_TARGETS = 8
"""Labels shown one by one; a label map of forty has its page in the report."""


def further_metrics(estimates: Sequence[Estimate], *, headline: str) -> list[Estimate]:
    """Pick the totals of metrics that are no part of the headline's own card."""
    card = {headline, f"{headline}_answered", "no_answer", "gain_over_blind"}
    targets = {each.stratum[_TARGET] for each in estimates if _TARGET in each.stratum}
    beside = {_JUDGE, _TARGET} if len(targets) <= _MOST_TARGETS else {_JUDGE}
    totals = {_what(each) for each in estimates if not each.stratum}
    return [
        each
        for each in estimates
        if (each.metric not in card or _TARGET in each.stratum)
        and each.stratum.keys() <= beside
        # The row of a sole label repeats that of the case.
        and not (_TARGET in each.stratum and _what(each) in totals)
    ]


def _what(estimate: Estimate) -> tuple[object, ...]:
    return estimate.metric, estimate.profile, estimate.n, estimate.value


def further_table(estimates: Sequence[Estimate]) -> Table:
    """Tabulate them: shares in per cent, other values as they are."""
    table = number_table("Further metrics, all questions")
    table.add_column("metric", no_wrap=True)
    table.add_column("profile", no_wrap=True)
    for name in ("n", "answered", "value", "95 %"):
        table.add_column(name, justify="right", no_wrap=True)
    for each in estimates:
        beside = each.stratum.get(_JUDGE) or each.stratum.get(_TARGET)
        name = each.metric.replace("_", " ") + (f", {beside}" if beside else "")
        table.add_row(
            safe(name),
            each.profile,
            str(each.n),
            str(each.n_answered),
            *_shown(each),
        )
    return table


def _shown(estimate: Estimate) -> tuple[str, str]:
    spec = metric_spec(estimate.metric)
    if estimate.metric.endswith("accuracy") or (spec is not None and spec.unit == "share"):
        return percent(estimate.value), interval(estimate.low, estimate.high)
    value, low, high = (
        "–" if number is None else f"{number:.4g}"
        for number in (estimate.value, estimate.low, estimate.high)
    )
    return value, f"{low} to {high}" if estimate.low is not None else "–"
