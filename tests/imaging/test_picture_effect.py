from __future__ import annotations

from pathlib import Path

import nibabel
import numpy as np
import pytest

from overread.errors import UsageError
from overread.imaging.boxes import draw_box
from overread.imaging.encode import encode_png
from overread.imaging.picture_effect import (
    change_boxes,
    change_pixels,
    effect_names,
    effects_label,
    find_effect,
)
from overread.imaging.read import read_slice
from overread.imaging.recipes import recipe_named
from overread.imaging.render import PictureRenderer
from overread.records import Box, Effect, Media, Recipe, VolumeRecipe, Window

MIRROR = Effect(name="mirror")
BLUR = Effect(name="blur", parameters=(("sigma_of_side", 1 / 16),))


def noise(shape: tuple[int, ...], seed: int = 3) -> np.ndarray:
    return np.random.default_rng(seed).integers(0, 256, shape, dtype=np.uint8)


def rendered(root: Path, media: Media) -> np.ndarray:
    (picture,) = PictureRenderer(root)(media)
    (root / "rendered.png").write_bytes(picture.data)
    return read_slice(root / "rendered.png").pixels


def test_effects_are_found_by_name() -> None:
    assert {"blur", "mirror"} <= set(effect_names())
    assert find_effect("mirror").name == "mirror"
    with pytest.raises(UsageError, match="blur"):
        find_effect("no-such-effect")


def test_several_effects_go_on_from_exact_numbers() -> None:
    pixels = np.arange(256, dtype=np.uint8).reshape(16, 16)
    dim = Effect(name="exposure", parameters=(("factor", 0.25),))
    stretch = Effect(name="minmax", parameters=(("by_colour", False),))
    at_once = change_pixels(pixels, [dim, stretch], slices=False)
    assert (at_once == pixels).all()
    one_by_one = change_pixels(change_pixels(pixels, [dim], slices=False), [stretch], slices=False)
    assert np.abs(one_by_one.astype(int) - pixels).max() >= 2  # only 65 greys were left
    assert at_once.dtype == np.uint8


def test_mirror_turns_left_to_right_and_twice_is_nothing() -> None:
    pixels = noise((5, 8, 3))
    once = change_pixels(pixels, [MIRROR], slices=False)
    assert (once == pixels[:, ::-1]).all()
    assert (change_pixels(once, [MIRROR], slices=False) == pixels).all()


def test_a_box_moves_with_the_mirrored_picture() -> None:
    pixels, box = noise((20, 31)), Box(x_min=2, y_min=4, x_max=9, y_max=11)
    (moved,) = change_boxes([box], [MIRROR], width=31, height=20)
    drawn_first = change_pixels(draw_box(pixels, box), [MIRROR], slices=False)
    drawn_last = draw_box(change_pixels(pixels, [MIRROR], slices=False), moved)
    assert (drawn_first == drawn_last).all()
    assert change_boxes([box], [BLUR], width=31, height=20) == (box,)


def test_blur_spreads_a_point_as_a_gaussian_does() -> None:
    pixels = np.zeros((64, 64), dtype=np.float32)
    pixels[32, 32] = 1.0
    # sigma = 64 / 16 = 4 px: the peak of a two-dimensional Gaussian is 1 / (2 pi sigma^2).
    blurred = change_pixels(pixels, [BLUR], slices=False)
    assert blurred[32, 32] == pytest.approx(1 / (2 * np.pi * 16), rel=2e-3)
    assert blurred.sum() == pytest.approx(1.0, abs=1e-3)
    assert blurred[32, 36] / blurred[32, 32] == pytest.approx(np.exp(-0.5), rel=1e-3)


def test_blur_keeps_a_flat_picture_and_mixes_no_colours() -> None:
    flat = np.full((32, 40), 77, dtype=np.uint8)
    assert (change_pixels(flat, [BLUR], slices=False) == flat).all()
    red = np.zeros((32, 40, 3), dtype=np.uint8)
    red[..., 0] = noise((32, 40))
    blurred = change_pixels(red, [BLUR], slices=False)
    assert not blurred[..., 1:].any()
    assert blurred[..., 0].std() < red[..., 0].std() / 2


def test_the_order_of_effects_is_theirs() -> None:
    assert effects_label(()) == ""
    assert effects_label([MIRROR, BLUR]) == ", then mirror, then blur (sigma_of_side 0.0625)"


