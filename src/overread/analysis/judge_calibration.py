"""What people would find, told from judges' verdicts and a sample that people labelled.

Labels come as a CSV file with the columns ``item`` and ``label`` (and ``draw``, where items were
asked several times): ``right`` or ``wrong``, ``yes`` or ``no``, ``true`` or ``false``, ``1`` or
``0``. An empty label is an item that nobody labelled.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, TypeAlias

from overread.analysis.verdicts import planned_clusters
from overread.contracts import AnalysisPlan
from overread.errors import UsageError, expected
from overread.records import Finding, PlannedItem, Profile, Score, Severity, Vote
from overread.stats.calibration import (
    FEWEST_LABELS,
    CalibratedShare,
    CalibrationMethod,
    calibrated_share,
)
from overread.stats.rater_agreement import Agreement, cohen_kappa

__all__ = [
    "HumanLabels",
    "JudgeCalibration",
    "Judged",
    "calibrate",
    "judged_by_scores",
    "judged_by_votes",
    "read_labels",
]

_Key: TypeAlias = tuple[str, int]
"""Item and draw."""
Judged: TypeAlias = Mapping[str, Mapping[_Key, bool | None]]
"""Judge (or jury) → its verdict on each response; None where it has none."""

_RIGHT: Final = frozenset({"right", "yes", "true", "1", "correct"})
_WRONG: Final = frozenset({"wrong", "no", "false", "0", "incorrect"})
_MOST_BYTES: Final = 100_000_000
_EXAMPLES: Final = 3
_SHOWN: Final = 40
"""Characters shown of a label that is no label."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HumanLabels:
    """What people say of responses, and what of the file could not be used."""

    labels: Mapping[_Key, bool]
    findings: tuple[Finding, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeCalibration:
    """One judge, or the jury, against people."""

    judge: str
    share: CalibratedShare
    kappa: Agreement
    """Cohen's, between the judge and people on the labelled responses; undefined below
    `FEWEST_LABELS`."""


def calibrate(
    judged: Judged,
    labels: Mapping[_Key, bool],
    planned: Sequence[PlannedItem],
    plan: AnalysisPlan,
    *,
    method: CalibrationMethod = "double sampling",
) -> tuple[JudgeCalibration, ...]:
    """Correct the share of right answers that each judge reports.

    Parameters
    ----------
    judged
        From `judged_by_votes` or `judged_by_scores`.
    labels
        What people say (`read_labels`), of responses drawn at random.
    planned
        The run's plan; verdicts and labels on anything else are left out.
    plan
        Cluster and level.
    method
        See `calibrated_share`.

    Returns
    -------
    tuple of JudgeCalibration
        In the order of `judged`. Shares are over the responses with a verdict.
    """
    codes = planned_clusters(planned, plan.cluster).codes
    keys = [(line.item, line.draw) for line in planned]
    said = [labels.get(key) for key in keys]
    found: list[JudgeCalibration] = []
    for judge, verdicts in judged.items():
        theirs = [verdicts.get(key) for key in keys]
        share = calibrated_share(theirs, said, clusters=codes, method=method, level=plan.level)
        kappa = _kappa(theirs, said, share)
        found.append(JudgeCalibration(judge=judge, share=share, kappa=kappa))
    return tuple(found)


def _kappa(
    theirs: Sequence[bool | None], said: Sequence[bool | None], share: CalibratedShare
) -> Agreement:
    kappa = cohen_kappa(theirs, said)
    if share.n_labelled >= FEWEST_LABELS:
        return kappa
    reason = f"fewer than {FEWEST_LABELS} labels"
    return replace(kappa, value=None, low=None, high=None, method="none", reason=reason)


def judged_by_votes(votes: Iterable[Vote]) -> Judged:
    """Gather votes of one run and profile by judge; of two on one response the later stands."""
    judged: dict[str, dict[_Key, bool | None]] = {}
    for vote in votes:
        judged.setdefault(vote.judge, {})[vote.item, vote.draw] = vote.verdict
    return judged


def judged_by_scores(scores: Iterable[Score], *, metric: str, profile: Profile) -> Judged:
    """Take the 0 or 1 of a metric's score rows as verdicts: of a jury, or of a rule.

    Examples
    --------
    >>> judged_by_scores([], metric="jury_accuracy", profile="honest")
    {}
    """
    judged: dict[str, dict[_Key, bool | None]] = {}
    for score in scores:
        if score.metric == metric and score.profile == profile:
            verdict = None if score.value is None else score.value == 1.0
            judged.setdefault(score.target or metric, {})[score.item, score.draw] = verdict
    return judged


# ---------------------------------------------------------------- the file of labels


def read_labels(path: Path, planned: Sequence[PlannedItem]) -> HumanLabels:
    """Read a CSV file of labels.

    Parameters
    ----------
    path
        With a header that names ``item`` and ``label``, and ``draw`` where there are several.
    planned
        The run's plan, to tell which items exist.

    Returns
    -------
    HumanLabels
        Rows about unknown items, labels that are neither right nor wrong, and items labelled both
        ways are left out, each kind with a finding that names the first rows. The same label twice
        counts once.

    Raises
    ------
    UsageError
        The file cannot be read as such a table, or is larger than 100 MB.
    """
    known = {(line.item, line.draw) for line in planned}
    labels: dict[_Key, dict[bool, int]] = {}  # what was said, and the first row that says it
    unknown: list[str] = []
    unreadable: list[str] = []
    for row, item, draw, label in _rows(path):
        if not label:
            continue
        key = (item, int(draw)) if draw.isdecimal() and len(draw) < 10 else None
        if label.casefold() not in _RIGHT | _WRONG:
            unreadable.append(f"row {row}: {label[:_SHOWN]} for {item}")
        elif key not in known:
            unknown.append(f"row {row}: {item}")
        else:
            labels.setdefault(key, {}).setdefault(label.casefold() in _RIGHT, row)
    torn = [
        f"rows {min(said.values())} and {max(said.values())}: {item}"
        for (item, _), said in labels.items()
        if len(said) > 1
    ]
    problems = (
        ("unknown-item", "labels of no item of this run", unknown),
        ("unreadable-label", "labels neither right nor wrong", unreadable),
        ("contradictory-label", "items called both right and wrong", torn),
    )
    return HumanLabels(
        labels={key: True in said for key, said in labels.items() if len(said) == 1},
        findings=tuple(
            _finding(path, code, what, cases) for code, what, cases in problems if cases
        ),
    )


def _finding(path: Path, code: str, what: str, cases: Sequence[str]) -> Finding:
    shown = ", ".join(repr(case[: 2 * _SHOWN]) for case in cases[:_EXAMPLES])
    return Finding(
        severity=Severity.WARNING,
        code=code,
        where=path.name,
        evidence=f"{what}: {len(cases)} ({shown})",
        effect="they do not calibrate the judges",
        remedy="Write 'right' or 'wrong' beside item ids of this run, each once.",
        count=len(cases),
    )


def _rows(path: Path) -> Iterator[tuple[int, str, str, str]]:
    """Give number (the header is row 1), item, draw and label of every row, stripped."""
    try:
        if path.stat().st_size > _MOST_BYTES:
            raise _unreadable(path, "a file of more than 100 MB")
        with path.open(encoding="utf-8-sig", newline="") as file:
            table = csv.DictReader(file)
            if not {"item", "label"} <= set(table.fieldnames or ()):
                raise _unreadable(path, f"the columns {list(table.fieldnames or ())}")
            for row in table:
                # A short row leaves None, a long one puts a list under the key None.
                item, draw, label = (row.get(name) or "" for name in ("item", "draw", "label"))
                yield table.line_num, item.strip(), draw.strip() or "0", label.strip()
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise _unreadable(path, str(error)) from error


def _unreadable(path: Path, got: str) -> UsageError:
    return UsageError(
        expected(
            str(path),
            rule="a CSV file in UTF-8 whose header names 'item' and 'label'",
            got=got,
            remedy="Write one row for each labelled response: its item id and 'right' or 'wrong'.",
        )
    )
