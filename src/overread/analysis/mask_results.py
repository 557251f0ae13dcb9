"""What is known of scored masks, case by case and label by label: the page's one source.

Made from Score rows and from where the files lie; a page of two folders and a page of a run show
the same thing because both are made of this.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final, Literal, TypeAlias, get_args

from overread.errors import UsageError, expected
from overread.records import Finding, Profile, Score, Status

__all__ = [
    "MASK_FATES",
    "MaskCase",
    "MaskFate",
    "MaskGeometry",
    "MaskResults",
    "MaskRow",
    "mask_results",
    "mask_rows",
]

MaskFate: TypeAlias = Literal["both present", "missed", "invented", "both empty"]
"""Of a label in a case: `missed` is only in the reference, `invented` only in the prediction."""

MASK_FATES: Final[tuple[MaskFate, ...]] = get_args(MaskFate)

_WORST: Final = (Status.FAILED, Status.REFUSED, Status.UNPARSED)
"""Statuses that take a whole answer away, the worst first; `UNDEFINED` takes one metric."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MaskGeometry:
    """How a prediction's grid lies to its reference's, where that is not simply the same."""

    problems: tuple[str, ...] = ()
    """Of size, spacing, origin, direction: each with both values."""
    better_turn: str | None = None
    """A sentence on the flip or permutation that would raise Dice, with both values."""
    unknown_labels: tuple[int, ...] = ()
    """Values in the prediction that the release does not name."""
    remedy: str | None = None
    """What was done about it: ``resampled to the reference's grid, nearest``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MaskCase:
    """One case: whose it is, what it belongs to, and where its files lie."""

    id: str
    patient: str | None = None
    strata: Mapping[str, str] = field(default_factory=dict[str, str])
    status: Status = Status.OK
    """`OK` when a prediction was read and compared, whatever came out."""
    reason: str | None = None
    """Why there is nothing to score: no file, a grid of its own, unreadable."""
    reference: Path | None = None
    """A label map, or a folder with one mask a label; None where no picture can be made."""
    prediction: Path | None = None
    image: Path | None = None
    """CT, PET or MR on the reference's grid."""
    geometry: MaskGeometry | None = None
    labels: Mapping[int, str] | None = None
    """What values mean in this case, where cases differ; None takes `MaskResults.labels`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MaskRow:
    """All metrics of one label in one case."""

    case: str
    label: str | None
    """None: the case as a whole."""
    status: Status
    """`OK` where a prediction was compared; the worst of its scores otherwise."""
    reason: str | None
    fate: MaskFate | None
    """None where no prediction was compared."""
    values: Mapping[str, float | None]
    """Metric → value; None where it has none."""
    reasons: Mapping[str, str] = field(default_factory=dict[str, str])
    """Metric → why it has no value."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MaskResults:
    """Scored masks with all that a page, a table or a ledger needs.

    Raises
    ------
    UsageError
        A row names a case or a label that is none of these, or a case stands twice.
    """

    title: str
    subject: str = ""
    """What was compared, in a few words: two folders, a run of a model."""
    created: str = ""
    """UTC, ISO 8601."""
    command: str = ""
    labels: Mapping[int, str]
    """Value in the masks → name."""
    cases: tuple[MaskCase, ...]
    rows: tuple[MaskRow, ...]
    units: Mapping[str, str]
    """Metric → unit of its values."""
    scores: tuple[Score, ...] = ()
    """What the rows were made of, in one profile."""
    headline: str = "dice"
    """The metric by which cases are put in order."""
    findings: tuple[Finding, ...] = ()
    only_reference: tuple[str, ...] = ()
    """Names or values of labels that no prediction has anywhere."""
    only_prediction: tuple[str, ...] = ()
    """Likewise of the references. Those in `labels` are scored as invented; others, which nobody
    named or the reference has no file of, are not scored."""

    def __post_init__(self) -> None:
        ids = [case.id for case in self.cases]
        names = {*_names(self.labels, self.cases), None}
        known = set(ids)
        strange = [row for row in self.rows if row.case not in known or row.label not in names]
        if len(known) < len(ids) or strange:
            raise UsageError(
                expected(
                    "mask results",
                    rule="each case once, and rows of those cases and of the labels named",
                    got=f"{len(ids) - len(known)} cases twice, "
                    f"{len(strange)} rows of others such as "
                    f"{[(row.case, row.label) for row in strange[:1]]}",
                    remedy="Make them of one list of cases and one table of labels.",
                )
            )

    @property
    def metrics(self) -> tuple[str, ...]:
        """The metrics with a row, in the order in which they first stand."""
        return tuple(self.units)

    @property
    def label_rows(self) -> tuple[MaskRow, ...]:
        """The rows to look at one by one: a case's labels, or the case itself where it has none."""
        labelled = {row.case for row in self.rows if row.label is not None}
        return tuple(row for row in self.rows if row.label is not None or row.case not in labelled)

    def by_label(self) -> dict[str | None, tuple[MaskRow, ...]]:
        """Part `label_rows` by label, in the order of `labels`."""
        parts: dict[str | None, list[MaskRow]] = {name: [] for name in self.labels.values()}
        for row in self.label_rows:
            parts.setdefault(row.label, []).append(row)
        return {label: tuple(rows) for label, rows in parts.items() if rows}

    def values_of(self, case: MaskCase, label: str | None) -> tuple[int, ...]:
        """Give the values that a label's name stands for in a case; of None all of them."""
        table = self.labels if case.labels is None else case.labels
        return tuple(value for value, name in table.items() if label is None or name == label)

    def case(self, case_id: str) -> MaskCase:
        """Find a case. KeyError for an unknown id."""
        for each in self.cases:
            if each.id == case_id:
                return each
        raise KeyError(case_id)