def test_a_stored_picture_with_an_effect_is_not_sent_as_stored(tmp_path: Path) -> None:
    pixels = noise((12, 18))
    (tmp_path / "a.png").write_bytes(encode_png(pixels))
    (plain,) = PictureRenderer(tmp_path)(Media(paths=("a.png",)))
    media = Media(paths=("a.png",), recipe=Recipe(effects=(MIRROR,)))
    (mirrored,) = PictureRenderer(tmp_path)(media)
    assert plain.data == (tmp_path / "a.png").read_bytes()
    assert mirrored.receipt.sha256 != plain.receipt.sha256
    assert mirrored.receipt.window == "as stored, then mirror"
    assert (rendered(tmp_path, media) == pixels[:, ::-1]).all()


def test_boxes_are_drawn_after_effects_and_stay_sharp(tmp_path: Path) -> None:
    (tmp_path / "a.png").write_bytes(encode_png(np.full((40, 60), 90, dtype=np.uint8)))
    box = Box(x_min=5, y_min=10, x_max=15, y_max=20)
    for effects, columns in (((BLUR,), (5, 15)), ((MIRROR, BLUR), (44, 54))):
        media = Media(paths=("a.png",), recipe=Recipe(effects=effects), boxes=(box,))
        shown = rendered(tmp_path, media)
        green = (shown == (0, 255, 0)).all(axis=2)
        assert np.flatnonzero(green.any(axis=0)).tolist() == list(range(columns[0], columns[1] + 1))


def volume(root: Path, codes: str) -> np.ndarray:
    """Write a CT that is unlike from every side, lying as `codes` say; give it as RAS."""
    values = np.full((10, 12, 6), -1000, dtype=np.int16)
    values[1:4, 2:9, 1:5] = 40
    values[6:9, 3:5, 2:4] = 900
    image = nibabel.Nifti1Image(values, np.diag([2.0, 2.0, 5.0, 1.0]))
    start = nibabel.orientations.axcodes2ornt(("R", "A", "S"))
    end = nibabel.orientations.axcodes2ornt(tuple(codes))
    turned = image.as_reoriented(nibabel.orientations.ornt_transform(start, end))
    nibabel.save(turned, root / f"{codes}.nii.gz")
    return values


RECIPE = VolumeRecipe(name="all", source="test", windows=(Window(low_hu=-1000, high_hu=1000),))


@pytest.mark.parametrize("codes", ["RAS", "LPS", "ASL", "SPR"])
def test_a_volume_is_mirrored_across_the_patient_however_it_lies(
    tmp_path: Path, codes: str
) -> None:
    volume(tmp_path, codes)
    paths = (f"{codes}.nii.gz",)
    plain = Media(paths=paths, kind="volume", recipe=Recipe(volume=RECIPE))
    mirrored = Media(paths=paths, kind="volume", recipe=Recipe(volume=RECIPE, effects=(MIRROR,)))
    render = PictureRenderer(tmp_path)
    for one, two in zip(render(plain), render(mirrored), strict=True):
        assert one.receipt.orientation == two.receipt.orientation == "LP"
        assert two.receipt.window == "-1000 to 1000 HU, then mirror"
        (tmp_path / "one.png").write_bytes(one.data)
        (tmp_path / "two.png").write_bytes(two.data)
        first = read_slice(tmp_path / "one.png").pixels
        assert (read_slice(tmp_path / "two.png").pixels == first[:, ::-1]).all()


def test_sagittal_slices_of_a_mirrored_volume_come_in_the_other_order(tmp_path: Path) -> None:
    volume(tmp_path, "RAS")
    recipe = VolumeRecipe(name="sagittal", source="test", axes="LIP", windows=RECIPE.windows)
    media = Media(paths=("RAS.nii.gz",), kind="volume", recipe=Recipe(volume=recipe))
    render = PictureRenderer(tmp_path)
    mirrored = Media(
        paths=media.paths, kind="volume", recipe=Recipe(volume=recipe, effects=(MIRROR,))
    )
    plain = [picture.data for picture in render(media)]
    assert [picture.data for picture in render(mirrored)] == plain[::-1]


def test_arrays_are_changed_and_kept_apart(tmp_path: Path) -> None:
    values = volume(tmp_path, "LPS")
    recipe = recipe_named("array-hu")
    render = PictureRenderer(tmp_path, arrays=tmp_path / "arrays")

    def array(*effects: Effect) -> np.ndarray:
        media = Media(
            paths=("LPS.nii.gz",), kind="volume", recipe=Recipe(volume=recipe, effects=effects)
        )
        return np.load(render.array(media).path)

    plain, mirrored, blurred = array(), array(MIRROR), array(BLUR)
    across = recipe.axes.index("L" if "L" in recipe.axes else "R")
    assert plain.size == values.size
    assert (mirrored == np.flip(plain, axis=across)).all()
    assert (mirrored != plain).any()
    assert blurred.dtype == plain.dtype
    assert blurred.astype(float).std() < plain.astype(float).std()
