"""What `overread check` prints of a release without a question that a blind policy could answer."""

from __future__ import annotations

from pathlib import Path

import pytest

from overread.cli import main


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
