"""Phantom chest CT volumes: a body with lungs, heart and bones, and findings where they belong.

Coordinates are millimetres from the middle of the volume: x to the patient's left, y to the back,
z to the head. A finding's place is given inside its lung as (u, v, w): u from the middle of the
body outwards, v to the back, w to the head, each -1..1 between the walls of the lung.
"""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from overread.benchmarks.ct_spatialvqa.signs import Case, Side, Sign

__all__ = ["SHAPE", "SPACING_MM", "centre_mm", "encode_nifti", "paint_chest"]

Point = NDArray[np.float64]

SHAPE: Final = (96, 96, 40)
"""Voxels along x (to the left), y (to the back), z (to the head)."""
SPACING_MM: Final = (3.5, 3.0, 8.0)

_AIR, _FAT, _MUSCLE, _LUNG, _BLOOD, _BONE = -1000.0, -100.0, 50.0, -860.0, 42.0, 380.0
_CONTRAST: Final = 190.0
_NOISE_HU: Final = 9.0
_OUTWARD: Final[dict[Side, int]] = {"right": -1, "left": 1}
_LUNG_X, _LUNG_Z = 70.0, 6.0
_LUNG_RADII: Final = (50.0, 78.0, 130.0)
_HU: Final = {
    "nodule": 45.0,
    "mass": 55.0,
    "consolidation": 35.0,
    "ground-glass opacity": -520.0,
    "bulla": -990.0,
}
_WALL_MM: Final = 5.0


@dataclass(frozen=True, slots=True, kw_only=True)
class _Ball:
    """An ellipsoid of one attenuation with a soft edge."""

    x: float
    y: float
    z: float
    rx: float
    ry: float
    rz: float
    hu: float


class _Canvas:
    """The volume under the brush."""

    def __init__(self) -> None:
        axes = [
            ((np.arange(n) - (n - 1) / 2) * step).astype(np.float32)
            for n, step in zip(SHAPE, SPACING_MM, strict=True)
        ]
        self.axes = axes
        self.x, self.y, self.z = axes[0][:, None, None], axes[1][None, :, None], axes[2]
        self.intensity_hu = np.full(SHAPE, _AIR, dtype=np.float32)

    def fill(self, mask: NDArray[np.bool_], hu: float) -> None:
        """Set everything inside a mask."""
        self.intensity_hu[mask] = hu

    def ball(self, one: _Ball, *, only: NDArray[np.bool_] | None = None) -> None:
        """Paint an ellipsoid, where `only` allows it; only the box around it is touched."""
        ends = ((one.x, one.rx), (one.y, one.ry), (one.z, one.rz))
        box = tuple(
            slice(*np.searchsorted(axis, (middle - radius * 1.3 - 4, middle + radius * 1.3 + 4)))
            for axis, (middle, radius) in zip(self.axes, ends, strict=True)
        )
        x, y, z = (axis[part] for axis, part in zip(self.axes, box, strict=True))
        away = np.sqrt(
            ((x[:, None, None] - one.x) / one.rx) ** 2
            + ((y[None, :, None] - one.y) / one.ry) ** 2
            + ((z - one.z) / one.rz) ** 2
        )
        # Half a voxel of soft edge: what a scanner's partial volume looks like.
        inside = np.clip((1 - away) * min(one.rx, one.ry, one.rz) / 3.0 + 0.5, 0, 1)
        if only is not None:
            inside = inside * only[box]
        part = self.intensity_hu[box]
        part += inside * (np.float32(one.hu) - part)

    def rod(self, start: Point, end: Point, radius: float, hu: float) -> None:
        """Paint a tube as a string of beads."""
        beads = max(2, int(np.linalg.norm(end - start) / 4.0))
        for share in np.linspace(0, 1, beads):
            x, y, z = (float(value) for value in start + share * (end - start))
            self.ball(_Ball(x=x, y=y, z=z, rx=radius, ry=radius, rz=max(radius, 5.0), hu=hu))


