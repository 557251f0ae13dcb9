"""The worked example of `docs/how-to/run-a-segmentation-model.md`, run as the page says."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import nibabel
import numpy as np
import pytest
from tests.run.small_masks import SmallBenchmark, SmallMasks

from overread.records import Status
from overread.run.pipeline import execute
from overread.run.request import RunRequest
from overread.store.run_store import RunStore

EXAMPLE = Path(__file__).parents[2] / "examples" / "segmentation_model.py"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    SmallBenchmark().synthesise(tmp_path / "release", seed=4, size=4)
    return tmp_path / "release"


def test_the_example_segments_a_release(root: Path, tmp_path: Path) -> None:
    request = RunRequest(
        benchmark="small-masks",
        release=root,
        model=f"command:{sys.executable} {EXAMPLE}",
        out=tmp_path / "run.sqlite",
        workers=0,
    )
    assert execute(request, release=SmallMasks(root)).n_failed == 0
    with RunStore.open(request.out) as store:
        rows = [row for row in store.scores() if (row.metric, row.profile) == ("dice", "honest")]
    # 27 of 720 voxels are the cube; the brightest one and a half per cent are 11 of them.
    # (10, where two are equally bright.)
    either = {round(2 * n / (n + 27), 6) for n in (10, 11)}
    assert {round(row.value, 6) for row in rows[:3]} <= either
    assert (rows[3].status, rows[3].value) == (Status.OK, 0.0)  # no cube is there


def test_an_unreadable_volume_costs_one_question(root: Path, tmp_path: Path) -> None:
    def line(name: str, volume: Path) -> str:
        volumes = [{"path": str(volume), "kind": "nifti"}]
        asked = {"id": name, "volumes": volumes, "labels": {"2": "lesion"}}
        return json.dumps(asked | {"write_to": str(tmp_path / name)})

    broken = tmp_path / "broken.nii.gz"
    broken.write_bytes(b"no volume")
    told = "\n".join([line("a", broken), line("b", root / "images/c00.nii.gz")])
    done = subprocess.run(
        [sys.executable, str(EXAMPLE)], input=told, capture_output=True, text=True, check=True
    )
    first, second = (json.loads(each) for each in done.stdout.splitlines())
    assert first["id"] == "a"
    assert first["error"]
    assert second == {"id": "b", "path": str(tmp_path / "b.nii.gz")}
    mask = nibabel.load(second["path"])
    assert set(np.unique(np.asarray(mask.dataobj))) == {0, 2}
    assert np.array_equal(mask.affine, nibabel.load(root / "images/c00.nii.gz").affine)
