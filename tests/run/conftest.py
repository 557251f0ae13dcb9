"""A small synthetic release, written once, and a request on it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from overread.contracts import ModelOptions, Selection
from overread.registry import find_benchmark
from overread.run.request import RunRequest


@pytest.fixture(scope="session")
def release_root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("synthetic") / "release"
    find_benchmark("ct-bench").synthesise(root, seed=5, size=40)
    return root


@pytest.fixture
def request_for(release_root: Path, tmp_path: Path) -> Callable[..., RunRequest]:
    def make(model: str, **changes: Any) -> RunRequest:
        options = ModelOptions(timeout_s=5, max_retries=2, **changes.pop("options", {}))
        selection = Selection(limit=changes.pop("limit", 26), **changes.pop("selection", {}))
        defaults: dict[str, Any] = {
            "benchmark": "ct-bench",
            "release": release_root,
            "model": model,
            "out": tmp_path / "run.sqlite",
            "selection": selection,
            "options": options,
        }
        return RunRequest(**(defaults | changes))

    return make
