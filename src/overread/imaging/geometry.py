"""Where the voxels of a volume lie in the patient: checked once, trusted afterwards."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import permutations
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from overread.errors import ImageError, expected
from overread.imaging.reorient import turn_of

__all__ = ["LPS_FROM_RAS", "Geometry", "geometry_of"]

LPS_FROM_RAS: Final = np.diag([-1.0, -1.0, 1.0, 1.0])
"""NIfTI counts to the right, anterior and superior; DICOM and we to the left, posterior and
superior."""

_MOST_SHEAR_DEG: Final = 0.5
"""Headers round their numbers; a gantry tilt is several degrees."""

_SPACING_MM: Final = (1e-3, 1e3)
_OBLIQUE_DEG: Final = 5.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Geometry:
    """The grid of a volume; made by `geometry_of`, which refuses what is no grid."""

    affine_lps: tuple[tuple[float, ...], ...]
    """4 × 4: voxel index (i, j, k, 1) → millimetres to the patient's left, posterior and
    superior. Index 0 is the centre of the first voxel."""
    shape: tuple[int, int, int]

    @property
    def spacing_mm(self) -> tuple[float, float, float]:
        """Distance of voxel centres along i, j and k."""
        lengths = np.linalg.norm(np.asarray(self.affine_lps)[:3, :3], axis=0)
        return float(lengths[0]), float(lengths[1]), float(lengths[2])

    @property
    def axes(self) -> str:
        """Where i, j and k grow in the patient, to the nearest direction: ``LPS``."""
        return _axes(np.asarray(self.affine_lps)[:3, :3])

    @property
    def oblique_deg(self) -> float:
        """Angle between the grid and the directions that `axes` names, the largest of three."""
        matrix = np.asarray(self.affine_lps)[:3, :3]
        unit = np.abs(matrix / np.linalg.norm(matrix, axis=0))
        rows = ["LRPASI".index(letter) // 2 for letter in self.axes]
        nearest = min(float(unit[row, axis]) for axis, row in enumerate(rows))
        return float(np.degrees(np.arccos(min(1.0, nearest))))

    def warnings(self) -> tuple[str, ...]:
        """Say what a person should know: an oblique grid is shown along its own axes."""
        if self.oblique_deg <= _OBLIQUE_DEG:
            return ()
        return (
            f"the grid is turned by {self.oblique_deg:.0f}° against the patient: its axes are "
            f"named by the nearest directions, {self.axes}",
        )

    def along(self, axes: str) -> tuple[tuple[int, int, int], tuple[float, float, float]]:
        """Give shape and spacing in mm along other axes, such as ``SPL``."""
        order, _ = turn_of(self.axes, axes)
        spacing = self.spacing_mm
        shape = self.shape
        return (
            (shape[order[0]], shape[order[1]], shape[order[2]]),
            (spacing[order[0]], spacing[order[1]], spacing[order[2]]),
        )


def geometry_of(affine_lps: NDArray[Any], shape: Sequence[int], *, source: str) -> Geometry:
    """Check an affine and make a Geometry of it.

    Parameters
    ----------
    affine_lps
        Shape (4, 4), voxel index → mm in LPS.
    shape
        Voxels along i, j, k.
    source
        The file, for messages.

    Raises
    ------
    ImageError
        Values that are no number, a spacing of zero (or one no scanner has), axes that do not
        span a volume or are sheared (not at right angles, as after a gantry tilt).
    """
    affine = np.asarray(affine_lps, dtype=np.float64)
    if affine.shape != (4, 4) or not np.isfinite(affine).all():
        raise _bad(source, "values that are no number", "Write the header again.")
    matrix = affine[:3, :3]
    spacing = np.linalg.norm(matrix, axis=0)
    shown = " × ".join(f"{length:g}" for length in spacing)
    low, high = _SPACING_MM
    if not ((spacing >= low) & (spacing <= high)).all():
        raise _bad(
            source,
            f"a spacing of {shown} mm",
            "State the distance of its voxels in mm; without it nothing has a size or a side.",
        )
    unit = matrix / spacing
    cosines = np.abs(np.array([unit[:, a] @ unit[:, b] for a, b in ((0, 1), (0, 2), (1, 2))]))
    shear_deg = float(np.degrees(np.arcsin(min(1.0, float(cosines.max())))))
    if abs(float(np.linalg.det(unit))) < 1e-3:
        raise _bad(source, "axes that lie in one plane", "Write the header again.")
    if shear_deg > _MOST_SHEAR_DEG:
        raise _bad(
            source,
            f"a sheared grid ({shear_deg:.1f}° off a right angle)",
            "Resample it to a grid of right angles; a tilted gantry makes such volumes.",
        )
    first, second, third = (int(size) for size in shape)
    return Geometry(
        affine_lps=tuple(tuple(float(value) for value in row) for row in affine),
        shape=(first, second, third),
    )


def _axes(matrix: NDArray[np.float64]) -> str:
    """Name the columns so that each of the patient's three axes is named once."""
    unit = matrix / np.linalg.norm(matrix, axis=0)
    best = max(
        permutations(range(3)),
        key=lambda rows: sum(abs(float(unit[row, axis])) for axis, row in enumerate(rows)),
    )
    return "".join(("LPS" if unit[row, axis] > 0 else "RAI")[row] for axis, row in enumerate(best))


def _bad(source: str, got: str, remedy: str) -> ImageError:
    return ImageError(
        expected(source, rule="a volume on a rectangular grid", got=got, remedy=remedy)
    )
