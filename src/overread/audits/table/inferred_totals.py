"""Totals that nobody claimed: a column that is a mean of others in most rows, and where not."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Final

import numpy as np

from overread.audits.table.claims import Rule
from overread.audits.table.flaws import Check, Flaw, flaw
from overread.audits.table.reading import Column, ReadTable
from overread.audits.table.spans import show
from overread.audits.table.totals import Line, given_by, rule_words, total_flaw
from overread.audits.wording import counted
from overread.records import Severity

__all__ = ["check_inferred_totals", "pooling_weights"]

_TOTAL: Final = re.compile(
    r"overall|total|averag|\bavg|mean|macro|micro|\ball\b|\bsum\b|score|pooled", re.IGNORECASE
)
_NO_PART: Final = re.compile(
    r"worst|\bmin|best|\bmax|gap|dispar|range|std|\bsd\b|delta|δ|gain|improv|diff", re.IGNORECASE
)
_TOTAL_ROW: Final = re.compile(
    r"(?:mean|averages?|avg\.?|overall|total|all|sum|pooled)(?: \w+)?", re.IGNORECASE
)
_MOST: Final = 0.75
_MOST_PARTS: Final = 16
_ROWS_TRIED: Final = 300
"""Rows at the head of a table that say whether a rule is worth trying, and give the weights."""
_FEWEST: Final = 3
_FEWEST_UNNAMED: Final = 6
"""Rows that must fit: more where no heading says that the column is a total, or without decimals,
where much fits by chance."""
_COARSE: Final = 8
"""Parts must differ by so many printed steps in a middling row, or anything is their mean."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Relation:
    total: Column
    parts: tuple[Column, ...]
    part: str
    """Which number of the parts' cells: ``value``, or ``rank`` in brackets."""
    rule: Rule
    lines: tuple[Line, ...]
    off: tuple[Line, ...]


def check_inferred_totals(read: ReadTable) -> Iterator[Flaw | Check]:
    """Look for totals among the columns and rows, as far as no claim speaks of them."""
    claimed = {
        read.reference(claim.column, argument="total.column")[0] for claim in read.claims.totals
    }
    columns = [column for column in read.value_columns if not _NO_PART.search(column.name)]
    named = [column for column in columns if _TOTAL.search(column.name)]
    ends = [columns[0], columns[-1]] if len(columns) > 2 else []
    for total in named or list(dict.fromkeys(ends)):
        if total.place in claimed:
            continue
        relation = _relation(read, total, columns, named)
        if relation is not None:
            yield from _told(read, relation)
    yield from _total_rows(read)


def _relation(
    read: ReadTable, total: Column, columns: Sequence[Column], named: Sequence[Column]
) -> _Relation | None:
    """Give the first set of columns that the total is a mean of; a plain mean before a weighted."""
    sets = list(_part_sets(total, columns, named))
    rules: tuple[Rule, ...] = ("mean", "sum") if total in named else ("mean",)
    for rule in rules:
        for parts in sets:
            found = _plain(read, total, parts, rule=rule, part="value")
            if found is not None:
                return found
    for parts in _rank_sets(read, total, columns, named):
        found = _plain(read, total, parts, rule="mean", part="rank")
        if found is not None:
            return found
    for parts in sets:
        found = _weighted(read, total, parts)
        if found is not None:
            return found
    return None


def _part_sets(
    total: Column, columns: Sequence[Column], named: Sequence[Column]
) -> Iterator[tuple[Column, ...]]:
    """Give the columns that a total may be of: all others, those after it, those before it."""
    before, after = _neighbours(total, columns, named)
    others = [column for column in columns if column is not total and column not in named]
    seen: set[tuple[int, ...]] = set()
    for several in (others, after, before):
        alike = tuple(column for column in several if column.scale == total.scale)
        key = tuple(column.place for column in alike)
        if 2 <= len(alike) <= _MOST_PARTS and key not in seen:
            seen.add(key)
            yield alike


def _neighbours(
    total: Column, columns: Sequence[Column], named: Sequence[Column]
) -> tuple[list[Column], list[Column]]:
    """Give the columns before and after a total, each up to the next total."""
    place = list(columns).index(total)
    before: list[Column] = []
    for column in reversed(columns[:place]):
        if column in named:
            break
        before.insert(0, column)
    after: list[Column] = []
    for column in columns[place + 1 :]:
        if column in named:
            break
        after.append(column)
    return before, after


def _rank_sets(
    read: ReadTable, total: Column, columns: Sequence[Column], named: Sequence[Column]
) -> Iterator[tuple[Column, ...]]:
    """Give the columns beside a total whose cells have ranks in brackets."""
    for several in _neighbours(total, columns, named):
        ranked = tuple(
            column
            for column in several
            if sum(read.numbers[row][column.place].rank is not None for row in read.rows) * 2
            > len(read.rows)
        )
        if 2 <= len(ranked) <= _MOST_PARTS:
            yield ranked


