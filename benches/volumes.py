"""Whole volumes through their preparations: seconds and memory of a 512 × 512 × 600 chest CT."""

from __future__ import annotations

import gzip
import json
import statistics
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from benches.measure import measure, python

__all__ = ["measure_volumes", "write_chest"]

_RECIPES = ("slices-32", "mosaic-25", "medgemma", "merlin", "ct-chat", "radfm", "array-hu")


def measure_volumes(*, slices: int, side: int, rounds: int) -> dict[str, Any]:
    """Prepare one volume by each recipe, each in a process of its own, from file to pictures.

    Returns
    -------
    dict
        Recipe → median seconds with interpreter and imports, least seconds of CPU, largest peak MB
        of any round, MB given out, and the seconds of three more questions about the same volume.
    """
    with tempfile.TemporaryDirectory(prefix="overread-bench-") as name:
        folder = Path(name)
        write_chest(folder / "chest.nii.gz", slices=slices, side=side)
        found: dict[str, Any] = {}
        for recipe in _RECIPES:
            runs = [
                measure(python("benches.volumes", folder, recipe, folder / f"arrays-{number}"))
                for number in range(rounds)
            ]
            found[f"{side}×{side}×{slices}, {recipe}"] = {
                "seconds": statistics.median(run.seconds for run in runs),
                "cpu_seconds": min(run.cpu_seconds for run in runs),
                "peak_mb": max(run.peak_mb for run in runs),
                **runs[-1].report,
            }
        return found


def write_chest(path: Path, *, slices: int, side: int) -> None:
    """Write a noisy phantom of a chest as gzipped NIfTI, 16 bits, slice by slice."""
    import nibabel

    rng = np.random.default_rng(20261130)
    y, x = np.mgrid[-1 : 1 : side * 1j, -1 : 1 : side * 1j]
    body = (x / 0.85) ** 2 + (y / 0.6) ** 2 < 1
    lung = ((np.abs(x) - 0.4) / 0.3) ** 2 + (y / 0.45) ** 2 < 1
    plane = np.where(lung, -850, np.where(body, 40, -1000)).astype(np.int16)
    affine = np.diag([-0.7, -0.7, 1.0, 1.0])
    header = nibabel.Nifti1Image(np.zeros((1, 1, 1), np.int16), affine).header
    header.set_data_shape((side, side, slices))
    header.set_sform(affine, code=1)
    header["vox_offset"] = 352
    with gzip.open(path, "wb", compresslevel=1) as file:
        file.write(header.binaryblock)
        file.write(bytes(4))
        for _ in range(slices):
            noise = rng.integers(-20, 20, plane.shape, dtype=np.int16)
            file.write((plane + noise).tobytes())


def _prepare_once(folder: Path, name: str, arrays: Path) -> dict[str, float]:
    import time

    from overread.imaging.recipes import recipe_named
    from overread.imaging.render import PictureRenderer
    from overread.records import Media, Recipe

    recipe = recipe_named(name)
    media = Media(paths=("chest.nii.gz",), kind="volume", recipe=Recipe(volume=recipe))
    render = PictureRenderer(folder, arrays=arrays)

    def ask() -> int:
        if recipe.output == "array":
            return render.array(media).receipt.size_bytes
        return sum(len(picture.data) for picture in render(media))

    size = ask()
    begin = time.perf_counter()
    for _ in range(3):
        ask()
    return {"mb_out": size / 1e6, "seconds_of_3_more_questions": time.perf_counter() - begin}


if __name__ == "__main__":
    _folder, _name, _arrays = sys.argv[1:]
    print(json.dumps(_prepare_once(Path(_folder), _name, Path(_arrays))))
