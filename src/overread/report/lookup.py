"""Finds an estimate by metric, profile and stratum, and knows the plan's order of strata."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from overread.contracts import AlsoMetric, AnalysisPlan
from overread.records import Estimate, Profile

__all__ = ["EstimateTable", "contrast_key", "jury_of", "values_of"]


@dataclass(frozen=True, slots=True, kw_only=True)
class EstimateTable:
    """The estimates of one run, by name."""

    headline: str
    """The plan's headline metric, such as ``accuracy``."""
    rows: Mapping[tuple[str, Profile, frozenset[tuple[str, str]]], Estimate]

    @classmethod
    def of(cls, estimates: Iterable[Estimate], headline: str) -> EstimateTable:
        """Index estimates; of two with the same name the first counts."""
        rows: dict[tuple[str, Profile, frozenset[tuple[str, str]]], Estimate] = {}
        for estimate in estimates:
            key = (estimate.metric, estimate.profile, frozenset(estimate.stratum.items()))
            rows.setdefault(key, estimate)
        return cls(headline=headline, rows=rows)

    def get(self, metric: str, profile: Profile, stratum: Mapping[str, str]) -> Estimate | None:
        """Find one estimate, or None."""
        return self.rows.get((metric, profile, frozenset(stratum.items())))

    def score(self, profile: Profile, stratum: Mapping[str, str]) -> Estimate | None:
        """Find the headline's estimate, or None."""
        return self.get(self.headline, profile, stratum)

    def answered(self, stratum: Mapping[str, str]) -> Estimate | None:
        """Find the headline's estimate over answered questions, honest profile, or None."""
        return self.get(f"{self.headline}_answered", "honest", stratum)

    def strata(self, keys: Sequence[str]) -> list[dict[str, str]]:
        """List the strata broken down by exactly these keys, in the order of the estimates."""
        found: dict[tuple[str, ...], dict[str, str]] = {}
        for estimate in self.rows.values():
            if estimate.metric == self.headline and set(estimate.stratum) == set(keys):
                named = {key: estimate.stratum[key] for key in keys}
                found.setdefault(tuple(named.values()), named)
        return list(found.values())


def contrast_key(cells: Sequence[str]) -> str | None:
    """Name the circumstance set side by side: the first key of a cell that is not the task."""
    return next((key for key in cells if key != "task"), None)


def jury_of(plan: AnalysisPlan) -> AlsoMetric | None:
    """Find the plan's metric that a jury of judges gives: ``jury_accuracy``."""
    return next((also for also in plan.also if also.metric.startswith("jury_")), None)


def values_of(tables: Iterable[EstimateTable], key: str) -> list[str]:
    """List the values of one key over all runs, in the order of the estimates."""
    return list(dict.fromkeys(stratum[key] for table in tables for stratum in table.strata((key,))))
