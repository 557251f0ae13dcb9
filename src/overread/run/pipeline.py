"""A run, from a release and a model to estimates: where the two meet to ask and to score.

::

    load release → check it → change its items, where a perturbation is named
    → plan = items × draws → blind floor → what the store lacks
    → render media by recipe → ask → store each response as it comes
    → score under both profiles → estimate

Everything a step needs is an argument; everything it leaves behind is in the run file. Reports are
made from run files (`overread report`), and a second start of the same run asks only what is
missing.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path

from overread.analysis.asked import Asked
from overread.contracts import Joiner, Learner, Model, Release, Reporter, Training
from overread.errors import FatalModelError, PartialRunError, ReleaseError
from overread.imaging.render import PictureRenderer
from overread.imaging.safe_path import resolve_inside
from overread.records import Item
from overread.registry import find_benchmark, open_model
from overread.run.array_folder import array_folder
from overread.run.asking import Arrays, Progress, ask_all, is_shown
from overread.run.canary import ask_canaries
from overread.run.check import as_released
from overread.run.manifest import make_manifest
from overread.run.mask_answers import MaskFolder, asks_for_mask, check_writer, stale_answers
from overread.run.media_hashes import media_hashes
from overread.run.opening import open_run
from overread.run.perturbing import left_out_findings, perturb_selected
from overread.run.planning import Planned, identity_of, make_plan
from overread.run.request import RunOutcome, RunRequest
from overread.run.scoring import score_run, set_floor
from overread.run.selecting import check_selected, fit_selection
from overread.store.hashes import item_media
from overread.store.run_store import RunStore

__all__ = ["execute", "quietly"]


def quietly(progress: Progress) -> None:
    """Show nothing of a run's progress."""


def execute(
    request: RunRequest,
    *,
    release: Release | None = None,
    scores: bool = True,
    on_progress: Callable[[Progress], None] = quietly,
) -> RunOutcome:
    """Do a run, or go on with one.

    Parameters
    ----------
    request
        Which model, on what, into which file.
    release
        The release, where the caller has it open already.
    scores
        False leaves the run unscored, for a caller who has it judged first.
    on_progress
        Is told after every answer how far the run is; and after every case how far scoring is,
        where cases are scored by processes (`Progress.stage`).

    Raises
    ------
    UsageError, ReleaseError, StoreError
        Nothing was asked.
    PartialRunError, FatalModelError, StoreFullError
        The run stopped part-way; what was answered is in the run file.
    """
    release = release or find_benchmark(request.benchmark).open(
        request.release, media=request.media
    )
    model = open_model(request.model, request.options)
    selection = fit_selection(request, model, release)
    identity, training = identity_of(model, release, selection)
    manifest = make_manifest(
        release,
        identity=identity,
        selection=selection,
        draws=request.draws,
        seed=request.options.seed,
        command=request.command,
    )
    items = list(release.items(selection))
    check_selected(items, selection, release)
    check_writer(items, model, selection.perturbation)
    changed = perturb_selected(items, selection, release, model, request.out, manifest)
    items = items if changed is None else list(changed.items)
    if isinstance(model, Joiner):
        model.announce(items)  # before there is a run file: it may refuse them
    findings = [as_released(finding, release) for finding in release.findings()]

    with open_run(request.out, manifest) as store:
        store.replace_findings("release", findings)
        if changed is not None:
            store.keep_parameters(changed.parameters)  # before the plan that rests on them
            store.replace_findings("perturbation", left_out_findings(changed))
        plan = make_plan(
            items,
            identity=identity,
            hashes=_hashes(items, release, store) if model.sees else {},
            draws=request.draws,
            protocol_version=release.card.protocol_version,
        )
        store.set_plan(planned.line for planned in plan)
        asked = set_floor(store, release)
        answered = store.answered()
        if any(asks_for_mask(item) for item in items):
            answered -= stale_answers(store.responses(), store.path)
        missing = [planned for planned in plan if planned.line.request_hash not in answered]
        n_failed = 0
        try:
            # Left only once no thread prepares a volume any more, also when a run is stopped.
            with array_folder(store.path, kept=request.prepared) as folder:
                if missing:
                    n_failed = _ask(
                        missing, model, training, request, release, folder, store, on_progress
                    )
        finally:
            _keep_reports(model, store)
        n_unscored = 0
        if scores:
            n_unscored = _score(store, release, asked, request, on_progress)
        else:  # what an earlier start scored is not of these answers
            store.replace_scores(())
            store.replace_estimates(())
        return RunOutcome(
            out=request.out,
            n_planned=len(plan),
            n_asked=len(missing),
            n_failed=n_failed,
            n_unscored=n_unscored,
            n_beyond=len(answered - {planned.line.request_hash for planned in plan}),
            findings=tuple(store.findings()),
        )


