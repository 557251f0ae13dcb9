"""Gathers run files and their release into what a report is made of."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeAlias

from overread.analysis.answers import summarise_answers
from overread.analysis.asked import Asked, asked_of, check_same_release, release_of
from overread.analysis.compare import Comparison, RunScores, compare
from overread.analysis.plans import plan_of
from overread.contracts import AnalysisPlan, Release
from overread.records import Choice, Item, PlannedItem, Profile, Reference, Response, Score, Vote
from overread.report.clinical_errors import count_left_out
from overread.report.data import (
    GalleryAnswer,
    GalleryItem,
    Panel,
    ReportData,
    RunReport,
    run_labels,
)
from overread.report.fates import count_fates
from overread.report.lookup import jury_of
from overread.report.masks.of_runs import run_masks
from overread.report.metric_names import error_metrics, score_metric
from overread.report.readings import read_references, summarise_readings
from overread.report.tokens import count_tokens
from overread.store.run_store import RunStore

__all__ = ["JudgesOf", "collect"]

JudgesOf: TypeAlias = Callable[[RunStore, Release, Asked], tuple[Panel, ...]]
"""Gathers the judges of one run."""


def collect(
    runs: Sequence[Path],
    *,
    release: Path | None,
    title: str | None,
    judges_of: JudgesOf | None = None,
) -> tuple[ReportData, Release]:
    """Read scored run files of one release.

    Parameters
    ----------
    runs
        Run files; the first is the one that the report opens on.
    release
        The release's folder, where it has moved since.
    title
        Of the report; the benchmark's own when None.
    judges_of
        Where the judges of each run come from; None leaves them out.

    Raises
    ------
    UsageError
        The runs are of different benchmarks or releases, or one is given twice.
    StoreError
        A run cannot be read, or the folder holds another release.
    """
    stores = [RunStore.open(path) for path in runs]
    try:
        check_same_release(runs, [store.manifest for store in stores])
        manifest = stores[0].manifest
        opened = release_of(manifest, release)
        asked = [asked_of(store, opened) for store in stores]
        panels = [
            judges_of(store, opened, one) if judges_of else ()
            for store, one in zip(stores, asked, strict=True)
        ]
        reports = tuple(
            replace(_run_report(store, one, judged), file=file, masks=run_masks(store, one, opened))
            for file, store, one, judged in zip(
                _file_names(runs), stores, asked, panels, strict=True
            )
        )
        data = ReportData(
            title=title or opened.card.title,
            card=opened.card,
            plan=_plan(stores, opened),
            runs=reports,
            # Masks have pictures of their own: a preview of each scan would show no answer.
            gallery=()
            if all(report.masks for report in reports)
            else _gallery(stores, asked, panels),
            floors=asked[0].floors,
            comparison=_comparison(stores, reports, opened),
            findings=tuple(stores[0].findings("release")),
            notes=tuple(opened.notes()),
            created=datetime.now(UTC).isoformat(timespec="seconds"),
        )
        return data, opened
    finally:
        for store in stores:
            store.close()


def _file_names(runs: Sequence[Path]) -> list[str]:
    """Name run files, with as much of the folder as tells them apart."""
    stems = [path.stem for path in runs]
    return stems if len(set(stems)) == len(stems) else [str(path.with_suffix("")) for path in runs]


def _run_report(store: RunStore, asked: Asked, panels: tuple[Panel, ...]) -> RunReport:
    letters = {
        letter
        for item in asked.items.values()
        if isinstance(item.answer_space, Choice)
        for letter in item.answer_space.letters
    }
    findings = [
        f for kind in store.finding_kinds() if kind != "release" for f in store.findings(kind)
    ]
    plan, planned, scores = asked.plan, store.plan(), store.scores()
    return RunReport(
        manifest=store.manifest,
        estimates=tuple(store.estimates()),
        answers=summarise_answers(
            scores,
            planned,
            asked.references,
            letters=sorted(letters),
            metric=plan.headline,
            only=plan.headline_only,
        ),
        fates=count_fates(scores, planned, plan, answered=store.answered() | store.failed()),
        readings=summarise_readings(
            scores, planned, read_references(asked.items, asked.references), plan
        ),
        panels=panels,
        graded=tuple(
            score.value
            for score in scores
            if score.metric == score_metric(plan)
            and score.profile == "honest"
            and score.target is None
            and score.value is not None
        ),
        left_out=count_left_out(scores, planned, plan),
        unmeasured=_unmeasured(scores, plan),
        findings=tuple(findings),
        tokens=count_tokens(store.responses()),
    )


def _unmeasured(scores: Sequence[Score], plan: AnalysisPlan) -> dict[str, str]:
    """Find the plan's further metrics that no response has a value of, and why."""
    further = {also.metric for also in plan.also}
    valued = {score.metric for score in scores if score.value is not None}
    reasons: dict[str, str] = {}
    for score in scores:
        if score.metric in further - valued and score.reason:
            reasons.setdefault(score.metric, score.reason)
    return reasons


