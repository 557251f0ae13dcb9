"""The sheet of drafts for people, and what came back: errors, agreement, better words."""

from __future__ import annotations

import csv
import io
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from overread.builders.lesion_text.drafts import Draft
from overread.builders.people_shares import NO, YES, Share, name_sheets, share_over_patients
from overread.builders.report_qa.audit_sheet import guarded, unguarded
from overread.builders.report_qa.spreadsheet import decode_sheet, read_sheet
from overread.errors import UsageError, expected
from overread.records import Finding, Severity
from overread.scoring.facts.reader import read_facts, size_of
from overread.stats.rater_agreement import cohen_kappa

__all__ = ["TextReview", "Verdict", "read_text_reviews", "write_text_sheet"]

_MAX_BYTES: Final = 64 * 2**20
_GIVEN: Final = ("lesion_idx", "sentence", "description", "size")
_FILLED: Final = ("right", "better_description", "better_size", "reviewer", "note")


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What people make of one draft."""

    is_right: bool
    description: str | None
    """A person's own words; None keeps the draft's."""
    size: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class TextReview:
    """What filled-in sheets say."""

    reviewers: tuple[str, ...]
    n_reviewed: int
    error_rate: Share
    """Of the drafts reviewed, those that people call wrong."""
    missed: Share
    """Of those that the fact check let pass, the ones that people call wrong."""
    check_agrees: Share
    """Drafts on which fact check and people agree."""
    kappa: float | None
    """Cohen's, between the first two reviewers; None where it is undefined."""
    verdicts: Mapping[str, Verdict] = field(repr=False)
    findings: tuple[Finding, ...]


def write_text_sheet(path: Path, drafts: Sequence[Draft]) -> None:
    """Write every draft that there is beside its sentence, without what the check says of it."""
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow((*_GIVEN, *_FILLED))
    for one in drafts:
        if one.description:
            cells = (one.sentence.lesion_idx, one.sentence.text, one.description, one.size)
            writer.writerow([guarded(cell) for cell in cells] + [""] * len(_FILLED))
    path.write_text(text.getvalue(), encoding="utf-8-sig", newline="")


def read_text_reviews(paths: Sequence[Path], drafts: Sequence[Draft]) -> TextReview:
    """Read filled-in sheets, joined by lesion and only where sentence and draft are the same.

    Where two people differ a draft is wrong; the first one's words are taken.

    Raises
    ------
    UsageError
        A file is no such sheet, or nobody has filled in a row.
    """
    by_id = {one.sentence.lesion_idx: one for one in drafts}
    faults: dict[str, list[str]] = defaultdict(list)
    said: dict[str, dict[str, Verdict]] = defaultdict(dict)
    reviewers: dict[str, None] = {}
    for path, name in name_sheets(paths).items():
        for where, cells in _cells(path):
            key = unguarded(cells.get("lesion_idx", ""))
            found = _verdict(cells, by_id.get(key))
            if isinstance(found, str):
                faults[found].append(f"{name}, {where}")
            elif found is not None:
                who = cells.get("reviewer", "") or name
                reviewers[who] = None
                said[key].setdefault(who, found)
    if not said:
        raise _no_sheet(paths[0], "; ".join(faults) or "only empty rows")
    right = {key: all(v.is_right for v in some.values()) for key, some in said.items()}
    passed = [key for key in said if by_id[key].problem is None]
    patient = {key: by_id[key].sentence.patient for key in said}

    def share(keys: Sequence[str], hits: Sequence[bool]) -> Share:
        return share_over_patients(hits, [patient[key] for key in keys])

    keys = list(said)
    return TextReview(
        reviewers=tuple(reviewers),
        n_reviewed=len(said),
        error_rate=share(keys, [not right[key] for key in keys]),
        missed=share(passed, [not right[key] for key in passed]),
        check_agrees=share(keys, [right[key] == (by_id[key].problem is None) for key in keys]),
        kappa=_kappa(said, list(reviewers)),
        verdicts={key: _joined(some) for key, some in said.items()},
        findings=(
            *_unread({key: _joined(some) for key, some in said.items()}),
            *(
                Finding(
                    severity=Severity.WARNING,
                    code="review-row-unused",
                    where=at[0],
                    evidence=fault,
                    effect="the row counts nowhere and changes nothing",
                    count=len(at),
                )
                for fault, at in faults.items()
            ),
        ),
    )


