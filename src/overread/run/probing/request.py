"""What a person asks for when starting a probe, and what came of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from overread.run.request import RunOutcome, RunRequest

__all__ = ["ARMS", "ORIGINAL", "ProbeOutcome", "ProbeRequest"]

ORIGINAL: Final = "original"
ARMS: Final = (
    "no-image",
    "other-patient",
    "options-only",
    "shuffled-options",
    "mirror",
    "wrong-window",
    "blur",
)
"""What a probe changes unless it is told, in the order shown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProbeRequest:
    """One probe: a run, and how its questions are changed."""

    run: RunRequest
    """Model, release and selection of every arm; its own file is not used."""
    folder: Path
    """Gets one run file an arm."""
    arms: tuple[str, ...] = ARMS
    seed: int = 0
    """What parameters of the perturbations are drawn from."""

    def file(self, arm: str) -> Path:
        """Give the run file of an arm."""
        return self.folder / f"{arm}.sqlite"


@dataclass(frozen=True, slots=True, kw_only=True)
class ProbeOutcome:
    """What a probe left behind."""

    files: Mapping[str, Path]
    """Arm → its run file, the original first."""
    outcomes: Mapping[str, RunOutcome]
    """Arm → what its run left behind."""
    not_applied: Mapping[str, Mapping[str, int]]
    """Arms that apply to no question, and so have no file: arm → reason → questions."""
