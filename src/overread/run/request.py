"""What a person asks for when starting a run, and what came of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from overread.contracts import ModelOptions, Selection
from overread.records import Finding

__all__ = ["RunOutcome", "RunRequest"]


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRequest:
    """One run: which model, on which part of which release, into which file."""

    benchmark: str
    release: Path
    model: str
    """``ADAPTER:NAME`` or the bare name of a built-in reader."""
    out: Path
    """The run file: made, or gone on with."""
    media: Path | None = None
    """Where pictures and volumes lie when not in the release."""
    selection: Selection = field(default_factory=Selection)
    """Its form is set to the model's; a stack of None takes the form's usual way."""
    stack: str | None = None
    """How stacks are shown; None means features for image-text scorers, else pictures."""
    prepared: Path | None = None
    """Keep prepared arrays of volumes here and use those that are here; None deletes each one
    after its last question."""
    options: ModelOptions = field(default_factory=ModelOptions)
    draws: int = 1
    canary: bool | None = None
    """Ask first what only a picture can tell; None asks chat models that see."""
    workers: int = 2
    """Processes that score cases of files; 0 scores in this one."""
    command: str = ""
    """As typed, for the manifest."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunOutcome:
    """What a run left behind."""

    out: Path
    n_planned: int
    n_asked: int
    """Asked in this start; the rest was in the run file already."""
    n_failed: int
    """Without a reply after this start."""
    n_unscored: int
    """Answers without a value of theirs: unusable masks, broken scoring (`scoring.score_run`)."""
    n_beyond: int
    """Answers in the file that this plan does not count: of a larger limit or more draws."""
    findings: tuple[Finding, ...]