def _lines(
    read: ReadTable, total: Column, parts: Sequence[Column], *, part: str
) -> tuple[Line, ...]:
    lines: list[Line] = []
    for row in read.rows:
        references = [(total.place, "value"), *((column.place, part) for column in parts)]
        spans = [read.span(row, reference) for reference in references]
        whole = [span for span in spans if span is not None]
        if len(whole) == len(spans):
            lines.append(Line(row=row, total=whole[0], parts=tuple(whole[1:])))
    return tuple(lines)


def _differ(lines: Sequence[Line]) -> bool:
    """Tell whether parts differ enough for a mean to be something."""
    ranges = sorted(
        max(part.middle for part in line.parts) - min(part.middle for part in line.parts)
        for line in lines
    )
    steps = sorted(line.total.high - line.total.low for line in lines)
    return bool(lines) and ranges[len(ranges) // 2] > _COARSE * steps[len(steps) // 2]


def _plain(
    read: ReadTable, total: Column, parts: tuple[Column, ...], *, rule: Rule, part: str
) -> _Relation | None:
    lines = _lines(read, total, parts, part=part)
    if len(lines) < 2 or not _differ(lines):
        return None
    if sum(_fits(line, rule) for line in lines[:_ROWS_TRIED]) * 2 < len(lines[:_ROWS_TRIED]):
        return None
    off = tuple(line for line in lines if not _fits(line, rule))
    is_named = _TOTAL.search(total.name) and total.decimals > 0
    fewest = _FEWEST if is_named else _FEWEST_UNNAMED
    if (
        not _all_clear(off, rule)
        or len(lines) - len(off) < fewest
        or len(off) > (1 - _MOST) * len(lines) + 0.5
    ):
        return None
    return _Relation(total=total, parts=parts, part=part, rule=rule, lines=lines, off=off)


def _all_clear(lines: Sequence[Line], rule: Rule) -> bool:
    """Tell whether every line misses the rule clearly."""
    return all(
        given is None or given.clearly_misses(line.total)
        for line in lines
        for given in (given_by(line, rule),)
    )


def _fits(line: Line, rule: Rule) -> bool:
    given = given_by(line, rule)
    return given is not None and given.meets(line.total, slack=Fraction(1, 10**7))


def _weighted(read: ReadTable, total: Column, parts: tuple[Column, ...]) -> _Relation | None:
    lines = _lines(read, total, parts, part="value")
    if len(lines) < 2 * len(parts) + 4 or not _differ(lines):
        return None
    head = lines[:_ROWS_TRIED]
    weights = pooling_weights(
        np.array([[float(part.middle) for part in line.parts] for line in head]),
        np.array([float(line.total.middle) for line in head]),
        np.array(
            [
                float(line.total.high - line.total.low)
                + max(float(part.high - part.low) for part in line.parts)
                for line in head
            ]
        )
        / 2,
    )
    if weights is None or max(weights) > 0.97:
        return None
    exact = tuple(Fraction(weight).limit_denominator(10**9) for weight in weights)
    lines = tuple(replace(line, weights=exact) for line in lines)
    off = tuple(line for line in lines if not _fits(line, "pooled"))
    if not _all_clear(off, "pooled") or len(off) > (1 - _MOST) * len(lines):
        return None
    return _Relation(total=total, parts=parts, part="value", rule="pooled", lines=lines, off=off)


def pooling_weights(
    parts: np.ndarray, totals: np.ndarray, slack: np.ndarray
) -> tuple[float, ...] | None:
    """Find the weights under which totals are weighted means of their parts in most rows.

    Parameters
    ----------
    parts
        (n_rows, n_parts).
    totals
        (n_rows,).
    slack
        (n_rows,) what rounding explains.

    Returns
    -------
    tuple of float or None
        (n_parts,) weights of 0 or more that sum to 1; None where no solution is found.

    Notes
    -----
    Rows that fit no weights together with the others are dropped, the worst first, until the rest
    fits. A few rows that follow another rule do not move the weights.
    """
    kept = np.ones(len(totals), dtype=bool)
    fewest = int(np.ceil(_MOST * len(totals)))
    while True:
        weights = _least_violation(parts[kept], totals[kept], slack[kept])
        if weights is None:
            return None
        beyond = np.abs(parts @ weights - totals) - slack
        if np.count_nonzero(beyond <= 1e-7) * 2 < len(totals):
            return None
        if beyond[kept].max() <= 1e-7:
            break
        kept[int(np.argmax(np.where(kept, beyond, -np.inf)))] = False
        if kept.sum() < fewest:
            return None
    for row in np.flatnonzero(~kept):
        # A row that was dropped early may yet agree with all that were kept.
        kept[row] = True
        trial = _least_violation(parts[kept], totals[kept], slack[kept])
        if trial is None or (np.abs(parts @ trial - totals) - slack)[kept].max() > 1e-7:
            kept[row] = False
        else:
            weights = trial
    return tuple(float(weight) for weight in weights)


def _least_violation(parts: np.ndarray, totals: np.ndarray, slack: np.ndarray) -> np.ndarray | None:
    """Minimise what is left beyond `slack`, summed over rows: a linear programme."""
    from scipy.optimize import linprog

    n, k = parts.shape
    eye = np.eye(n)
    found = linprog(
        np.concatenate([np.zeros(k), np.ones(n)]),
        A_ub=np.block([[parts, -eye], [-parts, -eye]]),
        b_ub=np.concatenate([totals + slack, slack - totals]),
        A_eq=np.concatenate([np.ones(k), np.zeros(n)])[None, :],
        b_eq=[1.0],
        bounds=[(0, None)] * (k + n),
        method="highs",
    )
    if not found.success:
        return None
    weights = np.clip(found.x[:k], 0, None)
    return weights / weights.sum()


def _told(read: ReadTable, relation: _Relation) -> Iterator[Flaw | Check]:
    parts = ", ".join(column.name for column in relation.parts)
    if relation.part == "rank":
        parts = f"the ranks in brackets of {parts}"
    n, fitting = len(relation.lines), len(relation.lines) - len(relation.off)
    words = rule_words(relation.rule)
    if relation.rule == "pooled":
        weights = relation.lines[0].weights
        words += " with weights near " + ", ".join(show(weight, 3) for weight in weights)
    yield Check(
        name=f"{relation.total.name} from {parts}",
        tried=n,
        off=len(relation.off),
        note=f"inferred: {words} fits {fitting} of {counted(n, 'row')}",
    )
    for line in relation.off:
        yield total_flaw(
            read,
            line,
            rule=relation.rule,
            total=(relation.total.place, "value"),
            places=[column.place for column in relation.parts],
            said=f" (inferred: it fits {fitting} of {n} rows)",
        )


# ---------------------------------------------------------------- a total as a row


def _total_rows(read: ReadTable) -> Iterator[Flaw | Check]:
    rows = [row for row in read.rows if _TOTAL_ROW.fullmatch(read.row_names[row])]
    others = [row for row in read.rows if row not in rows]
    if len(others) < 2:
        return
    for total in rows:
        lines: list[tuple[Column, Line]] = []
        for column in read.value_columns:
            spans = [read.span(row, (column.place, "value")) for row in (total, *others)]
            whole = [span for span in spans if span is not None]
            if len(whole) == len(spans):
                weights = _row_weights(read, others)
                line = Line(row=total, total=whole[0], parts=tuple(whole[1:]), weights=weights)
                lines.append((column, line))
        yield from _one_total_row(read, total, lines)


def _row_weights(read: ReadTable, rows: Sequence[int]) -> tuple[Fraction, ...]:
    counts = [column for column in read.columns if column.kind == "count"]
    if not counts:
        return ()
    numbers = [read.numbers[row][counts[0].place].exact for row in rows]
    known = [Fraction(number) for number in numbers if number is not None and number > 0]
    return tuple(known) if len(known) == len(rows) else ()


def _one_total_row(
    read: ReadTable, total: int, lines: Sequence[tuple[Column, Line]]
) -> Iterator[Flaw | Check]:
    name = read.row_names[total]
    rules: tuple[Rule, ...] = ("mean", "pooled", "sum")
    fits = {rule: [column for column, line in lines if _fits(line, rule)] for rule in rules}
    rule = max(rules, key=lambda each: len(fits[each]))
    missed = [line for column, line in lines if column not in fits[rule]]
    if (
        not _all_clear(missed, rule)
        or len(fits[rule]) < 2
        or len(fits[rule]) < _MOST * len(lines) - 0.5
    ):
        if lines:
            yield Check(
                name=f"row {name} from the other rows",
                tried=0,
                off=0,
                note="it is neither their mean, their weighted mean nor their sum in most columns",
            )
        return
    off = [(column, line) for column, line in lines if column not in fits[rule]]
    fitting = f"it fits {len(fits[rule])} of {counted(len(lines), 'column')}"
    yield Check(
        name=f"row {name} from the other rows",
        tried=len(lines),
        off=len(off),
        note=f"inferred: {rule_words(rule)} of the other rows; {fitting}",
    )
    for column, line in off:
        given = given_by(line, rule)
        value = "nothing" if given is None else show(given.middle, column.decimals + 1)
        yield flaw(
            Severity.ERROR,
            "total-off",
            read.where(total, column.place),
            f"printed {read.printed(total, column.place)}; {rule_words(rule)} of the other rows "
            f"is {value} (inferred: {fitting})",
            cells=[(total, column.place)],
            effect="the total and its parts are not of the same answers, or a cell is wrong",
            remedy="Compute it again from the parts, and say by which rule.",
        )
