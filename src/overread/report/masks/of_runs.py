"""What a run knows of its masks: rows of its store, files of its release."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from overread.analysis.asked import Asked
from overread.analysis.mask_results import MaskCase, MaskResults, mask_results
from overread.contracts import Release
from overread.errors import OverreadError
from overread.imaging.safe_path import resolve_inside
from overread.records import Item, Mask, Reference, Response, Score
from overread.store.run_store import RunStore

__all__ = ["labelled", "run_masks"]


def run_masks(store: RunStore, asked: Asked, release: Release) -> MaskResults | None:
    """Gather the masks of a run, honest profile; None for a run that asked for none.

    Only the first draw of an item counts. Files that are not there, or that a release names outside
    its own folder, are left out: their case has no picture.
    """
    items = [item for item in asked.items.values() if isinstance(item.answer_space, Mask)]
    if not items or len(items) < len(asked.items):
        return None
    tables = [item.answer_space.labels for item in items if isinstance(item.answer_space, Mask)]
    labels: dict[int, str] = {}
    for table in tables:
        for value, name in table.items():
            labels.setdefault(value, name)
    # One value may mean one thing in one task and another in the next.
    differ = any(labels[value] != name for table in tables for value, name in table.items())
    hashes = {line.item: line.request_hash for line in store.plan() if line.draw == 0}
    responses = {response.request_hash: response for response in store.responses()}
    return mask_results(
        labelled(store.scores(), items),
        title=release.card.title,
        labels=dict(sorted(labels.items())),
        cases=[
            replace(
                _case(
                    item, asked.references[item.id], responses.get(hashes.get(item.id, "")), release
                ),
                labels=table if differ else None,
            )
            for item, table in zip(items, tables, strict=True)
        ],
        headline=asked.plan.headline,
    )


def labelled(scores: Sequence[Score], items: Sequence[Item]) -> list[Score]:
    """Give a case its label's name where it is asked for one label and scored as a case alone."""
    only = {
        item.id: next(iter(item.answer_space.labels.values()))
        for item in items
        if isinstance(item.answer_space, Mask) and len(item.answer_space.labels) == 1
    }
    named = {score.item for score in scores if score.target is not None}
    return [
        replace(score, target=only[score.item])
        if score.target is None and score.item in only and score.item not in named
        else score
        for score in scores
    ]


def _case(
    item: Item, reference: Reference, response: Response | None, release: Release
) -> MaskCase:
    volumes = [one.paths[0] for one in item.media if one.paths and one.kind != "stack"]
    predicted = Path(response.path) if response is not None and response.path else None
    return MaskCase(
        id=item.id,
        patient=item.groups.get("patient"),
        strata={key: value for key, value in item.strata.items() if value},
        reference=_inside(release.root, [reference.path] if reference.path else []),
        prediction=predicted if predicted is not None and predicted.exists() else None,
        image=_inside(release.media_root, volumes),
    )


def _inside(root: Path, paths: Iterable[str]) -> Path | None:
    """Find the first of the files that is there."""
    for path in paths:
        try:
            found = resolve_inside(root, path)
        except OverreadError:
            continue
        if found.exists():
            return found
    return None
