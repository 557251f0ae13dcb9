"""What a model must be able to do: a thing that answers a query."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol, TypeAlias, runtime_checkable

from overread.contracts.benchmarks import Form, Training
from overread.imaging.picture import ArrayFile, Picture
from overread.records import Finding, Item, Media, ModelIdentity, Status

__all__ = [
    "ArrayReader",
    "ArrayRenderer",
    "Joiner",
    "Learner",
    "MaskWriter",
    "Model",
    "ModelAdapter",
    "ModelOptions",
    "Query",
    "Renderer",
    "Reply",
    "Reporter",
    "Watched",
]


Renderer: TypeAlias = Callable[[Media], tuple[Picture, ...]]
"""Turns media into pictures by their recipe: one for a picture or a mosaic, one a slice for a
stack. ImageError when it cannot be done, UnsafePathError when a path leaves the release."""


ArrayRenderer: TypeAlias = Callable[[Media], ArrayFile]
"""Turns a volume whose recipe's output is ``array`` into an array file; errors as a Renderer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """One item on its way to a model."""

    item: Item
    draw: int = 0
    pictures: Mapping[Media, tuple[Picture, ...]] = field(
        default_factory=dict[Media, tuple[Picture, ...]]
    )
    """Rendered media of the item and of its options; empty for a model that sees nothing."""
    arrays: Mapping[Media, ArrayFile] = field(default_factory=dict[Media, ArrayFile])
    """Volumes prepared as arrays; a model that takes pictures alone raises ModelError."""
    files: Mapping[Media, tuple[Path, ...]] = field(default_factory=dict[Media, "tuple[Path, ...]"])
    """Of an item that asks for a mask: the volumes as released, absolute, for its answer must lie
    on their grid. A name among them may tell the case: adapters hand them on under others."""
    write_to: Path | None = None
    """Where a model that makes files may write its answer: a path without a suffix, in a folder
    that is there and is kept beside the run."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What a model gives back for one query; the pipeline makes a `Response` of it."""

    status: Status = Status.OK
    text: str | None = None
    path: str | None = None
    reason: str | None = None
    finish_reason: str | None = None
    tokens_in: int | None = None
    tokens_out: int | None = None


class Model(Protocol):
    """A thing that answers queries."""

    @property
    def identity(self) -> ModelIdentity:
        """Which model, to the last setting that could change an answer."""
        ...

    @property
    def sees(self) -> bool:
        """Whether it is shown pictures; False spares the rendering."""
        ...

    @property
    def form(self) -> Form:
        """Which question format it reads."""
        ...

    @property
    def max_concurrency(self) -> int:
        """How many queries may be under way at once."""
        ...

    async def preflight(self) -> None:
        """Find out, before the first item, whether it can answer. FatalModelError when not."""
        ...

    async def ask(self, query: Query) -> Reply:
        """Answer one query. ModelError for this one; FatalModelError ends the run."""
        ...

    async def close(self) -> None:
        """Let go of connections and processes."""
        ...


@runtime_checkable
class Learner(Protocol):
    """A model that learns from a release's training part before it is asked."""

    def learn(self, training: Training, render: Renderer) -> None:
        """Learn. Deterministic: same training, same answers."""
        ...


@runtime_checkable
class Reporter(Protocol):
    """A model that may see something of its own, while it is asked, that readers must know."""

    def findings(self) -> Sequence[Finding]:
        """Report it: a setting that was not taken, a row that fits nothing."""
        ...


@runtime_checkable
class Joiner(Reporter, Protocol):
    """A model that looks answers up, and must know all items to refuse what fits two of them."""

    def announce(self, items: Iterable[Item]) -> None:
        """Hear of every item before the first one is asked."""
        ...


@runtime_checkable
class ArrayReader(Protocol):
    """A model that takes volumes as array files (`Query.arrays`); others are shown pictures."""

    @property
    def reads_arrays(self) -> bool:
        """Whether it does."""
        ...


@runtime_checkable
class MaskWriter(Protocol):
    """A model that can answer an item that asks for a mask, by `Reply.path`."""

    @property
    def writes_masks(self) -> bool:
        """Whether it does."""
        ...


@runtime_checkable
class Watched(Protocol):
    """A model that can say what it is waiting for."""

    @property
    def note(self) -> str:
        """A few words for a progress line: limit, retries, last trouble; may be empty."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelOptions:
    """What the command line says about a model beside its name."""

    base_url: str | None = None
    temperature: float = 0.0
    max_tokens: int = 1000
    seed: int = 0
    concurrency: int = 16
    timeout_s: float = 120.0
    max_retries: int = 6
    max_images: int | None = None
    """The most pictures in one request; None asks the server where it can."""
    structured: bool = False
    """Ask the server to enforce the answer's JSON form."""
    text_only: bool = False
    """No picture will be sent (a judge, a generator): do not try whether the model takes any."""


class ModelAdapter(Protocol):
    """One way of reaching models; registered under its name."""

    @property
    def name(self) -> str:
        """The word before the colon in ``--model chat:medgemma``."""
        ...

    @property
    def summary(self) -> str:
        """One line for `overread list models`."""
        ...

    @property
    def examples(self) -> tuple[str, ...]:
        """Values of ``--model`` that this adapter understands."""
        ...

    def open(self, target: str, options: ModelOptions) -> Model:
        """Open the model named after the colon (may be empty). UsageError when it cannot be."""
        ...
