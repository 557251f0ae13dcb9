from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from benches.measure import measure

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


def test_the_peak_is_that_of_the_program_and_not_of_who_measures() -> None:
    ballast = b"x" * 300_000_000
    little = measure([sys.executable, "-c", "print(1)"])
    much = measure([sys.executable, "-c", "len(b'x' * 200_000_000)"])
    assert len(ballast) > little.peak_mb * 1e6
    assert little.peak_mb < 60
    assert 200 < much.peak_mb < 260
    assert 0 < little.cpu_seconds < 5


def test_a_program_that_fails_is_no_measurement() -> None:
    with pytest.raises(RuntimeError, match="ended with 1: no such thing"):
        measure([sys.executable, "-c", "raise SystemExit('no such thing')"])


@pytest.mark.slow
def test_volumes_texts_and_draws_are_still_measured(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OVERREAD_DATA", raising=False)
    figures = tmp_path / "figures.json"
    monkeypatch.setenv("BENCH_MASKS_PYTHON", str(tmp_path / "absent"))
    parts = ["volumes", "text-metrics", "exam-drawing", "bootstrap", "masks"]
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
    for name in ("bleu", "rouge"):
        assert found["text-metrics"][name]["largest_difference"] < 1e-12
    (exam,) = found["exam-drawing"].values()
    assert exam["questions"] > 100
    (drawn,) = found["bootstrap"].values()
    assert drawn["estimates"] > 100
    assert found["masks"]["masks"] == "synthetic"
    maps = [values for values in found["masks"].values() if isinstance(values, dict)]
    assert len(maps) == 2
    for one in maps:
        assert one["overread"]["label_maps_of_memory"] >= 2
        assert "cannot run the peers" in one["peers"]["skipped"]


def test_changes_of_pictures_are_measured_with_and_without_a_counterpart() -> None:
    from benches.perturb import measure_perturb

    found = measure_perturb(pictures=1, side=48, rounds=1)
    figures = found["1 pictures, 48×48"]
    assert len(figures) >= 50
    assert all(row["cpu_seconds"] >= 0 for row in figures.values())
    assert "times scikit-image" in figures["gaussian-blur"]  # it is installed here
    assert "times scikit-image" not in figures["blood"]