def paint_chest(
    case: Case, *, body: np.random.Generator, scan: np.random.Generator
) -> NDArray[np.int16]:
    """Paint a case.

    Parameters
    ----------
    case
        What it shows.
    body
        Fixes the patient's build: the same for all scans of a patient.
    scan
        Noise of this scan.

    Returns
    -------
    NDArray[np.int16]
        Shape `SHAPE`, in HU.
    """
    canvas = _Canvas()
    wide, deep = float(body.uniform(0.95, 1.06)), float(body.uniform(0.95, 1.05))
    _paint_trunk(canvas, wide, deep)
    _paint_lungs(canvas, body)
    _paint_middle(canvas, case)
    for sign in case.signs:
        _paint_sign(canvas, sign)
    noise = scan.standard_normal(SHAPE, dtype=np.float32) * np.float32(_NOISE_HU)
    return np.clip(np.rint(canvas.intensity_hu + noise), -1024, 3071).astype(np.int16)


def centre_mm(sign: Sign) -> tuple[float, float, float]:
    """Give the middle of a finding that lies in a lobe, in mm from the middle of the volume."""
    u = {"central": -0.3, "peripheral": 0.62}[sign.zone or "central"]
    v = {"anterior": -0.42, "posterior": 0.42}[sign.depth or "posterior"]
    w = {"upper": 0.45, "middle": -0.12, "lower": -0.42}[sign.lobe or "lower"]
    if sign.lobe == "middle" or sign.zone == "central":
        v *= 0.8
    return _in_lung(sign.sides[0], u, v, w)


def encode_nifti(intensity_hu: NDArray[np.int16]) -> bytes:
    """Encode a volume as ``.nii.gz``: same voxels, same bytes.

    The affine is in NIfTI's frame (right to left, back to front, feet to head), so that x and y
    run against it, as in CT-RATE's own files.
    """
    import nibabel

    steps = np.array([-SPACING_MM[0], -SPACING_MM[1], SPACING_MM[2]])
    affine = np.diag([*steps, 1.0])
    affine[:3, 3] = -steps * (np.array(SHAPE) - 1) / 2
    image = nibabel.Nifti1Image(intensity_hu, affine)
    image.header.set_xyzt_units("mm")
    return gzip.compress(image.to_bytes(), compresslevel=4, mtime=0)


# ---------------------------------------------------------------- anatomy


def _in_lung(side: Side, u: float, v: float, w: float) -> tuple[float, float, float]:
    rx, ry, rz = _LUNG_RADII
    return _OUTWARD[side] * (_LUNG_X + u * rx), v * ry, _LUNG_Z + w * rz


def _paint_trunk(canvas: _Canvas, wide: float, deep: float) -> None:
    x, y, z = canvas.x, canvas.y, canvas.z

    def oval(half_width: float, half_depth: float) -> NDArray[np.floating]:
        return (np.abs(x) / half_width) ** 2.4 + (np.abs(y) / half_depth) ** 2.4

    # Shoulders: the trunk narrows above the lungs.
    narrow = 1 - 0.14 * np.clip((z - 110) / 60, 0, 1)
    outer = oval(154 * wide, 118 * deep) / narrow**2.4
    inner = oval(140 * wide, 105 * deep) / narrow**2.4
    cage = oval(130 * wide, 96 * deep) / narrow**2.4
    canvas.fill(np.broadcast_to(outer < 1, SHAPE), _FAT)
    canvas.fill(np.broadcast_to(inner < 1, SHAPE), _MUSCLE)
    ribs = (cage < 1) & (cage > 0.86) & ((z + 0.35 * y) % 26 < 9) & (np.abs(z) < 125)
    canvas.fill(ribs, _BONE)
    canvas.rod(np.array([0.0, 82.0, -170.0]), np.array([0.0, 82.0, 170.0]), 17.0, 230.0)
    canvas.rod(np.array([0.0, -90.0, -60.0]), np.array([0.0, -86.0, 90.0]), 8.0, 260.0)


