"""The records every other module speaks: the page to read first.

`Item` (what a reader may see) → `Response` (what came back, raw) → `Score` rows → `Estimate`
rows. `Reference` (the answer) stands aside and meets a `Response` only in `scoring`; a model never
receives one, because no field of `Item` can hold it. `Finding` is what a check or an audit
reports; `Manifest` is what makes a run repeatable.

All records are frozen, slotted and keyword-only, hold no pixels, and need nothing but the standard
library. Ids are strings, stable between two readings of one release. They stand on one page, long
as it is, because they are read as one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Literal, TypeAlias

__all__ = [
    "AnswerSpace",
    "Box",
    "Boxes",
    "Choice",
    "Condition",
    "Effect",
    "Estimate",
    "Finding",
    "Image",
    "Item",
    "JsonValue",
    "Manifest",
    "Mask",
    "Media",
    "ModelIdentity",
    "MultiChoice",
    "Number",
    "Option",
    "Part",
    "PlannedItem",
    "Points",
    "Profile",
    "PublishedValue",
    "Ranking",
    "Receipt",
    "Recipe",
    "Reference",
    "Response",
    "Score",
    "Severity",
    "Status",
    "TableRow",
    "Text",
    "Trace",
    "VolumeRecipe",
    "Vote",
    "Window",
]

JsonValue: TypeAlias = (
    "bool | int | float | str | Sequence[JsonValue] | Mapping[str, JsonValue] | None"
)

Profile: TypeAlias = Literal["published", "honest"]
"""`published` repeats the benchmark's own code, faults included; `honest` is right."""

Condition: TypeAlias = str
"""Under which circumstances an item is asked, such as ``box`` or ``no-box+mosaic``."""


class Status(StrEnum):
    """What became of an answer or of a score. Nothing becomes zero in silence."""

    OK = "ok"
    """There is a value."""
    UNDEFINED = "undefined"
    """The question has no value here, for instance a distance to an empty mask."""
    UNPARSED = "unparsed"
    """A reply came, and no answer could be read in it."""
    REFUSED = "refused"
    """A reply came, and it declines to answer."""
    FAILED = "failed"
    """No reply came: the picture was missing, the server failed, the process died."""


class Severity(StrEnum):
    """How much a finding matters to the numbers."""

    INFO = "info"
    WARNING = "warning"
    ERROR = "error"


# ---------------------------------------------------------------- what a reader may see


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    """The range of intensities shown, from black to white."""

    low_hu: float
    high_hu: float

    @classmethod
    def centred(cls, centre_hu: float, width_hu: float) -> Window:
        """Make a window from its centre and width, as DICOM states it."""
        return cls(low_hu=centre_hu - width_hu / 2, high_hu=centre_hu + width_hu / 2)


@dataclass(frozen=True, slots=True, kw_only=True)
class Box:
    """A rectangle in pixels of its picture: x to the right, y down, first pixel at 0."""

    x_min: float
    y_min: float
    x_max: float
    y_max: float


