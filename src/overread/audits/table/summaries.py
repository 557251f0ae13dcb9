"""Best, worst, mean and gap of the same values: which of them cannot stand in one row."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from overread.audits.table.claims import Summary
from overread.audits.table.flaws import Check, Flaw, flaw
from overread.audits.table.reading import ReadTable, Reference
from overread.audits.table.spans import Span, show
from overread.records import Severity

__all__ = ["check_summaries"]

_NO_WEIGHT: Final = Fraction(1, 50)
"""A mean that leaves the farthest site no more weight than this, however numbers were rounded, is
taken to leave it none."""
_WORDS: Final = {
    "gap": re.compile(r"\bgap\b|dispar|\bspread\b|\brange\b|best.?(?:-|–|minus).?worst", re.I),
    "worst": re.compile(r"worst|\bmin(?:imum)?\b|lowest", re.I),
    "best": re.compile(r"\bbest\b|\bmax(?:imum)?\b|highest", re.I),
    "mean": re.compile(r"\bmean\b|\bavg\b|average|global|overall", re.I),
}


def check_summaries(read: ReadTable) -> Iterator[Flaw | Check]:
    """Try claimed summaries, or one inferred from headings such as mean, worst and gap."""
    claims = list(read.claims.summaries)
    note = ""
    if not claims and read.claims.infer:
        inferred = _inferred(read)
        if inferred is not None:
            claims = [inferred]
            named = [inferred.mean, inferred.best, inferred.worst, inferred.gap]
            note = "inferred from the headings " + ", ".join(repr(each) for each in named if each)
    for claim in claims:
        rows = list(_rows(read, claim))
        flaws = [each for row in rows for each in _Reading(read, claim, row, rows).flaws()]
        yield from flaws
        off = {each.cells[0][0] for each in flaws if each.finding.severity != Severity.INFO}
        yield Check(
            name="mean, best, worst and gap",
            tried=len(rows),
            off=len(off),
            note="; ".join(
                text
                for text in (note, f"{claim.sites} sites of equal weight" if claim.sites else "")
                if text
            ),
        )


def _inferred(read: ReadTable) -> Summary | None:
    """Take columns by their headings, if each kind has just one and two kinds besides a mean."""
    found: dict[str, str] = {}
    for column in read.value_columns:
        kind = next((key for key, words in _WORDS.items() if words.search(column.name)), None)
        if kind is None:
            continue
        if kind in found:
            return None
        found[kind] = column.name
    if len(found) < 3 and not {"best", "worst"} <= set(found):
        return None
    return Summary(
        mean=found.get("mean"),
        best=found.get("best"),
        worst=found.get("worst"),
        gap=found.get("gap"),
        sites=read.claims.sites,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Row:
    row: int
    mean: Span | None
    best: Span | None
    worst: Span | None
    gap: Span | None


def _rows(read: ReadTable, claim: Summary) -> Iterator[_Row]:
    places = _places(read, claim)
    for row in read.rows:
        spans = {key: read.span(row, place) for key, place in places.items()}
        if sum(span is not None for span in spans.values()) >= 2:
            yield _Row(
                row=row,
                mean=spans.get("mean"),
                best=spans.get("best"),
                worst=spans.get("worst"),
                gap=spans.get("gap"),
            )


def _places(read: ReadTable, claim: Summary) -> dict[str, Reference]:
    named = {"mean": claim.mean, "best": claim.best, "worst": claim.worst, "gap": claim.gap}
    return {
        key: read.reference(name, argument=f"summary.{key}")
        for key, name in named.items()
        if name is not None
    }


class _Reading:
    """One row under one claim."""

    def __init__(self, read: ReadTable, claim: Summary, row: _Row, rows: list[_Row]) -> None:
        self._read = read
        self._claim = claim
        self._row = row
        self._rows = rows
        places = _places(read, claim)
        self._cells = tuple((row.row, place) for place, _ in places.values())
        self._decimals = max(read.columns[place].decimals for place, _ in places.values())

    def flaws(self) -> Iterator[Flaw]:
        """Give what cannot stand together; the first contradiction of a row is enough."""
        row = self._row
        best = row.best
        from_gap = False
        if row.worst is not None and row.gap is not None:
            implied = row.worst + row.gap
            if best is not None and not implied.meets(best):
                yield self._flaw(
                    f"best {self._show(best)} minus worst {self._show(row.worst)} is "
                    f"{self._show(best - row.worst)}, the printed gap is {self._show(row.gap)}"
                )
                return
            if best is None:
                best, from_gap = implied, True
        if row.gap is not None and row.gap.high < 0:
            yield self._flaw(f"the gap {self._show(row.gap)} is below 0")
        elif row.worst is not None and best is not None and row.worst.low > best.high:
            yield self._flaw(f"worst {self._show(row.worst)} is above best {self._show(best)}")
        elif row.mean is not None:
            yield from self._mean(row.mean, best, row.worst, from_gap=from_gap)

    def _mean(
        self, mean: Span, best: Span | None, worst: Span | None, *, from_gap: bool
    ) -> Iterator[Flaw]:
        shown = self._show(mean)
        named = "" if best is None else f"best {self._show(best)}"
        if from_gap and self._row.worst is not None and self._row.gap is not None:
            named = (
                f"best {self._show(best)} (worst {self._show(self._row.worst)} + gap "
                f"{self._show(self._row.gap)})"
            )
        if best is not None and mean.low > best.high:
            yield self._flaw(f"the mean {shown} is above {named}")
        elif worst is not None and mean.high < worst.low:
            yield self._flaw(f"the mean {shown} is below worst {self._show(worst)}")
        elif best is not None and worst is not None:
            yield from self._between(mean, best, worst, named)

    def _between(self, mean: Span, best: Span, worst: Span, named: str) -> Iterator[Flaw]:
        """Bound a mean by its ends: the worst site alone pulls it down, the best one up."""
        sites = self._claim.sites
        gap = best.middle - worst.middle
        shown = self._show(mean)
        rounding = (mean.high - mean.low + best.high - best.low) / 2
        if gap <= rounding:
            return
        if sites is not None and sites > 1:
            # Over all values that the printed digits allow: the mean is at most
            # (sites - 1) / sites of the best plus 1 / sites of the worst.
            share = Fraction(1, sites)
            most = best.high - share * (best.high - worst.high)
            least = worst.low + share * (best.low - worst.low)
            if mean.low > most:
                value = _exact(best.middle - share * gap)
                yield self._flaw(
                    f"{named}: the mean of {sites} sites is at most {value}, printed {shown}"
                )
                return
            if mean.high < least:
                value = _exact(worst.middle + share * gap)
                yield self._flaw(
                    f"{named}: the mean of {sites} sites is at least {value}, printed {shown}"
                )
                return
        if best.high - mean.low <= _NO_WEIGHT * gap:
            yield self._flaw(
                f"the mean {shown} equals {named} while the worst is {self._show(worst)}: a mean "
                "reaches the best only where all are equal"
            )
        elif mean.high - worst.low <= _NO_WEIGHT * gap:
            yield self._flaw(
                f"the mean {shown} equals the worst while {named}: a mean reaches the worst only "
                "where all are equal"
            )
        elif sites is None:
            yield from self._many_sites(mean, best, worst, named)

    def _many_sites(self, mean: Span, best: Span, worst: Span, named: str) -> Iterator[Flaw]:
        """Without a number of sites, say how many it takes at least."""
        gap = best.middle - worst.middle
        nearest = min(best.middle - mean.middle, mean.middle - worst.middle)
        if nearest <= 0:
            return
        weight = nearest / gap
        sites = -(-weight.denominator // weight.numerator)
        if sites < 8:
            return
        end = "worst" if best.middle - mean.middle == nearest else "best"
        yield flaw(
            Severity.WARNING,
            "summary-tight",
            self._read.where(self._row.row),
            f"mean {self._show(mean)}, {named}, worst {self._show(worst)}: the {end} site has at "
            f"most {show(100 * weight, 1)} % of the weight",
            cells=self._cells,
            effect=f"with equal weights there are {sites} sites or more",
            remedy="Say how many sites there are (--sites), and how they are weighed.",
        )

    def _flaw(self, evidence: str) -> Flaw:
        return flaw(
            Severity.ERROR,
            "summary-impossible",
            self._read.where(self._row.row),
            evidence + self._explained(),
            cells=self._cells,
            effect="no values have this mean, best, worst and gap together",
            remedy="Compute them again from the values, and print the values.",
        )

    def _explained(self) -> str:
        """Find what a printed gap is instead: a mean, of this row or another, minus the worst."""
        row = self._row
        if row.gap is None or row.worst is None:
            return ""
        if row.mean is not None and (row.mean - row.worst).meets(row.gap):
            return "; the printed gap is mean minus worst"
        for other in self._rows:
            if other.row != row.row and other.mean is not None:
                centre = other.mean.middle - row.worst.middle
                if row.gap.low <= centre <= row.gap.high:
                    name = self._read.row_names[other.row]
                    return f"; the printed gap is the mean of {name} minus this worst"
        return ""

    def _show(self, span: Span | None) -> str:
        return "–" if span is None else show(span.middle, self._decimals)


def _exact(value: Fraction) -> str:
    """Write a bound with up to six decimals, and no more than it has."""
    return f"{float(value):.6f}".rstrip("0").rstrip(".")
