"""What a benchmark, a model, a scorer must be able to do: Protocols and their small messages.

A benchmark is a thing that opens a folder. A model is a thing that answers a query. They never
meet but in `run.pipeline`. Anything that fits a Protocol here can be registered (see `registry`)
and is then held to the same contract suite as the built-in ones (`tests/contracts`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, Protocol, TypeAlias, runtime_checkable

from overread.imaging.picture import Picture
from overread.records import (
    Finding,
    Item,
    Media,
    ModelIdentity,
    Profile,
    PublishedValue,
    Reference,
    Response,
    Score,
    Status,
)

__all__ = [
    "AnalysisPlan",
    "Benchmark",
    "Card",
    "ExpectedCount",
    "Form",
    "Joiner",
    "Learner",
    "Model",
    "ModelAdapter",
    "ModelOptions",
    "Picture",
    "Query",
    "Release",
    "Renderer",
    "Reply",
    "Reporter",
    "Scorer",
    "Selection",
    "Training",
    "TrainingCase",
    "Watched",
]

Form: TypeAlias = Literal["chat", "clip"]
"""Which of a release's question formats: worded for chat models, or bare for image-text scorers."""


# ---------------------------------------------------------------- benchmarks


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
    """What a benchmark is, for people and for `overread list`."""

    name: str
    """As typed on the command line: ``ct-bench``."""
    title: str
    protocol_version: str
    licence: str
    access: str
    tasks: Mapping[str, str]
    """Task → what it asks."""
    conditions: tuple[str, ...]
    stacks: tuple[str, ...] = ("images",)
    """Ways a stack of slices can be shown (`Recipe.stack`), the default first."""
    splits: tuple[str, ...] = ("test",)
    sources: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """Which items of a release to ask, and how to show them. None means all."""

    split: str = "test"
    tasks: tuple[str, ...] | None = None
    conditions: tuple[str, ...] | None = None
    form: Form = "chat"
    stack: Literal["images", "mosaic", "features"] = "images"
    max_side_px: int | None = None
    limit: int | None = None
    """The first so many items, taken evenly over tasks and conditions."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExpectedCount:
    """How many items a complete release has in one stratum."""

    stratum: Mapping[str, str]
    split: str
    n: int


@dataclass(frozen=True, slots=True, kw_only=True)
class AnalysisPlan:
    """How a benchmark's Score rows become Estimate rows."""

    strata: tuple[tuple[str, ...], ...]
    """Which keys of `Item.strata` to break results down by; ``()`` is the total."""
    cells: tuple[str, ...]
    """The finest of them: one cell of the published table."""
    cluster: str | None
    """The key of `Item.groups` that is the independent unit, such as ``patient``."""
    headline: str = "accuracy"
    published_drops: tuple[Status, ...] = ()
    """What the benchmark's own code leaves out of its denominator: the fault belongs to the
    `published` profile alone."""
    level: float = 0.95
    bootstrap_draws: int = 2000
    seed: int = 20260219


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainingCase:
    """One labelled case of a training split: pictures and what is known about them."""

    id: str
    media: tuple[Media, ...]
    """Views of the case: with and without its box where the release has both."""
    texts: Mapping[str, str]
    """What is known, by kind: description, size, attributes, …"""
    groups: Mapping[str, str] = field(default_factory=dict[str, str])


@dataclass(frozen=True, slots=True, kw_only=True)
class Training:
    """All that a model may learn from: never an item of the split under test."""

    cases: tuple[TrainingCase, ...] = ()
    exam: tuple[tuple[Item, Reference], ...] = ()
    """Solved questions of another split (validation)."""


class Release(Protocol):
    """An opened folder. Reading it never stops on a missing part: that is a `Finding`."""

    @property
    def root(self) -> Path:
        """The folder."""
        ...

    @property
    def card(self) -> Card:
        """The benchmark's card."""
        ...

    @property
    def fingerprint(self) -> str:
        """Hash of the files that hold the questions: two equal ones ask the same."""
        ...

    def findings(self, *, thorough: bool = False) -> Sequence[Finding]:
        """Report what is missing or odd, after looking at every question and its files.

        `thorough` also decodes every picture: `overread check` has the time, a run has not.
        """
        ...

    def items(self, selection: Selection) -> Iterator[Item]:
        """Give the selected items in a stable order, lazily."""
        ...

    def reference(self, item_id: str) -> Reference:
        """Give the answer of an item. KeyError for an unknown id."""
        ...

    def scorers(self, profile: Profile) -> Sequence[Scorer]:
        """Give what turns responses into scores under a profile."""
        ...

    def plan(self) -> AnalysisPlan:
        """Give how scores become estimates."""
        ...

    def notes(self) -> Sequence[str]:
        """Say in whole sentences what numbers on this very release do not show."""
        ...

    def published(self) -> Sequence[PublishedValue]:
        """Give the numbers of the paper and its human readers, with sources."""
        ...

    def expected_counts(self) -> Sequence[ExpectedCount]:
        """Give how many items a complete release has, per cell and split."""
        ...

    def training(self, selection: Selection) -> Training:
        """Give what a model may learn from: nothing of the selection's own split.

        Solved questions come in the selection's form and stack.
        """
        ...


class Benchmark(Protocol):
    """A thing that opens a folder."""

    @property
    def card(self) -> Card:
        """What it is."""
        ...

    def open(self, root: Path) -> Release:
        """Open a release. ReleaseError when the folder is none at all."""
        ...

    def synthesise(self, root: Path, *, seed: int, size: int) -> None:
        """Write a synthetic release in the real layout. Same seed and size, same bytes."""
        ...


# ---------------------------------------------------------------- models


Renderer: TypeAlias = Callable[[Media], tuple[Picture, ...]]
"""Turns media into pictures by their recipe: one for a picture or a mosaic, one a slice for a
stack. ImageError when it cannot be done, UnsafePathError when a path leaves the release."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """One item on its way to a model."""

    item: Item
    draw: int = 0
    pictures: Mapping[Media, tuple[Picture, ...]] = field(
        default_factory=dict[Media, tuple[Picture, ...]]
    )
    """Rendered media of the item and of its options; empty for a model that sees nothing."""


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


# ---------------------------------------------------------------- scoring


class Scorer(Protocol):
    """Turns one response into Score rows."""

    @property
    def metric(self) -> str:
        """The headline metric it emits."""
        ...

    @property
    def profile(self) -> Profile:
        """Whose rules it follows."""
        ...

    def score(self, item: Item, reference: Reference, response: Response) -> Iterable[Score]:
        """Score one response; always at least one row, with a status."""
        ...
