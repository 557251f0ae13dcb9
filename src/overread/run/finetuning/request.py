"""What a person asks for when training a scorer, and what came of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, TypeAlias

from overread.models.clip.finetune.settings import TrainingSettings
from overread.records import Finding
from overread.run.finetuning.curve import Curve

__all__ = ["Boxes", "FinetuneOutcome", "FinetuneRequest"]

Boxes: TypeAlias = Literal["with", "without"]


@dataclass(frozen=True, slots=True, kw_only=True)
class FinetuneRequest:
    """One training: from what, on what, into which folder."""

    base: str
    """See `models.clip.finetune.base.open_base`."""
    boxes: Boxes
    """Learn from pictures with the lesion's box drawn, or without."""
    out: Path
    """New or empty, or the folder of the same training: then it goes on."""
    settings: TrainingSettings = field(default_factory=TrainingSettings)
    validate_every: int = 1
    """Ask the validation questions after every so many epochs, and after the last."""
    checkpoint_every_s: float = 600.0
    """Write a checkpoint within an epoch after so many seconds; after epochs it is written
    anyhow. It does not move a number."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FinetuneOutcome:
    """What a training left behind."""

    out: Path
    curve: Curve
    n_pairs: int
    epochs_done_before: int
    """Whole epochs that this start found done."""
    findings: tuple[Finding, ...]
