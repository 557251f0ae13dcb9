"""Dice, surface Dice, HD95 and ASSD of organs, beside surface-distance and MedPy in the same run.

The masks are ``totalsegmentator_ct`` of ``OVERREAD_DATA``, two models' organs on one real CT, where
that folder is there, else ellipsoids of the same size. Peers need numpy and scipy only and may live
in an environment of their own: ``BENCH_MASKS_PYTHON`` names its python.
"""

from __future__ import annotations

import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benches.measure import PROJECT, measure, python

__all__ = ["measure_masks"]

_PEERS = PROJECT / "benches" / "mask_peers.py"
_LARGE, _SMALL = "8 labels, enlarged", "all labels, native size"
_TOLERANCE_MM = 3.0
_SEED = 20261201


def measure_masks(*, enlarged: int, rounds: int) -> dict[str, Any]:
    """Time both sides on the same label maps, ours with areas and with points.

    Parameters
    ----------
    enlarged
        Each voxel becomes so many along each axis, of that part of the spacing.
    rounds
        Of ours and surface-distance; MedPy runs once.

    Returns
    -------
    dict
        Label map → medians of seconds and of seconds of CPU, memory in label maps, and for each
        peer its seconds, how many times faster ours is, and the largest difference of a value
        relative to it.
    """
    with tempfile.TemporaryDirectory(prefix="overread-bench-") as name:
        folder = Path(name)
        source = _write(folder, enlarged)
        files = {_LARGE: "large", _SMALL: "small"}
        peers = _peers(folder, list(files.values()), rounds)
        found: dict[str, Any] = {"masks": source}
        for title, file in files.items():
            ours = measure(python("benches.masks", folder, file, rounds)).report
            found[f"{title}: {ours['shape']}, {len(ours['labels'])} labels"] = {
                "overread": {
                    "seconds": statistics.median(ours["area"]["seconds"]),
                    "cpu_seconds": statistics.median(ours["area"]["cpu_seconds"]),
                    "seconds_by_points": statistics.median(ours["points"]["seconds"]),
                    "label_maps_of_memory": ours["label_maps_of_memory"],
                    "mb_beside_both_maps": ours["mb_beside_both_maps"],
                },
                **{peer: _beside(ours, result[file], peer) for peer, result in peers.items()},
            }
    return found


def _beside(ours: Mapping[str, Any], theirs: Mapping[str, Any], peer: str) -> dict[str, Any]:
    """Compare with a peer by what it takes for a surface: areas, or points."""
    if "skipped" in theirs:
        return {"skipped": theirs["skipped"]}
    own = ours["area" if peer == "surface-distance" else "points"]
    median = statistics.median
    return {
        "seconds": median(theirs["seconds"]),
        "cpu_seconds": median(theirs["cpu_seconds"]),
        "times_faster": median(theirs["seconds"]) / median(own["seconds"]),
        "times_less_cpu": median(theirs["cpu_seconds"]) / median(own["cpu_seconds"]),
        "largest_relative_difference": max(
            abs(value - own["values"][label][name]) / max(abs(value), 1e-9)
            for label, values in theirs["values"].items()
            for name, value in values.items()
        ),
    }


def _peers(folder: Path, names: Sequence[str], rounds: int) -> dict[str, dict[str, Any]]:
    interpreter = os.environ.get("BENCH_MASKS_PYTHON", sys.executable)
    command = [interpreter, str(_PEERS), str(folder), ",".join(names), str(rounds)]
    try:
        done = subprocess.run(command, capture_output=True, check=True, text=True)
    except (OSError, subprocess.CalledProcessError) as error:
        reason = f"{interpreter} cannot run the peers: {getattr(error, 'stderr', error)}"
        return {"peers": {name: {"skipped": reason[-300:]} for name in names}}
    return json.loads(done.stdout.splitlines()[-1])


