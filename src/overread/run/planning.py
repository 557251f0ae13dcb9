"""The plan of a run: items × draws, each under the hash of everything that shapes its answer."""

from __future__ import annotations

import stat
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path

from overread.contracts import Learner, Model, Release, Selection, Training
from overread.errors import ReleaseError, UnsafePathError, expected
from overread.imaging.safe_path import resolve_inside
from overread.records import Choice, Item, ModelIdentity, PlannedItem
from overread.store.hashes import canonical_json, file_sha256, item_media, request_hash, sha256_text
from overread.store.run_store import RunStore

__all__ = ["Planned", "identity_of", "make_plan", "media_hashes"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Planned:
    """A line of the plan together with its item."""

    line: PlannedItem
    item: Item


def make_plan(
    items: Iterable[Item],
    *,
    identity: ModelIdentity,
    hashes: Mapping[str, str],
    draws: int,
    protocol_version: str,
) -> list[Planned]:
    """Plan every item `draws` times, items in release order, draws innermost."""
    return [
        Planned(
            item=item,
            line=PlannedItem(
                item=item.id,
                draw=draw,
                request_hash=request_hash(
                    identity=identity,
                    item=item,
                    media_hashes=hashes,
                    draw=draw,
                    protocol_version=protocol_version,
                ),
                groups=item.groups,
                strata=item.strata,
                chance=_chance(item),
            ),
        )
        for item in items
        for draw in range(draws)
    ]


def _chance(item: Item) -> float | None:
    space = item.answer_space
    return 1 / len(space.options) if isinstance(space, Choice) and space.options else None


def media_hashes(items: Iterable[Item], *, root: Path, store: RunStore) -> dict[str, str]:
    """Hash the files behind the items; what an earlier start hashed is taken from the store.

    A file that is absent or may not be read has no hash: its items fail when they are rendered.

    Raises
    ------
    ReleaseError
        Not one of the files is there: asking would only fill the run with failures.
    """
    paths = sorted({path for item in items for media in item_media(item) for path in media.paths})

    def look(path: str) -> tuple[Path, int, int] | None:
        try:
            file = resolve_inside(root, path)
            about = file.stat()
        except (OSError, UnsafePathError):
            return None
        if not stat.S_ISREG(about.st_mode):
            return None  # a pipe would hang the reader
        return file, about.st_size, about.st_mtime_ns

    def digest(seen: tuple[Path, int, int]) -> str | None:
        try:
            return file_sha256(seen[0])
        except OSError:
            return None

    hashes: dict[str, str] = {}
    with ThreadPoolExecutor() as pool:
        found = {path: at for path, at in zip(paths, pool.map(look, paths), strict=True) if at}
        for path, (_, size, mtime_ns) in found.items():
            if (known := store.media_hash(path, size, mtime_ns)) is not None:
                hashes[path] = known
        new = [path for path in found if path not in hashes]
        hashed = zip(new, pool.map(digest, (found[path] for path in new)), strict=True)
        fresh = {path: sha256 for path, sha256 in hashed if sha256 is not None}
    if paths and not found:
        raise ReleaseError(
            expected(
                "RELEASE",
                rule="the pictures of its questions",
                got=f"{root}, which holds none of {len(paths)}, for instance {paths[0]}",
                remedy="Unpack the release's picture archives in place.",
            )
        )
    store.remember_media_hashes(
        (path, found[path][1], found[path][2], sha256) for path, sha256 in fresh.items()
    )
    return hashes | fresh


def identity_of(
    model: Model, release: Release, selection: Selection
) -> tuple[ModelIdentity, Training | None]:
    """Give a model's identity; what it learnt from is part of it.

    Returns
    -------
    identity, training
        `training` is None for a model that learns nothing.
    """
    if not isinstance(model, Learner):
        return model.identity, None
    training = release.training(selection)
    taught = sha256_text(
        canonical_json(
            [
                [[c.id, [list(m.paths) for m in c.media], dict(c.texts)] for c in training.cases],
                [[item.id, item.question, ref.answer] for item, ref in training.exam],
            ]
        )
    )
    settings = {**model.identity.settings, "learned_from": taught}
    return replace(model.identity, settings=settings), training
