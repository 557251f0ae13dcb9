"""What a run asked, as its release gives it now: items, references, blind floors.

A run file holds no question texts; it holds the fingerprint of its release, and this is where the
two are brought together again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Literal, cast

from overread.analysis.blind_descriptions import description_floors
from overread.analysis.blind_floor import BlindFloor, blind_floors
from overread.analysis.perturbed import perturbed_again, perturbed_reference
from overread.analysis.plans import plan_of
from overread.contracts import AnalysisPlan, Form, Neighbours, Release, Scorer, Selection
from overread.errors import StoreError, UsageError, expected
from overread.metrics.facts import FACT_SCORE
from overread.records import Item, Manifest, Reference
from overread.registry import find_benchmark
from overread.store.run_store import RunStore

__all__ = ["Asked", "asked_of", "check_same_release", "release_of", "selection_of"]


@dataclass(frozen=True, kw_only=True)  # without slots, for the floors that are kept
class Asked:
    """The items of a run's plan with their references, as the release gives them now.

    Where the run changed its items (`Selection.perturbation`) they are changed as its record says,
    and their references moved along.
    """

    items: Mapping[str, Item]
    references: Mapping[str, Reference]
    plan: AnalysisPlan
    scorer: Scorer | None = None
    """Of the headline, as the honest profile has it."""
    taught: Sequence[str] = ()
    """Descriptions of the training part, for a headline that scores descriptions."""

    @cached_property
    def floors(self) -> tuple[BlindFloor, ...]:
        """What blind policies score on these items; computed when first asked for."""
        items, plan = list(self.items.values()), self.plan
        if plan.headline == FACT_SCORE.name and self.scorer is not None:
            return description_floors(
                items,
                self.references,
                self.scorer,
                plan.strata,
                cluster=plan.cluster,
                multi_label=plan.multi_label,
                taught=self.taught,
            )
        return blind_floors(
            items,
            self.references,
            plan.strata,
            cluster=plan.cluster,
            only=plan.headline_only,
            multi_label=plan.multi_label,
        )


def selection_of(manifest: Manifest) -> Selection:
    """Read back what a run asked for."""
    chosen = manifest.selection
    tasks, conditions = (
        tuple(str(each) for each in cast("Sequence[str]", chosen[key])) if chosen.get(key) else None
        for key in ("tasks", "conditions")
    )
    return Selection(
        split=str(chosen["split"]),
        tasks=tasks,
        conditions=conditions,
        form=cast("Form", chosen["form"]),
        stack=cast("Literal['images', 'mosaic', 'features']", chosen["stack"]),
        max_side_px=cast("int | None", chosen.get("max_side_px")),
        recipe=cast("str | None", chosen.get("recipe")),
        perturbation=cast("str | None", chosen.get("perturbation")),
        perturbation_seed=cast("int", chosen.get("perturbation_seed", 0)),
    )


def release_of(manifest: Manifest, root: Path | None) -> Release:
    """Open the release of a run, in `root` or where the run was made.

    Raises
    ------
    UsageError
        The release is no longer where the run was made, and no other folder is given.
    ReleaseError
        The folder is no release of the run's benchmark.
    """
    place = root or Path(manifest.release_root)
    if root is None and not place.is_dir():
        raise UsageError(
            expected(
                "RELEASE",
                rule="the release where the run was made",
                got=f"{place}, where nothing is now",
                remedy="Say where it is: --release FOLDER (for 'overread score': RUN FOLDER).",
            )
        )
    media = Path(manifest.media_root) if manifest.media_root else None
    # Answers are scored without their pictures: a folder that has gone is no reason to refuse.
    media = media if media is not None and media.is_dir() else None
    return find_benchmark(manifest.benchmark).open(place, media=media)


def check_same_release(runs: Sequence[Path], manifests: Sequence[Manifest]) -> None:
    """Check that runs can stand side by side: item ids mean the same in one release only.

    Parameters
    ----------
    runs
        Run files, for the message.
    manifests
        Their manifests, in the same order.

    Raises
    ------
    UsageError
        The runs are of different benchmarks or releases, or one is given twice.
    """
    first = manifests[0]
    seen: set[str] = set()
    for path, manifest in zip(runs, manifests, strict=True):
        same = (manifest.benchmark, manifest.release_fingerprint) == (
            first.benchmark,
            first.release_fingerprint,
        )
        if not same or manifest.run in seen:
            raise UsageError(
                expected(
                    "RUN...",
                    rule=f"different runs of one {first.benchmark} release",
                    got=f"{path} ("
                    + (f"run {manifest.run}, given twice" if same else manifest.benchmark)
                    + f", release {manifest.release_fingerprint[:12]})",
                    remedy="Take the runs of each release by themselves.",
                )
            )
        seen.add(manifest.run)


def asked_of(store: RunStore, release: Release) -> Asked:
    """Find the plan's items in the release, and change them as the run did.

    Raises
    ------
    StoreError
        The release is not the one the run was made on, or has lost questions since.
    UsageError
        The run's perturbation is of a package that is not installed here.
    """
    if release.fingerprint != store.manifest.release_fingerprint:
        raise StoreError(
            expected(
                "RELEASE",
                rule="the release that the run was made on (fingerprint "
                f"{store.manifest.release_fingerprint[:12]})",
                got=f"{release.root} (fingerprint {release.fingerprint[:12]})",
                remedy="Give the folder of that release, or run again on this one. A run made with "
                "another version of overread may know the same release by another fingerprint.",
            )
        )
    lines = store.plan()
    planned = {line.item for line in lines}
    selection = selection_of(store.manifest)
    selected = list(release.items(selection))
    items = {item.id: item for item in selected if item.id in planned}
    if lost := planned - items.keys():
        raise StoreError(
            expected(
                "RELEASE",
                rule="every question that the run planned",
                got=f"{release.root}, which lacks {len(lost)} of {len(planned)}, such as "
                f"{min(lost)!r}",
                remedy="Its tables have changed since (they state splits): restore them.",
            )
        )
    references = {item_id: release.reference(item_id) for item_id in items}
    if (name := selection.perturbation) is not None:
        kept = store.parameters()
        changed = perturbed_again(
            items.values(), name, others=Neighbours(selected), release=release, kept=kept
        )
        references = {
            item_id: perturbed_reference(references[item_id], items[item_id], name, kept[item_id])
            for item_id in changed
        }
        items = changed
    plan = plan_of(release, lines)
    scorers = (each for each in release.scorers("honest") if each.metric == plan.headline)
    return Asked(
        items=items,
        references=references,
        plan=plan,
        scorer=next(scorers, None),
        taught=_taught(release, selection) if plan.headline == FACT_SCORE.name else (),
    )


def _taught(release: Release, selection: Selection) -> tuple[str, ...]:
    """Give the descriptions that a writer of captions may learn from."""
    cases = release.training(selection).cases
    return tuple(text for case in cases if (text := case.texts.get("description")))
