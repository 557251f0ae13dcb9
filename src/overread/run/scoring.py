"""Scores a run from its store: a new parser or metric never asks a model again."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from overread.analysis.asked import Asked, asked_of, release_of
from overread.analysis.blind_floor import find_floor
from overread.analysis.corpus_metrics import text_pairs
from overread.analysis.estimates import estimate
from overread.analysis.reply_findings import reply_findings
from overread.analysis.wire_findings import wire_findings
from overread.contracts import BatchScorer, Judged, Release, Scorer, Selective
from overread.records import Finding, Item, PlannedItem, Profile, Score, Severity
from overread.run.ballots import jury_scores
from overread.run.fact_reading import model_read_scores
from overread.store.run_store import RunStore

__all__ = ["PROFILES", "score_if_stopped", "score_run", "set_floor"]

PROFILES: tuple[Profile, ...] = ("published", "honest")


def set_floor(store: RunStore, release: Release) -> Asked:
    """Find what is asked and its blind floor, before a model is: nothing of it needs an answer."""
    asked = asked_of(store, release)
    best = find_floor(asked.floors, {})
    if best is not None:
        finding = Finding(
            severity=Severity.INFO,
            code="blind-floor",
            where=f"{best.n} questions",
            evidence=f"'{best.policy}' scores {100 * best.value:.1f} % without a picture",
            effect="a model earns credit only above this",
        )
        store.replace_findings("floor", [finding])
    return asked


def score_run(store: RunStore, release: Release, asked: Asked | None = None) -> None:
    """Score every planned item under both profiles, estimate, and put both into the store.

    Parameters
    ----------
    store
        The run, opened for writing.
    release
        The release it was made on.
    asked
        From `set_floor`, where the caller has it already.
    """
    asked = asked or set_floor(store, release)
    plan = store.plan()
    store.replace_scores(_scores(store, release, plan, asked))
    scores = store.scores()
    replies = reply_findings(scores, plan, asked.plan)
    store.replace_findings("run", [*replies, *wire_findings(store.responses())])
    store.replace_estimates(
        estimate(
            scores,
            plan,
            asked.plan,
            floors=asked.floors,
            published=release.published(),
            texts=text_pairs(plan, store.responses(), asked.references),
        )
    )


def score_if_stopped(path: Path, *, release: Path | None) -> None:
    """Score a run file that was stopped before it was scored, from what it holds.

    Parameters
    ----------
    path
        The run file; one that is scored is not touched.
    release
        The release's folder, where it is not where the run was made.
    """
    with RunStore.open(path) as store:
        if store.estimates():
            return
        manifest = store.manifest
    opened = release_of(manifest, release)
    with RunStore.open(path, write=True) as store:
        score_run(store, opened)


def _scores(
    store: RunStore, release: Release, plan: Sequence[PlannedItem], asked: Asked
) -> Iterator[Score]:
    responses = {response.request_hash: response for response in store.responses()}
    # What was not asked yet has no row: estimates count it from the plan, as not asked.
    rows = [
        (asked.items[line.item], asked.references[line.item], response)
        for line in plan
        if (response := responses.get(line.request_hash)) is not None
    ]
    scorers = [scorer for profile in PROFILES for scorer in release.scorers(profile)]
    one_by_one = [scorer for scorer in scorers if not isinstance(scorer, BatchScorer)]
    for row in rows:
        for scorer in one_by_one:
            if _takes(scorer, row[0]):
                yield from scorer.score(*row)
    for scorer in scorers:
        if isinstance(scorer, BatchScorer):
            yield from scorer.score_all([row for row in rows if _takes(scorer, row[0])])
    yield from model_read_scores(store, release, rows)
    if isinstance(release, Judged):
        for profile in PROFILES:
            judging = release.judging(profile)
            yield from jury_scores(store, plan, asked, responses, judging, profile)


def _takes(scorer: Scorer, item: Item) -> bool:
    return not isinstance(scorer, Selective) or scorer.takes(item)
