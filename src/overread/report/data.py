"""What a report is made of: records and the results of `analysis`, gathered, nothing computed.

Whoever has run files fills a `ReportData` once; `html`, `markdown` and `json_report` print it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from overread.contracts import AnalysisPlan, Card
from overread.records import (
    Estimate,
    Finding,
    Item,
    JsonValue,
    Manifest,
    Profile,
    Reference,
    Response,
    Score,
    Text,
    Vote,
)
from overread.report.metric_names import is_graded
from overread.report.tokens import TokenTotals
from overread.report.wording import stratum_label

if TYPE_CHECKING:
    from overread.analysis.answers import AnswerSummary
    from overread.analysis.blind_floor import BlindFloor
    from overread.analysis.compare import Comparison
    from overread.analysis.judge_agreement import JudgeAgreement
    from overread.analysis.judge_calibration import JudgeCalibration
    from overread.analysis.mask_results import MaskResults
    from overread.report.readings import FormReading

__all__ = [
    "GalleryAnswer",
    "GalleryItem",
    "Panel",
    "PanelJudge",
    "ReportData",
    "RunReport",
    "asks_for_text",
    "run_labels",
    "setting_label",
]

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
    graded: Score | None = None
    """The row of the plan's graded metric (`metric_names.score_metric`), honest profile."""
    errors: Mapping[str, Score] = field(default_factory=dict[str, Score])
    """By metric: the rows of the plan's errors (`metric_names.error_metrics`)."""
    jury: Mapping[Profile, Score] = field(default_factory=dict[Profile, Score])
    """The jury's row under each profile in which anyone was asked to judge."""
    votes: tuple[Vote, ...] = ()
    """What each judge said of the reply, in the order of `RunReport.panels` and their judges."""


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
    moved: Mapping[str, Reference] = field(default_factory=dict[str, Reference])
    """By run id: the answer of such an item where the change moved it."""

    def shown_to(self, run: str) -> Item:
        """Give the item as this run was asked."""
        return self.others.get(run, self.item)

    def answer_for(self, run: str) -> Reference:
        """Give the answer to the item as this run was asked."""
        return self.moved.get(run, self.reference)


@dataclass(frozen=True, slots=True, kw_only=True)
class PanelJudge:
    """One judge's work on one run."""

    judge: str
    n: int
    """Replies with something to judge."""
    n_asked: int
    n_read: int
    """Votes with a verdict."""
    n_yes: int
    reason: str = ""
    """The commonest reason why a vote has no verdict."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Panel:
    """The judges of one run under one profile."""

    profile: Profile
    form: str
    """How they were asked: ``fenced-1``."""
    judges: tuple[PanelJudge, ...]
    agreement: JudgeAgreement
    calibration: tuple[JudgeCalibration, ...] = ()
    """Each judge, then the jury, against people; empty where people labelled nothing."""
    votes: tuple[Vote, ...] = ()
    """Those that count, judge by judge on every reply."""
    as_json: Mapping[str, JsonValue] = field(default_factory=dict[str, JsonValue])
    """As `overread score --json` writes it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunReport:
    """All that is said about one run."""

    manifest: Manifest
    file: str = ""
    """Its file's name without the ending, as it tells the runs of one report apart; or empty."""
    estimates: tuple[Estimate, ...]
    """Both profiles, every stratum of the plan."""
    answers: AnswerSummary
    """What became of the replies, honest profile; of the headline's questions alone."""
    fates: Mapping[str, int]
    """Every planned question by what became of it (`fates.FATES`)."""
    readings: tuple[FormReading, ...] = ()
    """What was read against the reference, by form of open question."""
    panels: tuple[Panel, ...] = ()
    """Its judges, the honest profile first; empty where nobody was asked to judge."""
    graded: tuple[float, ...] = ()
    """The plan's graded metric (`metric_names.score_metric`) of every answer that has a value."""
    left_out: Mapping[str, Mapping[str, Mapping[str, int]]] = field(
        default_factory=dict[str, Mapping[str, Mapping[str, int]]]
    )
    """Error metric → setting (empty for all) → why descriptions are not counted in it, and how many
    (`clinical_errors.count_left_out`)."""
    unmeasured: Mapping[str, str] = field(default_factory=dict[str, str])
    """Metrics beside the headline that have no value anywhere, and why: what to install."""
    findings: tuple[Finding, ...] = ()
    """What this run met: unread replies, failures, receipts that do not fit."""
    tokens: TokenTotals = field(default_factory=TokenTotals)
    """What the servers counted, every draw included."""
    masks: MaskResults | None = None
    """Its masks case by case, where all that it asked for are masks."""

    @property
    def n_waiting(self) -> int:
        """Planned questions that were not asked yet: a run with some allows no verdict."""
        return self.fates.get("pending", 0)

    @property
    def n_planned(self) -> int:
        """Planned questions, every draw included."""
        return sum(self.fates.values())


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


def asks_for_text(data: ReportData) -> bool:
    """Tell whether all questions of a report are to be answered in free words."""
    kinds = {isinstance(entry.item.answer_space, Text) for entry in data.gallery}
    return kinds == {True}


def setting_label(stratum: Mapping[str, str], data: ReportData) -> str:
    """Name a stratum of the headline: ``with box``; what the total is of depends on the plan."""
    if not stratum and data.plan.headline_only and asks_for_text(data):
        return "All closed questions"
    if not stratum and is_graded(data.plan.headline):
        return "All descriptions"
    return stratum_label(stratum)


def run_labels(runs: Sequence[RunReport]) -> dict[str, str]:
    """Name each run for people, as its model is called on the command line.

    ``chat:medgemma``, a built-in reader by its bare name (``radiomics``), what its questions were
    changed by (``chat:medgemma, no-image``). Where that is not unique the file's name comes first,
    as `overread rank` calls the run (``team-a (masks:predictions)``); without one, or where files
    are of one name, too, the run's id follows. A comparison of these runs (`RunScores.label`)
    should use the same.

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
    alike = _alike(names)
    for run in runs:
        if run.manifest.run in alike and run.file:
            names[run.manifest.run] = f"{run.file} ({names[run.manifest.run]})"
    for run in _alike(names):
        names[run] = f"{names[run]} ({run[:_SHORT_ID]})"
    return names


def _alike(names: Mapping[str, str]) -> set[str]:
    """Give the runs whose name another run has as well."""
    uses = Counter(names.values())
    return {run for run, name in names.items() if uses[name] > 1}


def _model_name(run: RunReport) -> str:
    model = run.manifest.model
    name = model.name if model.kind == "baselines" else model.label
    changed = run.manifest.selection.get("perturbation")
    return f"{name}, {changed}" if changed else name
