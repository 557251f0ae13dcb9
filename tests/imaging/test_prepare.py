from __future__ import annotations

import subprocess
import sys
import tracemalloc
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import nibabel
import numpy as np
import pytest
import SimpleITK
from numpy.typing import NDArray

from overread.errors import ImageError, UsageError
from overread.imaging.geometry import geometry_of
from overread.imaging.prepare import prepare, prepare_array, prepare_slices
from overread.imaging.read_volume import read_volume
from overread.imaging.recipes import (
    PUBLISHED_RECIPES,
    RECIPE_SUMMARIES,
    RECIPES,
    recipe_named,
)
from overread.imaging.volume import Volume, volume_of
from overread.records import VolumeRecipe, Window

PLAIN = VolumeRecipe(name="plain", source="test")


def volume(array: NDArray[Any], spacing_mm: tuple[float, float, float] = (1.0, 1.0, 1.0)) -> Volume:
    """Make a volume whose axes i, j, k grow to the left, posterior and superior."""
    affine = np.diag([*spacing_mm, 1.0])
    return volume_of(
        array,
        geometry_of(affine, array.shape, source="test"),
        slope=1.0,
        intercept=0.0,
        modality=None,
        warnings=(),
        source="test",
    )


def ramp(low: int, high: int) -> NDArray[np.int16]:
    """Slices of one value each, from low at the feet to high at the head."""
    values = np.linspace(low, high, 9).astype(np.int16)
    return np.broadcast_to(values, (5, 4, 9)).copy()


def test_three_windows_are_red_green_and_blue() -> None:
    windows = (
        Window(low_hu=-1000, high_hu=1000),
        Window(low_hu=0, high_hu=500),
        Window.centred(40, 80),
    )
    recipe = replace(PLAIN, windows=windows)
    prepared = prepare_slices(volume(ramp(-1000, 1000)), recipe)
    assert len(prepared.pictures) == 9
    assert prepared.window == "-1000 to 1000 HU, 0 to 500 HU, 0 to 80 HU"
    # Slice 5 of 9 holds 0 HU, slice 6 holds 250 HU.
    assert prepared.pictures[4][0, 0].tolist() == [128, 0, 0]
    assert prepared.pictures[5][0, 0].tolist() == [159, 128, 255]
    assert prepared.pictures[0].shape == (4, 5, 3)


def test_pictures_of_hu_have_a_window_even_if_none_is_named() -> None:
    prepared = prepare_slices(volume(ramp(-1000, 1000)), PLAIN)
    assert prepared.window == "-160 to 240 HU"
    assert prepared.pictures[0].shape == (4, 5)


def test_numbers_without_a_scale_are_stretched_and_it_is_said() -> None:
    recipe = replace(PLAIN, windows=(Window(low_hu=-1000, high_hu=400),) * 3)
    prepared = prepare_slices(volume(ramp(0, 800)), recipe)
    assert prepared.window == "0 to 800 stored"
    assert prepared.warnings == (
        "no HU (stated so, or no value below -300): shown from percentile 1 to 99 of the volume",
    )
    assert prepared.pictures[0][0, 0].tolist() == [0, 0, 0]
    assert prepared.pictures[-1][0, 0].tolist() == [255, 255, 255]
    array = prepare_array(volume(ramp(0, 800)), replace(recipe, output="array"))
    assert array.shape == (3, 9, 4, 5)
    assert array[:, 4, 0, 0] == pytest.approx(0.5)


def test_an_array_keeps_hu_or_scales_its_window() -> None:
    hu = volume(ramp(-1200, 1200))
    plain = replace(PLAIN, output="array")
    assert prepare_array(hu, plain)[:, 0, 0].tolist() == list(range(-1200, 1500, 300))
    assert prepare(hu, plain).window == "as stored, HU"
    window = Window(low_hu=-1000, high_hu=1000)
    unit = prepare_array(hu, replace(plain, windows=(window,)))
    assert unit[:, 0, 0] == pytest.approx([0, 0.05, 0.2, 0.35, 0.5, 0.65, 0.8, 0.95, 1])
    both = prepare_array(hu, replace(plain, windows=(window,), scale=(-1.0, 1.0)))
    assert both == pytest.approx(2 * unit - 1)
    grey = prepare_array(hu, replace(plain, windows=(window,), scale=(0.0, 255.0), dtype="uint8"))
    assert grey.dtype == np.uint8
    assert grey[:, 0, 0].tolist() == [0, 13, 51, 89, 128, 166, 204, 242, 255]


