"""Which plan a run's numbers follow: its release's, as far as its tasks are estimated alike."""

from __future__ import annotations

from collections.abc import Iterable

from overread.contracts import AnalysisPlan, PlansByTask, Release
from overread.records import PlannedItem

__all__ = ["plan_of", "tasks_of"]


def tasks_of(planned: Iterable[PlannedItem]) -> frozenset[str]:
    """Give the tasks of a run, as its plan states them."""
    return frozenset(line.strata["task"] for line in planned if "task" in line.strata)


def plan_of(release: Release, planned: Iterable[PlannedItem]) -> AnalysisPlan:
    """Give the plan that a run's numbers follow.

    Parameters
    ----------
    release
        The release that was asked about.
    planned
        The plan of the run or, to compare several, of all of them.
    """
    if isinstance(release, PlansByTask):
        return release.plan_for(tasks_of(planned))
    return release.plan()
