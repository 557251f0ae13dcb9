"""What `overread check` prints of a release without a question that a blind policy could answer."""

from __future__ import annotations

from pathlib import Path

import pytest

from overread.cli import main
from overread.registry import find_benchmark


def test_no_table_of_policies_where_none_could_answer(
    judged_release: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    # Its questions ask where, in free words: none is closed.
    capsys.readouterr()
    with pytest.raises(SystemExit) as stop:
        main(("check", "ct-spatialvqa", str(judged_release)))
    assert stop.value.code == 0
    out, _ = capsys.readouterr()
    assert "test: questions" in out
    assert "policies that see no picture" not in out


def test_tasks_asked_by_name_are_shown_and_no_head_is_cut(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    root = tmp_path / "cells"
    find_benchmark("wbcatt-plus").synthesise(root, seed=0, size=6)
    with pytest.raises(SystemExit) as stop:
        main(("check", "wbcatt-plus", str(root)))
    assert stop.value.code == 0
    out, _ = capsys.readouterr()
    assert "--task segmentation" in out
    assert "nuclear_cytoplasmic_ratio" in out
    assert "…" not in out
