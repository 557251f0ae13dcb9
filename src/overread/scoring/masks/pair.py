"""Two masks of one case, read once and measured once, however many scorers look at them."""

from __future__ import annotations

import hashlib
import os
import threading
from collections import OrderedDict
from collections.abc import Collection, Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

from overread.errors import ImageError, expected
from overread.imaging.label_box import label_box, labels_of, union_box
from overread.imaging.label_map import LabelMap, read_label_map
from overread.imaging.label_values import LabelArray
from overread.imaging.mask_geometry import GeometryReport, examine_geometry, resample_labels
from overread.scoring.masks.doubts import GRID_RULE

if TYPE_CHECKING:
    from overread.metrics.components import Connectivity
    from overread.metrics.lesions import LesionOverlap
    from overread.metrics.overlap import Overlap
    from overread.metrics.surface import SurfaceDistances

__all__ = [
    "MaskPair",
    "PredictionMaskError",
    "ReferenceMaskError",
    "file_hash",
    "open_pair",
    "read_reference",
]

_PAIRS_KEPT: Final = 2
_BYTES_KEPT: Final = 2**29
"""Of masks in more than one pair: a large case leaves when the next one comes."""
_HASH_PIECE: Final = 2**20


class ReferenceMaskError(ImageError):
    """The reference of a case cannot be used: nobody can be scored on it."""


class PredictionMaskError(ImageError):
    """A predicted mask cannot be used, or lies on another grid than its reference."""


