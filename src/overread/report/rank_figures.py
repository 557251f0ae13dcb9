"""The figures of a ranking, placed: rank plot, significance map, podium, orders by rule.

Rankings arrive finished; this module only sorts them by rank and places their marks.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from overread.analysis.ranking.pairs import MethodPair
from overread.analysis.ranking.ranking import TaskRanking
from overread.analysis.ranking.sentences import number_text

__all__ = [
    "MOST_METHODS",
    "Blob",
    "HeatCell",
    "HeatRow",
    "Line",
    "Place",
    "RankPlotRow",
    "RuleLine",
    "Segment",
    "heat_map",
    "podium",
    "rank_plot",
    "rank_x",
    "rule_lines",
]

MOST_METHODS = 60
"""Of whom figures show the best ranked; tables and files hold all."""
_LARGEST_RADIUS = 10.0
_SMALLEST_SHARE = 0.002
_PLACES = 3
_ROW_HEIGHT = 26


@dataclass(frozen=True, slots=True, kw_only=True)
class Blob:
    """How often a method has a rank: a circle whose area is the share."""

    x: str
    radius: str
    title: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RankPlotRow:
    """One method of the rank plot."""

    method: str
    rank: str
    score: str
    colour: int
    blobs: tuple[Blob, ...]
    low_x: str | None
    """Ends of the interval of its rank."""
    high_x: str | None
    set_x: str | None
    """Where the ranks begin that tests leave possible, and how wide they are."""
    set_width: str | None
    drawn: str
    possible: str
    best: str


@dataclass(frozen=True, slots=True, kw_only=True)
class HeatCell:
    """Whether the row's method is significantly better than the column's."""

    kind: str
    """``better``, ``worse``, ``untold`` or ``self``."""
    text: str
    title: str


@dataclass(frozen=True, slots=True, kw_only=True)
class HeatRow:
    """One method against all."""

    method: str
    number: int
    cells: tuple[HeatCell, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Segment:
    """A part of a bar."""

    x: str
    width: str
    colour: int
    title: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Who stands at one place of the podium, in how many cases."""

    label: str
    segments: tuple[Segment, ...]
    top: str
    """The methods most often there, in words."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """A stroke between two neighbouring rules."""

    x1: str
    x2: str
    y1: int
    y2: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleLine:
    """One method's rank under every rule."""

    method: str
    colour: int
    lines: tuple[Line, ...]
    points: tuple[tuple[str, int, str], ...]
    """x, y and what it says."""
    y: int
    """Where its name stands, at the right end."""


def rank_x(rank: float, k: int) -> str:
    """Place a rank on an axis with a slot for each of k ranks: ``12.50%``."""
    return f"{100 * (rank - 0.5) / k:.2f}%"


def rank_plot(ranking: TaskRanking) -> tuple[RankPlotRow, ...]:
    """Place what resamples and tests say of each method's rank, best first."""
    k = len(ranking.methods)
    number = {name: place for place, name in enumerate(ranking.methods)}
    stable = ranking.stability
    rows: list[RankPlotRow] = []
    for place, row in enumerate(ranking.rows[:MOST_METHODS]):
        shares = () if stable is None else stable.frequency[number[row.method]]
        has_set = bool(ranking.pairs)
        rows.append(
            RankPlotRow(
                method=row.method,
                rank="–" if row.rank is None else str(row.rank),
                score=number_text(row.score),
                colour=place % 8,
                blobs=tuple(
                    Blob(
                        x=rank_x(rank, k),
                        radius=f"{_LARGEST_RADIUS * share**0.5:.2f}",
                        title=f"{row.method}: rank {rank} in {100 * share:.1f} % of resamples",
                    )
                    for rank, share in enumerate(shares, 1)
                    if share >= _SMALLEST_SHARE
                ),
                low_x=None if row.rank_low is None else rank_x(row.rank_low, k),
                high_x=None if row.rank_high is None else rank_x(row.rank_high, k),
                set_x=f"{100 * (row.set_low - 1) / k:.2f}%" if has_set else None,
                set_width=f"{100 * (row.set_high - row.set_low + 1) / k:.2f}%" if has_set else None,
                drawn=_span(row.rank_low, row.rank_high),
                possible=_span(row.set_low, row.set_high) if has_set else "–",
                best="–" if row.best is None else f"{100 * row.best:.1f}",
            )
        )
    return tuple(rows)


