"""A volume and a recipe become slices, a mosaic or an array: the steps, in their order.

Orientation, grid, intensities, extent, choice of slices. Everything runs plane by plane along the
first axis of the recipe, so that the volume itself is all that is held.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from overread.errors import ImageError, UsageError, expected
from overread.imaging.bounds import check_voxels
from overread.imaging.extent import PADDING, centred_rows, even_rows
from overread.imaging.picture_effect import change_pixels, change_volume, effects_label
from overread.imaging.reorient import check_axes, reorient
from overread.imaging.resample import Taps, new_size, resampled_planes, taps
from overread.imaging.volume import Volume
from overread.imaging.window import ABDOMEN, apply_window, stretch_window, widened, window_label
from overread.records import Effect, VolumeRecipe, Window

__all__ = ["Preparation", "PreparedSlices", "prepare", "prepare_array", "prepare_slices"]

_INTEGERS: Final = ("int16", "uint8")
_SQUARE: Final = 0.02


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Preparation:
    """A recipe worked out for one volume; nothing is computed before planes are asked for."""

    volume: Volume
    recipe: VolumeRecipe
    axes: tuple[Taps, Taps, Taps]
    """Of the whole new grid, before extent and slices."""
    rows: tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.intp]]
    """Which voxels of the new grid are given, `PADDING` for none."""
    spacing_mm: tuple[float, float, float]
    windows: tuple[Window, ...]
    """As shown; none for values as they are."""
    window: str
    """For a receipt: ``-1000 to 400 HU``."""
    warnings: tuple[str, ...]
    effects: tuple[Effect, ...] = ()
    """Carried out on each plane; those of a whole volume are in `volume` already."""

    @property
    def shape(self) -> tuple[int, int, int]:
        """Voxels along the recipe's axes."""
        return len(self.rows[0]), len(self.rows[1]), len(self.rows[2])

    @property
    def source_rows(self) -> tuple[int, ...]:
        """For each plane its number on the new grid, -1 for padding."""
        return tuple(self.rows[0].tolist())

    def pictures(self) -> Iterator[NDArray[np.uint8]]:
        """Give each plane as a picture: uint8, (rows, columns) or (rows, columns, 3)."""
        low, high = self.recipe.scale
        pad = (self.recipe.pad - low) / (high - low) * 255 if high != low else 0.0
        grey_pad = int(np.clip(np.floor(pad + 0.5), 0, 255))
        for plane, inside in self._planes():
            channels = [_grey(plane, window, inside, grey_pad) for window in self.windows]
            shown = channels[0] if len(channels) == 1 else np.stack(channels, axis=-1)
            yield change_pixels(shown, self.effects, slices=True)

    def arrays(self) -> Iterator[tuple[NDArray[Any], ...]]:
        """Give each plane as the numbers of an array: one a window, or one without any."""
        dtype = np.dtype(self.recipe.dtype)
        for plane, inside in self._planes():
            if not self.windows:
                scaled = [plane]
            else:
                scaled = [_scaled(plane, window, self.recipe.scale) for window in self.windows]
            pad = np.float32(self.recipe.pad)
            yield tuple(
                _cast(change_pixels(np.where(inside, one, pad), self.effects, slices=True), dtype)
                for one in scaled
            )

    def _planes(self) -> Iterator[tuple[NDArray[np.float32], NDArray[np.bool_]]]:
        """Give each plane on its canvas with the mask of what is no padding."""
        kept = [rows[rows != PADDING] for rows in self.rows]
        places = np.ix_(*(np.flatnonzero(rows != PADDING) for rows in self.rows[1:]))
        shape = self.shape[1:]
        inside = np.zeros(shape, dtype=np.bool_)
        inside[places] = True
        empty = np.zeros(shape, dtype=np.float32), np.zeros(shape, dtype=np.bool_)
        whole = bool(inside.all())
        axes = [axis.taken(rows) for axis, rows in zip(self.axes, kept, strict=True)]
        view = reorient(self.volume.array, self.volume.geometry.axes, self.recipe.axes)
        planes = resampled_planes(view, self.volume.values, axes)
        for row in self.rows[0].tolist():
            if row == PADDING:
                yield empty
                continue
            plane = next(planes)
            if not whole:
                canvas = np.zeros(shape, dtype=np.float32)
                canvas[places] = plane
                plane = canvas
            yield plane, inside


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PreparedSlices:
    """The slices of a volume as they are shown."""

    pictures: tuple[NDArray[np.uint8], ...]
    """Shape (rows, columns) or (rows, columns, 3), in the order of the recipe's first axis."""
    axes: str
    spacing_mm: tuple[float, float, float]
    window: str
    warnings: tuple[str, ...]


