"""Clicks of the interactive task: read from their files, and simulated on a mask.

A case has up to ten clicks on lesions and ten in the rest of the liver. After n of them a model has
been shown the first n of each; before, none.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, cast

import numpy as np
from numpy.typing import NDArray

from overread.errors import UsageError, expected
from overread.metrics.click_curve import CLICKS

if TYPE_CHECKING:
    from overread.records import JsonValue

__all__ = ["MOST_CLICKS", "Clicks", "read_clicks", "simulate_clicks"]

MOST_CLICKS: Final = CLICKS - 1
"""Of each kind."""
_LESION_KEYS: Final = ("lesion", "tumor")
"""The scorer's container reads the first; one of the two released simulators writes the second."""
_LARGEST_FILE: Final = 2**20

Voxel = tuple[int, int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Clicks:
    """Voxel indices i, j, k, in the order of clicking."""

    lesion: tuple[Voxel, ...] = ()
    background: tuple[Voxel, ...] = ()
    problems: tuple[str, ...] = ()
    """What is odd about the file they were read from."""

    def first(self, count: int) -> Clicks:
        """Give the first so many of each kind."""
        return Clicks(lesion=self.lesion[:count], background=self.background[:count])

    def as_json(self) -> Mapping[str, JsonValue]:
        """Give them as the container's model gets them."""
        return {
            "lesion": [list(each) for each in self.lesion],
            "background": [list(each) for each in self.background],
        }


def read_clicks(path: Path) -> Clicks:
    """Read the clicks of a case, whatever the file holds: what is odd is in `Clicks.problems`."""
    try:
        if path.stat().st_size > _LARGEST_FILE:
            return Clicks(problems=(f"more than {_LARGEST_FILE:,} bytes",))
        document = json.loads(path.read_text(encoding="utf-8-sig"))
    except (OSError, ValueError, RecursionError) as error:
        return Clicks(problems=(f"it cannot be read ({error})",))
    if not isinstance(document, dict):
        return Clicks(problems=("it holds no object of two lists",))
    held = cast("dict[str, Any]", document)
    problems: list[str] = []
    key = next((each for each in _LESION_KEYS if each in held), None)
    if all(each in held for each in _LESION_KEYS):
        problems.append("both 'lesion' and 'tumor': the first was taken")
    if key is None:
        problems.append("no list of clicks on lesions")
    lesion = _voxels(held.get(key or ""), "lesion", problems)
    background = _voxels(held.get("background"), "background", problems)
    return Clicks(lesion=lesion, background=background, problems=tuple(problems))


def simulate_clicks(
    lesions: NDArray[np.bool_], liver: NDArray[np.bool_], rng: np.random.Generator
) -> Clicks:
    """Simulate the clicks of a user, after the challenge's own simulator, which needs a GPU.

    First a click into the middle of up to ten lesions (components of 26 neighbours) in a random
    order: the voxel farthest from the border. What is left of ten clicks goes to border voxels of
    these lesions in turn. Clicks on the background are drawn from the liver without lesions, each
    voxel at most once. A case without lesions gets clicks on the background alone.

    Parameters
    ----------
    lesions, liver
        Boolean, of one shape and three dimensions.
    rng
        What is drawn from. The released simulator draws from NumPy's global state with seed 42; its
        very clicks are not repeated here.

    Raises
    ------
    UsageError
        The shapes differ, or the liver has no voxel outside the lesions.
    """
    if lesions.shape != liver.shape:
        raise UsageError(
            expected(
                "liver",
                rule=f"a mask of shape {lesions.shape}, as the lesions'",
                got=liver.shape,
                remedy="Resample it to the grid of the lesions.",
            )
        )
    free = np.argwhere(liver & ~lesions)
    if not free.size:
        raise UsageError(
            expected(
                "liver",
                rule="voxels of the liver beside the lesions",
                got="none",
                remedy="Give the mask of the whole liver.",
            )
        )
    places = rng.choice(len(free), size=min(MOST_CLICKS, len(free)), replace=False)
    background = [_voxel(free[place]) for place in places]
    return Clicks(lesion=tuple(_on_lesions(lesions, rng)), background=tuple(background))


def _on_lesions(lesions: NDArray[np.bool_], rng: np.random.Generator) -> list[Voxel]:
    from scipy import ndimage

    labels, count = cast("Any", ndimage).label(lesions, structure=np.ones((3, 3, 3)))
    if not count:
        return []
    boxes = cast("Any", ndimage).find_objects(labels)
    middles: list[Voxel] = []
    borders: list[NDArray[np.int64]] = []
    for number in rng.choice(count, size=min(MOST_CLICKS, count), replace=False):
        box = boxes[number]
        start = np.array([span.start for span in box])
        # A rim of background around the box, for what touches it.
        inside = np.pad(labels[box] == number + 1, 1)
        depth = cast("NDArray[np.float64]", cast("Any", ndimage).distance_transform_edt(inside))
        middle = np.unravel_index(int(depth.argmax()), depth.shape)
        middles.append(_voxel(np.array(middle) - 1 + start))
        borders.append(np.argwhere(inside & (depth == depth[inside].min())) - 1 + start)
    clicks = list(middles)
    while len(clicks) < MOST_CLICKS:
        border = borders[(len(clicks) - len(middles)) % len(borders)]
        clicks.append(_voxel(border[rng.integers(len(border))]))
    return clicks


def _voxel(index: NDArray[Any]) -> Voxel:
    i, j, k = (int(each) for each in index)
    return i, j, k


def _voxels(listed: object, kind: str, problems: list[str]) -> tuple[Voxel, ...]:
    if listed is None:
        return ()
    if not isinstance(listed, list):
        problems.append(f"'{kind}' is no list")
        return ()
    good: list[Voxel] = []
    for each in cast("list[object]", listed)[: 10 * MOST_CLICKS]:
        numbers = cast("Sequence[object]", each) if isinstance(each, list) else ()
        whole = [one for one in numbers if isinstance(one, int) and not isinstance(one, bool)]
        if len(numbers) == 3 and len(whole) == 3 and min(whole) >= 0:
            good.append((whole[0], whole[1], whole[2]))
        else:
            problems.append(f"a click of '{kind}' is no triple of whole numbers from 0")
            break
    if len(good) > MOST_CLICKS:
        problems.append(f"more than {MOST_CLICKS} clicks of '{kind}'")
    return tuple(good[:MOST_CLICKS])