def test_a_number_beyond_its_kind_is_refused() -> None:
    small = replace(PLAIN, output="array", dtype="uint8")
    with pytest.raises(ImageError, match=r"values that uint8 can hold \(0 to 255\)"):
        prepare_array(volume(ramp(-1000, 1000)), small)
    missing = ramp(-1000, 1000).astype(np.float32)
    missing[0, 0, 0] = np.nan
    with pytest.raises(ImageError, match="no number"):
        prepare_array(volume(missing), replace(small, dtype="int16"))


def test_what_is_no_number_is_black_in_a_window_and_stays_none_without() -> None:
    missing = ramp(-1000, 1000).astype(np.float32)
    missing[2, 1, 8] = np.nan
    hu = volume(missing)
    recipe = replace(PLAIN, windows=(Window(low_hu=-1000, high_hu=1000),), scale=(-1.0, 1.0))
    assert hu.warnings == ("1 voxels are no number",)
    assert prepare_slices(hu, recipe).pictures[8][1, 2] == 0
    assert prepare_array(hu, replace(recipe, output="array"))[8, 1, 2] == -1
    assert np.isnan(prepare_array(hu, replace(PLAIN, output="array"))[8, 1, 2])


def test_padding_has_its_own_value_and_does_not_count_as_tissue() -> None:
    recipe = replace(
        PLAIN,
        windows=(Window(low_hu=-1000, high_hu=1000),),
        scale=(-1.0, 1.0),
        shape=(11, 6, 3),
        pad=-1.0,
        output="array",
    )
    hu = volume(np.full((5, 4, 9), 1000, dtype=np.int16))
    hu = replace(hu, unit="hu")
    array = prepare_array(hu, recipe)
    wanted = np.full((11, 6, 3), -1.0)
    wanted[1:10, 1:5] = 1
    assert np.array_equal(array, wanted)
    pictures = prepare_slices(hu, replace(recipe, output="slices")).pictures
    assert [int(picture.max()) for picture in pictures] == [0, *[255] * 9, 0]
    bright = prepare_slices(hu, replace(recipe, output="slices", pad=1.0)).pictures
    assert bright[0].min() == 255


def test_even_slices_go_from_the_feet_to_the_head() -> None:
    hu = volume(ramp(-1000, 1000))
    recipe = replace(PLAIN, windows=(Window(low_hu=-1000, high_hu=1000),), slices=3)
    assert [int(one[0, 0]) for one in prepare_slices(hu, recipe).pictures] == [0, 128, 255]
    down = replace(recipe, axes="IPL")
    assert [int(one[0, 0]) for one in prepare_slices(hu, down).pictures] == [255, 128, 0]
    # In an array the axis from feet to head may be any.
    array = prepare_array(hu, replace(recipe, axes="PLS", output="array"))
    assert array.shape == (4, 5, 3)
    assert array[0, 0] == pytest.approx([0, 0.5, 1])


def test_coronal_slices_have_the_head_on_top() -> None:
    hu = volume(ramp(-1000, 1000))
    window = Window(low_hu=-1000, high_hu=1000)
    pictures = prepare_slices(hu, replace(PLAIN, axes="PIL", windows=(window,))).pictures
    assert len(pictures) == 4
    recipe = replace(PLAIN, axes="PIL")
    tall = prepare(volume(ramp(-1000, 1000), (1.0, 1.0, 3.0)), recipe)
    assert tall.warnings == ("pixels of 1 × 3 mm: the pictures are distorted",)
    assert prepare(volume(ramp(-1000, 1000), (1.0, 1.0, 3.0)), PLAIN).warnings == ()
    assert pictures[0][:, 0].tolist() == [255, 223, 191, 159, 128, 96, 64, 32, 0]