def _hashes(items: Sequence[Item], release: Release, store: RunStore) -> dict[str, str]:
    """Hash the media; where not one file can be had since links lead out, say that."""
    try:
        return media_hashes(items, root=release.media_root, store=store)
    except ReleaseError:
        first = next(path for item in items for media in item_media(item) for path in media.paths)
        resolve_inside(release.media_root, first)  # says what to do about a link
        raise


def _wants_canary(request: RunRequest, model: Model) -> bool:
    if request.canary is not None:
        return request.canary and model.sees
    return model.sees and model.form == "chat" and not isinstance(model, Learner)


def _keep_reports(model: Model, store: RunStore) -> None:
    """Store what the model has to report, also of a run that was stopped."""
    if not isinstance(model, Reporter):
        return
    found = model.findings()
    if not isinstance(model, Joiner):  # which hears of all items each time, not of missing ones
        codes = {finding.code for finding in found}
        found = [*(f for f in store.findings("model") if f.code not in codes), *found]
    store.replace_findings("model", found)


def _ask(
    missing: Sequence[Planned],
    model: Model,
    training: Training | None,
    request: RunRequest,
    release: Release,
    folder: Path,
    store: RunStore,
    on_progress: Callable[[Progress], None],
) -> int:
    """Ask what is missing; give how many of it got no reply."""
    # A run that is stopped now must not be left with the numbers of an earlier plan.
    store.replace_scores(())
    store.replace_estimates(())
    run = store.manifest.run
    # Absolute: a process of its own may work in another folder.
    render = PictureRenderer(release.media_root, arrays=folder.resolve())
    arrays = Arrays(render.array, missing, keep=request.prepared is not None)
    if training is not None and isinstance(model, Learner):
        model.learn(training, render)

    async def ask() -> int:
        try:
            await model.preflight()
            shown = any(
                is_shown(one.item, media) and not asks_for_mask(one.item)
                for one in missing
                for media in item_media(one.item)
            )
            if shown and _wants_canary(request, model) and not store.findings("canary"):
                store.replace_findings("canary", await ask_canaries(model))
            return await ask_all(
                missing,
                run=run,
                model=model,
                render=render,
                arrays=arrays,
                masks=MaskFolder(store.path, model, ending=release.card.mask_ending),
                root=release.media_root,
                store=store,
                on_progress=on_progress,
            )
        finally:
            await model.close()

    try:
        return asyncio.run(ask())
    except FatalModelError as error:
        raise FatalModelError(f"{error} {_way_on(store)}") from error
    except KeyboardInterrupt:
        raise PartialRunError(f"Stopped. {_way_on(store)}") from None


def _score(
    store: RunStore,
    release: Release,
    asked: Asked,
    request: RunRequest,
    on_progress: Callable[[Progress], None],
) -> int:
    try:
        return score_run(store, release, asked, workers=request.workers, on_progress=on_progress)
    except KeyboardInterrupt:
        raise PartialRunError(
            f"Stopped while it was scored. {_way_on(store)} 'overread score {store.path}' scores "
            "the cases that are left."
        ) from None


def _way_on(store: RunStore) -> str:
    n_answered = len(store.answered())
    if not n_answered:
        return f"Nothing was answered; {store.path} holds the plan only."
    return (
        f"{n_answered} of {len(store.plan())} answers are in {store.path}; "
        "the same command goes on from there."
    )
