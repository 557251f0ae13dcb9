"""What a report is made of: records and the results of `analysis`, gathered, nothing computed.

Whoever has run files fills a `ReportData` once; `html`, `markdown` and `json_report` print it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from overread.contracts import AnalysisPlan, Card
from overread.records import Estimate, Finding, Item, Manifest, Reference, Response, Score
from overread.report.tokens import TokenTotals

if TYPE_CHECKING:
    from overread.analysis.answers import AnswerSummary
    from overread.analysis.blind_floor import BlindFloor
    from overread.analysis.compare import Comparison

__all__ = ["GalleryAnswer", "GalleryItem", "ReportData", "RunReport", "run_labels"]

_SHORT_ID = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class GalleryAnswer:
    """What one run answered to one item, and how both profiles read it."""

    response: Response | None
    """None where the item is planned and was not asked yet."""
    honest: Score | None
    """The headline row of the honest profile."""
    published: Score | None
    """The headline row of the published profile, where the benchmark has one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GalleryItem:
    """One item with its reference and the answers of the runs."""

    item: Item
    """As the first run that has it was asked."""
    reference: Reference
    answers: Mapping[str, GalleryAnswer]
    """By run id (`Manifest.run`); a run without this item in its plan is absent."""
    others: Mapping[str, Item] = field(default_factory=dict[str, Item])
    """By run id: the item as a run was asked that was asked otherwise, such as with a mosaic
    instead of slices, smaller pictures, or in the other question format."""

    def shown_to(self, run: str) -> Item:
        """Give the item as this run was asked."""
        return self.others.get(run, self.item)


@dataclass(frozen=True, slots=True, kw_only=True)
class RunReport:
    """All that is said about one run."""

    manifest: Manifest
    estimates: tuple[Estimate, ...]
    """Both profiles, every stratum of the plan."""
    answers: AnswerSummary
    """What became of the replies, honest profile."""
    findings: tuple[Finding, ...] = ()
    """What this run met: unread replies, failures, receipts that do not fit."""
    tokens: TokenTotals = field(default_factory=TokenTotals)
    """What the servers counted, every draw included."""

    @property
    def n_waiting(self) -> int:
        """Planned questions that were not asked yet: a run with some allows no verdict."""
        return sum(row.count for row in self.answers.non_answers if row.status is None)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportData:
    """A whole report."""

    title: str
    card: Card
    plan: AnalysisPlan
    runs: tuple[RunReport, ...]
    """In the order shown; the first is the one the page opens on."""
    gallery: tuple[GalleryItem, ...] = ()
    floors: tuple[BlindFloor, ...] = ()
    comparison: Comparison | None = None
    findings: tuple[Finding, ...] = ()
    """About the release."""
    notes: tuple[str, ...] = ()
    """Whole sentences of the benchmark on what its numbers do not show, for instance that the
    release is synthetic. They follow the report's own sentence at the top of the page."""
    created: str
    """UTC, ISO 8601."""


def run_labels(runs: Sequence[RunReport]) -> dict[str, str]:
    """Name each run for people, as its model is called on the command line.

    ``chat:medgemma``, a built-in reader by its bare name (``radiomics``), and with the run's id
    where that is not unique. A comparison of these runs (`RunScores.label`) should use the same.

    Parameters
    ----------
    runs
        The runs of one report.

    Returns
    -------
    dict[str, str]
        Run id → label, in the order of `runs`; no two labels are equal.
    """
    names = {run.manifest.run: _model_name(run) for run in runs}
    uses = Counter(names.values())
    return {
        run: name if uses[name] == 1 else f"{name} ({run[:_SHORT_ID]})"
        for run, name in names.items()
    }


def _model_name(run: RunReport) -> str:
    model = run.manifest.model
    return model.name if model.kind == "baselines" else model.label