def prepare(
    volume: Volume, recipe: VolumeRecipe, *, effects: tuple[Effect, ...] = ()
) -> Preparation:
    """Work a recipe out for a volume, with the effects on its voxels or planes.

    Windows are HU and mean nothing on a volume without HU: there the range from percentile 1 to
    99 of the volume is shown instead, and the warnings say so.

    Raises
    ------
    UsageError
        The recipe contradicts itself.
    ImageError
        The new grid would be out of bounds.
    """
    _check(recipe)
    volume = change_volume(volume, effects)
    axes, spacing = _axes(volume, recipe)
    sizes = [len(axis) for axis in axes]
    check_voxels(Path(recipe.name), tuple(sizes))
    rows = [np.arange(size, dtype=np.intp) for size in sizes]
    if recipe.shape is not None:
        check_voxels(Path(recipe.name), recipe.shape)
        rows = [centred_rows(*pair) for pair in zip(sizes, recipe.shape, strict=True)]
    if recipe.slices is not None:
        along = _head_axis(recipe.axes)
        rows[along] = rows[along][even_rows(len(rows[along]), recipe.slices)]
    windows, label, said = _windows(volume, recipe, axes)
    return Preparation(
        volume=volume,
        recipe=recipe,
        axes=axes,
        rows=(rows[0], rows[1], rows[2]),
        spacing_mm=spacing,
        windows=windows,
        window=label + effects_label(effects),
        warnings=(*volume.warnings, *said, *_distorted(recipe, spacing)),
        effects=effects,
    )


def prepare_slices(volume: Volume, recipe: VolumeRecipe) -> PreparedSlices:
    """Prepare a volume as pictures, one a plane along the recipe's first axis."""
    prepared = prepare(volume, recipe)
    return PreparedSlices(
        pictures=tuple(prepared.pictures()),
        axes=recipe.axes,
        spacing_mm=prepared.spacing_mm,
        window=prepared.window,
        warnings=prepared.warnings,
    )


def prepare_array(volume: Volume, recipe: VolumeRecipe) -> NDArray[Any]:
    """Prepare a volume as an array in memory.

    Returns
    -------
    ndarray
        The recipe's dtype; shape along its axes, after a first axis of channels where it has
        several windows.
    """
    planes = list(prepare(volume, recipe).arrays())
    channels = [np.stack(channel) for channel in zip(*planes, strict=True)]
    return channels[0] if len(channels) == 1 else np.stack(channels)


def _check(recipe: VolumeRecipe) -> None:
    check_axes(recipe.axes)
    stretch = recipe.stretch
    sizes = [*(recipe.shape or ()), *(stretch or ())]
    numbers = [*(recipe.spacing_mm or ()), *sizes, *([recipe.slices] if recipe.slices else [])]
    pictures = recipe.output != "array"
    faults = {
        "spacing, shape and slices above 0": recipe.slices != 0 and min(numbers, default=1) > 0,
        "one window, three, or none": len(recipe.windows) in (0, 1, 3),
        "either a spacing or a size to stretch to": not (recipe.spacing_mm and stretch),
        "a scale with two ends": recipe.scale[0] != recipe.scale[1],
        "pictures along the axis from feet to head where it counts slices": not (
            pictures and recipe.slices and _head_axis(recipe.axes)
        ),
    }
    for rule, holds in faults.items():
        if not holds:
            raise UsageError(
                expected(
                    f"recipe {recipe.name}",
                    rule=rule,
                    got="something else",
                    remedy="Correct the recipe.",
                )
            )


def _head_axis(axes: str) -> int:
    return next(number for number, letter in enumerate(axes) if letter in "SI")


def _axes(
    volume: Volume, recipe: VolumeRecipe
) -> tuple[tuple[Taps, Taps, Taps], tuple[float, float, float]]:
    """Find the new grid: its taps and its spacing in mm."""
    sizes, spacing = volume.geometry.along(recipe.axes)
    grid, stretch = recipe.grid, recipe.stretch
    if stretch is not None:
        ratios = [size / new for size, new in zip(sizes, stretch, strict=True)]
        counts: tuple[int, ...] = stretch
    else:
        wanted = recipe.spacing_mm or spacing
        ratios = [new / old for new, old in zip(wanted, spacing, strict=True)]
        counts = tuple(
            new_size(size, ratio, grid) for size, ratio in zip(sizes, ratios, strict=True)
        )
        if grid == "edges":
            ratios = [size / new for size, new in zip(sizes, counts, strict=True)]
    check_voxels(Path(recipe.name), counts)
    first, second, third = (
        taps(size, count, ratio, grid=grid, interpolation=recipe.interpolation)
        for size, count, ratio in zip(sizes, counts, ratios, strict=True)
    )
    apart = [old * ratio for old, ratio in zip(spacing, ratios, strict=True)]
    return (first, second, third), (apart[0], apart[1], apart[2])


