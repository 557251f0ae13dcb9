"""What people said of generated pairs, and where the release has its validator say otherwise."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import cast

from overread.benchmarks.ct_spatialvqa import layout
from overread.benchmarks.ct_spatialvqa.reading import entries_of, read_json, text_of
from overread.contracts.replay import AuditLabel
from overread.errors import ReleaseError, expected

__all__ = ["read_audit_labels", "read_disputed"]


def read_audit_labels(
    root: Path, *, disputed: frozenset[tuple[str, str, int]]
) -> tuple[AuditLabel, ...]:
    """Read the answers of all annotators; a pair that was not yet answered has none.

    Parameters
    ----------
    root
        The release's folder.
    disputed
        From `read_disputed`.

    Raises
    ------
    ReleaseError
        The file cannot be read, or holds no annotators.
    """
    document = read_json(root, layout.PROGRESS_FILE)
    if not isinstance(document, dict):
        raise _shapeless(layout.PROGRESS_FILE, "a JSON object of annotators", document)
    return tuple(
        _label(annotator, case, index, cast("Mapping[str, object]", answer), disputed)
        for annotator, cases in cast("dict[str, object]", document).items()
        for case, progress in entries_of(cases).items()
        for index, answer in enumerate(_list(entries_of(progress).get("answers")))
        if isinstance(answer, dict)  # null: not yet answered
    )


def read_disputed(root: Path) -> frozenset[tuple[str, str, int]]:
    """Read where a person and the validator differ: (annotator, case, index).

    Raises
    ------
    ReleaseError
        The file cannot be read, or holds no list.
    """
    document = read_json(root, layout.DISAGREEMENTS_FILE)
    if not isinstance(document, list):
        raise _shapeless(layout.DISAGREEMENTS_FILE, "a JSON list of disagreements", document)
    rows = [entries_of(row) for row in cast("list[object]", document)]
    found = ((row.get("user"), row.get("case"), row.get("index")) for row in rows)
    return frozenset(
        (user, case, index)
        for user, case, index in found
        if isinstance(user, str) and isinstance(case, str) and type(index) is int
    )


def _label(
    annotator: str,
    case: str,
    index: int,
    answer: Mapping[str, object],
    disputed: frozenset[tuple[str, str, int]],
) -> AuditLabel:
    return AuditLabel(
        annotator=annotator,
        case=case,
        index=index,
        is_spatial=_flag(answer.get("spatial")),
        is_relevant=_flag(answer.get("relevant")),
        note=text_of(answer.get("note")) or "",
        is_disputed=(annotator, case, index) in disputed,
    )


def _list(value: object) -> list[object]:
    return cast("list[object]", value) if isinstance(value, list) else []


def _flag(value: object) -> bool | None:
    return value if isinstance(value, bool) else None


def _shapeless(name: str, rule: str, got: object) -> ReleaseError:
    kind = f"a {type(got).__name__}"
    return ReleaseError(expected(name, rule=rule, got=kind, remedy="Download the release again."))
