"""Reads the run files of a probe and holds every arm against the original."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from overread.analysis.asked import Asked, asked_of
from overread.analysis.probing import ArmExample, ArmRun, Probed, probe_effects
from overread.contracts import Release
from overread.records import ModelIdentity
from overread.run.probing.declined import declined_replies
from overread.run.probing.request import ORIGINAL
from overread.store.run_store import RunStore

__all__ = ["ProbeReading", "read_probe"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ProbeReading:
    """A probe as its run files tell it."""

    model: ModelIdentity
    probed: Probed
    examples: tuple[ArmExample, ...]
    """One question in every arm that it was asked in, the original first."""


def read_probe(
    files: Mapping[str, Path],
    release: Release,
    *,
    not_applied: Mapping[str, Mapping[str, int]],
) -> ProbeReading:
    """Compare the arms of a probe.

    Parameters
    ----------
    files
        Arm → its scored run file; the original must be among them.
    release
        The release they were made on.
    not_applied
        Arms that apply to no question: arm → reason → questions.

    Raises
    ------
    StoreError
        A file cannot be read, or is of another release.
    """
    with ExitStack() as stack:
        stores = {arm: stack.enter_context(RunStore.open(path)) for arm, path in files.items()}
        asked = {arm: asked_of(store, release) for arm, store in stores.items()}
        plan = asked[ORIGINAL].plan
        runs = {arm: _arm_run(arm, store, plan.headline) for arm, store in stores.items()}
        original = runs.pop(ORIGINAL)
        probed = probe_effects(original, list(runs.values()), plan, not_applied=not_applied)
        shown = _shown_item(asked)
        return ProbeReading(
            model=stores[ORIGINAL].manifest.model,
            probed=probed,
            examples=tuple(
                _example(arm, stores[arm], one, shown, plan.headline)
                for arm, one in asked.items()
                if shown is not None and shown in one.items
            ),
        )


def _arm_run(arm: str, store: RunStore, metric: str) -> ArmRun:
    return ArmRun(
        name=arm,
        scores=store.scores(),
        planned=store.plan(),
        left_out={
            finding.evidence: finding.count
            for finding in store.findings("perturbation")
            if finding.code == "not-applicable"
        },
        declined=declined_replies(store, metric),
    )


def _shown_item(asked: Mapping[str, Asked]) -> str | None:
    """Choose the first question that most arms ask."""
    first = asked[ORIGINAL].items
    return max(
        first, key=lambda item: sum(item in one.items for one in asked.values()), default=None
    )


def _example(arm: str, store: RunStore, asked: Asked, item: str, headline: str) -> ArmExample:
    scores = (
        score
        for score in store.scores()
        if score.item == item
        and score.draw == 0
        and score.metric == headline
        and score.profile == "honest"
        and score.target is None
    )
    return ArmExample(
        arm=arm,
        item=asked.items[item],
        reference=asked.references[item],
        response=store.response(item),
        score=next(scores, None),
    )
