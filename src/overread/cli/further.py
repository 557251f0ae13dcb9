"""The metrics beside the headline, over all items: one row each, with its judge if it has one."""

from __future__ import annotations

from collections.abc import Sequence

from rich.table import Table

from overread.cli.output import interval, number_table, percent, safe
from overread.records import Estimate

__all__ = ["further_metrics", "further_table"]

_JUDGE = "judge"


def further_metrics(estimates: Sequence[Estimate], *, headline: str) -> list[Estimate]:
    """Pick the totals of metrics that are no part of the headline's own card."""
    card = {headline, f"{headline}_answered", "no_answer", "gain_over_blind"}
    return [
        each for each in estimates if each.metric not in card and each.stratum.keys() <= {_JUDGE}
    ]


def further_table(estimates: Sequence[Estimate]) -> Table:
    """Tabulate them: shares in per cent, other values as they are."""
    table = number_table("Further metrics, all questions")
    table.add_column("metric", no_wrap=True)
    table.add_column("profile", no_wrap=True)
    for name in ("n", "answered", "value", "95 %"):
        table.add_column(name, justify="right", no_wrap=True)
    for each in estimates:
        judge = each.stratum.get(_JUDGE)
        name = each.metric.replace("_", " ") + (f", {judge}" if judge else "")
        table.add_row(
            safe(name),
            each.profile,
            str(each.n),
            str(each.n_answered),
            *_shown(each),
        )
    return table


def _shown(estimate: Estimate) -> tuple[str, str]:
    if estimate.metric.endswith("accuracy"):
        return percent(estimate.value), interval(estimate.low, estimate.high)
    value, low, high = (
        "–" if number is None else f"{number:.4g}"
        for number in (estimate.value, estimate.low, estimate.high)
    )
    return value, f"{low} to {high}" if estimate.low is not None else "–"
