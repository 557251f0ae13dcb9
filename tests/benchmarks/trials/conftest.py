"""Small releases of TriALS made by hand, and what a model would answer."""

from __future__ import annotations

import gzip
import hashlib
import json
from pathlib import Path

import nibabel
import numpy as np
import pytest

from overread.analysis.estimates import estimate
from overread.benchmarks.trials import BENCHMARK
from overread.contracts import Selection
from overread.records import PlannedItem, Response, Status

SPACING_MM = (1.0, 1.0, 2.0)


def write_mask(path: Path, array, *, spacing_mm=SPACING_MM) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    image = nibabel.Nifti1Image(np.asarray(array, dtype=np.uint8), np.diag([*spacing_mm, 1.0]))
    data = image.to_bytes()
    path.write_bytes(gzip.compress(data, mtime=0) if path.suffix == ".gz" else data)
    return path


class Release:
    """A folder in the scorer's layout, and a folder of masks beside it."""

    def __init__(self, root: Path) -> None:
        self.root = root / "release"
        self.masks = root / "masks"
        self.root.mkdir()

    def case(self, case: str, array, **options) -> None:
        write_mask(self.root / "ground_truth" / f"{case}.nii.gz", array, **options)
        with (self.root / "test.csv").open("a") as file:
            file.write(f"{case}\n")

    def clicks(self, case: str, clicks=None, key="lesion") -> None:
        folder = self.root / "clicks"
        folder.mkdir(exist_ok=True)
        held = clicks or [[0, 0, 0]] * 10
        text = json.dumps({key: held, "background": held})
        (folder / f"{case}_clicks.json").write_text(text)

    def predict(self, item: str, array, **options) -> Path:
        return write_mask(self.masks / f"{item}.nii.gz", array, **options)

    def open(self):
        return BENCHMARK.open(self.root)

    def response(self, item: str) -> Response:
        path = self.masks / f"{item}.nii.gz"
        if not path.is_file():
            return Response(
                run="r", item=item, status=Status.FAILED, reason="no mask", request_hash="h"
            )
        digest = hashlib.sha256(path.read_bytes()).hexdigest()
        return Response(
            run="r",
            item=item,
            status=Status.OK,
            text=f"sha256:{digest}",
            path=str(path),
            request_hash="h",
        )

    def rows(self, profile="honest", task="segmentation"):
        opened = self.open()
        scorers = opened.scorers(profile)
        return [
            row
            for item in opened.items(Selection(tasks=(task,)))
            for scorer in scorers
            if not hasattr(scorer, "takes") or scorer.takes(item)
            for row in scorer.score(item, opened.reference(item.id), self.response(item.id))
        ]

    def value(self, metric, profile="honest", task="segmentation", target=None):
        """Give the rows of a metric as a list of values or statuses."""
        return [
            row.value if row.value is not None else row.status.value
            for row in self.rows(profile, task)
            if row.metric == metric and row.target == target
        ]

    def estimates(self, task="segmentation", **stratum):
        """Give all estimates of a stratum: (metric, profile) → value."""
        return {
            (one.metric, one.profile): one.value
            for one in self.estimated(task)
            if dict(one.stratum) == stratum
        }

    def total(self, metric, profile):
        """Give the estimate of a metric over all items."""
        return next(
            one
            for one in self.estimated("segmentation")
            if (one.metric, one.profile, dict(one.stratum)) == (metric, profile, {})
        )

    def estimated(self, task):
        opened = self.open()
        items = list(opened.items(Selection(tasks=(task,))))
        planned = [
            PlannedItem(
                item=item.id, request_hash="h", groups=item.groups, strata=item.strata, chance=None
            )
            for item in items
        ]
        rows = [row for profile in ("published", "honest") for row in self.rows(profile, task)]
        return estimate(rows, planned, opened.plan_for((task,)))


@pytest.fixture
def release(tmp_path) -> Release:
    return Release(tmp_path)


@pytest.fixture(scope="session")
def synthetic(tmp_path_factory) -> Path:
    root = tmp_path_factory.mktemp("trials") / "release"
    BENCHMARK.synthesise(root, seed=7, size=12)
    return root
