"""A lesion table in DeepLesion's columns with its 16-bit slices, small and made on the spot."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

from overread.benchmarks.ct_bench.layout import DEEPLESION_COLUMNS

SIDE = 96
SPACING_MM = 0.8


@dataclass(frozen=True)
class Folder:
    """Where the made lesion set lies."""

    table: Path
    images: Path
    rows: list[dict[str, str]]


@pytest.fixture(scope="session")
def released_slices(released_data: Path) -> Path:
    """Real DeepLesion slices."""
    folder = released_data / "deeplesion_slices"
    if not folder.is_dir():
        pytest.skip(f"no released slices at {folder}")
    return folder


@pytest.fixture(scope="session")
def deeplesion(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    """40 lesions of 20 patients; four of five series have the neighbours of their key slice."""
    root = tmp_path_factory.mktemp("deeplesion")
    rows = list(_rows())
    for number, row in enumerate(rows):
        _write_slices(root / "Images_png", row, with_stack=number % 5 != 0)
    table = root / "DL_info.csv"
    write_table(table, rows)
    return Folder(table=table, images=root / "Images_png", rows=rows)


def write_table(path: Path, rows: list[dict[str, str]]) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, DEEPLESION_COLUMNS)
        writer.writeheader()
        writer.writerows(rows)


def _rows() -> Iterator[dict[str, str]]:
    rng = np.random.default_rng(4)
    for number in range(40):
        patient, study = number // 2 + 1, number % 2 + 1
        long_px = float(rng.uniform(8, 24))
        short_px = 0.7 * long_px
        x, y = (float(centre) for centre in rng.uniform(36, 60, size=2))
        half = long_px / 2 + 5
        yield dict.fromkeys(DEEPLESION_COLUMNS, "") | {
            "File_name": f"{patient:06d}_{study:02d}_01_050.png",
            "Patient_index": str(patient),
            "Study_index": str(study),
            "Series_ID": "1",
            "Key_slice_index": "50",
            "Bounding_boxes": f"{x - half:.3f}, {y - half:.3f}, {x + half:.3f}, {y + half:.3f}",
            "Lesion_diameters_Pixel_": f"{long_px:.3f}, {short_px:.3f}",
            "Coarse_lesion_type": str(number % 4 + 4),
            "Possibly_noisy": "0",
            "Spacing_mm_px_": f"{SPACING_MM}, {SPACING_MM}, 5",
            "Image_size": f"{SIDE}, {SIDE}",
            "DICOM_windows": "-100, 200",
            "Patient_gender": "F",
            "Patient_age": "60",
        }


def _write_slices(images: Path, row: dict[str, str], *, with_stack: bool) -> None:
    series = images / row["File_name"].rpartition("_")[0]
    series.mkdir(parents=True)
    x_min, y_min, x_max, y_max = (float(edge) for edge in row["Bounding_boxes"].split(","))
    for number in range(46, 55) if with_stack else (50,):
        hu = body(seed=int(row["Patient_index"]) + number)
        grow = 1 - abs(number - 50) / 6
        yy, xx = np.mgrid[:SIDE, :SIDE]
        radius = max((x_max - x_min) / 2 - 5, 2) * grow
        lesion = np.hypot(xx - (x_min + x_max) / 2, yy - (y_min + y_max) / 2) <= radius
        hu[lesion] = 150
        Image.fromarray((hu + 32768).astype(np.uint16)).save(series / f"{number:03d}.png")


def body(*, seed: int) -> NDArray[np.int32]:
    """Give a slice in HU: air around an ellipse of soft tissue with noise."""
    yy, xx = np.mgrid[:SIDE, :SIDE]
    hu = np.full((SIDE, SIDE), -1000, dtype=np.int32)
    inside = ((xx - 48) / 44) ** 2 + ((yy - 48) / 34) ** 2 <= 1
    noise = np.random.default_rng(seed).normal(40, 8, (SIDE, SIDE))
    hu[inside] = noise[inside].astype(np.int32)
    return hu