def _write(folder: Path, enlarged: int) -> str:
    root = Path(os.environ.get("OVERREAD_DATA") or "no such folder") / "totalsegmentator_ct"
    if root.is_dir():
        from overread.imaging.label_map import read_label_map

        maps = [
            np.ascontiguousarray(read_label_map(root / file).array)
            for file in ("example_seg.nii.gz", "example_seg_fast.nii.gz")
        ]
        source = "released"
    else:
        maps, source = _ellipsoids(), "synthetic"
    counts = [np.bincount(one.ravel(), minlength=256) for one in maps]
    shared = np.flatnonzero(np.minimum(*counts)[1:]) + 1
    largest = shared[np.argsort(-counts[0][shared], kind="stable")][:8]
    spacing = 3.0
    _save(folder, "small", maps, shared.tolist(), spacing)
    for axis in range(3):
        maps = [np.repeat(one, enlarged, axis) for one in maps]
    _save(folder, "large", maps, largest.tolist(), spacing / enlarged)
    return source


def _save(
    folder: Path, name: str, maps: Sequence[NDArray[np.uint8]], labels: list[int], spacing: float
) -> None:
    for side, one in zip(("reference", "prediction"), maps, strict=True):
        np.save(folder / f"{name}-{side}.npy", np.ascontiguousarray(one))
    case = {"labels": labels, "spacing_mm": [spacing] * 3}
    (folder / f"{name}.json").write_text(json.dumps(case), "utf-8")


def _ellipsoids() -> list[NDArray[np.uint8]]:
    """Draw 40 organs in a grid of the real one's size, and again with moved outlines."""
    rng = np.random.default_rng(_SEED)
    shape = np.array([122, 101, 30])
    places = np.stack(np.indices(shape), -1)
    maps = [np.zeros(shape, np.uint8) for _ in range(2)]
    for label in range(40, 0, -1):
        middle = rng.uniform(0.15, 0.85, 3) * shape
        radii = rng.uniform(0.03, 0.16, 3) * shape + 1.5
        for one in maps:
            wobble = rng.normal(0, 0.3, 3)
            one[(((places - middle - wobble) / radii) ** 2).sum(-1) < 1] = label
    return maps


def _ours(folder: Path, name: str, rounds: int) -> dict[str, Any]:
    from overread.metrics.overlap import overlap_table
    from overread.metrics.surface import label_surface_distances

    case = json.loads((folder / f"{name}.json").read_text("utf-8"))
    labels: list[int] = case["labels"]
    spacing = tuple(case["spacing_mm"])
    little = np.eye(9, dtype=np.uint8)[:, :, None]
    label_surface_distances(little, little[::-1], (1,), spacing)  # what is imported on first use
    reference, prediction = (
        np.load(folder / f"{name}-{side}.npy") for side in ("reference", "prediction")
    )
    held = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    found: dict[str, Any] = {"shape": "×".join(map(str, reference.shape)), "labels": labels}
    for method in ("area", "points"):
        seconds, cpu_seconds, values = [], [], {}
        for _ in range(rounds):
            begin, cpu_begin = time.perf_counter(), time.process_time()
            overlaps = overlap_table(reference, prediction, labels)
            surfaces = label_surface_distances(
                reference, prediction, labels, spacing, method=method
            )
            for label, one in surfaces.items():
                assert one is not None
                by_area = method == "area"
                values[str(label)] = {
                    "dice": overlaps[label].dice,
                    "nsd": one.nsd(_TOLERANCE_MM),
                    "hd95": one.hd95_mm("larger of directions" if by_area else "pooled"),
                    "assd": one.masd_mm if by_area else one.assd_mm,
                }
            cpu_seconds.append(time.process_time() - cpu_begin)
            seconds.append(time.perf_counter() - begin)
        found[method] = {"seconds": seconds, "cpu_seconds": cpu_seconds, "values": values}
    unit = 1 if sys.platform == "darwin" else 1024  # ru_maxrss: bytes there, KiB on Linux
    more = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - held) * unit
    # Both maps, and what was in memory beside them at most.
    found["label_maps_of_memory"] = 2 + more / reference.nbytes
    found["mb_beside_both_maps"] = more / 1e6
    return found


if __name__ == "__main__":
    _folder, _name, _rounds = sys.argv[1:]
    print(json.dumps(_ours(Path(_folder), _name, int(_rounds))))
