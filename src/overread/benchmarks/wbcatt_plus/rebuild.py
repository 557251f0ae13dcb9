"""What the tables alone give: majority, the cell type as the answer, and a second human reading.

A model's number is to be read between these: what whoever knows the cell type gets, and what one
human reader gets against another. The authors' model itself is not in the release.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from overread.benchmarks.wbcatt_plus.layout import ATTRIBUTES, REANNOTATIONS, Cell
from overread.benchmarks.wbcatt_plus.protocol import published_numbers
from overread.contracts.replay import RebuiltCell
from overread.metrics.classes import class_counts, class_kappa, macro_f1

__all__ = ["look_up", "majority", "rebuild"]

_Answers: TypeAlias = Mapping[str, Mapping[str, str]]
"""Cell → attribute → value."""

_Counts: TypeAlias = tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]

_ACCURACY: Final = "accuracy, mean of attributes"
_F1: Final = "macro F1, mean of attributes"
_KAPPA: Final = "kappa, mean of attributes"
_ALL: Final = "all eleven right"
_SKILL: Final = "skill between look-up and reader"


def rebuild(
    tables: Mapping[str, Sequence[Cell]], second_reading: Sequence[Cell]
) -> Iterator[RebuiltCell]:
    """Compute the rows that the tables allow, column by column.

    Parameters
    ----------
    tables
        Split → its cells.
    second_reading
        Cells as other annotators read them; empty where the release has none.
    """
    train, test = tables.get("train", ()), tables.get("test", ())
    first = {cell.name: cell for cells in tables.values() for cell in cells}
    again = [cell for cell in second_reading if cell.name in first]
    rows: dict[str, tuple[Sequence[Cell], _Answers, str]] = {}
    if train and test:
        rows["majority of train"] = test, majority(train, test), "train and test tables"
        rows["look-up by cell type"] = test, look_up(train, test), "train and test tables"
    if again:
        read_twice = [first[cell.name] for cell in again]
        answers = {cell.name: cell.values for cell in again}
        rows["second human reading"] = read_twice, answers, REANNOTATIONS
    for column, measure in ((_ACCURACY, _accuracy), (_F1, _macro_f1)):
        for row, (cells, answers, source) in rows.items():
            yield _cell(row, column, source, cells, answers, measure(cells, answers))
        yield from _printed(column)
    for column, measure in ((_KAPPA, _kappa), (_ALL, _all_right)):
        for row, (cells, answers, source) in rows.items():
            yield _cell(row, column, source, cells, answers, measure(cells, answers))
    yield from _skill(rows)


def majority(train: Sequence[Cell], test: Sequence[Cell]) -> _Answers:
    """Answer each attribute with its most frequent value in training."""
    best = {name: _most(cell.values[name] for cell in train) for name in ATTRIBUTES}
    return {cell.name: best for cell in test}


def look_up(train: Sequence[Cell], test: Sequence[Cell]) -> _Answers:
    """Answer with the most frequent value among training cells of the same type."""
    by_type: dict[str, list[Cell]] = {}
    for cell in train:
        by_type.setdefault(cell.cell_type, []).append(cell)
    best = {
        kind: {name: _most(cell.values[name] for cell in cells) for name in ATTRIBUTES}
        for kind, cells in by_type.items()
    }
    whole = {name: _most(cell.values[name] for cell in train) for name in ATTRIBUTES}
    return {cell.name: best.get(cell.cell_type, whole) for cell in test}


def _most(values: Iterator[str]) -> str:
    counts = Counter(values)
    return min(counts, key=lambda value: (-counts[value], value))


def _accuracy(cells: Sequence[Cell], answers: _Answers) -> float:
    right = sum(answers[c.name][name] == c.values[name] for c in cells for name in ATTRIBUTES)
    return right / (len(cells) * len(ATTRIBUTES))


def _macro_f1(cells: Sequence[Cell], answers: _Answers) -> float:
    return sum(float(macro_f1(*_counts(cells, answers, name))) for name in ATTRIBUTES) / len(
        ATTRIBUTES
    )


def _kappa(cells: Sequence[Cell], answers: _Answers) -> float:
    return sum(float(class_kappa(*_counts(cells, answers, name))) for name in ATTRIBUTES) / len(
        ATTRIBUTES
    )


def _all_right(cells: Sequence[Cell], answers: _Answers) -> float:
    return sum(dict(answers[cell.name]) == dict(cell.values) for cell in cells) / len(cells)


def _counts(cells: Sequence[Cell], answers: _Answers, name: str) -> _Counts:
    return class_counts(
        [cell.values[name] for cell in cells], [answers[cell.name][name] for cell in cells]
    )[1:]


def _cell(
    row: str, column: str, source: str, cells: Sequence[Cell], answers: _Answers, value: float
) -> RebuiltCell:
    values: tuple[float, ...] = ()
    if column == _ACCURACY:
        values = tuple(
            float(answers[cell.name][name] == cell.values[name])
            for cell in cells
            for name in ATTRIBUTES
        )
    elif column == _ALL:
        values = tuple(float(dict(answers[c.name]) == dict(c.values)) for c in cells)
    each = len(ATTRIBUTES) if column == _ACCURACY else 1
    return RebuiltCell(
        row=row,
        column=column,
        unit="1" if column == _KAPPA else "share",
        published=None,
        decimals=4,
        source=source,
        recomputed=value,
        corrected=value,
        n_published=len(cells),
        n_corrected=len(cells),
        values=values,
        clusters=tuple(cell.name for cell in cells for _ in range(each)) if values else (),
    )


def _printed(column: str) -> Iterator[RebuiltCell]:
    key = {_ACCURACY: "accuracy", _F1: "macro_f1"}[column]
    numbers = published_numbers()
    for row in numbers["row"]:
        if key in row:
            yield RebuiltCell(
                row=str(row["who"]),
                column=column,
                unit="share",
                published=round(float(row[key]) / 100, 6),
                decimals=4,
                source=str(row["source"]),
                recomputed=None,
                n_published=int(numbers["cells"]["test"]),
                fault="the release ships no predictions of it",
            )


def _skill(rows: Mapping[str, tuple[Sequence[Cell], _Answers, str]]) -> Iterator[RebuiltCell]:
    """Say how far from the look-up to the reader the printed model is."""
    if not {"look-up by cell type", "second human reading"} <= rows.keys():
        return
    for name, measure, key in (("accuracy", _accuracy, "accuracy"), ("F1", _macro_f1, "macro_f1")):
        floor, ceiling = (
            measure(*rows[row][:2]) for row in ("look-up by cell type", "second human reading")
        )
        for row in published_numbers()["row"]:
            if key in row and ceiling != floor:
                yield RebuiltCell(
                    row=f"{row['who']} ({name})",
                    column=_SKILL,
                    unit="share",
                    published=None,
                    decimals=4,
                    source="(printed - look-up) / (second reading - look-up)",
                    recomputed=(float(row[key]) / 100 - floor) / (ceiling - floor),
                )