def _paint_lungs(canvas: _Canvas, body: np.random.Generator) -> None:
    rx, ry, rz = _LUNG_RADII
    for side, outward in _OUTWARD.items():
        middle_x = outward * _LUNG_X
        canvas.ball(_Ball(x=middle_x, y=0.0, z=_LUNG_Z, rx=rx, ry=ry, rz=rz, hu=_LUNG))
        # The diaphragm bulges up into the lung, higher on the right, above the liver.
        canvas.ball(
            _Ball(
                x=middle_x,
                y=5.0,
                z=-150.0,
                rx=56.0,
                ry=88.0,
                rz=62.0 if side == "right" else 52.0,
                hu=62.0 if side == "right" else 48.0,
            )
        )
        root = np.array(_in_lung(side, -0.75, 0.05, 0.0))
        for _ in range(9):
            way = body.uniform((-0.2, -0.7, -0.6), (0.7, 0.7, 0.7))
            tip = np.array(_in_lung(side, *(float(value) for value in way)))
            canvas.rod(root, root + 0.8 * (tip - root), 2.2, -250.0)


def _paint_middle(canvas: _Canvas, case: Case) -> None:
    """Paint heart, great vessels and airways."""
    blood = _CONTRAST if case.contrast else _BLOOD
    canvas.rod(np.array([0.0, 10.0, -100.0]), np.array([0.0, 10.0, 140.0]), 22.0, _MUSCLE)
    heart = _Ball(x=24.0, y=-28.0, z=-52.0, rx=46.0, ry=38.0, rz=50.0, hu=blood)
    if case.pericardial_effusion:
        canvas.ball(_Ball(x=24.0, y=-28.0, z=-52.0, rx=60.0, ry=51.0, rz=62.0, hu=6.0))
    canvas.ball(heart)
    canvas.rod(np.array([16.0, 50.0, -170.0]), np.array([16.0, 50.0, 42.0]), 12.0, blood)
    canvas.rod(np.array([-8.0, -20.0, 0.0]), np.array([-4.0, -10.0, 60.0]), 14.0, blood)
    canvas.rod(np.array([-4.0, -10.0, 56.0]), np.array([16.0, 48.0, 44.0]), 12.0, blood)
    carina = np.array([0.0, 18.0, 26.0])
    canvas.rod(np.array([0.0, 12.0, 170.0]), carina, 8.0, _AIR)
    for side in _OUTWARD:
        canvas.rod(carina, np.array(_in_lung(side, -0.6, 0.1, 0.05)), 6.0, _AIR)


# ---------------------------------------------------------------- findings


def _paint_sign(canvas: _Canvas, sign: Sign) -> None:
    if sign.lobe is None:
        for side in sign.sides:
            canvas.fill(_pleural_space(canvas, sign.kind, side), _pleural_hu(sign.kind))
        return
    radius = (sign.size_mm or 0) / 2
    lung = canvas.intensity_hu < -400  # a lesion at the wall ends at the wall
    for x, y, z in _middles(sign):
        ball = _Ball(x=x, y=y, z=z, rx=radius, ry=radius, rz=radius, hu=_HU[sign.kind])
        if sign.kind == "bulla":
            wall = radius + _WALL_MM
            canvas.ball(_Ball(x=x, y=y, z=z, rx=wall, ry=wall, rz=wall, hu=-350.0), only=lung)
        canvas.ball(ball, only=lung)


def _middles(sign: Sign) -> Iterator[tuple[float, float, float]]:
    """Give the middle of each of a sign's lesions: several lie one above the other."""
    x, y, z = centre_mm(sign)
    gap = (sign.size_mm or 0) + 14.0
    for place in range(sign.count):
        yield x, y, z + (place - (sign.count - 1) / 2) * gap


def _pleural_space(canvas: _Canvas, kind: str, side: Side) -> NDArray[np.bool_]:
    """Give where fluid (behind and below) or air (in front) lies between a lung and its wall."""
    rx, ry, rz = _LUNG_RADII
    u = (canvas.x - _OUTWARD[side] * _LUNG_X) / rx
    v, w = canvas.y / ry, (canvas.z - _LUNG_Z) / rz
    in_lung = (u**2 + v**2 + w**2 < 1.12) & (canvas.intensity_hu < -60)
    if kind == "pleural effusion":
        return in_lung & (v > 0.42 + 0.35 * w) & (w < 0.35)
    return in_lung & (v < -0.38 - 0.1 * w)


def _pleural_hu(kind: str) -> float:
    return 8.0 if kind == "pleural effusion" else _AIR
