"""Gathers run files and their release into what a report is made of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

from overread.analysis.answers import summarise_answers
from overread.analysis.asked import Asked, asked_of, check_same_release, release_of
from overread.analysis.compare import Comparison, RunScores, compare
from overread.contracts import Release
from overread.records import Choice, Item, PlannedItem, Reference, Response, Score
from overread.report.data import GalleryAnswer, GalleryItem, ReportData, RunReport, run_labels
from overread.report.tokens import count_tokens
from overread.store.run_store import RunStore

__all__ = ["collect"]


def collect(
    runs: Sequence[Path], *, release: Path | None, title: str | None
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
        reports = tuple(_run_report(*pair) for pair in zip(stores, asked, strict=True))
        data = ReportData(
            title=title or opened.card.title,
            card=opened.card,
            plan=opened.plan(),
            runs=reports,
            gallery=_gallery(stores, asked, opened.plan().headline),
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


def _run_report(store: RunStore, asked: Asked) -> RunReport:
    letters = {
        letter
        for item in asked.items.values()
        if isinstance(item.answer_space, Choice)
        for letter in item.answer_space.letters
    }
    findings = [
        f for kind in store.finding_kinds() if kind != "release" for f in store.findings(kind)
    ]
    return RunReport(
        manifest=store.manifest,
        estimates=tuple(store.estimates()),
        answers=summarise_answers(
            store.scores(), store.plan(), asked.references, letters=sorted(letters)
        ),
        findings=tuple(findings),
        tokens=count_tokens(store.responses()),
    )


def _gallery(
    stores: Sequence[RunStore], asked: Sequence[Asked], headline: str
) -> tuple[GalleryItem, ...]:
    items: dict[str, tuple[Item, Reference]] = {}
    others: dict[str, dict[str, Item]] = {}
    answers: dict[str, dict[str, GalleryAnswer]] = {}
    for store, one in zip(stores, asked, strict=True):
        for item_id, item in one.items.items():
            first, _ = items.setdefault(item_id, (item, one.references[item_id]))
            if _shown(item) != _shown(first):
                others.setdefault(item_id, {})[store.manifest.run] = item
        for item_id, answer in _answers(store, headline):
            answers.setdefault(item_id, {})[store.manifest.run] = answer
    return tuple(
        GalleryItem(
            item=item,
            reference=reference,
            answers=answers.get(item_id, {}),
            others=others.get(item_id, {}),
        )
        for item_id, (item, reference) in items.items()
    )


def _shown(item: Item) -> tuple[object, ...]:
    """Gather what the gallery shows of an item and what may differ from run to run."""
    return item.condition, item.question, item.media, item.answer_space


def _answers(store: RunStore, headline: str) -> list[tuple[str, GalleryAnswer]]:
    """Pair the first draw of every planned item with its scores."""
    responses: Mapping[str, Response] = {
        response.request_hash: response for response in store.responses()
    }
    scores: dict[tuple[str, str], Score] = {
        (score.item, score.profile): score
        for score in store.scores()
        if score.metric == headline and score.draw == 0 and score.target is None
    }
    return [
        (
            line.item,
            GalleryAnswer(
                response=responses.get(line.request_hash),
                honest=scores.get((line.item, "honest")),
                published=scores.get((line.item, "published")),
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
    return compare(runs, release.plan())
