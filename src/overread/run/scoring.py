"""Scores a run from its store: a new parser or metric never asks a model again."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from overread.analysis.asked import Asked, asked_of
from overread.analysis.estimates import estimate
from overread.analysis.reply_findings import reply_findings
from overread.analysis.wire_findings import wire_findings
from overread.contracts import Release
from overread.records import PlannedItem, Profile, Score
from overread.registry import find_benchmark
from overread.store.run_store import RunStore

__all__ = ["PROFILES", "score_if_stopped", "score_run"]

PROFILES: tuple[Profile, ...] = ("published", "honest")


def score_run(store: RunStore, release: Release) -> Asked:
    """Score every planned item under both profiles, estimate, and put both into the store."""
    asked = asked_of(store, release)
    plan = store.plan()
    store.replace_scores(_scores(store, release, plan, asked))
    scores = store.scores()
    replies = reply_findings(scores, plan, release.plan())
    store.replace_findings("run", [*replies, *wire_findings(store.responses())])
    store.replace_estimates(
        estimate(
            scores,
            plan,
            release.plan(),
            floors=asked.floors,
            published=release.published(),
        )
    )
    return asked


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
    opened = find_benchmark(manifest.benchmark).open(release or Path(manifest.release_root))
    with RunStore.open(path, write=True) as store:
        score_run(store, opened)


def _scores(
    store: RunStore, release: Release, plan: Sequence[PlannedItem], asked: Asked
) -> Iterator[Score]:
    responses = {response.request_hash: response for response in store.responses()}
    scorers = [scorer for profile in PROFILES for scorer in release.scorers(profile)]
    for line in plan:
        # What was not asked yet has no row: estimates count it from the plan, as not asked.
        if (response := responses.get(line.request_hash)) is not None:
            for scorer in scorers:
                yield from scorer.score(
                    asked.items[line.item], asked.references[line.item], response
                )
