from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from overread.benchmarks.autopet3.loader import AutoPet3Release
from overread.benchmarks.autopet3.phantom import draw_body
from overread.benchmarks.autopet3.synthetic import METHODS
from overread.contracts import Selection
from overread.imaging.label_map import read_label_map
from overread.imaging.read_volume import read_volume
from overread.metrics.components import label_components
from overread.records import Response, Status


def test_every_subset_has_studies_with_and_some_without_lesions(synthetic: Path) -> None:
    release = AutoPet3Release(synthetic)
    positive: Counter[tuple[str, str, str]] = Counter()
    seen: Counter[tuple[str, str, str]] = Counter()
    for split in ("train", "test"):
        for item in release.items(Selection(split=split)):
            subset = split, item.strata["centre"], item.strata["tracer"]
            mask = read_label_map(synthetic / (release.reference(item.id).path or "")).array
            seen[subset] += 1
            positive[subset] += bool(mask.any())

    assert set(seen) == {("train", "UKT", "FDG"), ("train", "LMU", "PSMA")} | {
        ("test", centre, tracer) for centre in ("LMU", "UKT") for tracer in ("FDG", "PSMA")
    }
    assert all(positive[subset] >= 1 for subset in seen)
    assert sum(positive.values()) < sum(seen.values())


def test_some_patients_come_twice_and_stay_in_one_fold_and_part(synthetic: Path) -> None:
    release = AutoPet3Release(synthetic)
    of: dict[str, set[tuple[str, str]]] = {}
    visits: Counter[str] = Counter()
    for split in ("train", "test"):
        for item in release.items(Selection(split=split)):
            patient = item.groups["patient"]
            visits[patient] += 1
            of.setdefault(patient, set()).add((split, item.strata["fold"]))

    assert max(visits.values()) == 2
    assert all(len(found) == 1 for found in of.values())


def test_lesions_shine_on_the_pet_and_lie_on_its_grid(synthetic: Path) -> None:
    release = AutoPet3Release(synthetic)
    item = next(release.items(Selection(split="test")))
    pet, ct = (read_volume(synthetic / media.paths[0]) for media in item.media)
    mask = read_label_map(synthetic / (release.reference(item.id).path or ""))

    assert pet.geometry == ct.geometry == mask.geometry
    suv = pet.array[mask.array == 1]
    assert float(np.median(suv)) > 3
    assert float(np.median(pet.array)) < 1
    assert item.strata["scanner"] in {"Biograph mCT", "Discovery 690"}


def test_tracers_light_up_different_organs() -> None:
    rng = np.random.default_rng(1)
    fdg = draw_body(rng, "fdg", "UKT", has_lesion=False)
    psma = draw_body(rng, "psma", "UKT", has_lesion=False)

    top = slice(-12, None)  # the head: brain in FDG alone
    assert float(np.percentile(fdg.pet_suv[:, :, top], 99)) > 6
    assert float(np.percentile(psma.pet_suv[:, :, top], 99)) < 3
    assert not fdg.balls
    with pytest.raises(AttributeError):
        fdg.balls = ()  # type: ignore[misc]


def test_two_methods_err_in_opposite_ways(synthetic: Path) -> None:
    release = AutoPet3Release(synthetic)
    (scorer,) = release.scorers("honest")
    bias: dict[str, list[float]] = {method: [] for method in METHODS}
    false_ml: dict[str, list[float]] = {method: [] for method in METHODS}
    for item in release.items(Selection(split="test")):
        for method in METHODS:
            path = synthetic / "predictions" / method / f"{item.id}.nii.gz"
            response = Response(
                run="r", item=item.id, status=Status.OK, path=str(path), request_hash="h"
            )
            rows = scorer.score(item, release.reference(item.id), response)
            found = {row.metric: row.value for row in rows if row.target is None}
            false_ml[method].append(found["fpv_ml"] or 0.0)
            if found["volume_difference"] is not None:
                bias[method].append(found["volume_difference"])

    assert max(bias["careful"]) < 0 < min(bias["eager"])
    assert max(false_ml["careful"]) == 0 < min(false_ml["eager"])


def test_lesions_are_ellipsoids_that_can_be_counted() -> None:
    body = draw_body(np.random.default_rng(8), "psma", "LMU", has_lesion=True)

    mask = body.lesions(grow_mm=0.0, smallest_mm=0.0)

    count = label_components(mask, connectivity=18)[1]
    assert 1 <= count <= len(body.balls) <= 5
    assert body.lesions(grow_mm=3.0, smallest_mm=0.0).sum() > mask.sum()
    assert not body.lesions(grow_mm=0.0, smallest_mm=99.0).any()
