"""Cells that a release computes itself."""

from __future__ import annotations

import pytest

from overread.audits.reproduce.rebuilt import rebuilt
from overread.contracts.replay import RebuiltCell


def _cell(**changes: object) -> RebuiltCell:
    return RebuiltCell(**{  # type: ignore[arg-type]
        "row": "majority", "column": "accuracy", "unit": "share", "published": 0.659,
        "decimals": 3, "source": "table 2", "recomputed": 0.6592, **changes,
    })  # fmt: skip


def test_a_number_within_its_printed_digits_comes_out() -> None:
    cell = rebuilt(_cell())
    assert (cell.differs, cell.fault, cell.moved) == (False, None, False)


def test_one_beyond_them_does_not() -> None:
    cell = rebuilt(_cell(recomputed=0.6601, fault="the split was another"))
    assert cell.differs
    assert cell.fault == "not what the files give; the split was another"


def test_the_corrected_value_has_an_interval_by_its_clusters() -> None:
    values = tuple(float(n % 4 > 0) for n in range(80))
    alone = rebuilt(_cell(corrected=0.75, values=values, clusters=tuple(str(n) for n in range(80))))
    assert alone.moved
    assert alone.low < 0.75 < alone.high
    half = 1.96 * (0.75 * 0.25 / 80) ** 0.5
    assert alone.high - alone.low == pytest.approx(2 * half, rel=0.15)
    paired = rebuilt(
        _cell(
            corrected=0.75,
            values=tuple(sorted(values)),
            clusters=tuple(str(n // 4) for n in range(80)),
        )
    )
    assert paired.high - paired.low > 1.5 * (alone.high - alone.low)


def test_a_cell_without_items_has_no_interval() -> None:
    assert rebuilt(_cell(corrected=0.7)).low is None
    assert rebuilt(_cell(published=None, recomputed=None)).differs is False
