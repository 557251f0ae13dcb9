"""Regions of a picture painted over, by the boxes of its medium."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from overread.imaging.encode import encode_png
from overread.imaging.picture_effect import change_pixels
from overread.imaging.read import read_slice
from overread.imaging.render import PictureRenderer
from overread.records import Box, Effect, Media, Recipe

BOX = Box(x_min=4, y_min=3, x_max=12, y_max=8)  # 9 columns, 6 rows
ONLY = Effect(name="roi-only", parameters=(("grey", 128),))
MIRROR = Effect(name="mirror")


def mask(share: float) -> Effect:
    return Effect(name="roi-mask", parameters=(("grey", 128), ("share", share)))


def painted(effect: Effect, *boxes: Box) -> np.ndarray:
    pixels = np.full((20, 30), 7, dtype=np.uint8)
    return change_pixels(pixels, [effect], slices=False, boxes=boxes) == 128


@pytest.mark.parametrize(("share", "rows"), [(0, 0), (1 / 3, 2), (2 / 3, 4), (1, 6)])
def test_a_third_of_a_box_more_with_each_step(share: float, rows: int) -> None:
    grey = painted(mask(share), BOX)
    expected = np.zeros((20, 30), dtype=bool)
    expected[3 : 3 + rows, 4:13] = True
    assert (grey == expected).all()


def test_only_the_boxes_stay() -> None:
    other = Box(x_min=20, y_min=10, x_max=25, y_max=12)
    grey = painted(ONLY, BOX, other)
    assert not grey[3:9, 4:13].any()
    assert not grey[10:13, 20:26].any()
    assert (~grey).sum() == 9 * 6 + 6 * 3


def test_mask_and_rest_are_complements() -> None:
    ragged = Box(x_min=-5.5, y_min=2.4, x_max=11.6, y_max=40)
    assert (painted(mask(1.0), ragged) == ~painted(ONLY, ragged)).all()
    # Pixels whose centres are inside: columns 0 to 11, rows 3 to 19.
    assert painted(mask(1.0), ragged).sum() == 12 * 17


@pytest.mark.parametrize(
    ("box", "count"),
    [
        (Box(x_min=40, y_min=3, x_max=50, y_max=8), 0),
        (Box(x_min=4.2, y_min=3.2, x_max=4.8, y_max=3.8), 0),
        (Box(x_min=-9, y_min=-9, x_max=99, y_max=99), 600),
        (Box(x_min=8, y_min=8, x_max=4, y_max=3), 0),
    ],
)
def test_boxes_outside_without_area_or_over_all(box: Box, count: int) -> None:
    assert painted(mask(1.0), box).sum() == count


def test_without_boxes_nothing_is_painted() -> None:
    assert not painted(mask(1.0)).any()
    assert not painted(ONLY).any()


def test_the_box_of_a_medium_is_gone_by_whether_it_is_drawn_or_not(tmp_path: Path) -> None:
    (tmp_path / "a.png").write_bytes(encode_png(np.full((20, 30), 7, dtype=np.uint8)))
    for draws in (False, True):
        recipe = Recipe(draw_boxes=draws, effects=(mask(1.0),))
        media = Media(paths=("a.png",), recipe=recipe, boxes=(BOX,))
        (picture,) = PictureRenderer(tmp_path)(media)
        (tmp_path / "shown.png").write_bytes(picture.data)
        shown = read_slice(tmp_path / "shown.png").pixels
        assert picture.receipt.boxes_drawn == int(draws)
        middle = shown[5, 8] if shown.ndim == 2 else shown[5, 8, 0]
        assert middle == 128
        assert np.ravel(shown[0, 0])[0] == 7


def test_a_box_is_where_the_effects_before_have_moved_it(tmp_path: Path) -> None:
    pixels = np.full((20, 30), 7, dtype=np.uint8)
    both = change_pixels(pixels, [MIRROR, mask(1.0)], slices=False, boxes=[BOX])
    assert (both == change_pixels(pixels, [mask(1.0), MIRROR], slices=False, boxes=[BOX])).all()
