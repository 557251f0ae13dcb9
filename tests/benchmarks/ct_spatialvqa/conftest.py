"""A hand-made CT-SpatialVQA release of three cases: small enough to break in every way."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import nibabel
import numpy as np
import pytest

from overread.benchmarks.ct_spatialvqa import BENCHMARK, layout
from overread.benchmarks.ct_spatialvqa.loader import CtSpatialVqaRelease
from overread.contracts import Selection
from overread.records import Finding, Item

Entry = dict[str, Any]

PAIRS: dict[str, list[tuple[str, str, list[str]]]] = {
    "valid_1_a_1.nii.gz": [
        ("In which lung is the nodule?", "In the right lung.", [layout.CATEGORIES[0]]),
        ("Is there a pleural effusion?", "No pleural effusion.", list(layout.CATEGORIES[:2])),
    ],
    "valid_1_b_1.nii.gz": [
        ("Is the mass central or peripheral?", "Peripheral.", ["Medial-Lateral Orientation"]),
    ],
    "valid_20_a_2.nii.gz": [
        ("Where is the stent?", "In the aorta.", []),
    ],
}


class SmallRelease:
    """Files of a release, with handles to break them."""

    def __init__(self, root: Path) -> None:
        self.root = root
        root.mkdir()
        self.pairs: dict[str, Any] = {
            case: {"qa_pairs": [{"question": q, "answer": a} for q, a, _ in pairs]}
            for case, pairs in PAIRS.items()
        }
        self.labelled: dict[str, Any] = {
            case: {
                "qa_pairs": [{"question": q, "answer": a, "category": labels} for q, a, labels in p]
            }
            for case, p in PAIRS.items()
        }
        self.write()

    def write(self) -> None:
        self.put(layout.QUESTIONS_FILE, self.pairs)
        self.put(layout.CATEGORIES_FILE, self.labelled)

    def put(self, name: str, value: object) -> Path:
        """Write a file: text and bytes as they are, anything else as JSON."""
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(value, bytes):
            path.write_bytes(value)
        else:
            path.write_text(value if isinstance(value, str) else json.dumps(value), "utf-8")
        return path

    def volume(
        self, path: str, *, affine: object = None, shape: tuple[int, ...] = (4, 5, 6)
    ) -> Path:
        """Write a NIfTI volume below the release."""
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        frame = np.diag([-1.0, -1.0, 2.0, 1.0]) if affine is None else np.asarray(affine)
        nibabel.save(nibabel.Nifti1Image(np.zeros(shape, dtype=np.int16), frame), file)
        return file

    def open(self, media: Path | None = None) -> CtSpatialVqaRelease:
        return BENCHMARK.open(self.root, media=media)

    def items(self, **selection: Any) -> list[Item]:
        return list(self.open().items(Selection(**selection)))

    def codes(self, *, thorough: bool = False) -> set[str]:
        return {finding.code for finding in self.open().findings(thorough=thorough)}

    def finding(self, code: str, *, thorough: bool = False) -> Finding:
        """Give the one finding of a code."""
        found = [one for one in self.open().findings(thorough=thorough) if one.code == code]
        assert len(found) == 1, found
        return found[0]


@pytest.fixture
def small(tmp_path: Path) -> SmallRelease:
    return SmallRelease(tmp_path / "release")


@pytest.fixture(scope="session")
def synthetic(tmp_path_factory: pytest.TempPathFactory) -> Callable[[int], Path]:
    """Write a synthetic release of a size once."""
    made: dict[int, Path] = {}

    def of(size: int) -> Path:
        if size not in made:
            made[size] = tmp_path_factory.mktemp("synthetic") / "release"
            BENCHMARK.synthesise(made[size], seed=11, size=size)
        return made[size]

    return of
