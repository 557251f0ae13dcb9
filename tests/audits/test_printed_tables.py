from __future__ import annotations

from pathlib import Path
from typing import Any, cast

import pytest

from overread.audits.printed_tables import AUDIT
from overread.contracts import Release
from overread.records import Severity
from overread.registry import find_audit

TABLE = "model,a,b,mean\nX,10,20,15\nY,10,20,18\nZ,30,50,40\n"
CLAIMS = """
table = "a table"
names = ["model"]
scale = "other"
[[total]]
column = "mean"
parts = ["a", "b"]
rule = "mean"
"""


class Printing:
    def __init__(self, *tables: tuple[Path, Path]) -> None:
        self._tables = tables

    def printed_tables(self) -> tuple[tuple[Path, Path], ...]:
        return self._tables


@pytest.fixture
def table(tmp_path: Path) -> tuple[Path, Path]:
    table, claims = tmp_path / "board.csv", tmp_path / "board.toml"
    table.write_text(TABLE)
    claims.write_text(CLAIMS)
    return table, claims


def look(release: object) -> list[Any]:
    return list(AUDIT.look(cast("Release", release)))


def test_a_wrong_cell_is_found_and_its_table_named(table: tuple[Path, Path]) -> None:
    found = look(Printing(table))

    errors = [each for each in found if each.severity is Severity.ERROR]
    assert [each.code for each in errors] == ["total-off"]
    assert errors[0].where.startswith("board.csv: ")
    assert "Y" in errors[0].where


def test_every_table_is_looked_at(table: tuple[Path, Path]) -> None:
    once, twice = look(Printing(table)), look(Printing(table, table))

    assert len(twice) == 2 * len(once) > 0


def test_a_release_without_tables_is_passed_over() -> None:
    assert look(object()) == []


def test_it_is_registered() -> None:
    assert find_audit("printed-tables") is AUDIT
