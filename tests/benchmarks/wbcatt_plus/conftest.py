"""A synthetic release, and the released tables where they lie beside the project."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from overread.benchmarks.wbcatt_plus import BENCHMARK


@pytest.fixture(scope="session")
def drawn(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("wbcatt")
    BENCHMARK.synthesise(root, seed=3, size=36)
    return root


@pytest.fixture
def release(drawn: Path, tmp_path: Path) -> Path:
    """Give a copy that a test may damage."""
    root = tmp_path / "release"
    shutil.copytree(drawn, root)
    return root


@pytest.fixture(scope="session")
def released() -> Path:
    folder = Path(os.environ.get("OVERREAD_DATA", "absent")) / "wbcatt_plus"
    if not folder.is_dir():
        pytest.skip("no released files: set OVERREAD_DATA to the folder that holds them")
    return folder
