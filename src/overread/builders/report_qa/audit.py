"""What people said of a sample of pairs: how often the validator errs, and what they overrule."""

from __future__ import annotations

import csv
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from overread.builders.report_qa.audit_sheet import LABEL_COLUMNS, unguarded
from overread.builders.report_qa.candidates import Candidate
from overread.builders.report_qa.spreadsheet import decode_sheet, read_sheet
from overread.errors import UsageError, expected
from overread.records import Finding, Severity
from overread.stats.bootstrap import cluster_codes
from overread.stats.cluster_wilson import SHARE
from overread.stats.few_clusters import cluster_interval
from overread.stats.intervals import Interval, wilson

__all__ = ["Audit", "Rate", "read_audit"]

_MAX_BYTES = 64 * 2**20
_YES = frozenset({"yes", "y", "true", "1", "x", "ja", "oui"})
_NO = frozenset({"no", "n", "false", "0", "nein", "non"})
_NEEDED = ("pair", "question", "answer", "is_spatial", "is_relevant")


@dataclass(frozen=True, slots=True, kw_only=True)
class Rate:
    """A share with its interval, 0 to 1; None where it is undefined, and why."""

    count: float
    n: int
    value: float | None
    low: float | None
    high: float | None
    method: str
    reason: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Audit:
    """What a filled-in sheet says."""

    n_pairs: int
    """Pairs that have a person's verdict."""
    n_open: int
    """Rows that nobody filled in."""
    n_contested: int
    """Pairs that two people judged differently: they count nowhere and change nothing."""
    n_by_two: int
    """Pairs that two people or more judged."""
    auditors: tuple[str, ...]
    wrongly_kept: Rate
    """Of the pairs that the validator kept: those that people would drop."""
    wrongly_dropped: Rate
    """Of the pairs that the validator dropped: those that people would keep."""
    agreement: Mapping[str, Rate]
    """Label → share of all candidates on which validator and people agree; the two halves of the
    sheet are weighted back to their sizes."""
    verdicts: Mapping[str, bool] = field(repr=False)
    """Pair → whether people would keep it."""
    findings: tuple[Finding, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Row:
    candidate: Candidate
    labels: tuple[bool | None, ...]
    auditor: str

    @property
    def verdict(self) -> bool:
        return all(label is not False for label in self.labels)


def read_audit(path: Path, candidates: Sequence[Candidate], rng: np.random.Generator) -> Audit:
    """Read a filled-in sheet.

    Rows are joined by the id of the pair, and only where question and answer still are those of
    that pair. A row needs ``is_spatial`` and ``is_relevant``; ``is_supported`` may stay empty. A
    pair is good when no label of a person is no.

    Parameters
    ----------
    path
        The CSV of `audit_sheet.write_sheet`, columns in any order.
    candidates
        All pairs of the build.
    rng
        For intervals over patients.

    Raises
    ------
    UsageError
        It is no such sheet, or nobody has filled in a row of it.
    """
    by_id = {each.id: each for each in candidates}
    faults: dict[str, list[str]] = defaultdict(list)
    rows: list[_Row] = []
    n_open = 0
    for where, cells in _cells(path):
        row = _row(cells, by_id)
        if row is None:
            n_open += 1
        elif isinstance(row, str):
            faults[row].append(where)
        else:
            rows.append(row)
    if not rows:
        said = "; ".join(f"{fault} ({len(at)} rows)" for fault, at in faults.items())
        raise _no_sheet(path, f"none ({said or f'{n_open} empty rows'})")
    return _audit(rows, candidates, n_open, faults, rng)


def _audit(
    rows: Sequence[_Row],
    candidates: Sequence[Candidate],
    n_open: int,
    faults: Mapping[str, list[str]],
    rng: np.random.Generator,
) -> Audit:
    by_pair: dict[str, list[_Row]] = defaultdict(list)
    for row in rows:
        by_pair[row.candidate.id].append(row)
    agreed = [some for some in by_pair.values() if len({row.verdict for row in some}) == 1]
    firsts = [some[0] for some in agreed]
    kept = [row for row in firsts if row.candidate.is_kept]
    dropped = [row for row in firsts if not row.candidate.is_kept]
    return Audit(
        n_pairs=len(firsts),
        n_open=n_open,
        n_contested=len(by_pair) - len(agreed),
        n_by_two=sum(len({row.auditor for row in some}) > 1 for some in by_pair.values()),
        auditors=tuple(dict.fromkeys(row.auditor for row in rows if row.auditor)),
        wrongly_kept=_rate(kept, [not row.verdict for row in kept], None, rng),
        wrongly_dropped=_rate(dropped, [row.verdict for row in dropped], None, rng),
        agreement={
            name: _agreement(firsts, place, candidates, rng)
            for place, name in enumerate(LABEL_COLUMNS)
        },
        verdicts={row.candidate.id: row.verdict for row in firsts},
        findings=tuple(_findings(faults)),
    )


def _findings(faults: Mapping[str, list[str]]) -> Iterator[Finding]:
    for fault, places in faults.items():
        yield Finding(
            severity=Severity.WARNING,
            code="audit-row-unused",
            where=places[0],
            evidence=fault,
            effect="the row counts nowhere and changes nothing",
            count=len(places),
        )


def _agreement(
    rows: Sequence[_Row], place: int, candidates: Sequence[Candidate], rng: np.random.Generator
) -> Rate:
    """Compare one label, where both have it."""
    both = [
        (row, row.labels[place] == said)
        for row in rows
        if row.labels[place] is not None and (said := _label(row.candidate, place)) is not None
    ]
    share = {
        kept: sum(each.is_kept is kept for each in candidates)
        / max(1, sum(row.candidate.is_kept is kept for row, _ in both))
        for kept in (True, False)
    }
    weights = [share[row.candidate.is_kept] for row, _ in both]
    return _rate([row for row, _ in both], [agrees for _, agrees in both], weights, rng)


def _label(candidate: Candidate, place: int) -> bool | None:
    labels = candidate.labels
    if labels is None:
        return None
    return (labels.is_spatial, labels.is_relevant, labels.is_supported)[place]


def _rate(
    rows: Sequence[_Row],
    hits: Sequence[bool],
    weights: Sequence[float] | None,
    rng: np.random.Generator,
) -> Rate:
    """Give a share with the interval that fits: Wilson's where every pair is another patient's."""
    patients = [row.candidate.patient for row in rows]
    count = float(sum(hits))
    if not rows:
        found = Interval(
            value=None, low=None, high=None, level=0.95, method="none", reason="no such pair"
        )
    elif weights is None and len(set(patients)) == len(patients):
        found = wilson(count, len(rows))
    else:
        codes = cluster_codes(patients)
        values = np.array(hits, dtype=np.float64)
        (found,) = cluster_interval(values, codes, ends=(SHARE,), weights=weights, rng=rng)
    return Rate(
        count=count,
        n=len(rows),
        value=found.value,
        low=found.low,
        high=found.high,
        method=found.method,
        reason=found.reason,
    )


# ---------------------------------------------------------------- reading


def _cells(path: Path) -> list[tuple[str, dict[str, str]]]:
    try:
        text, _ = decode_sheet(path, max_bytes=_MAX_BYTES)
        names, rows = read_sheet(text)
    except (OSError, ValueError, csv.Error) as error:
        raise _no_sheet(path, f"something else ({error})") from error
    folded = [name.casefold() for name in names]
    missing = [name for name in _NEEDED if name not in folded]
    if missing:
        raise _no_sheet(path, f"no column {', '.join(missing)}")
    return [
        (row.where, {name.casefold(): cell for name, cell in row.cells.items()}) for row in rows
    ]


def _row(cells: Mapping[str, str], by_id: Mapping[str, Candidate]) -> _Row | str | None:
    """Read a row; None where nobody filled it in, a text where it cannot be used."""
    written = [cells.get(name, "").casefold() for name in LABEL_COLUMNS]
    if not any(written):
        return None
    candidate = by_id.get(unguarded(cells.get("pair", "")))
    if candidate is None:
        return "its pair is none of this build"
    pair = candidate.pair
    texts = (("question", pair.question), ("answer", pair.answer))
    if not all(_is_same(cells.get(name, ""), text) for name, text in texts):
        return "its question or answer is not that of its pair"
    if not (written[0] and written[1]):
        return "is_spatial or is_relevant is left empty"
    if any(cell and cell not in _YES | _NO for cell in written):
        return "a label is neither yes nor no"
    labels = tuple(None if not cell else cell in _YES for cell in written)
    return _Row(candidate=candidate, labels=labels, auditor=cells.get("auditor", ""))


def _is_same(cell: str, text: str) -> bool:
    return _words(text) in (_words(cell), _words(unguarded(cell)))


def _words(text: str) -> str:
    return " ".join(text.split())


def _no_sheet(path: Path, got: str) -> UsageError:
    return UsageError(
        expected(
            "--audited",
            rule="a filled-in sheet of --sheet, at least one row with yes or no",
            got=f"{path}: {got}",
            remedy="Write yes or no under is_spatial and is_relevant and keep the other columns.",
        )
    )
