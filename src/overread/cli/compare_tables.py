"""What `overread compare` shows: an order with groups, the pairs, and what the exam can show."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from rich.console import Console
from rich.table import Table

from overread.analysis.compare import Comparison, PairDifference
from overread.analysis.compared_margin import WithinMargin
from overread.analysis.standings import letter
from overread.cli.compare_scale import Scale, scale_of
from overread.cli.output import is_wide, number_table, safe, stratum_name

__all__ = [
    "margin_table",
    "pair_sentences",
    "pair_table",
    "power_table",
    "standing_tables",
    "two_intervals",
]

_NARROW: Final = 74
"""Columns of text below which p values before adjustment are left to wider screens and JSON."""
_COLUMNS_WIDE: Final = 9
_COLUMNS_SLIM: Final = 5
"""Runs that the matrix of differences holds beside each other."""


def standing_tables(found: Comparison) -> Iterator[Table]:
    """Tabulate runs in order, with groups and each difference to a better run.

    Where there are many runs the columns go on in a further table.
    """
    best_first, scale = found.standings, scale_of(found)
    numbers = {standing.label: place for place, standing in enumerate(best_first, start=1)}
    columns = list(best_first[:-1])  # nobody is below the last
    step = _COLUMNS_WIDE if is_wide() else _COLUMNS_SLIM
    cells = {frozenset((pair.first, pair.second)): pair for pair in found.pairs}
    for start in range(0, max(1, len(columns)), step):
        shown = columns[start : start + step]
        title = f"Order by {found.metric}, {found.profile} profile"
        table = number_table(title if start == 0 else f"{title}, further columns")
        table.add_column("", justify="right")
        table.add_column("run", overflow="fold", min_width=8)
        if start == 0:
            table.add_column(scale.heading, justify="right", no_wrap=True)
            table.add_column("group", justify="left", no_wrap=True)
        for standing in shown:
            table.add_column(str(numbers[standing.label]), justify="right", no_wrap=True)
        for standing in best_first:
            own = numbers[standing.label]
            lead = [str(own), safe(standing.label)]
            if start == 0:
                lead += [scale.value(standing.value), "".join(map(letter, standing.groups))]
            below = [
                _gap(cells[frozenset((standing.label, other.label))], standing.label, scale)
                if numbers[other.label] < own
                else ""
                for other in shown
            ]
            table.add_row(*lead, *below)
        yield table


def _of_difference(level: float) -> str:
    return f"{100 * level:g} % of diff"


def _gap(pair: PairDifference, label: str, scale: Scale) -> str:
    gap = pair.difference if pair.first == label else -pair.difference
    return f"{scale.gap(gap)}{'*' if pair.is_told_apart else ' '}"


def pair_table(
    title: str,
    rows: Iterable[PairDifference],
    *,
    names: tuple[str, ...],
    unit: str,
    scale: Scale,
    has_order: bool,
) -> Table:
    """Tabulate pairs; `names` are the columns that say which: the runs, or the stratum.

    `has_order` says that the scores of the runs stand in `standing_tables`.
    """
    table = number_table(title)
    for name in names:
        table.add_column(name, overflow="fold", min_width=6)
    rows = list(rows)
    interval = _of_difference(next((row.level for row in rows), 0.95))
    columns = ["n", "1, 2", "diff", interval, "only 1, 2", "p McN", f"p {unit}", "p adj"]
    # Of several runs the order says the scores.
    left_out = {"1, 2"} if has_order and "run 2" in names else set[str]()
    if not is_wide():
        left_out |= {"n", "only 1, 2"}
    if _is_narrow():
        left_out |= {"p McN", f"p {unit}"}
    columns = [name for name in columns if name not in left_out]
    for name in columns:
        table.add_column(name, justify="right", no_wrap=True)
    for row in rows:
        shown = {
            **_names(row),
            "stratum": safe(stratum_name(row.stratum)),
            "n": str(row.n),
            "1, 2": f"{scale.value(row.first_value)}, {scale.value(row.second_value)}",
            "diff": scale.gap(row.difference),
            interval: scale.bounds(row.low, row.high),
            "only 1, 2": f"{_dash(row.only_first)}, {_dash(row.only_second)}",
            "p McN": _p(row.p_mcnemar, mark="*" if row.adjusted == "mcnemar" else ""),
            f"p {unit}": _p(row.p_sign_flip, mark="*" if row.adjusted == "sign flip" else ""),
            "p adj": _p(row.p_adjusted, mark=""),
        }
        table.add_row(*(shown[name] for name in (*names, *columns)))
    return table


def power_table(found: Comparison) -> Table:
    """Tabulate what the exam can show of each pair, and what would settle it."""
    power, scale = found.pairs[0].exam.power, scale_of(found)
    table = number_table(
        f"What these {_plural(2, 'question')} can show (power {100 * power:.0f} %)"
    )
    for name in ("run 1", "run 2"):
        table.add_column(name, overflow="fold", min_width=6)
    columns = ["diff", "shows from", "effect", _plural(2, found.unit), "needed", "at best"]
    if not is_wide():
        columns.remove("effect")
    if _is_narrow():
        columns.remove("diff")
    for name in columns:
        table.add_column(name, justify="right", no_wrap=True)
    for pair in found.pairs:
        exam = pair.exam
        shown = {
            "diff": scale.gap(pair.difference),
            "shows from": scale.value(exam.smallest_difference),
            "effect": "–" if exam.design_effect is None else f"{exam.design_effect:.2f}",
            _plural(2, found.unit): thousands(exam.units),
            "needed": _needed(exam.units_needed),
            "at best": _needed(exam.units_needed_at_best),
        }
        table.add_row(*_names(pair).values(), *(shown[name] for name in columns))
    return table


def margin_table(found: Comparison, margin: float) -> Table:
    """Tabulate which pairs differ by less than the margin."""
    scale = scale_of(found)
    shown_margin = f"{100 * margin:g} points" if scale.is_share else scale.size(margin)
    table = number_table(f"Within ±{shown_margin}?")
    for name in ("run 1", "run 2"):
        table.add_column(name, overflow="fold", min_width=6)
    level = next((pair.margin.level for pair in found.pairs if pair.margin), 0.9)
    interval = _of_difference(level)
    columns = [interval, "p 1 not worse", "p 2 not worse", "p both", "needed"]
    if not is_wide():
        columns = [columns[0], "p both", "needed"]
    for name in columns:
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("verdict", no_wrap=True)
    for pair in found.pairs:
        if (within := pair.margin) is None:
            continue
        shown = {
            interval: scale.bounds(within.low, within.high),
            "p 1 not worse": _p(within.p_first_not_worse, mark=""),
            "p 2 not worse": _p(within.p_second_not_worse, mark=""),
            "p both": _p(within.p_equivalent, mark=""),
            "needed": _needed(within.units_needed),
        }
        verdict = within.verdict.replace("first", "1").replace("second", "2")
        table.add_row(*_names(pair).values(), *(shown[name] for name in columns), verdict)
    return table


def two_intervals(found: Comparison) -> str:
    """Say why a difference has two intervals where a margin is asked about; else empty."""
    pair = next((pair for pair in found.pairs if pair.margin is not None), None)
    if pair is None or pair.margin is None:
        return ""
    return (
        f"why two intervals: that of {100 * pair.level:g} % asks whether the runs differ at all, "
        f"that of {100 * pair.margin.level:g} % is the margin's (two one-sided tests at "
        f"{50 * (1 - pair.margin.level):g} % each, passed just when it lies within the margin, by "
        "a method of their own), and the interval of one run alone, as in score and report, is no "
        "measure of a difference: both saw the same patients."
    )


def pair_sentences(pair: PairDifference, unit: str, scale: Scale) -> Iterator[str]:
    """Say in sentences what a pair shows, what it could have shown, and what would settle it."""
    exam = pair.exam
    one, two = pair.first, pair.second
    ahead, behind = (one, two) if scale.ahead(pair.difference) else (two, one)
    gap = scale.size(pair.difference)
    p = "no p value" if pair.p_adjusted is None else f"adjusted p {pair.p_adjusted:.2g}"
    if pair.is_told_apart:
        yield f"{one} and {two} are told apart: {ahead} is better by {gap} ({p})."
    elif gap != scale.size(0):
        lead = f"{ahead} is ahead of {behind} by {gap}"
        yield f"{one} and {two} cannot be told apart: {lead} ({p})."
    else:
        yield f"{one} and {two} cannot be told apart: they score the same ({p})."
    asked = counted(exam.units, unit)
    if exam.smallest_difference is not None:
        effect = "" if exam.design_effect is None else f", design effect {exam.design_effect:.2f}"
        yield (
            f"With {asked} a difference of {scale.size(exam.smallest_difference)} or more is "
            f"found in {100 * exam.power:.0f} % of exams{effect}."
        )
    if exam.reason is not None:
        yield f"{exam.reason[0].upper()}{exam.reason[1:]}."
    if not pair.is_told_apart:
        yield from _settling(pair, unit, scale)
    if pair.margin is not None:
        yield from _margin_sentences(pair.margin, exam.units, unit, scale)


def _settling(pair: PairDifference, unit: str, scale: Scale) -> Iterator[str]:
    """Say how many patients more would separate two runs that are not told apart."""
    exam = pair.exam
    if exam.units_needed is not None:
        needed, more = counted(exam.units_needed, unit), exam.units_needed - exam.units
        if more > 0:
            settled = f"would tell them apart: {thousands(more)} more"
        else:
            settled = f"tell them apart in {100 * exam.power:.0f} % of exams; this was another"
        yield f"If this difference is the true one, {needed} {settled}."
    if exam.units_needed_at_best is not None and pair.low is not None and pair.high is not None:
        far = max(pair.low, pair.high, key=abs)
        yield (
            f"At best, with the {100 * pair.level:.0f} % interval's far end of "
            f"{scale.gap(far)} {scale.unit}, {counted(exam.units_needed_at_best, unit)}; if the "
            "truth is no difference, no number."
        )


def _margin_sentences(within: WithinMargin, units: int, unit: str, scale: Scale) -> Iterator[str]:
    margin = f"{100 * within.margin:g} points" if scale.is_share else scale.size(within.margin)
    if within.p_equivalent is None:
        yield f"Whether they differ by less than {margin} is open: {within.reason}."
        return
    bounds = scale.bounds(within.low, within.high)
    between = f"{100 * within.level:.0f} % interval of the difference {bounds}"
    claims = {
        "equivalent": f"They differ by less than {margin}",
        "first not worse": f"The first is not worse by {margin}",
        "second not worse": f"The second is not worse by {margin}",
        "open": f"Whether they differ by less than {margin} is open",
    }
    p = {
        "first not worse": within.p_first_not_worse,
        "second not worse": within.p_second_not_worse,
    }.get(within.verdict, within.p_equivalent)
    more = ""
    if within.verdict == "open" and within.units_needed is not None:
        further = within.units_needed - units
        more = f" Were they equal, {counted(within.units_needed, unit)} would show it"
        more += f": {thousands(further)} more." if further > 0 else "."
    yield f"{claims[within.verdict]} ({between}, adjusted p {_p(p, mark='')}).{more}"
    if within.reason is not None:
        yield f"{within.reason[0].upper()}{within.reason[1:]}.".replace(
            "clusters", _plural(2, unit)
        )


def _is_narrow() -> bool:
    """Tell whether the terminal is too narrow for three numbers beside two runs and an interval."""
    return not is_wide() and Console().width < _NARROW


def counted(n: int, unit: str) -> str:
    """Count units in words: ``1 patient``, ``2,310 questions``."""
    return f"{thousands(n)} {_plural(n, unit)}"


def thousands(n: int) -> str:
    """Write a count with commas; one that is no plan any more as a power of ten."""
    return f"{n:,}" if n < 10**7 else f"{n:.0e}".replace("e+0", "e").replace("e+", "e")


def _plural(n: int, unit: str) -> str:
    word = "question" if unit == "item" else unit
    if n == 1:
        return word
    return f"{word[:-1]}ies" if word.endswith("y") else f"{word}s"


def _names(pair: PairDifference) -> dict[str, str]:
    return {"run 1": safe(pair.first), "run 2": safe(pair.second)}


def _needed(units: int | None) -> str:
    return "–" if units is None else thousands(units)


def _p(value: float | None, *, mark: str) -> str:
    return "–" if value is None else f"{value:.2g}{mark}"


def _dash(count: int | None) -> str:
    return "–" if count is None else str(count)
