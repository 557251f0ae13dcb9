"""What people type, and what it says."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from overread.cli.audit_command import audit_command
from overread.cli.reproduce_command import reproduce_command


def test_the_audit_shows_coin_mixture_and_identity(
    whole: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert audit_command("medvigil", whole, only=("composites",), json=True) == 1
    said = json.loads(capsys.readouterr().out)
    told = {(one["code"], one["where"]): one["evidence"] for one in said["findings"]}
    coin = told["blind-composite", "test, mcs"]
    assert "a fair coin between A and E has 50.0 %" in coin
    assert "50.465 %" in coin
    assert "below the coin are 9 of 16 published models" in coin
    assert "(roi_only + 50 %) × 0.5" in told["cancelled-rate", "test, grounding"]


def test_the_audit_finds_the_cell_that_is_no_count(
    drawn: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert audit_command("medvigil", drawn, only=("cells",), json=True) == 1
    (one,) = json.loads(capsys.readouterr().out)["findings"]
    assert "printed 91.0 %" in one["evidence"]
    assert "175 of 192" in one["evidence"]


@pytest.mark.slow
def test_the_table_comes_out_to_the_last_digit(
    drawn: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    reproduce_command("medvigil", drawn, json=True)
    cells = json.loads(capsys.readouterr().out)["cells"]
    printed = [c for c in cells if c["published"] is not None and c["recomputed"] is not None]
    assert len([c for c in printed if c["column"] == "MCS"]) == 11
    assert not [c for c in printed if "not what the files give" in (c["fault"] or "")]
