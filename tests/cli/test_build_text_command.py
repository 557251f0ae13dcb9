"""`overread build lesion-text`: what it prints and leaves with."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from cyclopts import App

from overread.cli.build_text_command import lesion_text_command
from overread.errors import ReleaseError


def _call(*words: str) -> int:
    app = App()
    app.command(lesion_text_command, name="lesion-text")
    return app(["lesion-text", *words], result_action="return_value")


def test_it_says_what_stands_and_what_is_held_back(tmp_path: Path, capsys) -> None:
    table = tmp_path / "sentences.csv"
    table.write_text("lesion_idx,sentence\n1,A 12 mm nodule in the right upper lobe.\n")
    out = tmp_path / "out"
    # the fake server writes no draft: its reply is held back, and nothing is made up
    assert _call(str(table), str(out), "--model", "fake", "--json") == 1
    printed = capsys.readouterr()
    report = json.loads(printed.out)
    assert (report["sentences"], report["kept"], report["asked"]) == (1, 0, 1)
    assert "held back" in printed.err
    assert "fake wrote no draft: there is nothing to review" in printed.err
    assert (out / "Metadata.csv").read_text() == "lesion_idx,description,size,dataset\n"
    assert _call(str(table), str(out), "--model", "fake", "--json") == 1
    assert json.loads(capsys.readouterr().out)["asked"] == 0


def test_a_table_without_sentences_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text("a,b\n")
    with pytest.raises(ReleaseError, match="REPORT-SENTENCES"):
        _call(str(tmp_path / "x.csv"), str(tmp_path / "out"), "--model", "fake")