def _unread(verdicts: Mapping[str, Verdict]) -> Iterator[Finding]:
    """Report people's words that the reader of facts cannot read: they stand all the same."""
    where: dict[tuple[str, str], list[str]] = defaultdict(list)
    for key, verdict in verdicts.items():
        if verdict.description:
            fault = read_facts(verdict.description).unreadable
            if fault is not None:
                where["better_description", f"{verdict.description!r}: {fault}"].append(key)
        if verdict.size and size_of(verdict.size) is None:
            where["better_size", f"{verdict.size!r} is no size that can be read"].append(key)
    for (column, fault), keys in where.items():
        yield Finding(
            severity=Severity.WARNING,
            code="review-words-unread",
            where=f"lesion {keys[0]}, {column}",
            evidence=fault,
            effect="it stands as it was written, and no exam can ask about it",
            remedy="Write one English sentence, and sizes as 12.0 x 9.0 mm.",
            count=len(keys),
        )


def _joined(some: Mapping[str, Verdict]) -> Verdict:
    def first(words: Sequence[str | None]) -> str | None:
        return next((one for one in words if one is not None), None)

    return Verdict(
        is_right=all(one.is_right for one in some.values()),
        description=first([one.description for one in some.values()]),
        size=first([one.size for one in some.values()]),
    )


def _kappa(said: Mapping[str, Mapping[str, Verdict]], reviewers: Sequence[str]) -> float | None:
    if len(reviewers) < 2:
        return None
    table = [
        [some[who].is_right if who in some else None for some in said.values()]
        for who in reviewers[:2]
    ]
    return cohen_kappa(table[0], table[1]).value


def _verdict(cells: Mapping[str, str], draft: Draft | None) -> Verdict | str | None:
    """Read a row; None where nobody filled it in, a text where it cannot be used."""
    right = cells.get("right", "").casefold()
    description = cells.get("better_description") or None
    size = cells.get("better_size") or None
    if not (right or description or size):
        return None
    if draft is None:
        return "its lesion is none of this build"
    texts = (draft.sentence.text, draft.description, draft.size)
    if not all(_same(cells.get(n, ""), t) for n, t in zip(_GIVEN[1:], texts, strict=True)):
        return "its sentence or draft is not that of its lesion"
    if right and right not in YES | NO:
        return "right is neither yes nor no"
    is_right = right in YES if right else False  # better words alone say that it was wrong
    return Verdict(
        is_right=is_right,
        description=unguarded(description) if description else None,
        size=unguarded(size) if size else None,
    )


def _cells(path: Path) -> list[tuple[str, dict[str, str]]]:
    try:
        text, _ = decode_sheet(path, max_bytes=_MAX_BYTES)
        names, rows = read_sheet(text)
    except (OSError, ValueError, csv.Error) as error:
        raise _no_sheet(path, str(error)) from error
    lacking = {*_GIVEN, "right"} - {name.casefold() for name in names}
    if lacking:
        raise _no_sheet(path, f"no column {', '.join(sorted(lacking))}")
    return [(row.where, {n.casefold(): c for n, c in row.cells.items()}) for row in rows]


def _same(cell: str, text: str) -> bool:
    return " ".join(text.split()) in (" ".join(cell.split()), " ".join(unguarded(cell).split()))


def _no_sheet(path: Path, got: str) -> UsageError:
    return UsageError(
        expected(
            "--reviewed",
            rule="a filled-in sheet of this build, at least one row with right",
            got=f"{path}: {got}",
            remedy="Fill in sheet.csv and keep its other columns.",
        )
    )
