"""Scores a run from its store: a new parser or metric never asks a model again."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Final

from overread.analysis.asked import Asked, asked_of, release_of
from overread.analysis.blind_floor import find_floor
from overread.analysis.corpus_metrics import text_pairs
from overread.analysis.estimates import estimate
from overread.analysis.reply_findings import reply_findings
from overread.analysis.wire_findings import wire_findings
from overread.contracts import BatchScorer, CaseScorer, Judged, Release, Scorer, Selective
from overread.errors import listed
from overread.records import (
    Finding,
    Item,
    PlannedItem,
    Profile,
    Reference,
    Response,
    Score,
    Severity,
    Status,
)
from overread.run.asking import Progress
from overread.run.ballots import jury_scores
from overread.run.case_journal import CaseJournal
from overread.run.case_scoring import WORKERS, score_cases
from overread.run.case_worker import Case, Scored
from overread.run.fact_reading import model_read_scores
from overread.run.mask_answers import as_it_lies
from overread.run.mask_findings import mask_findings
from overread.store.run_store import RunStore

__all__ = ["PROFILES", "score_if_stopped", "score_run", "set_floor"]

PROFILES: tuple[Profile, ...] = ("published", "honest")
_SHOWN: Final = 3
"""Cases named in a finding; all of them are in its count."""


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


def _silently(progress: Progress) -> None:
    """Show nothing of how far scoring is."""


def score_run(
    store: RunStore,
    release: Release,
    asked: Asked | None = None,
    *,
    workers: int = WORKERS,
    on_progress: Callable[[Progress], None] = _silently,
) -> int:
    """Score every planned item under both profiles, estimate, and put both into the store.

    What is stored changes only once all is scored: a start that is broken off leaves it as it was,
    and beside it the rows of cases that it had scored, for the next start.

    Parameters
    ----------
    store
        The run, opened for writing.
    release
        The release it was made on.
    asked
        From `set_floor`, where the caller has it already.
    workers
        Processes that score cases of files (`contracts.CaseScorer`); 0 scores in this one.
    on_progress
        Is told after every such case.

    Returns
    -------
    int
        How many cases could not be scored: their scoring broke, the file that was the answer is
        gone or changed, or the mask that came cannot be used. A finding says which.
    """
    asked = asked or set_floor(store, release)
    plan = store.plan()
    stored = list(store.responses())
    responses = [as_it_lies(response, store.path) for response in stored]
    lost = {
        now.item: now.reason or ""
        for before, now in zip(stored, responses, strict=True)
        if now.status is not before.status
    }
    scorers = [each for each in _scorers(release) if isinstance(each, CaseScorer)]
    cases = _cases(scorers, _rows(plan, asked, responses))
    with CaseJournal(store.path, release, scorers) as journal:
        of_cases, broken = _score_cases(cases, scorers, journal, workers, on_progress)
        store.replace_scores(chain(of_cases, _scores(store, release, plan, asked, responses)))
    scores = store.scores()
    replies = reply_findings(scores, plan, asked.plan, responses=responses)
    # Of files there is a hash for text: that two are equal says nothing of the wire.
    worded = [response for response in responses if response.path is None]
    troubles = [*_lost_findings(lost, len(plan)), *_broken_findings(broken, len(plan))]
    masks = mask_findings(scores, len(plan))
    store.replace_findings("run", [*troubles, *masks, *replies, *wire_findings(worded)])
    store.replace_estimates(
        estimate(
            scores,
            plan,
            asked.plan,
            floors=asked.floors,
            published=release.published(),
            texts=text_pairs(plan, responses, asked.references),
        )
    )
    return len(lost.keys() | broken.keys() | _unusable(scores, responses))


def _unusable(scores: Iterable[Score], responses: Iterable[Response]) -> set[str]:
    """Give the items whose answer is a file that came and cannot be used."""
    files = {
        (each.item, each.draw)
        for each in responses
        if each.path is not None and each.status is Status.OK
    }
    return {
        row.item
        for row in scores
        if row.profile == "honest"
        and row.status is Status.UNPARSED
        and (row.item, row.draw) in files
    }


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


_Row = tuple[Item, Reference, Response]


def _rows(plan: Sequence[PlannedItem], asked: Asked, responses: Sequence[Response]) -> list[_Row]:
    by_hash = {response.request_hash: response for response in responses}
    # What was not asked yet has no row: estimates count it from the plan, as not asked.
    return [
        (asked.items[line.item], asked.references[line.item], response)
        for line in plan
        if (response := by_hash.get(line.request_hash)) is not None
    ]


def _cases(scorers: Sequence[CaseScorer], rows: Sequence[_Row]) -> list[Case]:
    """Give the cases that any of the scorers takes."""
    return [
        Case(item=item, reference=reference, response=response, takers=takers)
        for item, reference, response in rows
        if (takers := tuple(n for n, each in enumerate(scorers) if _takes(each, item)))
    ]


def _score_cases(
    cases: Sequence[Case],
    scorers: Sequence[CaseScorer],
    journal: CaseJournal,
    workers: int,
    on_progress: Callable[[Progress], None],
) -> tuple[list[Score], dict[str, str]]:
    """Score the answers that are files; give the rows, and why scoring of which items broke."""
    rows: list[Score] = []
    broken: dict[str, str] = {}
    known = [journal.rows(case) for case in cases]
    new = [case for case, held in zip(cases, known, strict=True) if held is None]
    scored = score_cases(
        new, scorers, workers=workers, on_scored=journal.keep, on_progress=on_progress
    )
    for case, held in zip(cases, known, strict=True):
        one = next(scored) if held is None else Scored(rows=held)
        rows += one.rows
        if one.broken is not None:
            broken[case.item.id] = one.broken
    return rows, broken


def _lost_findings(lost: Mapping[str, str], n: int) -> list[Finding]:
    return _trouble(
        "lost-answers",
        lost,
        n,
        effect="they are no answers any more and count as failed",
        remedy="Put the files back, or let 'overread run' ask these questions again.",
    )


def _broken_findings(broken: Mapping[str, str], n: int) -> list[Finding]:
    return _trouble(
        "scoring-broke",
        broken,
        n,
        effect="these cases have no value; their denominators keep them",
        remedy="'overread score RUN --workers 1' scores again, with less memory.",
    )


def _trouble(
    code: str, reasons: Mapping[str, str], n: int, *, effect: str, remedy: str
) -> list[Finding]:
    if not reasons:
        return []
    told = [f"{item}: {why}" for item, why in reasons.items()]
    return [
        Finding(
            severity=Severity.ERROR,
            code=code,
            where=f"{len(reasons)} of {n} questions",
            evidence=listed(told, most=_SHOWN, between="; "),
            effect=effect,
            remedy=remedy,
            count=len(reasons),
        )
    ]


def _scorers(release: Release) -> list[Scorer]:
    return [scorer for profile in PROFILES for scorer in release.scorers(profile)]


def _scores(
    store: RunStore,
    release: Release,
    plan: Sequence[PlannedItem],
    asked: Asked,
    responses: Sequence[Response],
) -> Iterator[Score]:
    rows = _rows(plan, asked, responses)
    scorers = [each for each in _scorers(release) if not isinstance(each, CaseScorer)]
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
        by_hash = {response.request_hash: response for response in responses}
        for profile in PROFILES:
            judging = release.judging(profile)
            yield from jury_scores(store, plan, asked, by_hash, judging, profile)


def _takes(scorer: Scorer, item: Item) -> bool:
    return not isinstance(scorer, Selective) or scorer.takes(item)
