"""What a release ships for replay: its own predictions, judge votes, tables and human audit.

Everything is kept as released and in file order; joining is `audits`' work, because how a release
joined its own lists is just what may be at fault. Standard library only.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Literal

from overread.records import Finding, PublishedValue

__all__ = [
    "AUDITED_SHARE",
    "AUDIT_AGREEMENT",
    "AuditLabel",
    "RebuiltCell",
    "ReleasedPrediction",
    "ReleasedPredictions",
    "ReleasedQuestion",
    "ReleasedVote",
    "ReleasedVotes",
    "Replay",
]

AUDITED_SHARE: Final = "audited_share"
"""`PublishedValue.metric` of the share of pairs that people are said to have audited."""
AUDIT_AGREEMENT: Final = "audit_agreement"
"""`PublishedValue.metric` of the share on which people are said to agree with the filter."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReleasedQuestion:
    """One question of the release with its answer, in the release's order."""

    item: str
    """Its id in `Release.items`."""
    case: str
    patient: str
    question: str
    answer: str
    labels: tuple[str, ...] = ()
    """Categories as released, misspellings included."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReleasedPrediction:
    """One row of a predictions file."""

    case: str | None
    """Case id as stated or as told by the row's image path; None when neither says it."""
    question: str
    answer: str
    prediction: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ReleasedPredictions:
    """A predictions file."""

    model: str
    """The release's own short name: ``m3d``."""
    file: str
    rows: tuple[ReleasedPrediction, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReleasedVote:
    """One row of a judge file."""

    case: str | None
    question: str
    answer: str
    prediction: str | None
    verdict: bool | None
    """None where the file has null or something that is no verdict."""
    reasoning: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ReleasedVotes:
    """A judge file: one judge on one model."""

    model: str
    judge: str
    """``gemini``, ``gpt``, ``qwen``."""
    file: str
    rows: tuple[ReleasedVote, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditLabel:
    """What a human auditor said of one generated pair."""

    annotator: str
    case: str
    index: int
    is_spatial: bool | None
    is_relevant: bool | None
    note: str = ""
    is_disputed: bool = False
    """Whether the release lists it among those on which its validator said otherwise."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RebuiltCell:
    """A number of a published table that a release can compute again by itself."""

    row: str
    """As the table names it."""
    column: str
    unit: Literal["share", "points", "1"]
    """``share``: 0 to 1, shown in per cent; ``points``: 0 to 100; ``1``: shown as it is."""
    published: float | None
    """As printed; None where the row is only in the files."""
    decimals: int
    """Printed digits after the point, in the unit of `published`."""
    source: str
    """Where it is printed, or from which files it is computed."""
    recomputed: float | None
    """By the published way; None where the files do not allow it, which `fault` explains."""
    corrected: float | None = None
    """By the honest way, where that is another number."""
    n_published: int | None = None
    n_corrected: int | None = None
    values: tuple[float, ...] = ()
    """Of the items behind `corrected`, which is then their mean, for its interval."""
    clusters: tuple[str, ...] = ()
    """The independent unit of each of them."""
    fault: str | None = None
    """What is wrong with the published number, or why there is no other."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Replay:
    """All that a release ships beside its questions."""

    questions: tuple[ReleasedQuestion, ...]
    candidates: tuple[tuple[str, str, str], ...] = ()
    """(case, question, answer) of generated pairs before filtering."""
    predictions: tuple[ReleasedPredictions, ...] = ()
    votes: tuple[ReleasedVotes, ...] = ()
    published: tuple[PublishedValue, ...] = ()
    """Every cell of the paper's table and of the released metric files: `who` is the model,
    `metric` the column, `stratum` a category where there is one, `source` the file or table.
    What a paper says of its human audit stands here too, of kind ``reader``: `AUDITED_SHARE` and
    `AUDIT_AGREEMENT`."""
    matrix: Mapping[str, Mapping[str, float | None]] = field(
        default_factory=dict[str, "Mapping[str, float | None]"]
    )
    """Released mean of votes: question id as released → model → value or None where empty."""
    audit: tuple[AuditLabel, ...] = ()
    title_of: Mapping[str, str] = field(default_factory=dict[str, str])
    """Model's short name → its name in the table: ``vila_m3_vista3d`` → ``VILA-M3``."""
    findings: tuple[Finding, ...] = ()
    """Parts that are absent, cannot be read or hold odd rows: what nothing else here shows."""
