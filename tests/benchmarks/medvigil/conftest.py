"""Synthetic releases: a small one that may be damaged, and one of the real release's size."""

from __future__ import annotations

import csv
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from overread.benchmarks.medvigil import BENCHMARK


@pytest.fixture(scope="session")
def drawn(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("medvigil")
    BENCHMARK.synthesise(root, seed=3, size=30)
    return root


@pytest.fixture(scope="session")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("medvigil-whole")
    BENCHMARK.synthesise(root, seed=1, size=300)
    return root


@pytest.fixture
def release(drawn: Path, tmp_path: Path) -> Path:
    """Give a copy that a test may damage."""
    root = tmp_path / "release"
    shutil.copytree(drawn, root)
    return root


@pytest.fixture
def rewrite() -> Callable[[Path, Callable[[list[dict[str, str]]], Any]], None]:
    """Give a way to change the rows of a table."""

    def change_table(path: Path, change: Callable[[list[dict[str, str]]], Any]) -> None:
        with path.open(encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        change(rows)
        with path.open("w", encoding="utf-8", newline="") as file:
            table = csv.DictWriter(file, rows[0])
            table.writeheader()
            table.writerows(rows)

    return change_table


@pytest.fixture(scope="session")
def released() -> Path:
    folder = Path(os.environ.get("OVERREAD_DATA", "absent")) / "medvigil"
    if not folder.is_dir():
        pytest.skip("no released files: set OVERREAD_DATA to the folder that holds them")
    return folder
