"""Runs the arms of a probe one after the other, each a run of its own with the whole engine.

Every arm is resumed by the same command: what its file holds is not asked again.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from overread.contracts import Release
from overread.errors import UsageError, expected
from overread.registry import find_benchmark, find_perturbation
from overread.run.asking import Progress
from overread.run.perturbing import NothingAppliesError
from overread.run.pipeline import execute
from overread.run.probing.request import ORIGINAL, ProbeOutcome, ProbeRequest
from overread.run.request import RunOutcome, RunRequest

__all__ = ["probe"]


def probe(
    request: ProbeRequest,
    *,
    release: Release | None = None,
    on_arm: Callable[[str], Callable[[Progress], None]],
) -> ProbeOutcome:
    """Do a probe, or go on with one.

    Parameters
    ----------
    request
        Which model, on what, changed how, into which folder.
    release
        The release, where the caller has it open already.
    on_arm
        Is told each arm before it starts, and gives what is told of its progress.

    Raises
    ------
    UsageError, ReleaseError, StoreError
        Nothing more was asked: a perturbation is unknown, or a file holds another run.
    PartialRunError, FatalModelError, StoreFullError
        The probe stopped part-way; what was answered is in its run files.
    """
    _check(request)
    run = request.run
    release = release or find_benchmark(run.benchmark).open(run.release, media=run.media)
    outcomes: dict[str, RunOutcome] = {}
    not_applied: dict[str, dict[str, int]] = {}
    for arm in (ORIGINAL, *request.arms):
        on_progress = on_arm(arm)
        try:
            outcomes[arm] = execute(_arm(request, arm), release=release, on_progress=on_progress)
        except NothingAppliesError as error:
            not_applied[arm] = dict(error.reasons)
    return ProbeOutcome(
        files={arm: request.file(arm) for arm in outcomes},
        outcomes=outcomes,
        not_applied=not_applied,
    )


def _check(request: ProbeRequest) -> None:
    for arm in request.arms:
        find_perturbation(arm)  # a misspelt one is said before anything is paid for
    if len(set(request.arms)) < len(request.arms) or not request.arms:
        raise UsageError(
            expected(
                "--only",
                rule="one or more perturbations, each once",
                got=", ".join(request.arms) or "none",
                remedy="'overread list perturbations' describes them.",
            )
        )
    if request.folder.exists() and not request.folder.is_dir():
        raise UsageError(
            expected(
                "--out",
                rule="a folder, which gets one run file an arm",
                got=f"{request.folder}, a file",
                remedy="Choose another name.",
            )
        )


def _arm(request: ProbeRequest, arm: str) -> RunRequest:
    run = request.run
    if arm == ORIGINAL:
        return replace(run, out=request.file(arm))
    selection = replace(run.selection, perturbation=arm, perturbation_seed=request.seed)
    # Whether the model sees at all was found out with the original.
    return replace(run, out=request.file(arm), selection=selection, canary=False)