def heat_map(ranking: TaskRanking, pairs: Sequence[MethodPair]) -> tuple[HeatRow, ...]:
    """Lay out who is significantly better than whom, both ways by rank."""
    names = [row.method for row in ranking.rows[:MOST_METHODS]]
    found = {(pair.first, pair.second): pair for pair in pairs}
    return tuple(
        HeatRow(
            method=one,
            number=place,
            cells=tuple(_heat(one, two, found) for two in names),
        )
        for place, one in enumerate(names, 1)
    )


def podium(ranking: TaskRanking) -> tuple[Place, ...]:
    """Give for each of the first places who stands there, in what share of cases."""
    if ranking.unit == "value" or ranking.n_cases < 2:
        return ()
    places: list[Place] = []
    for place in range(min(_PLACES, len(ranking.methods))):
        shares = [(row.places[place], row.method) for row in ranking.rows]
        # A shared place counts for each who shares it: the bar shows parts of all that count.
        total = sum(share for share, _ in shares)
        start, segments = 0.0, []
        for number, (share, method) in enumerate(shares):
            if share <= 0:
                continue
            segments.append(
                Segment(
                    x=f"{100 * start / total:.2f}%",
                    width=f"{100 * share / total:.2f}%",
                    colour=number % 8,
                    title=f"{method}: in {100 * share:.1f} % of cases",
                )
            )
            start += share
        most = sorted(shares, key=lambda pair: -pair[0])[:3]
        places.append(
            Place(
                label=("First", "Second", "Third")[place],
                segments=tuple(segments),
                top=", ".join(f"{name} {100 * share:.0f} %" for share, name in most if share > 0),
            )
        )
    return tuple(places)


def rule_lines(ranking: TaskRanking) -> tuple[tuple[str, ...], tuple[RuleLine, ...]]:
    """Draw each method's rank from rule to rule: names of the rules, and a line a method.

    Methods of one rank under a rule stand at one point.
    """
    rules = [other for other in ranking.others if other.kind == "rule"]
    if len(rules) < 2:
        return (), ()
    k = min(len(ranking.methods), MOST_METHODS)
    place = {name: number for number, name in enumerate(ranking.methods)}
    lines: list[RuleLine] = []
    for number, row in enumerate(ranking.rows[:MOST_METHODS]):
        ranks = [other.ranks[place[row.method]] for other in rules]
        points = [
            (
                f"{100 * (column + 0.5) / len(rules):.2f}%",
                _y(rank),
                f"{row.method}: rank {rank:g} by {other.name}",
            )
            for column, (rank, other) in enumerate(zip(ranks, rules, strict=True))
            if rank is not None and rank <= k
        ]
        lines.append(
            RuleLine(
                method=row.method,
                colour=number % 8,
                points=tuple(points),
                lines=tuple(
                    Line(x1=one[0], x2=two[0], y1=one[1], y2=two[1])
                    for one, two in pairwise(points)
                ),
                y=_y(number + 1),
            )
        )
    return tuple(other.name for other in rules), tuple(lines)


def _y(rank: float) -> int:
    return round(_ROW_HEIGHT * (rank - 0.5))


def _heat(one: str, two: str, found: dict[tuple[str, str], MethodPair]) -> HeatCell:
    if one == two:
        return HeatCell(kind="self", text="", title=one)
    pair = found.get((one, two))
    turned = found.get((two, one)) if pair is None else None
    if pair is not None:
        p, better = pair.p_first_holm, pair.better
    elif turned is not None:
        p = turned.p_second_holm
        better = {"first": "second", "second": "first", None: None}[turned.better]
    else:
        return HeatCell(kind="untold", text="", title=f"{one} and {two}: not compared")
    kind = {"first": "better", "second": "worse", None: "untold"}[better]
    shown = "–" if p is None else "<.001" if p < 0.001 else f"{p:.3f}".lstrip("0")
    words = {"better": "better than", "worse": "worse than", "untold": "not told apart from"}[kind]
    return HeatCell(
        kind=kind, text=shown, title=f"{one} is {words} {two}; adjusted p of better: {shown}"
    )


def _span(low: int | None, high: int | None) -> str:
    if low is None or high is None:
        return "–"
    return str(low) if low == high else f"{low} to {high}"