class MaskPair:
    """A reference and a prediction, with all that is measured of them; kept until both go.

    Nothing is measured before it is asked for. Arrays are cropped to the box of all labels of both
    first, so that a small lesion in a large volume costs what the lesion costs.

    Parameters
    ----------
    reference, prediction
        The two label maps.
    known_labels
        What the release or the user named; None where every label goes.

    Notes
    -----
    Where the two are of one size but lie on different grids, counts of voxels are still given, by
    index, since a benchmark's own code may do just that: ask `report` first, or `check`.
    """

    def __init__(
        self,
        reference: LabelMap,
        prediction: LabelMap,
        *,
        known_labels: Collection[int] | None = None,
    ) -> None:
        self.reference = reference
        self.prediction = prediction
        self.known_labels = None if known_labels is None else tuple(known_labels)
        self._lesions: dict[tuple[int, Connectivity], LesionOverlap] = {}
        self._surfaces: dict[int, SurfaceDistances | None] = {}

    @cached_property
    def report(self) -> GeometryReport:
        """What the geometry doctor says."""
        return examine_geometry(self.reference, self.prediction, known_labels=self.known_labels)

    def check(self) -> None:
        """Refuse two masks that do not lie on one grid.

        Raises
        ------
        PredictionMaskError
            With what differs, and the turn that would mend it where there is one.
        """
        if self.report.same:
            return
        raise PredictionMaskError(
            expected(
                self.prediction.source,
                rule=GRID_RULE,
                got="; ".join(self.report.problems),
                remedy=self.report.advice
                or "Write the mask on the grid of the volume it was made of, or say how to "
                "resample it.",
            )
        )

    @cached_property
    def box(self) -> tuple[slice, ...]:
        """The smallest box that holds every label of both; an empty one where there is none.

        Raises
        ------
        PredictionMaskError
            The two are of different sizes.
        """
        if self.reference.array.shape != self.prediction.array.shape:
            self.check()
        box = union_box(label_box(self.reference.array), label_box(self.prediction.array))
        return box if box is not None else (slice(0, 0),) * self.reference.array.ndim

    @property
    def cropped(self) -> tuple[LabelArray, LabelArray]:
        """Reference and prediction within `box`: views."""
        return self.reference.array[self.box], self.prediction.array[self.box]

    @cached_property
    def reference_labels(self) -> tuple[int, ...]:
        """Labels of the reference, ascending, without 0."""
        return labels_of(self.cropped[0])

    @cached_property
    def prediction_labels(self) -> tuple[int, ...]:
        """Labels of the prediction, ascending, without 0."""
        return labels_of(self.cropped[1])

    @cached_property
    def labels(self) -> tuple[int, ...]:
        """Labels of either, ascending, without 0."""
        return tuple(sorted({*self.reference_labels, *self.prediction_labels}))

    @cached_property
    def overlaps(self) -> Mapping[int, Overlap]:
        """Counts of voxels of each label of either; see `overlap` for one that may be absent."""
        from overread.metrics.overlap import overlap_table

        return overlap_table(*self.cropped, self.labels)

    def overlap(self, label: int) -> Overlap:
        """Give the counts of one label, which neither may have."""
        from overread.metrics.overlap import Overlap

        return self.overlaps.get(label) or Overlap(0, 0, 0)

    @property
    def spacing_mm(self) -> tuple[float, ...] | None:
        """Of the reference, else of the prediction; None where neither says it."""
        return self.reference.spacing_mm or self.prediction.spacing_mm

    @property
    def voxel_ml(self) -> float | None:
        """Volume of a voxel; None for pictures and without a spacing."""
        return self.reference.voxel_ml or self.prediction.voxel_ml

    def surface(self, label: int, *, among: Collection[int] = ()) -> SurfaceDistances | None:
        """Give the surface distances of one label, weighted by area.

        Parameters
        ----------
        label
            The label.
        among
            All labels that will be asked for: they are measured together, which is faster.

        Returns
        -------
        SurfaceDistances or None
            None where the label is on one side only, or on none.

        Raises
        ------
        ReferenceMaskError
            Neither file says how large a voxel is.
        """
        from overread.metrics.surface import label_surface_distances

        if label not in self._surfaces:
            if self.spacing_mm is None:
                raise ReferenceMaskError(
                    expected(
                        self.reference.source,
                        rule="a voxel size, without which there are no distances",
                        got="a file that states none",
                        remedy="Give it: --spacing X,Y,Z in mm.",
                    )
                )
            wanted = [each for each in {label, *among} if each not in self._surfaces]
            present = {*self.reference_labels} & {*self.prediction_labels}
            self._surfaces.update(dict.fromkeys(wanted))
            measured = [each for each in sorted(wanted) if each in present]
            if measured:
                self._surfaces.update(
                    label_surface_distances(*self.cropped, measured, self.spacing_mm)
                )
        return self._surfaces[label]

    def masks(self, label: int) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Give one label of both as boolean arrays, within the box of all labels."""
        reference, prediction = self.cropped
        return reference == label, prediction == label

    def lesions(self, label: int, connectivity: Connectivity) -> LesionOverlap:
        """Give the components of one label on both sides, and where they meet."""
        from overread.metrics.lesions import lesion_overlap

        key = (label, connectivity)
        if key not in self._lesions:
            reference, prediction = self.masks(label)
            self._lesions[key] = lesion_overlap(reference, prediction, connectivity=connectivity)
        return self._lesions[key]

    def resampled(self) -> MaskPair:
        """Bring the prediction onto the reference's grid by the nearest voxel.

        Raises
        ------
        PredictionMaskError
            One of the two does not say where it lies.
        """
        try:
            moved = resample_labels(self.prediction, like=self.reference)
        except ImageError as error:
            raise PredictionMaskError(str(error)) from error
        return MaskPair(self.reference, moved, known_labels=self.known_labels)

    def spaced(self, spacing_mm: tuple[float, ...]) -> MaskPair:
        """Take one spacing for true on both sides, whatever the files say."""
        return MaskPair(
            self.reference.spaced(spacing_mm),
            self.prediction.spaced(spacing_mm),
            known_labels=self.known_labels,
        )


def open_pair(
    reference_path: Path, prediction_path: Path, known_labels: Collection[int] | None = None
) -> MaskPair:
    """Read two masks; the last two pairs of this process are kept, with all that was measured.

    So the scorers of two profiles that are put to one case after each other share the work. Of
    large cases only the last pair is kept. A file that was written again since is read again.

    Parameters
    ----------
    reference_path, prediction_path
        The files.
    known_labels
        What the release names; None where every label goes.

    Raises
    ------
    ReferenceMaskError
        The reference cannot be read.
    PredictionMaskError
        The prediction cannot be read. Whether both lie on one grid is not looked at: see
        `MaskPair.check`.
    MissingExtraError
        A MetaImage without the extra ``itk``.
    """
    labels = None if known_labels is None else tuple(sorted(known_labels))
    stamps = _stamp(reference_path), _stamp(prediction_path)
    with _lock:
        found = _kept.get((*stamps, labels))
        if found is not None:
            _kept.move_to_end((*stamps, labels))
            return found
        # Named otherwise by another scorer: the same masks under other labels.
        same = next((pair for key, pair in _kept.items() if key[:2] == stamps), None)
    if same is not None:
        pair = MaskPair(same.reference, same.prediction, known_labels=labels)
    else:
        reference = read_reference(reference_path)
        pair = MaskPair(reference, _read_prediction(prediction_path), known_labels=labels)
    with _lock:
        _kept[*stamps, labels] = pair
        while len(_kept) > _PAIRS_KEPT or (len(_kept) > 1 and _kept_bytes() > _BYTES_KEPT):
            _kept.popitem(last=False)
    return pair


def read_reference(path: Path) -> LabelMap:
    """Read a reference, kept from the pairs of this process where it was read.

    Raises
    ------
    ReferenceMaskError
        It cannot be read.
    """
    stamp = _stamp(path)
    with _lock:
        for (reference_stamp, _, _), pair in _kept.items():
            if reference_stamp == stamp:
                return pair.reference
    try:
        return read_label_map(path)
    except ImageError as error:
        raise ReferenceMaskError(str(error)) from error


def file_hash(path: Path) -> str:
    """Give ``sha256:…`` of a file, as `Response.text` has it of a mask.

    Raises
    ------
    PredictionMaskError
        It cannot be read.
    """
    stamp = _stamp(path)
    with _lock:
        if stamp in _hashes:
            return _hashes[stamp]
    try:
        digest = hashlib.sha256()
        with path.open("rb") as file:
            while piece := file.read(_HASH_PIECE):
                digest.update(piece)
    except OSError as error:
        raise PredictionMaskError(
            expected(
                str(path),
                rule="a mask that can be read",
                got=error.strerror or error,
                remedy="Write it again.",
            )
        ) from error
    found = f"sha256:{digest.hexdigest()}"
    with _lock:
        _hashes[stamp] = found
        while len(_hashes) > _PAIRS_KEPT:
            _hashes.popitem(last=False)
    return found


def _kept_bytes() -> int:
    """Count the bytes of all masks kept, each once."""
    arrays = [side.array for pair in _kept.values() for side in (pair.reference, pair.prediction)]
    return sum({id(array): array.nbytes for array in arrays}.values())


def _read_prediction(path: Path) -> LabelMap:
    try:
        return read_label_map(path)
    except ImageError as error:
        raise PredictionMaskError(str(error)) from error


_Stamp = tuple[str, int, int]


def _stamp(path: Path) -> _Stamp:
    """Tell a file's state: name, size and time of writing; an absent one has none."""
    try:
        state = path.stat()
    except OSError:
        return os.fspath(path), -1, -1
    return os.fspath(path), state.st_size, state.st_mtime_ns


_lock = threading.Lock()
_kept: OrderedDict[tuple[_Stamp, _Stamp, tuple[int, ...] | None], MaskPair] = OrderedDict()
_hashes: OrderedDict[_Stamp, str] = OrderedDict()