def test_a_new_spacing_keeps_the_place_of_things() -> None:
    # A bright point at voxel (12, 8, 5) of 0.5 × 1 × 2 mm: 6, 8 and 10 mm from the first voxel.
    array = np.full((31, 21, 11), -1000, dtype=np.int16)
    array[12, 8, 5] = 1000
    recipe = replace(PLAIN, spacing_mm=(1.0, 1.0, 1.0), output="array")
    prepared = prepare_array(volume(array, (0.5, 1.0, 2.0)), recipe)
    assert prepared.shape == (22, 21, 16)
    weight = prepared + 1000.0
    centre = [
        (weight.sum(axis=tuple({0, 1, 2} - {axis})) * np.arange(n)).sum() / weight.sum()
        for axis, n in enumerate(prepared.shape)
    ]
    # The middle of the volume stays: 10, 10 and 7.5 mm from the first voxel's centre.
    middle = [(n - 1) / 2 for n in prepared.shape]
    assert np.subtract(centre, middle) == pytest.approx([0, -2, -1.5], abs=1e-6)
    assert prepare(volume(array, (0.5, 1.0, 2.0)), recipe).spacing_mm == (1, 1, 1)


@pytest.mark.parametrize(
    ("recipe", "rule"),
    [
        (replace(PLAIN, axes="SSL"), "three letters"),
        (replace(PLAIN, spacing_mm=(1.0, 0.0, 1.0)), "spacing, shape and slices above 0"),
        (replace(PLAIN, shape=(4, -1, 4)), "spacing, shape and slices above 0"),
        (replace(PLAIN, slices=0), "spacing, shape and slices above 0"),
        (replace(PLAIN, windows=(Window(low_hu=0, high_hu=1),) * 2), "one window, three, or none"),
        (replace(PLAIN, scale=(1.0, 1.0)), "a scale with two ends"),
        (replace(PLAIN, axes="PIL", slices=4), "pictures along the axis from feet to head"),
        (
            VolumeRecipe(name="x", source="y", spacing_mm=(1, 1, 1), stretch=(2, 2, 2)),
            "either a spacing or a size",
        ),
    ],
)
def test_a_recipe_that_contradicts_itself_is_refused(recipe: VolumeRecipe, rule: str) -> None:
    with pytest.raises(UsageError, match=rule):
        prepare(volume(ramp(-1000, 0)), recipe)


def test_a_giant_of_a_grid_is_refused() -> None:
    with pytest.raises(ImageError, match="a volume of 1 to 1,073,741,824 voxels"):
        prepare(volume(ramp(-1000, 0)), replace(PLAIN, spacing_mm=(1e-3, 1e-3, 1e-3)))
    with pytest.raises(ImageError, match="a volume of 1 to 1,073,741,824 voxels"):
        prepare(volume(ramp(-1000, 0)), replace(PLAIN, shape=(10**5, 10**5, 10**5)))


@pytest.fixture
def chest(tmp_path: Path) -> Path:
    """A noisy volume in RAS with a gradient along each axis, as CT-RATE's are: 0.9 × 0.9 × 2 mm."""
    rng = np.random.default_rng(3)
    x, y, z = np.meshgrid(np.arange(60), np.arange(50), np.arange(40), indexing="ij")
    hu = (-1000 + 20 * x + 10 * y + 5 * z + rng.integers(-50, 50, x.shape)).astype(np.int16)
    image = nibabel.Nifti1Image(hu, np.diag([0.9, 0.9, 2.0, 1.0]))
    nibabel.save(image, tmp_path / "chest.nii.gz")
    return tmp_path / "chest.nii.gz"


def itk(
    path: Path, code: str, new_size: list[int], new_spacing: list[float]
) -> NDArray[np.float32]:
    """Resample as the released scripts do, first voxel kept, in order z, y, x."""
    image = SimpleITK.DICOMOrient(SimpleITK.ReadImage(str(path), SimpleITK.sitkFloat32), code)
    made = SimpleITK.Resample(
        image,
        new_size,
        SimpleITK.Transform(),
        SimpleITK.sitkLinear,
        image.GetOrigin(),
        new_spacing,
        image.GetDirection(),
    )
    return SimpleITK.GetArrayFromImage(made)


