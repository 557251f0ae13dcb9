"""The local engine: asks what is missing, several queries at once, and stores as answers come."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from overread.contracts import Model, Query, Renderer, Reply, Watched
from overread.errors import (
    FatalModelError,
    ImageError,
    ModelError,
    OverreadError,
    UnsafePathError,
)
from overread.imaging.picture import Picture
from overread.records import Choice, Item, Media, Response, Status
from overread.run.planning import Planned
from overread.store.hashes import item_media
from overread.store.run_store import RunStore

__all__ = ["Progress", "ask_all"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """How far a run is, for whoever shows it."""

    done: int
    total: int
    failed: int
    note: str = ""
    """What the model waits for, in its own words."""


async def ask_all(
    queue: Sequence[Planned],
    *,
    run: str,
    model: Model,
    render: Renderer,
    store: RunStore,
    on_progress: Callable[[Progress], None],
) -> int:
    """Ask the model everything in `queue` and store each response as it comes.

    Returns
    -------
    int
        How many of them got no reply.

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
            response = await _ask(planned, run=run, model=model, render=render)
            store.add(response)
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
        raise _first(errors) from None
    finally:
        store.flush()
    return failed


async def _ask(planned: Planned, *, run: str, model: Model, render: Renderer) -> Response:
    begin = time.perf_counter()
    pictures: dict[Media, tuple[Picture, ...]] = {}
    try:
        _check_options(planned.item)
        if model.sees:
            pictures = await asyncio.to_thread(_render, planned.item, render)
        reply = await model.ask(Query(item=planned.item, draw=planned.line.draw, pictures=pictures))
    except FatalModelError:
        raise
    except (ModelError, ImageError, UnsafePathError) as error:
        reply = Reply(status=Status.FAILED, reason=str(error))
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
        receipts=tuple(one.receipt for shown in pictures.values() for one in shown),
    )


def _check_options(item: Item) -> None:
    if isinstance(item.answer_space, Choice) and not item.answer_space.options:
        raise ModelError(f"{item.id}: the release gives no options, so it was not asked")


def _render(item: Item, render: Renderer) -> dict[Media, tuple[Picture, ...]]:
    return {media: render(media) for media in dict.fromkeys(item_media(item))}


def _first(errors: BaseExceptionGroup[OverreadError]) -> OverreadError:
    for error in errors.exceptions:
        return error if isinstance(error, OverreadError) else _first(error)
    raise AssertionError("an exception group is never empty")  # pragma: no cover
