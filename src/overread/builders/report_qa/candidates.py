"""Candidates: pairs with what was said of them and what became of them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from overread.benchmarks.ct_spatialvqa.layout import CaseName
from overread.builders.report_qa.forms import KEPT, Form
from overread.builders.report_qa.labels import Labels
from overread.builders.report_qa.pairs import Pair, PairsRead, read_members
from overread.builders.report_qa.pipeline import Generated, Validated
from overread.builders.report_qa.reports import Report
from overread.errors import ReleaseError, expected

__all__ = ["Candidate", "judged", "read_candidates"]

_MAX_BYTES = 512 * 2**20
_CASE_KEYS = ("case_id", "file_name", "case")


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """One pair of a report, and its way through the build."""

    id: str
    """``CASE::INDEX``, the index among the candidates of the case."""
    report: Report
    pair: Pair
    labels: Labels | None
    """Of the validator; None where its reply had none for this pair."""
    decision: str
    """By the validator's labels: `KEPT`, or why not."""
    generate_step: str | None
    """Hash of the request that brought it; None for pairs from a file."""
    validate_step: str

    @property
    def case(self) -> str:
        """The volume that it asks about."""
        return self.report.case

    @property
    def patient(self) -> str:
        """As the case's name says."""
        return CaseName.of(self.case).patient

    @property
    def is_kept(self) -> bool:
        """Whether the validator lets it pass."""
        return self.decision == KEPT


def judged(
    reports: Sequence[Report],
    generated: Mapping[str, Generated],
    validated: Mapping[str, Validated],
    form: Form,
) -> tuple[Candidate, ...]:
    """Decide about every pair, in the order of reports and pairs."""
    return tuple(
        Candidate(
            id=f"{report.case}::{index}",
            report=report,
            pair=pair,
            labels=validated[report.case].labels[index],
            decision=form.decide(validated[report.case].labels[index]),
            generate_step=generated[report.case].step,
            validate_step=validated[report.case].steps[index],
        )
        for report in reports
        for index, pair in enumerate(generated[report.case].read.pairs)
    )


def read_candidates(path: Path, *, honestly: bool) -> dict[str, PairsRead]:
    """Read pairs that were generated elsewhere, by case, in the file's order.

    ``{case: {"qa_pairs": [{"question": …, "answer": …}]}}`` as CT-SpatialVQA releases them, or the
    list that its script writes (rows with ``file_name`` and ``qa_pairs``).

    Raises
    ------
    ReleaseError
        The file cannot be read, or holds no case.
    """
    try:
        if (size := path.stat().st_size) > _MAX_BYTES:
            raise ValueError(f"{size:,} bytes")
        held: object = json.loads(path.read_bytes())
        rows = dict(_by_case(held))
    except (OSError, ValueError, RecursionError) as error:
        raise _no_candidates(path, f"something else ({error})") from error
    if not rows:
        raise _no_candidates(path, "no case")
    return {case: read_members(members, honestly=honestly) for case, members in rows.items()}


def _by_case(held: object) -> list[tuple[str, list[object]]]:
    if isinstance(held, dict):
        named = list(cast("dict[str, object]", held).items())
    else:
        rows = cast("list[object]", held) if isinstance(held, list) else []
        named = [(_case_of(row), row) for row in rows]
    found: list[tuple[str, list[object]]] = []
    for case, row in named:
        fields = cast("Mapping[str, object]", row) if isinstance(row, dict) else {}
        if case and "qa_pairs" in fields:
            held_pairs = fields["qa_pairs"]
            is_list = isinstance(held_pairs, list)
            found.append((case, cast("list[object]", held_pairs) if is_list else [held_pairs]))
    return found


def _case_of(row: object) -> str:
    fields = cast("Mapping[str, object]", row) if isinstance(row, dict) else {}
    named = (fields.get(key) for key in _CASE_KEYS)
    return next((name for name in named if isinstance(name, str) and name), "")


def _no_candidates(path: Path, got: str) -> ReleaseError:
    return ReleaseError(
        expected(
            "--candidates",
            rule='a JSON file of {case: {"qa_pairs": [{"question", "answer"}]}}',
            got=f"{path}: {got}",
            remedy="Name CT-SpatialVQA's spatial_qa_output_full.json or a file of its form.",
        )
    )