def centred_in(canvas: NDArray[np.float32], array: NDArray[np.float32]) -> NDArray[np.float32]:
    """Crop and pad as the released scripts do."""
    gone = [max((n - t) // 2, 0) for n, t in zip(array.shape, canvas.shape, strict=True)]
    kept = array[tuple(slice(g, g + t) for g, t in zip(gone, canvas.shape, strict=True))]
    before = [(t - n) // 2 for n, t in zip(kept.shape, canvas.shape, strict=True)]
    canvas[tuple(slice(b, b + n) for b, n in zip(before, kept.shape, strict=True))] = kept
    return canvas


def furthest(found: NDArray[Any], wanted: NDArray[Any]) -> float:
    assert found.shape == wanted.shape
    return float(np.abs(found - wanted).max())


def test_merlin_is_the_released_preparation(chest: Path) -> None:
    recipe = recipe_named("merlin")
    assert recipe.shape == (160, 224, 224)
    size = [round(60 * 0.9 / 1.5), round(50 * 0.9 / 1.5), round(40 * 2 / 3)]
    hu = itk(chest, "RAS", size, [1.5, 1.5, 3.0])
    unit = (np.clip(hu, -1000, 1000) + 1000) / 2000
    for shape in ((60, 50, 40), (19, 21, 51), (20, 20, 20)):
        wanted = centred_in(np.zeros(shape, dtype=np.float32), unit)
        found = prepare_array(read_volume(chest), replace(recipe, shape=shape))
        assert furthest(found, wanted) < 1e-5


def stretched(name: str, shape: tuple[int, int, int]) -> VolumeRecipe:
    return replace(recipe_named(name), stretch=shape)


def test_m3d_is_the_released_preparation(chest: Path) -> None:
    hu = itk(chest, "LPS", [30, 20, 16], [60 * 0.9 / 30, 50 * 0.9 / 20, 40 * 2 / 16])
    wanted = (hu - hu.min()) / (hu.max() - hu.min())
    found = prepare_array(read_volume(chest), stretched("m3d", (16, 20, 30)))
    assert furthest(found, wanted) < 1e-5


def test_med3dvlm_is_the_released_preparation(chest: Path) -> None:
    hu = itk(chest, "LPS", [30, 20, 16], [60 * 0.9 / 30, 50 * 0.9 / 20, 40 * 2 / 16])
    stored = np.asarray(nibabel.load(chest).dataobj)
    wanted = (hu - stored.min()) / (float(stored.max()) - stored.min())
    found = prepare_array(read_volume(chest), stretched("med3dvlm", (16, 20, 30)))
    assert furthest(found, wanted) < 1e-5


def test_radfm_is_the_released_preparation(chest: Path) -> None:
    hu = itk(chest, "LPS", [48, 40, 16], [60 * 0.9 / 48, 50 * 0.9 / 40, 40 * 2 / 16])
    unit = (np.clip(hu, -1024, 1024) + 1024) / 2048
    found = prepare_array(read_volume(chest), stretched("radfm", (40, 48, 16)))
    assert found.dtype == np.float16
    assert furthest(found, np.stack([unit.transpose(1, 2, 0)] * 3)) < 1e-3


def test_ct_chat_is_the_released_preparation(chest: Path) -> None:
    recipe = recipe_named("ct-chat")
    assert recipe.shape == (240, 480, 480)
    image = nibabel.load(chest)
    hu = np.asarray(image.dataobj)[::-1, ::-1].astype(np.float32).transpose(2, 0, 1)
    side, _, height = (float(zoom) for zoom in image.header.get_zooms())
    # torch's linear interpolation, edges kept, one axis after the other.
    for axis, factor in enumerate((height / 1.5, side / 0.75, side / 0.75)):
        n_old, n_new = hu.shape[axis], int(hu.shape[axis] * factor)
        places = np.clip((np.arange(n_new) + 0.5) * n_old / n_new - 0.5, 0, n_old - 1)
        low = np.minimum(places.astype(int), n_old - 2)
        part = (places - low).reshape([-1 if a == axis else 1 for a in range(3)])
        hu = hu.take(low, axis) * (1 - part) + hu.take(low + 1, axis) * part
    unit = np.clip(hu, -1000, 1000) / 1000
    for shape in ((60, 70, 80), (50, 81, 41)):
        wanted = centred_in(np.full(shape, -1, dtype=np.float32), unit)
        # The script gives x before y: our frame is S, L, P.
        found = prepare_array(read_volume(chest), replace(recipe, shape=shape))
        assert furthest(found, wanted) < 1e-5


def test_lingshu_is_the_released_preparation(chest: Path) -> None:
    lps = np.asarray(nibabel.load(chest).dataobj)[::-1, ::-1].astype(np.float32)
    pictures = prepare_slices(read_volume(chest), recipe_named("lingshu")).pictures
    assert len(pictures) == 32
    for picture, number in zip(pictures, np.linspace(0, 39, 32).round().astype(int), strict=True):
        for channel, (low, high) in enumerate(((-1024, 1024), (-135, 215), (0, 80))):
            plane = np.clip(lps[:, :, number].T, low, high)
            wanted = (plane - low) / (high - low) * 255
            # Halves are rounded up here, to even numbers there.
            assert np.abs(picture[:, :, channel] - wanted).max() <= 0.5 + 1e-3


def test_vila_m3_is_the_middle_slice_head_on(chest: Path) -> None:
    (picture,) = prepare_slices(read_volume(chest), recipe_named("vila-m3")).pictures
    ras = np.asarray(nibabel.load(chest).dataobj).astype(np.float32)[:, :, 20]
    seen = np.rot90(ras.T, k=2)
    assert np.abs(picture - (np.clip(seen, -150, 250) + 150) / 400 * 255).max() <= 0.5 + 1e-3


SHAPES = {
    "slices-32": (32, 50, 60),
    "mosaic-25": (25, 30, 36),
    "array-hu": (40, 50, 60),
    "merlin": (160, 224, 224),
    "ct-chat": (240, 480, 480),
    "med3dvlm": (128, 256, 256),
    "m3d": (32, 256, 256),
    "radfm": (512, 512, 128),
    "vila-m3": (1, 50, 60),
    "lingshu": (32, 50, 60),
    "medgemma": (40, 50, 60),
}


def test_every_recipe_says_where_it_comes_from_and_has_its_size(chest: Path) -> None:
    assert list(RECIPES) == list(SHAPES) == list(RECIPE_SUMMARIES)
    assert tuple(SHAPES)[3:] == PUBLISHED_RECIPES
    scan = read_volume(chest)
    for name, recipe in RECIPES.items():
        assert recipe.name == name
        assert recipe.source
        assert prepare(scan, recipe).shape == SHAPES[name], name


def test_an_unknown_recipe_lists_the_known_ones() -> None:
    with pytest.raises(UsageError, match=r"Choose one of slices-32, .*medgemma"):
        recipe_named("mirlin")


def test_one_value_everywhere_is_black(write_nifti: Callable[..., Path]) -> None:
    flat = read_volume(write_nifti(np.full((4, 4, 4), 7, dtype=np.int16), np.eye(4)))
    assert not prepare_array(flat, recipe_named("m3d")).any()
    # Values beyond 32 bits become infinite once the slope is applied, and then none is left.
    huge = replace(flat, slope=1e38, array=np.full((4, 4, 4), 10_000, dtype=np.int16))
    with pytest.raises(ImageError, match="no number at all"):
        prepare_array(huge, recipe_named("m3d"))


def test_hardly_more_than_the_volume_is_held(tmp_path: Path) -> None:
    array = np.full((256, 256, 200), -500, dtype=np.int16)
    image = nibabel.Nifti1Image(array, np.diag([-0.7, -0.7, 1.0, 1.0]))
    nibabel.save(image, tmp_path / "scan.nii.gz")
    read_volume(tmp_path / "scan.nii.gz")  # imports do not count
    for recipe in (recipe_named("slices-32"), replace(recipe_named("merlin"), shape=(90, 80, 70))):
        tracemalloc.start()
        for _ in prepare(read_volume(tmp_path / "scan.nii.gz"), recipe).arrays():
            pass
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        # Pieces of the file, some planes, the sample; as float32 the volume alone were 52 MB.
        assert peak < array.nbytes + 45e6


def test_recipes_can_be_named_without_numpy() -> None:
    code = "import sys, overread.imaging.recipes; assert 'numpy' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)
