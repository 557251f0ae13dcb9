"""What a benchmark must be able to do: a thing that opens a folder."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Literal, Protocol, TypeAlias, runtime_checkable

from overread.contracts.scoring import Scorer
from overread.records import Finding, Item, Media, Profile, PublishedValue, Reference, Status

__all__ = [
    "LABEL_SEPARATOR",
    "AlsoMetric",
    "AnalysisPlan",
    "Benchmark",
    "Card",
    "ClassAgreement",
    "ExpectedCount",
    "Form",
    "PairedItems",
    "PlansByTask",
    "PooledRatio",
    "RankPlan",
    "RateFormula",
    "Rates",
    "Release",
    "Selection",
    "Training",
    "TrainingCase",
]


Form: TypeAlias = Literal["chat", "clip"]
"""Which of a release's question formats: worded for chat models, or bare for image-text scorers."""


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
    asked_by_name: tuple[str, ...] = ()
    """Those of the tasks that are asked only where a selection names them."""
    conditions: tuple[str, ...]
    stacks: tuple[str, ...] = ("images",)
    """Ways a stack of slices can be shown (`Recipe.stack`), the default first."""
    recipes: tuple[str, ...] = ()
    """Names of the volume preparations on offer (`VolumeRecipe.name`), the default first; empty
    where there are no volumes."""
    splits: tuple[str, ...] = ("test",)
    unit: str = "case"
    """What a release is counted in: ``lesion``, ``case``."""
    synthetic_size: int = 24
    """How many units `overread synth` makes when it is not told."""
    sources: tuple[str, ...] = ()
    mask_ending: str | None = None
    """The one ending of volume masks that the benchmark's own code takes, ``.nii``; None for any.
    A mask that a model writes packed, as ``.nii.gz``, is unpacked for it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """Which items of a release to ask, and how to show them. None means all.

    Of tasks it means all but those that must be named (`Card.asked_by_name`).
    """

    split: str = "test"
    tasks: tuple[str, ...] | None = None
    conditions: tuple[str, ...] | None = None
    form: Form = "chat"
    stack: Literal["images", "mosaic", "features"] = "images"
    max_side_px: int | None = None
    recipe: str | None = None
    """Name of a volume preparation (`Card.recipes`); None is the first."""
    limit: int | None = None
    """The first so many items, taken evenly over tasks and conditions."""
    perturbation: str | None = None
    """Name of what changes every item before it is asked (`contracts.perturbations`). A release
    gives its items as they are; the change is made by the engine (`analysis.perturbed`)."""
    perturbation_seed: int = 0
    """What the changes are drawn from, with the kind of change and each item's id."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExpectedCount:
    """How many items a complete release has in one stratum."""

    stratum: Mapping[str, str]
    """One cell of the plan; empty for the total, where the release states no cells."""
    split: str
    n: int


LABEL_SEPARATOR: Final = "; "
"""Parts the values of a multi-label stratum in `Item.strata`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PooledRatio:
    """A metric of all items together: one weighted sum of Score rows over another.

    A row without a value adds nothing to either sum; the estimate says how many there were.
    """

    numerator: Mapping[str, float]
    """`Score.metric` → its weight: ``{"overlap_voxels": 2}``."""
    denominator: Mapping[str, float]
    """Likewise; a sum of 0 leaves the metric undefined."""
    targets: Literal["pooled", "each", "mean"] = "pooled"
    """Rows of several targets (labels, classes): all in one ratio; each target's own ratio, as an
    estimate that names it; or the mean of those over the targets that have one."""
    only_targets: tuple[str, ...] = ()
    """Take part; empty takes all. Class 0, the background, is often left out."""
    scale: float = 1.0
    """What the ratio is multiplied by."""
    low: float = 0.0
    high: float = 1.0
    """Range of the value, for intervals of few patients."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ClassAgreement:
    """A metric of answers as classes, over all items together (`metrics.classes`).

    It is made of Score rows ``class_cases``, ``class_claims`` and ``class_hits``, whose targets are
    classes within a group: ``granule_type: round``. Its value is the mean over the groups.
    """

    statistic: Literal["f1", "precision", "recall", "kappa"]
    """The macro mean over the classes of a group that are in the references or the answers, a class
    without a denominator counting 0; or Cohen's kappa of the group."""