@dataclass(frozen=True, slots=True, kw_only=True)
class VolumeRecipe:
    """A preparation of a whole volume, spelt out: orientation, grid, intensities, extent, output.

    The steps run in the order of the fields. Axes are named by where they grow in the patient
    (L, R, P, A, S, I), so that ``SPL`` is an array of slices from feet to head, rows from front to
    back, columns from the patient's right to the left.
    """

    name: str
    """As typed: ``--recipe merlin``."""
    source: str
    """Where the preparation is written down."""
    axes: str = "SPL"
    """Where each axis of the prepared array grows; one of the 48 orders and directions."""
    spacing_mm: tuple[float, float, float] | None = None
    """Resample to this spacing along those axes; None keeps the grid."""
    stretch: tuple[int, int, int] | None = None
    """Stretch the volume to so many voxels along the axes, whatever its spacing; instead of
    `spacing_mm`."""
    grid: Literal["centred", "first-voxel", "edges"] = "centred"
    """Where the new voxels lie, see `imaging.resample`."""
    interpolation: Literal["linear", "nearest", "cubic"] = "linear"
    windows: tuple[Window, ...] = ()
    """None: intensities as stored (HU); one: grey; three: red, green, blue."""
    intensity_range: Literal["windows", "volume", "resampled"] = "windows"
    """`volume`: one window from the least to the greatest value of the volume as stored;
    `resampled`: of the volume after resampling."""
    scale: tuple[float, float] = (0.0, 1.0)
    """What a window's black and white become in an array."""
    shape: tuple[int, int, int] | None = None
    """Centre pad or crop to this many voxels along those axes."""
    pad: float = 0.0
    """The value of padding, after windows and scale."""
    slices: int | None = None
    """How many evenly spaced slices along the axis that runs from feet to head; None is all."""
    output: Literal["slices", "mosaic", "array"] = "slices"
    """One picture a slice, one tiled picture, or an array file."""
    dtype: Literal["float32", "float16", "int16", "uint8"] = "float32"
    """Of an array file."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Effect:
    """A change of pixels with its drawn parameters: hashable, and enough to repeat it exactly."""

    name: str
    """As `perturb` registers it: ``blur``, ``mirror``."""
    parameters: tuple[tuple[str, bool | int | float | str], ...] = ()
    """Names and values, units in the names (``sigma_px``), in alphabetical order. What is random
    in the effect itself, such as noise, comes from a seed among them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """How stored pixels become the pictures a model is shown; part of the condition.

    A recipe changes what is asked, so it enters the request hash and every receipt.
    """

    stack: Literal["images", "mosaic", "features"] = "images"
    """A stack of slices goes out as one picture a slice (`images`), as one tiled picture
    (`mosaic`), or slice by slice to a scorer that weighs their features (`features`)."""
    window: Window | None = None
    """For stored HU: what is shown as black and white. None shows 8-bit pictures as stored and
    gives stored HU the abdominal window (centre 40, width 400)."""
    draw_boxes: bool = True
    """Draw the boxes of the media that the release did not draw itself."""
    max_side_px: int | None = None
    """Shrink a picture whose longer side exceeds this; None leaves the size as it is."""
    volume: VolumeRecipe | None = None
    """How a volume is prepared; None for pictures and stacks."""
    effects: tuple[Effect, ...] = ()
    """Changes of the windowed picture or slice, in order, before boxes are drawn: what a
    perturbation did to it. Empty for what the release asks itself."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Media:
    """Pictures by reference: files of the release and how to render them, never pixels."""

    paths: tuple[str, ...]
    """Files relative to the release, with forward slashes; several for a stack, in slice order.
    A volume is one NIfTI or MHA file or one folder of a DICOM series."""
    kind: Literal["picture", "stack", "volume"] = "picture"
    recipe: Recipe = Recipe()
    boxes: tuple[Box, ...] = ()
    """Boxes still to be drawn (`Recipe.draw_boxes`); a release's own drawn boxes are in the
    pixels."""
    spacing_mm: tuple[float, ...] | None = None
    """Size of a pixel or voxel along x, y (and z), where the release says it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One piece of a prompt: words or pictures, in the order a model meets them."""

    role: Literal["system", "user"] = "user"
    text: str | None = None
    media: Media | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """One choice of a question: its letter and its text or its picture."""

    letter: str
    text: str | None = None
    media: Media | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """Exactly one of the options."""

    options: tuple[Option, ...]

    @property
    def letters(self) -> tuple[str, ...]:
        """The letters on offer, in order."""
        return tuple(option.letter for option in self.options)


@dataclass(frozen=True, slots=True, kw_only=True)
class MultiChoice:
    """Several of the options: a set, in no order."""

    options: tuple[Option, ...]
    count: int | None = None
    """How many to choose, where the question says it; None leaves the number open."""

    @property
    def letters(self) -> tuple[str, ...]:
        """The letters on offer, in order."""
        return tuple(option.letter for option in self.options)


@dataclass(frozen=True, slots=True, kw_only=True)
class Text:
    """Free text."""

    max_characters: int | None = None
    classes: tuple[str, ...] = ()
    """What the question leaves to choose between where its wording closes it (``yes``, ``no``): a
    blind guess is right once in so many times. Empty for an open question."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Number:
    """One number in a stated unit."""

    unit: str
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Boxes:
    """Rectangles on the item's picture, in pixels."""

    max_count: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Points:
    """Points on the item's picture or volume."""

    frame: Literal["pixel", "voxel", "mm"] = "pixel"


