"""The worst cases: which they are, and their pictures."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeAlias

from overread.analysis.mask_results import MaskCase, MaskResults, MaskRow
from overread.analysis.mask_summary import strata_keys
from overread.errors import ImageError, MissingExtraError, UnsafePathError
from overread.imaging.label_map import LabelMap
from overread.imaging.safe_path import without_root
from overread.report.masks.pictures import CasePictures, Scan, case_pictures, fitted
from overread.report.masks.scales import larger_is_better, mask_number, metric_title
from overread.report.masks.sides import MaskSide, has_one_label, shown_metrics
from overread.report.wording import stratum_label

__all__ = ["MaskReader", "WorstCard", "worst_cards", "worst_rows"]

MaskReader: TypeAlias = Callable[[Path], LabelMap]
"""Reads a mask, or a folder with one mask a label."""

_LEAST_OF_ONE_CASE: Final = 2
_MOST_VALUES: Final = 10
"""Beside a picture; the table of all rows has the rest."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WorstCard:
    """One label of one case, ready for the page."""

    case: str
    label: str
    """Empty for a case as a whole."""
    facts: str
    """Patient and strata."""
    fate: str
    values: tuple[tuple[str, str], ...]
    """Heading and number, the headline first."""
    pictures: CasePictures
    problem: str
    """Why there is no picture; empty where there is one."""


def worst_rows(results: MaskResults, *, most: int) -> tuple[MaskRow, ...]:
    """Choose the rows with the worst headline; among equals the larger masks come first.

    A label that was missed or made up counts as the worst where the metric has no value for it. Of
    one case at most two rows are chosen, or more where there are few cases.
    """
    sign = 1 if larger_is_better(results.headline) else -1
    lost = ("missed", "invented")
    rows = [
        row
        for row in results.label_rows
        if row.values.get(results.headline) is not None or row.fate in lost
    ]

    def order(row: MaskRow) -> tuple[float, float]:
        value = row.values.get(results.headline)
        worst = 0.0 if sign > 0 else -math.inf
        return (worst if value is None else sign * value), -_size(row)

    rows.sort(key=order)
    n_cases = len({row.case for row in rows})
    of_one = max(_LEAST_OF_ONE_CASE, -(-most // max(n_cases, 1)))
    chosen: list[MaskRow] = []
    seen: Counter[str] = Counter()
    for row in rows:
        if seen[row.case] < of_one and len(chosen) < most:
            seen[row.case] += 1
            chosen.append(row)
    return tuple(chosen)


def _size(row: MaskRow) -> float:
    sizes = [row.values.get(f"{side}_{unit}") for unit in ("ml", "voxels") for side in _SIDES]
    return max((size for size in sizes if size is not None), default=0.0)


_SIDES: Final = ("reference", "prediction")


def worst_cards(side: MaskSide, *, most: int, read: MaskReader) -> tuple[WorstCard, ...]:
    """Make the cards of the worst rows; files of a case are read once.

    A case whose files cannot be read keeps its card, which says why it has no picture.
    """
    results = side.results
    rows = worst_rows(results, most=most)
    cases = {case.id: case for case in results.cases}
    drawn: dict[MaskRowKey, CasePictures | str] = {}
    for case_id in dict.fromkeys(row.case for row in rows):
        own = [row for row in rows if row.case == case_id]
        drawn |= _drawn(cases[case_id], own, results, read)
    metrics = shown_metrics([side])
    return tuple(_card(row, cases[row.case], results, metrics, drawn[_key(row)]) for row in rows)


MaskRowKey: TypeAlias = tuple[str, str | None]


def _key(row: MaskRow) -> MaskRowKey:
    return row.case, row.label


def _drawn(
    case: MaskCase, rows: Sequence[MaskRow], results: MaskResults, read: MaskReader
) -> dict[MaskRowKey, CasePictures | str]:
    if case.reference is None or case.prediction is None:
        return dict.fromkeys(map(_key, rows), "no file to draw from")
    try:
        reference = read(case.reference)
        prediction = fitted(read(case.prediction), like=reference)
    except (ImageError, UnsafePathError, MissingExtraError, OSError) as error:
        said = without_root(str(error), case.reference.parent)
        return dict.fromkeys(map(_key, rows), without_root(said, case.prediction.parent))
    image, problem = _image(case, is_flat=reference.array.ndim == 2)
    found: dict[MaskRowKey, CasePictures | str] = {}
    for row in rows:
        values = results.values_of(case, row.label)
        pictures = case_pictures(reference, prediction, values, image=image)
        note = "; ".join(text for text in (pictures.note, problem) if text)
        found[_key(row)] = (
            CasePictures(planes=pictures.planes, note=note) if pictures.planes else note
        )
    return found


def _image(case: MaskCase, *, is_flat: bool) -> tuple[Scan | None, str]:
    """Read the scan; None, with the reason where there should be one."""
    from overread.imaging.picture_file import read_picture
    from overread.imaging.read_volume import read_volume

    if case.image is None:
        return None, ""
    try:
        return (read_picture if is_flat else read_volume)(case.image), ""
    except (ImageError, UnsafePathError, MissingExtraError, OSError) as error:
        return None, f"the scan cannot be shown: {without_root(str(error), case.image.parent)}"


def _card(
    row: MaskRow,
    case: MaskCase,
    results: MaskResults,
    metrics: Sequence[str],
    drawn: CasePictures | str,
) -> WorstCard:
    patient = case.patient or ""
    facts = [f"patient {patient}"] if patient and not case.id.startswith(patient) else []
    strata = {key: case.strata[key] for key in strata_keys(results) if key in case.strata}
    if strata:
        facts.append(stratum_label(strata))
    return WorstCard(
        case=row.case,
        label="" if has_one_label(results) else row.label or "",
        facts=" · ".join(facts),
        fate=row.fate or "",
        values=tuple(
            (metric_title(metric, unit), mask_number(value, metric, unit))
            for metric in metrics[:_MOST_VALUES]
            if (value := row.values.get(metric)) is not None
            for unit in (results.units[metric],)
        ),
        pictures=CasePictures(planes=(), note="") if isinstance(drawn, str) else drawn,
        problem=drawn if isinstance(drawn, str) else "",
    )
