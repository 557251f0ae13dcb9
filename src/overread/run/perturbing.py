"""Changes a run's items before they are planned, as an earlier start of the same run drew it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from overread.analysis.perturbed import Perturbed, perturb
from overread.contracts import Joiner, Model, Neighbours, Parameters, Release, Selection
from overread.errors import StoreError, UsageError, expected
from overread.imaging.render import PictureRenderer
from overread.imaging.stored_unit import UnitLooker
from overread.records import Finding, Item, Manifest, Severity
from overread.store.run_store import RunStore

__all__ = ["NothingAppliesError", "left_out_findings", "perturb_selected", "reasons_left_out"]


class NothingAppliesError(UsageError):
    """A perturbation means nothing to any of the selected items."""

    def __init__(self, name: str, reasons: Mapping[str, int]) -> None:
        told = "; ".join(f"{reason} ({n})" for reason, n in reasons.items())
        super().__init__(
            expected(
                name,
                rule="a question that it can be applied to",
                got=f"none: {told}",
                remedy="Leave it out, or choose other tasks.",
            )
        )
        self.reasons = reasons
        """Reason → how many items it keeps out."""


def perturb_selected(
    items: Sequence[Item],
    selection: Selection,
    release: Release,
    model: Model,
    out: Path,
    manifest: Manifest,
) -> Perturbed | None:
    """Change the selected items; None where the selection names no perturbation.

    Raises
    ------
    UsageError
        There is no perturbation of this name, it applies to nothing (`NothingAppliesError`), or
        the model looks answers up, which were given to other questions than these.
    """
    name = selection.perturbation
    if name is None:
        return None
    if isinstance(model, Joiner):
        raise UsageError(
            expected(
                "--model",
                rule="a model that answers what it is asked",
                got=f"{model.identity.label}: answers to the questions as released",
                remedy="Ask the model itself, for instance chat:NAME --base-url URL.",
            )
        )
    # Of all items, so that a run with a limit draws what the whole run will.
    every = items if selection.limit is None else release.items(replace(selection, limit=None))
    found = perturb(
        items,
        name,
        seed=selection.perturbation_seed,
        others=Neighbours(every),
        release=release,
        unit_of=UnitLooker(release.media_root),
        render=PictureRenderer(release.media_root),
        kept=_kept(out, manifest),
    )
    if not found.items:
        raise NothingAppliesError(name, reasons_left_out(found))
    return found


def _kept(out: Path, manifest: Manifest) -> Mapping[str, Parameters]:
    """Give what the run file at `out` holds of this very run."""
    try:
        with RunStore.open(out) as store:
            return store.parameters() if store.manifest.run == manifest.run else {}
    except StoreError:
        return {}  # absent, or what is wrong with it is said when it is opened for writing


def reasons_left_out(changed: Perturbed) -> dict[str, int]:
    """Count the items left out by reason, the most frequent first."""
    return dict(Counter(changed.left_out.values()).most_common())


def left_out_findings(changed: Perturbed) -> list[Finding]:
    """Say how many items a perturbation does not apply to, and why."""
    n = len(changed.items) + len(changed.left_out)
    return [
        Finding(
            severity=Severity.INFO,
            code="not-applicable",
            where=f"{count} of {n} questions",
            evidence=reason,
            effect="not asked in this run, and in none of its pairs",
            count=count,
        )
        for reason, count in reasons_left_out(changed).items()
    ]