Rates: TypeAlias = "Mapping[tuple[str, ...], Any]"
"""Cell → share right in it: an array over leading axes, NaN in a cell without an item."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RateFormula:
    """A metric made of the headline's rates in cells: a mean of axes, a harmonic mean, a gain.

    The whole formula goes through the bootstrap. An item without an answer counts as not right.
    """

    by: tuple[str, ...]
    """Keys of `Item.strata` whose values name the cells: ``("probe_kind", "tier")``."""
    value: Callable[[Rates], Any]
    """Rates → the metric, an array of their shape; NaN where it is undefined. Cells that no item of
    the run is in are absent."""
    low: float = 0.0
    high: float = 1.0
    """Range of the value, for intervals of few patients."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PairedItems:
    """A metric of pairs of items that belong together: with a hint and without, claim and twin.

    Each pair is one item of either side; what has no answer is not right. Estimates tell the exact
    McNemar test beside the value.
    """

    first: Mapping[str, tuple[str, ...]]
    second: Mapping[str, tuple[str, ...]]
    """Values of `Item.strata` that the items of each side have."""
    join: str
    """The key of `Item.groups` whose value both items of a pair share; a value with several items
    on a side makes no pair."""
    statistic: Literal["effect", "lost", "gained", "kept"]
    """``effect``: share right in the second less share right in the first. ``lost``: of those right
    in the first, the share that is wrong in the second; ``kept``: 1 less that. ``gained``: of those
    wrong in the first, the share that is right in the second."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RankPlan:
    """How a benchmark ranks methods by their Score rows: `overread rank RUN RUN…`."""

    weights: Mapping[str, float]
    """`Score.metric` → what its rank weighs."""
    smaller_is_better: tuple[str, ...] = ()
    strata: tuple[str, ...] = ()
    """Keys of `Item.strata`: methods are ranked within each of their cells, then ranks averaged."""
    aggregate: Literal["mean", "median"] = "mean"
    """Of the values of a cell, before ranks."""
    tie_break: str | None = None
    """The metric that decides between equal scores."""
    profile: Profile = "published"
    """Whose rows."""
    source: str
    """Where the rule is written down, or that it is ours."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AlsoMetric:
    """A metric estimated beside the headline, over a part of the items fixed by the release."""

    metric: str
    """As `Score.metric`; its target is None."""
    profiles: tuple[Profile, ...] = ("published", "honest")
    only: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    """Values of `Item.strata` that an item must have to count; empty counts every item."""
    drops: tuple[Status, ...] = ()
    """Rows of these statuses leave the denominator, and the estimate says how many."""
    is_share: bool = False
    """Whether each value is a share of one answer, 0 to 1, so that what has no value counts as 0;
    the mean of another metric is over the rows that have a value."""
    pooled: PooledRatio | ClassAgreement | RateFormula | PairedItems | None = None
    """The metric is no mean of its own rows but made of sums of others': Dice of all voxels of all
    cases, recall of all lesions, macro F1, a composite of rates, the effect of a hint. `drops` and
    `is_share` then say nothing."""
    all_of: str | None = None
    """The metric has no rows: it is 1 for an item where the headline is 1 for every item of its
    group, such as all questions about one ``image``. `drops` and `is_share` then say nothing."""
    same_of: str | None = None
    """The metric has no rows: it is 1 for an item where every item of its group (within `only`) was
    given the same answer, whatever is right."""


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
    headline_only: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    """Values of `Item.strata` that an item must have for the headline; empty counts every item."""
    headline_drops: tuple[Status, ...] = ()
    """What leaves the headline's denominator under both profiles, since the metric itself has no
    value there whoever answers: Dice of a reference without foreground."""
    also: tuple[AlsoMetric, ...] = ()
    """Further metrics, in the order shown."""
    ranking: RankPlan | None = None
    """How methods are ranked; None where the benchmark has no rule."""
    multi_label: tuple[str, ...] = ()
    """Keys of `strata` under which an item may have several values (`LABEL_SEPARATOR`): it then
    counts under each, once as it is and once with its weight shared among them."""
    cells_are_independent: bool = True
    """Whether the items of a cell are taken as independent, so that shares in cells have Wilson
    intervals; otherwise cells are clustered like the rest where a unit has several items in one."""
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
    def media_root(self) -> Path:
        """The folder that media paths are relative to: the release's own unless told otherwise."""
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


@runtime_checkable
class PlansByTask(Protocol):
    """A release with tasks that are not estimated alike: questions of choice and captions, say."""

    def plan_for(self, tasks: Collection[str]) -> AnalysisPlan:
        """Give the plan of a run of just these tasks; `Release.plan` is that of the usual ones."""
        ...


class Benchmark(Protocol):
    """A thing that opens a folder."""

    @property
    def card(self) -> Card:
        """What it is."""
        ...

    def open(self, root: Path, *, media: Path | None = None) -> Release:
        """Open a release. ReleaseError when the folder is none at all.

        `media` is the folder of pictures or volumes where they do not lie in the release;
        UsageError for a benchmark whose pictures always do.
        """
        ...

    def synthesise(self, root: Path, *, seed: int, size: int) -> None:
        """Write a synthetic release in the real layout. Same seed and size, same bytes."""
        ...
