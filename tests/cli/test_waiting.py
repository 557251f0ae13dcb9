from __future__ import annotations

import pytest

from overread.cli import waiting
from overread.cli.waiting import slowly


def test_a_fast_command_says_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    tell = slowly("audit", quiet=False)
    for step in ("one", "two"):
        tell(step)
    assert capsys.readouterr() == ("", "")


def test_a_slow_one_says_a_line_now_and_then(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    seconds = iter([0.0, 1.0, 2.5, 3.0, 5.0])
    monkeypatch.setattr(waiting.time, "monotonic", lambda: next(seconds))
    tell = slowly("audit", quiet=False)
    for step in ("one", "two [bold]", "three", "four"):
        tell(step)
    out, err = capsys.readouterr()
    assert out == ""
    assert err.splitlines() == ["audit: two [bold] …", "audit: four …"]


def test_a_quiet_one_says_nothing_at_all(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(waiting, "_SECONDS_BETWEEN_LINES", 0.0)
    slowly("audit", quiet=True)("one")
    assert capsys.readouterr() == ("", "")
