"""The worked example of `docs/how-to/run-a-3d-model.md`, run as the page says."""

from __future__ import annotations

import subprocess
import sys
import venv
from pathlib import Path

import numpy as np
import pytest

from overread.contracts import Selection
from overread.records import Status
from overread.registry import find_benchmark
from overread.run.pipeline import execute
from overread.run.request import RunRequest
from overread.store.run_store import RunStore

EXAMPLE = Path(__file__).parents[2] / "examples" / "volume_model.py"


@pytest.fixture(scope="module")
def release(tmp_path_factory):
    root = tmp_path_factory.mktemp("spatial") / "release"
    find_benchmark("ct-spatialvqa").synthesise(root, seed=1, size=10)
    return root


@pytest.fixture(scope="module")
def python(tmp_path_factory):
    """A Python of its own that has numpy and not overread."""
    folder = tmp_path_factory.mktemp("env")
    venv.create(folder, with_pip=False, symlinks=True)
    packages = next(folder.glob("lib/python*/site-packages"))
    borrowed = folder / "borrowed"
    borrowed.mkdir()
    for package in Path(np.__file__).parents[1].glob("numpy*"):
        (borrowed / package.name).symlink_to(package)
    (packages / "numpy.pth").write_text(f"{borrowed}\n")
    found = folder / "bin" / "python"
    told = subprocess.run(
        [found, "-c", "import numpy, importlib.util as u; print(u.find_spec('overread'))"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert told.stdout.strip() == "None"
    return found


def run(release, out, model, **changes):
    return execute(
        RunRequest(
            benchmark="ct-spatialvqa",
            release=release,
            model=f"command:{model}",
            out=out,
            selection=Selection(recipe="array-hu"),
            **changes,
        )
    )


def test_the_example_answers_every_question_in_an_environment_of_its_own(release, python, tmp_path):
    out = tmp_path / "density.sqlite"
    outcome = run(release, out, f"{python} {EXAMPLE}")
    assert (outcome.n_failed, outcome.n_asked) == (0, outcome.n_planned)
    with RunStore.open(out) as store:
        receipts = {receipt for response in store.responses() for receipt in response.receipts}
        side = [s for s in store.scores() if s.metric == "rule_accuracy" and "side" in s.reason]
    # One array a volume, however many questions it has; in HU and told by its hash.
    assert len(receipts) == 10
    assert {(each.media_type, each.orientation) for each in receipts} == {
        ("application/x-npy", "SPL")
    }
    right = [score.value for score in side if score.value is not None]
    assert sum(right) / len(right) > 0.45  # a guess among right, left and both: a third
    assert list(tmp_path.iterdir()) == [out]  # the arrays are gone


def test_prepared_arrays_are_kept_on_request_and_used_again(release, tmp_path):
    kept = tmp_path / "prepared"
    run(release, tmp_path / "a.sqlite", f"{sys.executable} {EXAMPLE}", prepared=kept)
    arrays = {path.name: path.stat().st_mtime_ns for path in kept.glob("*.npy")}
    assert len(arrays) == 10
    script = tmp_path / "again.py"
    script.write_text(EXAMPLE.read_text().replace("Peripheral.", "Central."))
    run(release, tmp_path / "b.sqlite", f"{sys.executable} {script}", prepared=kept)
    assert {path.name: path.stat().st_mtime_ns for path in kept.glob("*.npy")} == arrays


def test_a_volume_that_kills_the_process_costs_its_questions_alone(release, tmp_path):
    script = tmp_path / "fragile.py"
    code = EXAMPLE.read_text().replace(
        "        reply = {", '        if "#" in question["id"] or question["id"].endswith("::1"):\n'
        "            raise SystemExit(9)\n        reply = {",
    )  # fmt: skip
    script.write_text(code)
    out = tmp_path / "fragile.sqlite"
    outcome = run(release, out, f"{sys.executable} {script}")
    with RunStore.open(out) as store:
        failed = [r.item for r in store.responses() if r.status is Status.FAILED]
    assert outcome.n_failed == len(failed) == 10
    assert all(item.endswith("::1") for item in failed)


def test_a_process_in_another_folder_finds_the_arrays(release, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    wrapper = tmp_path / "wrapper.sh"
    wrapper.write_text(f"cd /\nexec {sys.executable} {EXAMPLE}\n")
    outcome = run(release, Path("relative.sqlite"), f"sh {wrapper}")
    assert outcome.n_failed == 0
