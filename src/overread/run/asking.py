"""The local engine: asks what is missing, several queries at once, and stores as answers come."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from overread.analysis.reasons import NOT_SHOWN
from overread.contracts import ArrayFile, ArrayRenderer, Model, Query, Renderer, Reply, Watched
from overread.errors import (
    FatalModelError,
    ImageError,
    ModelError,
    OverreadError,
    UnsafePathError,
    expected,
    first_error,
)
from overread.imaging.picture import Picture
from overread.imaging.safe_path import without_root
from overread.records import Choice, Item, Media, Response, Status
from overread.run.mask_answers import MaskFolder, asks_for_mask, released_files
from overread.run.planning import Planned
from overread.store.hashes import item_media
from overread.store.run_store import RunStore

__all__ = ["Arrays", "Progress", "ask_all", "is_array", "is_shown"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """How far a run is, for whoever shows it."""

    done: int
    total: int
    failed: int
    note: str = ""
    """What the model waits for, in its own words."""
    stage: str = ""
    """What is counted where it is not what was asked: ``scored``."""


async def ask_all(
    queue: Sequence[Planned],
    *,
    run: str,
    model: Model,
    render: Renderer,
    arrays: Arrays,
    masks: MaskFolder,
    root: Path,
    store: RunStore,
    on_progress: Callable[[Progress], None],
) -> int:
    """Ask the model everything in `queue` and store each response as it comes.

    A question whose picture or volume cannot be read is not asked. It is stored as failed, with a
    reason that begins with `analysis.reasons.NOT_SHOWN` and names files as the release does:
    relative to `root`, the folder of its media.

    Returns
    -------
    int
        How many of them got no reply, those that could not be shown among them.

    Raises
    ------
    FatalModelError
        No further request can succeed; what was answered before is stored.
    StoreFullError
        The disk takes no more answers; those stored before are safe.
    """
    waiting = iter(queue)
    watched = model if isinstance(model, Watched) else None
    done = failed = 0

    async def work() -> None:
        nonlocal done, failed
        for planned in waiting:
            response = await _ask(
                planned, run=run, model=model, render=render, arrays=arrays, masks=masks, root=root
            )
            store.add(response)
            arrays.done_with(planned.item)
            done += 1
            failed += response.status is Status.FAILED
            note = watched.note if watched is not None else ""
            on_progress(Progress(done=done, total=len(queue), failed=failed, note=note))

    workers = max(1, min(model.max_concurrency, len(queue)))
    try:
        async with asyncio.TaskGroup() as group:
            for _ in range(workers):
                group.create_task(work())
    except* OverreadError as errors:
        raise first_error(errors) from None
    finally:
        store.flush()
    return failed


class Arrays:
    """Array files of volumes, each made once and deleted after the last question about it.

    Parameters
    ----------
    make
        Prepares a volume as a file, or finds the file that it made before.
    queue
        All questions that will be asked.
    keep
        Delete nothing: the user wants the files for another run.
    """

    def __init__(self, make: ArrayRenderer, queue: Iterable[Planned], *, keep: bool) -> None:
        self._make = make
        self._waiting = Counter(media for one in queue for media in _volumes(one.item))
        self._files: dict[Media, ArrayFile] = {}
        self._keep = keep

    def __call__(self, item: Item) -> dict[Media, ArrayFile]:
        """Give the arrays of an item."""
        for media in _volumes(item):
            self._files[media] = self._make(media)
        return {media: self._files[media] for media in _volumes(item)}

    def done_with(self, item: Item) -> None:
        """Delete what no further question needs."""
        for media in _volumes(item):
            self._waiting[media] -= 1
            file = self._files.get(media)
            if self._waiting[media] <= 0 and file is not None and not self._keep:
                del self._files[media]
                file.path.unlink(missing_ok=True)
                file.path.with_suffix(".json").unlink(missing_ok=True)  # its note


def _volumes(item: Item) -> set[Media]:
    """Give the media of an item that go out as arrays."""
    return {media for media in item_media(item) if is_array(media)}


def is_array(media: Media) -> bool:
    """Say whether a volume goes out as an array file, not as pictures."""
    return media.recipe.volume is not None and media.recipe.volume.output == "array"


def is_shown(item: Item, media: Media) -> bool:
    """Say whether media go out as pictures.

    A volume without a preparation does not where the answer is a mask: it goes out as it lies in
    the release, since the answer must lie on its grid.
    """
    is_plain = media.kind == "volume" and media.recipe.volume is None
    return not is_array(media) and not (is_plain and asks_for_mask(item))


async def _ask(
    planned: Planned,
    *,
    run: str,
    model: Model,
    render: Renderer,
    arrays: Arrays,
    masks: MaskFolder,
    root: Path,
) -> Response:
    begin = time.perf_counter()
    item = planned.item
    pictures: dict[Media, tuple[Picture, ...]] = {}
    prepared: dict[Media, ArrayFile] = {}
    files: dict[Media, tuple[Path, ...]] = {}
    place: Path | None = None
    try:
        _check_options(item)
        if model.sees:
            pictures = await asyncio.to_thread(_render, item, render)
            prepared = await asyncio.to_thread(arrays, item)
            if asks_for_mask(item):
                files = await asyncio.to_thread(released_files, item, root)
        place = masks.place(planned)
        query = Query(
            item=item,
            draw=planned.line.draw,
            pictures=pictures,
            arrays=prepared,
            files=files,
            write_to=place,
        )
        reply = await model.ask(query)
    except FatalModelError:
        raise
    except ModelError as error:
        reply = Reply(status=Status.FAILED, reason=str(error))
    except (ImageError, UnsafePathError) as error:
        reason = NOT_SHOWN + without_root(str(error), root)
        reply = Reply(status=Status.FAILED, reason=reason)
    if asks_for_mask(item):
        reply = await asyncio.to_thread(masks.settle, item, reply, place)
    return Response(
        run=run,
        item=planned.line.item,
        draw=planned.line.draw,
        status=reply.status,
        text=reply.text,
        path=reply.path,
        reason=reply.reason,
        finish_reason=reply.finish_reason,
        tokens_in=reply.tokens_in,
        tokens_out=reply.tokens_out,
        seconds=time.perf_counter() - begin,
        request_hash=planned.line.request_hash,
        receipts=(
            *(one.receipt for shown in pictures.values() for one in shown),
            *(file.receipt for file in prepared.values()),
        ),
    )


def _check_options(item: Item) -> None:
    if isinstance(item.answer_space, Choice) and not item.answer_space.options:
        raise ImageError(
            expected(
                item.id,
                rule="options to choose from",
                got="none, so it was not asked",
                remedy="Complete the question in the release.",
            )
        )


def _render(item: Item, render: Renderer) -> dict[Media, tuple[Picture, ...]]:
    shown = dict.fromkeys(media for media in item_media(item) if is_shown(item, media))
    return {media: render(media) for media in shown}