@dataclass(frozen=True, slots=True, kw_only=True)
class Mask:
    """A label map on the grid of the item's volume."""

    labels: Mapping[int, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Image:
    """A picture or volume on the grid of the item's volume."""

    unit: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TableRow:
    """Values for named columns."""

    columns: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Trace:
    """An answer together with the tool calls that led to it."""

    answer: Choice | Text | Number
    tools: tuple[str, ...]
    max_steps: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranking:
    """The options in order of preference."""

    options: tuple[Option, ...]


AnswerSpace: TypeAlias = (
    Choice
    | MultiChoice
    | Text
    | Number
    | Boxes
    | Points
    | Mask
    | Image
    | TableRow
    | Trace
    | Ranking
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One question as a reader may see it. It has no field for the answer."""

    id: str
    benchmark: str
    task: str
    condition: Condition
    question: str
    """The bare question or, where pictures are the options, the description to be matched."""
    media: tuple[Media, ...] = ()
    """The pictures the question is about; empty where the pictures are the options."""
    prompt: tuple[Part, ...] = ()
    """The question in the benchmark's chat wording, with its pictures in place."""
    answer_space: AnswerSpace
    groups: Mapping[str, str] = field(default_factory=dict[str, str])
    """Ids of what the item belongs to: patient, study, series, case, lesion."""
    strata: Mapping[str, str] = field(default_factory=dict[str, str])
    """What results are broken down by: task, box, stack, split. Where an item has several values
    of one kind (`AnalysisPlan.multi_label`), they stand in one text, parted by ``"; "``."""

    @property
    def options(self) -> tuple[Option, ...]:
        """The options on offer; none where the answer is no choice of any kind."""
        space = self.answer_space
        if isinstance(space, Trace):
            space = space.answer
        return space.options if isinstance(space, Choice | MultiChoice | Ranking) else ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Reference:
    """The answer to an item, as the release states it. Only `scoring` and audits see it."""

    item: str
    answer: str | None
    """The letter, text or number as text; None where the release has none (see `problem`)."""
    path: str | None = None
    """A mask or volume, relative to the release."""
    effects: tuple[Effect, ...] = ()
    """How the picture was changed that the answer is about: a scorer moves the mask at `path` along
    before it compares. Answers in words and numbers are moved already."""
    problem: str | None = None
    """Why the stated answer cannot be used, for instance a letter outside the options."""


# ---------------------------------------------------------------- what came back


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelIdentity:
    """Which model answers, to the last setting that could change an answer."""

    kind: str
    """The adapter: chat, clip, command, predictions, python, baselines, reader."""
    name: str
    """The model's own name, without secrets."""
    revision: str | None = None
    settings: Mapping[str, JsonValue] = field(default_factory=dict[str, JsonValue])
    """All that shapes an answer: temperature, seed, token limit, weights hash. Never a key."""

    @property
    def label(self) -> str:
        """Adapter and name, as shown to people: ``chat:medgemma``."""
        return f"{self.kind}:{self.name}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Receipt:
    """A hash and the form of exactly one picture that was sent."""

    sha256: str
    """Of the encoded bytes sent."""
    width: int
    height: int
    size_bytes: int
    media_type: str
    """``image/png`` or ``image/jpeg``."""
    sources: tuple[str, ...]
    """The release's files behind the picture, in slice order."""
    window: str
    """``as stored`` or ``-160 to 240 HU``."""
    layout: str
    """``single``, ``slice 3 of 9``, ``mosaic 3×3``."""
    orientation: str
    """``as stored``, or how rows and columns run in the patient (``LP``: left, posterior)."""
    boxes_drawn: int
    """How many boxes overread drew; those of the release's own are in the pixels."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Response:
    """What came back for one item, raw. Reading an answer in it is `scoring`'s work."""

    run: str
    item: str
    draw: int = 0
    """Which repetition of the same question, from 0."""
    status: Status
    """`OK` when a reply came (even an empty one), `REFUSED` when the host blocked it, `FAILED`
    when none came."""
    text: str | None = None
    """The reply's words; of a file without words its hash, ``sha256:…``, so that a file that is
    written over later is never scored as this answer."""
    path: str | None = None
    """A mask or array that the model wrote."""
    reason: str | None = None
    """Why there is no reply."""
    finish_reason: str | None = None
    tokens_in: int | None = None
    tokens_out: int | None = None
    seconds: float | None = None
    request_hash: str
    receipts: tuple[Receipt, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedItem:
    """One line of a run's plan: the plan fixes the denominators, not what arrived."""

    item: str
    draw: int = 0
    request_hash: str
    groups: Mapping[str, str]
    strata: Mapping[str, str]
    chance: float | None
    """Probability that a blind guess is right (1 / number of options); None where undefined."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Vote:
    """What one judge said of one response, raw and as read. A missing vote is not a no."""

    run: str
    item: str
    draw: int = 0
    profile: Profile
    """Whose way of asking and reading: the release's own, or the fenced one."""
    judge: str
    """The judge model's label: ``chat:NAME``."""
    judge_hash: str
    """Of the judge's identity with all its settings and of the form it was asked in."""
    request_hash: str
    """Of exactly what was asked: the judge, its prompt, the graded texts. Equal hash, equal
    question: the vote can be used again."""
    position: int = 0
    """Place of the item in a batch, from 0."""
    verdict: bool | None
    """Whether the prediction says what the reference says; None when no verdict could be read."""
    status: Status
    reason: str | None = None
    """Why there is no verdict."""
    rationale: str | None = None
    """The judge's own words on this item."""
    text: str | None = None
    """The whole raw reply that the vote was read from; one text for all votes of a batch."""


# ---------------------------------------------------------------- numbers


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """One metric of one response, or the reason why there is none."""

    run: str
    item: str
    draw: int = 0
    patient: str | None
    metric: str
    metric_version: str
    profile: Profile
    target: str | None = None
    """The label, organ or category scored, where a response has several."""
    unit: str
    value: float | None
    status: Status
    reason: str | None = None
    """The rule that fired, or why there is no value."""
    answer: str | None = None
    """What was read in the reply, for instance the letter."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedValue:
    """A number from a paper or a leaderboard, with its source."""

    metric: str
    stratum: Mapping[str, str]
    who: str
    kind: Literal["model", "reader", "chance"]
    value: float
    count: int | None = None
    """Right answers, where the source gives a count: its interval comes from this."""
    n: int | None = None
    source: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """One number of a report: a metric over a stratum, with all that makes it readable."""

    metric: str
    profile: Profile
    stratum: Mapping[str, str]
    """Empty for the total."""
    n: int
    """Items in the denominator."""
    n_answered: int
    n_clusters: int | None
    """Independent units (patients) behind the items; None where the release names none."""
    value: float | None
    low: float | None
    high: float | None
    level: float = 0.95
    method: str
    """How the interval was made: ``wilson``, ``cluster bootstrap (patient)``, ``none``."""
    status: Status = Status.OK
    reason: str | None = None
    chance: float | None = None
    chance_low: float | None = None
    chance_high: float | None = None
    blind_floor: float | None = None
    """The best score of any policy that sees no picture, over the same items."""
    blind_policy: str | None = None
    published: tuple[PublishedValue, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """Something a check or an audit saw."""

    severity: Severity
    code: str
    """A stable short name: ``missing-image``."""
    where: str
    """File, item or cell."""
    evidence: str
    effect: str = ""
    """What it does to the numbers."""
    remedy: str = ""
    count: int = 1
    """How many places this finding stands for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """What makes a run repeatable."""

    run: str
    """The run's id: a hash of benchmark, protocol, model, settings and selection."""
    benchmark: str
    protocol_version: str
    release_root: str
    media_root: str | None = None
    """Where pictures and volumes lie when not in the release's folder."""
    release_fingerprint: str
    """Hash of the release's question files."""
    model: ModelIdentity
    selection: Mapping[str, JsonValue]
    """What was asked for: split, tasks, conditions, form, stack, limit, draws."""
    seed: int
    created: str
    """UTC, ISO 8601."""
    software: Mapping[str, str]
    """Versions of Python, overread and the packages that shape pixels and numbers."""
    command: str