def _gallery(
    stores: Sequence[RunStore], asked: Sequence[Asked], panels: Sequence[tuple[Panel, ...]]
) -> tuple[GalleryItem, ...]:
    items: dict[str, tuple[Item, Reference]] = {}
    others: dict[str, dict[str, Item]] = {}
    moved: dict[str, dict[str, Reference]] = {}
    answers: dict[str, dict[str, GalleryAnswer]] = {}
    for store, one, judged in zip(stores, asked, panels, strict=True):
        for item_id, item in one.items.items():
            reference = one.references[item_id]
            first, answer = items.setdefault(item_id, (item, reference))
            if _shown(item) != _shown(first):
                others.setdefault(item_id, {})[store.manifest.run] = item
                if reference != answer:
                    moved.setdefault(item_id, {})[store.manifest.run] = reference
        for item_id, given in _answers(store, one, judged):
            answers.setdefault(item_id, {})[store.manifest.run] = given
    return tuple(
        GalleryItem(
            item=item,
            reference=reference,
            answers=answers.get(item_id, {}),
            others=others.get(item_id, {}),
            moved=moved.get(item_id, {}),
        )
        for item_id, (item, reference) in items.items()
    )


def _shown(item: Item) -> tuple[object, ...]:
    """Gather what the gallery shows of an item and what may differ from run to run."""
    return item.condition, item.question, item.media, item.answer_space


def _answers(
    store: RunStore, asked: Asked, panels: Sequence[Panel]
) -> list[tuple[str, GalleryAnswer]]:
    """Pair the first draw of every planned item with its scores and votes."""
    plan = asked.plan
    also = jury_of(plan)
    jury = None if also is None else also.metric
    responses: Mapping[str, Response] = {
        response.request_hash: response for response in store.responses()
    }
    scores: dict[tuple[str, Profile], Score] = {}
    verdicts: dict[str, dict[Profile, Score]] = defaultdict(dict)
    graded: dict[str, Score] = {}
    errors: dict[str, dict[str, Score]] = defaultdict(dict)
    score_name, error_names = score_metric(plan), error_metrics(plan)
    for score in store.scores():
        if score.draw or score.target is not None:
            continue
        if score.metric == score_name and score.profile == "honest":
            graded[score.item] = score
        if score.metric in error_names and score.profile == "honest":
            errors[score.item][score.metric] = score
        if score.metric == plan.headline:
            scores[score.item, score.profile] = score
        elif score.metric == jury:
            verdicts[score.item][score.profile] = score
    votes: dict[str, list[Vote]] = defaultdict(list)
    for panel in panels:
        for vote in panel.votes:
            if vote.draw == 0:
                votes[vote.item].append(vote)
    return [
        (
            line.item,
            GalleryAnswer(
                response=responses.get(line.request_hash),
                honest=scores.get((line.item, "honest")),
                published=scores.get((line.item, "published")),
                graded=graded.get(line.item),
                errors=errors.get(line.item, {}),
                jury=verdicts.get(line.item, {}),
                votes=tuple(votes.get(line.item, ())),
            ),
        )
        for line in _first_draws(store.plan())
    ]


def _first_draws(plan: Sequence[PlannedItem]) -> list[PlannedItem]:
    return [line for line in plan if line.draw == 0]


def _comparison(
    stores: Sequence[RunStore], reports: Sequence[RunReport], release: Release
) -> Comparison | None:
    if len(stores) < 2:
        return None
    labels = run_labels(reports)
    runs = [
        RunScores(label=labels[store.manifest.run], scores=store.scores(), planned=store.plan())
        for store in stores
    ]
    return compare(runs, _plan(stores, release))


def _plan(stores: Sequence[RunStore], release: Release) -> AnalysisPlan:
    return plan_of(release, [line for store in stores for line in store.plan()])
