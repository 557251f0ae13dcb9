"""The score card: five numbers a run, the gain over the blind floor first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from overread.records import Estimate, Profile
from overread.report.data import ReportData, RunReport, run_labels
from overread.report.judges import jury_estimate
from overread.report.lookup import EstimateTable
from overread.report.marks import SHARE_AXIS, Mark, Span
from overread.report.metric_names import is_graded, metric_label
from overread.report.wording import (
    MISSING,
    Shown,
    count,
    independent_units,
    percent,
    sentence,
    show_estimate,
)

__all__ = [
    "CardRow",
    "ShownColumns",
    "card_notes",
    "chance_band",
    "floor_x",
    "score_card",
    "score_card_row",
    "shown_columns",
    "verdict",
]


_SHORT_REVISION = 16
"""Characters of a revision on the card; the manifest has all."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CardRow:
    """One run on the score card."""

    run: str
    label: str
    colour: int
    detail: str
    """Revision, and how many questions of how many patients stand behind the row."""
    gain: Shown
    """The headline less the best score of any policy that sees no picture."""
    verdict: str
    """``above``, ``below``, ``level`` with the blind floor, or ``unknown``."""
    score: Shown
    published: Shown
    has_published: bool
    """Whether the benchmark's own code gives the headline at all."""
    readings_differ: bool
    """Whether the benchmark's own way of reading answers moves the number shown."""
    answered: Shown
    no_answer: Shown
    jury: Shown | None
    """What the judges call right of all answers; None where nobody judged this run."""
    chance: Shown
    floor: Shown
    """Its reason names the policy."""
    mark: Mark | None
    published_x: str | None
    chance_band: Span | None
    floor_x: str | None


def score_card(data: ReportData) -> tuple[CardRow, ...]:
    """Build the score card, one row a run, in the order of the runs."""
    labels = run_labels(data.runs)
    return tuple(
        score_card_row(
            run,
            headline=data.plan.headline,
            label=labels[run.manifest.run],
            colour=number % 8,
            jury=jury_estimate(data, number),
        )
        for number, run in enumerate(data.runs)
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownColumns:
    """Which of the optional columns have anything to show."""

    published: bool
    """A benchmark's own reading of the headline."""
    jury: bool
    chance: bool
    """A level of blind guessing: answers in free words have none."""


def shown_columns(rows: Sequence[CardRow]) -> ShownColumns:
    """Choose the columns that some run has a number for."""
    return ShownColumns(
        published=any(row.has_published for row in rows),
        jury=any(row.jury is not None for row in rows),
        chance=any(row.chance.value != MISSING for row in rows),
    )


def card_notes(data: ReportData) -> tuple[str, ...]:
    """Gather what the totals' estimates ask to mind, each remark once with its runs."""
    runs_of: dict[str, dict[str, None]] = {}
    labels = run_labels(data.runs)
    shown = _shown(data.plan.headline)
    for run in data.runs:
        for estimate in run.estimates:
            name = shown.get((estimate.metric, estimate.profile))
            if estimate.stratum or name is None or not estimate.reason or estimate.value is None:
                continue  # a missing value says why in its own cell
            if estimate.metric == "no_answer" and show_estimate(estimate).counts:
                continue  # none or all of so many questions: that says it
            remarks = estimate.reason.split("; ")  # as `analysis.estimates` joins them
            if estimate.low is None:
                remarks = [f"no interval for {name}, {estimate.reason}"]
            for remark in remarks:
                if remark.startswith("chance ") and estimate.metric != data.plan.headline:
                    continue  # the card shows the chance level of the headline alone
                runs_of.setdefault(remark, {})[labels[run.manifest.run]] = None
    return tuple(
        sentence(remark) if len(runs) == len(data.runs) else f"{', '.join(runs)}: {remark}."
        for remark, runs in runs_of.items()
    )


def _shown(headline: str) -> dict[tuple[str, Profile], str]:
    """Name the estimates that are on the card, and what they are called."""
    return {
        (headline, "honest"): metric_label(headline),
        (headline, "published"): "the published reading",
        (f"{headline}_answered", "honest"): f"{metric_label(headline)} of those answered",
        ("no_answer", "honest"): "the share without an answer",
        ("gain_over_blind", "honest"): "the gain over the blind floor",
    }


def score_card_row(
    run: RunReport, *, headline: str, label: str, colour: int, jury: Estimate | None = None
) -> CardRow:
    """Build one row from the estimates over all questions."""
    table = EstimateTable.of(run.estimates, headline)
    score = table.score("honest", {})
    published = table.score("published", {})
    gained = table.get("gain_over_blind", "honest", {})
    shown, shown_published = show_estimate(score), show_estimate(published)
    differ = score is not None and published is not None and shown.value != shown_published.value
    return CardRow(
        run=run.manifest.run,
        label=label,
        colour=colour,
        detail=_detail(run, score),
        gain=show_estimate(gained, signed=True),
        verdict="unknown" if run.n_waiting else verdict(gained),
        score=shown,
        published=shown_published,
        has_published=published is not None,
        readings_differ=differ,
        answered=show_estimate(table.answered({})),
        no_answer=show_estimate(table.get("no_answer", "honest", {})),
        jury=None if jury is None else show_estimate(jury),
        chance=_chance(score),
        floor=_floor(score),
        mark=SHARE_AXIS.mark(score.value, score.low, score.high) if score else None,
        published_x=SHARE_AXIS.x(published.value)
        if differ and published and published.value is not None
        else None,
        chance_band=chance_band(score),
        floor_x=floor_x(score),
    )


def verdict(gained: Estimate | None) -> str:
    """Say how a gain's interval lies to zero; ``unknown`` without an interval."""
    if gained is None or gained.low is None or gained.high is None:
        return "unknown"
    if gained.low > 0:
        return "above"
    return "below" if gained.high < 0 else "level"


def chance_band(estimate: Estimate | None) -> Span | None:
    """Place the band in which blind guessing falls."""
    return SHARE_AXIS.span(estimate.chance_low, estimate.chance_high) if estimate else None


def floor_x(estimate: Estimate | None) -> str | None:
    """Place the blind floor."""
    if estimate is None or estimate.blind_floor is None:
        return None
    return SHARE_AXIS.x(estimate.blind_floor)


def _detail(run: RunReport, score: Estimate | None) -> str:
    revision = run.manifest.model.revision
    parts = [f"revision {revision[:_SHORT_REVISION]}" if revision else ""]
    if score is not None:
        of_all = f" of {count(run.n_planned)}" if score.n < run.n_planned else ""
        asked = "descriptions" if is_graded(score.metric) else "questions"
        parts.append(f"{count(score.n)}{of_all} {asked}")
        if score.n_clusters is not None:
            parts.append(independent_units(score))
    return " · ".join(part for part in parts if part)


def _chance(score: Estimate | None) -> Shown:
    if score is None or score.chance is None:
        return Shown(value=MISSING, interval="", reason="no chance level for this answer space")
    if score.chance_low is None or score.chance_high is None:
        return Shown(value=percent(score.chance), interval="")
    band = f"{percent(score.chance_low)} to {percent(score.chance_high)}"
    return Shown(value=percent(score.chance), interval=band)


def _floor(score: Estimate | None) -> Shown:
    if score is None or score.blind_floor is None:
        return Shown(value=MISSING, interval="", reason="no blind floor")
    return Shown(value=percent(score.blind_floor), interval="", reason=score.blind_policy or "")