def mask_rows(scores: Iterable[Score], *, profile: Profile = "honest") -> tuple[MaskRow, ...]:
    """Gather Score rows of one profile into one row for each case and label.

    Only the first draw counts. Items are cases; targets are labels.
    """
    found: dict[tuple[str, str | None], list[Score]] = {}
    for score in scores:
        if score.profile == profile and score.draw == 0:
            found.setdefault((score.item, score.target), []).append(score)
    return tuple(_row(case, label, of_row) for (case, label), of_row in found.items())


def mask_results(
    scores: Sequence[Score],
    *,
    title: str,
    labels: Mapping[int, str],
    cases: Sequence[MaskCase],
    profile: Profile = "honest",
    subject: str = "",
    created: str = "",
    command: str = "",
    headline: str = "dice",
    findings: Sequence[Finding] = (),
    only_reference: Sequence[str] = (),
    only_prediction: Sequence[str] = (),
) -> MaskResults:
    """Make results of Score rows.

    Parameters
    ----------
    scores
        Rows of cases (target None) and of labels (target = a name in `labels`); those of other
        profiles and of repeated draws are left aside, and so are targets that are no label.
    cases
        Every case that belongs to the denominator, also those without a prediction. A case whose
        own `status` is `OK` takes status and reason of its rows where all of them lack an answer.
    """
    names = _names(labels, cases)
    own = tuple(
        score
        for score in scores
        if score.profile == profile
        and score.draw == 0
        and (score.target is None or score.target in names)
    )
    rows = mask_rows(own, profile=profile)
    of_case: dict[str, list[MaskRow]] = {}
    for row in rows:
        of_case.setdefault(row.case, []).append(row)
    units: dict[str, str] = {}
    for score in own:
        units.setdefault(score.metric, score.unit)
    return MaskResults(
        title=title,
        subject=subject,
        created=created,
        command=command,
        labels=dict(labels),
        cases=tuple(_with_status(case, of_case.get(case.id, ())) for case in cases),
        rows=rows,
        units=units,
        scores=own,
        headline=headline,
        findings=tuple(findings),
        only_reference=tuple(only_reference),
        only_prediction=tuple(only_prediction),
    )


def _names(labels: Mapping[int, str], cases: Iterable[MaskCase]) -> set[str]:
    return {*labels.values(), *(name for case in cases for name in (case.labels or {}).values())}


def _row(case: str, label: str | None, scores: Sequence[Score]) -> MaskRow:
    fates: list[MaskFate] = [
        found for score in scores if (found := _fate(score.answer)) is not None
    ]
    fate = fates[0] if fates else None
    status, reason = _status(scores, fate)
    return MaskRow(
        case=case,
        label=label,
        status=status,
        reason=reason,
        fate=fate if status is Status.OK else None,
        values={score.metric: score.value for score in scores},
        reasons={
            score.metric: score.reason or score.status.value
            for score in scores
            if score.value is None
        },
    )


def _status(scores: Sequence[Score], fate: MaskFate | None) -> tuple[Status, str | None]:
    """Say what became of a row: the worst that befell it, or that nothing of it is defined."""
    lacking = [score for score in scores if score.status in _WORST]
    if lacking:
        worst = min(lacking, key=lambda score: _WORST.index(score.status))
        return worst.status, worst.reason
    if fate is None and all(score.value is None for score in scores):
        return Status.UNDEFINED, scores[0].reason  # the reference cannot be used
    return Status.OK, None


def _fate(answer: str | None) -> MaskFate | None:
    return next((fate for fate in MASK_FATES if fate == answer), None)


def _with_status(case: MaskCase, rows: Sequence[MaskRow]) -> MaskCase:
    if case.status is not Status.OK or not rows or any(row.status is Status.OK for row in rows):
        return case
    return replace(case, status=rows[0].status, reason=case.reason or rows[0].reason)
