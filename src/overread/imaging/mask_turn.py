"""Which of the 48 turns of an array would make a poor fit a good one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import permutations, product
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from overread.imaging.label_box import label_box, union_box

__all__ = ["LOW_DICE", "MIDDLING_DICE", "Turn", "better_turn", "foreground_dice"]

LOW_DICE: Final = 0.6
"""Below it a turn is looked for even where the headers agree: headers can be wrong."""
MIDDLING_DICE: Final = 0.9
"""Likewise where one label alone is below `LOW_DICE`."""

_GOOD_DICE: Final = 0.5
_GAIN: Final = 0.25
_LEFT: Final = 0.2
"""Of what is missing to 1, after a turn that is named where Dice is middling as stored: two labels
that a mirror leaves nearly in place hide a third that it does not."""
_SLACK: Final = 0.05
"""By which a sample of voxels may be wrong about Dice."""
_SAMPLE: Final = 20_000
"""Voxels with a label that are looked up for each turn."""
_CONFIRMED: Final = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """A turn of an array: axes in another order, some of them reversed."""

    order: tuple[int, ...]
    """Axis `n` of the turned array is axis ``order[n]`` of the stored one."""
    reversed_axes: tuple[bool, ...]
    """Whether axis `n` of the turned array runs the other way."""
    dice: float
    """Of all labels together, after the turn."""

    @property
    def words(self) -> str:
        """Say what is done: ``axes 1 and 2 swapped, axis 3 reversed``, counted from 1."""
        said: list[str] = []
        if self.order != tuple(range(len(self.order))):
            moved = [n for n, axis in enumerate(self.order) if axis != n]
            if len(moved) == 2:
                said.append(f"axes {moved[0] + 1} and {moved[1] + 1} swapped")
            else:
                said.append("axes in the order " + ", ".join(str(a + 1) for a in self.order))
        back = [str(n + 1) for n, flipped in enumerate(self.reversed_axes) if flipped]
        if back:
            then = " afterwards" if said else ""
            axes = f"axis {back[0]}" if len(back) == 1 else f"axes {' and '.join(back)}"
            said.append(f"{axes} reversed{then}")
        return ", ".join(said)

    def of(self, array: NDArray[Any]) -> NDArray[Any]:
        """Turn an array: a view."""
        steps = tuple(slice(None, None, -1 if flip else 1) for flip in self.reversed_axes)
        return np.transpose(array, self.order)[steps]


def foreground_dice(reference: NDArray[Any], prediction: NDArray[Any]) -> float | None:
    """Give Dice of all labels together: a voxel agrees when both have the same label above 0.

    Returns
    -------
    float or None
        0 to 1. None where the shapes differ or both are empty.
    """
    if reference.shape != prediction.shape:
        return None
    box = union_box(label_box(reference), label_box(prediction))
    if box is None:
        return None
    reference, prediction = reference[box], prediction[box]
    total = int(np.count_nonzero(reference)) + int(np.count_nonzero(prediction))
    return 2.0 * _agreeing(reference, prediction) / total


def better_turn(
    reference: NDArray[Any], prediction: NDArray[Any], *, stored: float | None
) -> Turn | None:
    """Find the turn of the prediction that fits far better than it does as stored.

    Every turn that brings the prediction to the reference's size is tried on a sample of its voxels
    with a label, taken evenly; the three best are then measured whole.

    Parameters
    ----------
    reference, prediction
        Label arrays of two or three axes.
    stored
        Dice of all labels together as stored; None where the shapes differ.

    Returns
    -------
    Turn or None
        None where no turn brings Dice to 0.5 at least and either up by 0.25 or so close to 1 that
        a fifth of the difference is left.
    """
    box, wanted = label_box(prediction), label_box(reference)
    if reference.ndim != prediction.ndim or box is None or wanted is None:
        return None
    n_prediction = int(np.count_nonzero(prediction[box]))
    n_reference = int(np.count_nonzero(reference[wanted]))
    total = n_reference + n_prediction
    if 2.0 * min(n_reference, n_prediction) / total < _GOOD_DICE:
        return None  # of such different sizes that no turn can do it
    places = _sample(prediction, box, n_prediction)
    labels = prediction[places]
    found: list[tuple[float, tuple[int, ...], tuple[bool, ...]]] = []
    for axes, back in _turns(prediction.ndim):
        if tuple(prediction.shape[axis] for axis in axes) != reference.shape:
            continue
        turned = tuple(
            reference.shape[n] - 1 - places[axis] if flip else places[axis]
            for n, (axis, flip) in enumerate(zip(axes, back, strict=True))
        )
        found.append((float(np.mean(reference[turned] == labels)), axes, back))
    found.sort(key=lambda each: -each[0])
    best: Turn | None = None
    was = stored or 0.0
    enough = max(_GOOD_DICE, min(was + _GAIN, 1.0 - _LEFT * (1.0 - was)))
    for share, axes, back in found[:_CONFIRMED]:
        if 2.0 * share * n_prediction / total < enough - _SLACK:
            break
        turn = Turn(order=axes, reversed_axes=back, dice=0.0)
        agreeing = _agreeing(reference[wanted], turn.of(prediction)[wanted])
        dice = 2.0 * agreeing / total
        if best is None or dice > best.dice:
            best = Turn(order=axes, reversed_axes=back, dice=dice)
    return None if best is None or best.dice < enough else best


def _sample(
    array: NDArray[Any], box: tuple[slice, ...], n_labelled: int
) -> tuple[NDArray[np.intp], ...]:
    """Give the places of about so many voxels with a label, taken evenly, plane by plane."""
    step = max(1, n_labelled // _SAMPLE)
    held: list[tuple[NDArray[np.intp], ...]] = []
    n_before = 0
    first = [axis.start for axis in box]
    for number in range(box[-1].start, box[-1].stop):
        found = np.nonzero(array[(*box[:-1], number)])
        kept = slice(-n_before % step, None, step)
        n_before += found[0].size
        places = [axis[kept] + start for axis, start in zip(found, first, strict=False)]
        held.append((*places, np.full(places[0].size, number, dtype=np.intp)))
    return tuple(np.concatenate(axis) for axis in zip(*held, strict=True))


def _turns(n_axes: int) -> Iterator[tuple[tuple[int, ...], tuple[bool, ...]]]:
    """Give every turn but the one that changes nothing: 47 of three axes, 7 of two."""
    for order in permutations(range(n_axes)):
        for back in product((False, True), repeat=n_axes):
            if order != tuple(range(n_axes)) or any(back):
                yield order, back


def _agreeing(reference: NDArray[Any], prediction: NDArray[Any]) -> int:
    """Count voxels where both have one label above 0, plane by plane to hold little."""
    count = 0
    for number in range(reference.shape[-1]):
        plane = reference[..., number]
        same = plane == prediction[..., number]
        same &= plane != 0
        count += int(np.count_nonzero(same))
    return count