def _windows(
    volume: Volume, recipe: VolumeRecipe, axes: tuple[Taps, Taps, Taps]
) -> tuple[tuple[Window, ...], str, tuple[str, ...]]:
    """Decide what is shown as black and white; its words for a receipt, and warnings."""
    unit = "HU" if volume.unit == "hu" else "stored"
    chosen = recipe.intensity_range
    if chosen != "windows":
        window = _whole_range(volume, recipe, axes, resampled=chosen == "resampled")
        return (window,) * (len(recipe.windows) or 1), window_label(window, unit=unit), ()
    pictures = recipe.output != "array"
    if not recipe.windows and not pictures:
        return (), f"as stored, {unit}" if unit == "HU" else "as stored", ()
    if volume.unit == "hu":
        windows = recipe.windows or (ABDOMEN,)
        labels = dict.fromkeys(window_label(window, unit=unit) for window in windows)
        return windows, ", ".join(labels), ()
    window = stretch_window(volume.sample())
    said = "no HU (stated so, or no value below -300): shown from percentile 1 to 99 of the volume"
    return (
        (window,) * (len(recipe.windows) or 1),
        window_label(window, unit=unit),
        (said,) if recipe.windows else (),
    )


def _distorted(recipe: VolumeRecipe, spacing_mm: tuple[float, float, float]) -> tuple[str, ...]:
    """Say so when pictures show a round thing as an oval."""
    _, down, across = spacing_mm
    if recipe.output == "array" or abs(down - across) <= _SQUARE * across:
        return ()
    return (f"pixels of {across:.3g} × {down:.3g} mm: the pictures are distorted",)


def _whole_range(
    volume: Volume, recipe: VolumeRecipe, axes: tuple[Taps, Taps, Taps], *, resampled: bool
) -> Window:
    view = reorient(volume.array, volume.geometry.axes, recipe.axes)
    planes = (
        resampled_planes(view, volume.values, axes)
        if resampled
        else (volume.values(view[row]) for row in range(view.shape[0]))
    )
    low, high = np.inf, -np.inf
    for plane in planes:
        finite = plane[np.isfinite(plane)]
        if finite.size:
            low, high = min(low, float(finite.min())), max(high, float(finite.max()))
    if not np.isfinite(low):
        raise ImageError(
            expected("volume", rule="values", got="no number at all", remedy="Copy the file again.")
        )
    if high <= low:  # a volume of one value becomes all black, as in the released preparations
        window = widened(low, low)
        return Window(low_hu=low, high_hu=2 * window.high_hu - low)
    return widened(low, high)


def _grey(
    plane: NDArray[np.float32], window: Window, inside: NDArray[np.bool_], pad: int
) -> NDArray[np.uint8]:
    grey = apply_window(plane, window)
    return grey if inside.all() else np.where(inside, grey, np.uint8(pad))


def _scaled(
    plane: NDArray[np.float32], window: Window, scale: tuple[float, float]
) -> NDArray[np.float32]:
    """Map a window onto a scale and cut beyond its ends; what is no number becomes black."""
    black, white = scale
    part = (plane - np.float32(window.low_hu)) / np.float32(window.high_hu - window.low_hu)
    part = np.nan_to_num(np.clip(part, 0, 1), nan=0.0)
    return part * np.float32(white - black) + np.float32(black)


def _cast(plane: NDArray[np.float32], dtype: np.dtype[Any]) -> NDArray[Any]:
    if dtype.name not in _INTEGERS:
        with np.errstate(over="ignore"):
            return plane.astype(dtype)
    limits = np.iinfo(dtype)
    rounded = np.rint(plane)
    if not bool(((rounded >= limits.min) & (rounded <= limits.max)).all()):
        raise ImageError(
            expected(
                "volume",
                rule=f"values that {dtype.name} can hold ({limits.min} to {limits.max})",
                got="a value beyond it, or one that is no number",
                remedy="Choose a recipe of floating-point numbers.",
            )
        )
    return rounded.astype(dtype)
