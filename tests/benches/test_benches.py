from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

PROJECT = Path(__file__).resolve().parents[2]


@pytest.mark.slow
def test_the_measurements_still_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # Small sizes and no peer: whether the figures can be made, not what they are.
    monkeypatch.setenv("BENCH_INSPECT_PYTHON", str(tmp_path / "absent"))
    figures = tmp_path / "figures.json"
    done = subprocess.run(
        [sys.executable, "-m", "benches", "harness", "scale", "--quick", "--json", str(figures)],
        cwd=PROJECT,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    found = json.loads(figures.read_text("utf-8"))
    single = found["harness"]["40 questions, one picture each"]
    assert single["overread"]["report"]["asked"] == 40
    assert single["overread"]["report"]["failed"] == 0
    assert single["bare loop"]["report"]["asked"] == 40
    assert "no inspect_ai" in found["harness"]["skipped"]["inspect_ai"]
    assert found["scale"]["500 lesions and 2,000 questions"]["items"] == 2000


@pytest.mark.slow
def test_volumes_texts_and_draws_are_still_measured(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OVERREAD_DATA", raising=False)
    figures = tmp_path / "figures.json"
    parts = ["volumes", "text-metrics", "bootstrap"]
    done = subprocess.run(
        [sys.executable, "-m", "benches", *parts, "--quick", "--json", str(figures)],
        cwd=PROJECT,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    found = json.loads(figures.read_text("utf-8"))
    merlin = found["volumes"]["128×128×40, merlin"]
    # Numbers of 32 bits behind a header of 128 bytes.
    assert merlin["mb_out"] == pytest.approx((160 * 224 * 224 * 4 + 128) / 1e6)
    assert found["text-metrics"]["pairs"] == "1,000 of 5 models, synthetic"
    for measure in ("bleu", "rouge"):
        assert found["text-metrics"][measure]["largest_difference"] < 1e-12
    (drawn,) = found["bootstrap"].values()
    assert drawn["estimates"] > 100
