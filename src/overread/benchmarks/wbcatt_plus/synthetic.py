"""Writes a synthetic WBCAtt+ release: drawn cells whose attributes and masks can be seen.

A reader who looks can answer: size and outline of the disc, lobes of the nucleus, holes, dots and
colours are drawn as the table says. Types share their granules, as real ones do. Planted: one
contradiction between the columns on granules, as the release has three, and a second reading that
disagrees now and then.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from overread.benchmarks.wbcatt_plus import layout
from overread.benchmarks.wbcatt_plus.layout import ATTRIBUTES
from overread.imaging.encode import encode_png

__all__ = ["synthesise"]

_SIDE: Final = 180
"""Pixels; the real crops have 360."""
_TYPES: Final[Mapping[str, tuple[str, Mapping[str, str]]]] = {
    "Neutrophil": (
        "SNE",
        {"granule_type": "small", "granule_colour": "pink", "granularity": "yes"},
    ),
    "Eosinophil": ("EO", {"granule_type": "round", "granule_colour": "red", "granularity": "yes"}),
    "Basophil": (
        "BA",
        {"granule_type": "coarse", "granule_colour": "purple", "granularity": "yes"},
    ),
    "Lymphocyte": ("LY", {"granule_type": "nil", "granule_colour": "nil", "granularity": "no"}),
    "Monocyte": ("MO", {"granule_type": "nil", "granule_colour": "nil", "granularity": "no"}),
}
_COLOURS: Final = {
    "blue": (150, 170, 220),
    "light blue": (205, 220, 240),
    "purple blue": (170, 150, 215),
}
_DOTS: Final = {"pink": (235, 150, 190), "purple": (95, 40, 130), "red": (215, 70, 60)}
_RADIUS: Final = {"small": 2, "round": 4, "coarse": 6}
_COLUMNS: Final = ("img_name", "label", *ATTRIBUTES, "path", "split")
_TEST, _VALIDATION = 3, 6
"""Of six cells in a row the third and the sixth … are the test's and the validation's."""
_DISAGREES: Final = 0.05


def synthesise(root: Path, *, seed: int, size: int) -> None:
    """Write `size` cells: tables of three splits, crops, masks, a second reading, predictions."""
    rng = np.random.default_rng(seed)
    (root / layout.CROP_FOLDER).mkdir(parents=True, exist_ok=True)
    rows = [_row(place, rng) for place in range(size)]
    if size > 2:
        rows[2]["granule_colour"] = "nil"  # with granules, as BNE_125415 of the release
    for row in rows:
        pixels, mask = _draw(row, rng)
        stem = f"{root}/{layout.CROP_FOLDER}/{row['path'].removesuffix('.jpg')}"
        Path(f"{stem}.jpg").write_bytes(_jpeg(pixels))
        Path(f"{stem}_mask.png").write_bytes(encode_png(mask))
    for split in layout.SPLITS:
        _write(root / f"pbc_attr_v1_ccrop_{split}.csv", [r for r in rows if r["split"] == split])
    _write(root / "pbc_attr_v1_ccrop_all.csv", rows)
    again = [_read_again(row, rng) for row in rows[:: 2 if size < 60 else 4]]
    _write(root / layout.REANNOTATIONS, again)
    _predict(root, [row for row in rows if row["split"] == "test"], rng)
    mark = f"Written by overread: {size} drawn cells, seed {seed}.\n"
    (root / layout.SYNTHETIC_MARK).write_text(mark, encoding="utf-8", newline="\n")


def _row(place: int, rng: np.random.Generator) -> dict[str, str]:
    kind = list(_TYPES)[place % len(_TYPES)]
    prefix, granules = _TYPES[kind]
    values = {name: str(rng.choice(listed)) for name, listed in ATTRIBUTES.items()}
    name = f"{prefix}_{100_000 + place}"
    turn = place % 6 + 1
    split = "test" if turn in (1, _TEST) else "val" if turn == _VALIDATION else "train"
    return {
        "img_name": f"{name}.jpg",
        "label": kind,
        **values,
        **granules,
        "path": f"{name}_ccrop.jpg",
        "split": split,
    }


def _draw(
    row: Mapping[str, str], rng: np.random.Generator
) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    """Draw a cell among red cells: pixels (side, side, 3) and its mask (side, side)."""
    y, x = np.mgrid[0:_SIDE, 0:_SIDE].astype(np.float64)
    centre = _SIDE / 2 + rng.uniform(-6, 6, size=2)
    pixels = np.full((_SIDE, _SIDE, 3), (242, 236, 230), dtype=np.float64)
    mask = np.zeros((_SIDE, _SIDE), dtype=np.uint8)
    for angle in rng.uniform(0, 2 * np.pi, size=3):
        at = centre + 88 * np.array([np.sin(angle), np.cos(angle)])
        red = np.hypot(y - at[0], x - at[1]) < 22
        pixels[red], mask[red] = (226, 170, 165), 4
    platelet = np.hypot(y - 8, x - rng.uniform(20, _SIDE - 20)) < 5
    pixels[platelet], mask[platelet] = (150, 110, 170), 3

    radius = 58.0 if row["cell_size"] == "big" else 42.0
    angles = np.arctan2(y - centre[0], x - centre[1])
    wobble = 5.0 * np.sin(5 * angles) if row["cell_shape"] == "irregular" else 0.0
    distance = np.hypot(y - centre[0], x - centre[1])
    cell = distance < radius + wobble
    pixels[cell], mask[cell] = _COLOURS[row["cytoplasm_colour"]], 1
    if row["cytoplasm_texture"] == "frosted":
        pixels[cell] += rng.normal(0, 14, size=(int(cell.sum()), 1))
    nucleus = _nucleus(row, centre, radius, y, x) & cell
    dark = (90, 50, 120) if row["chromatin_density"] == "densely" else (165, 125, 190)
    pixels[nucleus], mask[nucleus] = dark, 2
    if row["granule_type"] != "nil":
        colour = _DOTS.get(row["granule_colour"], (120, 120, 120))
        for _ in range(40):
            away, turn = radius * np.sqrt(rng.uniform(0, 0.8)), rng.uniform(0, 2 * np.pi)
            at = centre + away * np.array([np.sin(turn), np.cos(turn)])
            dot = np.hypot(y - at[0], x - at[1]) < _RADIUS[row["granule_type"]]
            pixels[dot & (mask == 1)] = colour
    if row["cytoplasm_vacuole"] == "yes":
        for turn in rng.uniform(0, 2 * np.pi, size=3):
            at = centre + 0.85 * radius * np.array([np.sin(turn), np.cos(turn)])
            hole = (np.hypot(y - at[0], x - at[1]) < 5) & (mask == 1)
            pixels[hole], mask[hole] = (250, 250, 252), 5
    return np.clip(np.rint(pixels), 0, 255).astype(np.uint8), mask


def _nucleus(
    row: Mapping[str, str],
    centre: NDArray[np.float64],
    radius: float,
    y: NDArray[np.float64],
    x: NDArray[np.float64],
) -> NDArray[np.bool_]:
    share = 0.75 if row["nuclear_cytoplasmic_ratio"] == "high" else 0.45

    def disc(dy: float, dx: float, r: float) -> NDArray[np.bool_]:
        return np.hypot(y - centre[0] - dy * radius, x - centre[1] - dx * radius) < r * radius

    match row["nucleus_shape"]:
        case "unsegmented-round":
            return disc(0, 0, share)
        case "unsegmented-indented":
            return disc(0, 0, share) & ~disc(-share, 0, 0.6 * share)
        case "unsegmented-band":
            return disc(0, 0, share) & ~disc(0, 0.25 * share, 0.6 * share)
        case "segmented-bilobed":
            return disc(0, -0.6 * share, 0.7 * share) | disc(0, 0.6 * share, 0.7 * share)
        case "segmented-multilobed":
            lobes = [disc(0.6 * share * s, 0.6 * share * c, 0.5 * share)
                     for s, c in ((0, 1), (0.87, -0.5), (-0.87, -0.5))]  # fmt: skip
            return lobes[0] | lobes[1] | lobes[2]
        case _:
            return disc(0, 0, 0.8 * share) | disc(0.5 * share, 0.4 * share, 0.5 * share)


def _read_again(row: Mapping[str, str], rng: np.random.Generator) -> dict[str, str]:
    again = dict(row)
    for name, listed in ATTRIBUTES.items():
        if rng.random() < _DISAGREES:
            again[name] = str(rng.choice([each for each in listed if each != row[name]]))
    return again


def _predict(root: Path, rows: Sequence[Mapping[str, str]], rng: np.random.Generator) -> None:
    """Write a model's files for the test split: attributes, and masks of too small nuclei."""
    folder = root / "example_predictions"
    (folder / "masks").mkdir(parents=True, exist_ok=True)
    told = [{"image_path": row["path"], **_read_again(row, rng)} for row in rows]
    _write(folder / "attributes.csv", told, columns=("image_path", *ATTRIBUTES))
    for row in rows:
        name = f"{row['path'].removesuffix('.jpg')}_mask.png"
        with Image.open(root / layout.CROP_FOLDER / name) as stored:
            mask = np.array(stored)
        inside = mask == 2
        for axis in (0, 1):
            inside &= np.roll(mask == 2, 2, axis=axis) & np.roll(mask == 2, -2, axis=axis)
        mask[(mask == 2) & ~inside] = 1
        (folder / "masks" / name).write_bytes(encode_png(mask))


def _write(
    path: Path, rows: Sequence[Mapping[str, str]], *, columns: Sequence[str] = _COLUMNS
) -> None:
    text = io.StringIO(newline="")
    table = csv.DictWriter(text, columns, lineterminator="\n", extrasaction="ignore")
    table.writeheader()
    table.writerows(rows)
    path.write_text(text.getvalue(), encoding="utf-8", newline="\n")


def _jpeg(pixels: NDArray[np.uint8]) -> bytes:
    data = io.BytesIO()
    Image.fromarray(pixels).save(data, format="JPEG", quality=95, subsampling=0)
    return data.getvalue()
