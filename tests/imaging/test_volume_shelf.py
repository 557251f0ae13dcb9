"""Volumes as a model gets them: pictures and arrays with receipts, prepared once."""

from __future__ import annotations

import hashlib
import io
import logging
import os
import resource
import signal
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

from overread.errors import ImageError, StoreFullError, UnsafePathError
from overread.imaging import volume_shelf
from overread.imaging.array_file import known_array
from overread.imaging.picture import Picture
from overread.imaging.recipes import RECIPES, recipe_named
from overread.imaging.render import PictureRenderer
from overread.records import Media, Recipe, VolumeRecipe, Window

Writer = Callable[..., Path]
SMALL = VolumeRecipe(
    name="small",
    source="test",
    windows=(Window(low_hu=-1000, high_hu=1000),),
    spacing_mm=(2.0, 1.5, 1.0),
    output="array",
)


@pytest.fixture
def root(tmp_path: Path, asymmetric_ras: NDArray[np.int16], write_turned_nifti: Writer) -> Path:
    (tmp_path / "case").mkdir()
    write_turned_nifti(asymmetric_ras, "LPS", "case/scan.nii.gz")
    return tmp_path


def media(recipe: VolumeRecipe | None, path: str = "case/scan.nii.gz", **other: Any) -> Media:
    return Media(paths=(path,), kind="volume", recipe=Recipe(volume=recipe, **other))


def pixels(picture: Picture) -> NDArray[np.uint8]:
    shown = np.asarray(Image.open(io.BytesIO(picture.data)))
    receipt = picture.receipt
    assert receipt.sha256 == hashlib.sha256(picture.data).hexdigest()
    assert (receipt.size_bytes, receipt.media_type) == (len(picture.data), "image/png")
    assert (receipt.height, receipt.width) == shown.shape[:2]
    return shown


@pytest.fixture
def read_count(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """Every volume that is really decoded."""
    read, real = [], volume_shelf.read_volume

    def counted(path: Path) -> Any:
        read.append(path)
        return real(path)

    monkeypatch.setattr(volume_shelf, "read_volume", counted)
    return read


def test_slices_go_out_one_picture_each_with_a_receipt(
    root: Path, asymmetric_ras: NDArray[np.int16]
) -> None:
    pictures = PictureRenderer(root)(media(recipe_named("lingshu")))
    assert len(pictures) == 7
    lps = asymmetric_ras[::-1, ::-1]
    for number, picture in enumerate(pictures):
        shown = pixels(picture)
        assert shown.shape == (6, 5, 3)
        red = (lps[:, :, number].T + 1024.0) / 2048 * 255
        assert np.abs(shown[:, :, 0] - red).max() <= 0.5
        assert picture.receipt.layout == f"slice {number + 1} of 7"
        assert picture.receipt.window == "-1024 to 1024 HU, -135 to 215 HU, 0 to 80 HU"
        assert picture.receipt.orientation == "LP"
        assert picture.receipt.sources == ("case/scan.nii.gz",)
        assert picture.receipt.boxes_drawn == 0


def test_a_mosaic_is_one_picture_and_one_slice_is_single(root: Path) -> None:
    render = PictureRenderer(root)
    plain = replace(recipe_named("mosaic-25"), spacing_mm=None)
    (mosaic,) = render(media(plain))
    assert pixels(mosaic).shape == (3 * 6, 3 * 5)
    assert mosaic.receipt.layout == "mosaic 3×3"
    (single,) = render(media(recipe_named("vila-m3")))
    assert single.receipt.layout == "single"
    (shrunk,) = render(media(plain, max_side_px=9))
    assert (shrunk.receipt.width, shrunk.receipt.height) == (8, 9)


def test_a_coronal_view_says_how_it_runs(root: Path) -> None:
    coronal = VolumeRecipe(name="coronal", source="test", axes="PIL")
    pictures = PictureRenderer(root)(media(coronal))
    assert [pictures[0].receipt.orientation, len(pictures)] == ["LI", 6]


def test_an_array_is_a_file_with_a_receipt(root: Path, tmp_path: Path) -> None:
    render = PictureRenderer(root, arrays=tmp_path / "arrays")
    found = render.array(media(SMALL))
    array = np.load(found.path, allow_pickle=False)
    # 7 × 6 × 5 voxels of 4 × 3 × 2 mm at 2 × 1.5 × 1 mm.
    assert array.shape == found.shape == (14, 12, 10)
    assert (array.dtype, found.dtype) == (np.float32, "float32")
    assert (found.axes, found.spacing_mm, found.recipe) == ("SPL", (2, 1.5, 1), "small")
    receipt = found.receipt
    assert receipt.sha256 == hashlib.sha256(found.path.read_bytes()).hexdigest()
    assert receipt.size_bytes == found.path.stat().st_size
    assert receipt.media_type == "application/x-npy"
    assert receipt.layout == "array 14×12×10 at 2×1.5×1 mm"
    assert (receipt.window, receipt.orientation) == ("-1000 to 1000 HU", "SPL")
    assert (receipt.width, receipt.height, receipt.sources) == (10, 12, ("case/scan.nii.gz",))


def test_channels_of_an_array_lie_whole_one_behind_the_other(root: Path, tmp_path: Path) -> None:
    windows = tuple(Window(low_hu=-1000, high_hu=high) for high in (-500, 0, 1000))
    rgb = replace(SMALL, windows=windows, spacing_mm=None)
    found = PictureRenderer(root, arrays=tmp_path / "arrays").array(media(rgb))
    array = np.load(found.path, allow_pickle=False)
    assert array.shape == found.shape == (3, 7, 6, 5)
    alone = replace(rgb, windows=windows[1:2])
    one = PictureRenderer(root, arrays=tmp_path / "arrays").array(media(alone))
    assert np.array_equal(array[1], np.load(one.path))
    assert (array[0] >= array[1]).all()
    assert (array[1] >= array[2]).all()


def test_a_volume_is_decoded_once_for_its_questions(
    root: Path, tmp_path: Path, read_count: list[Path]
) -> None:
    render = PictureRenderer(root, arrays=tmp_path / "arrays")
    first = render(media(recipe_named("slices-32")))
    assert all(render(media(recipe_named("slices-32"))) is first for _ in range(5))
    array = render.array(media(SMALL))
    assert all(render.array(media(SMALL)) is array for _ in range(5))
    assert len(read_count) == 2
    # Another renderer, another process: the file is used again, the volume is not decoded.
    assert PictureRenderer(root, arrays=tmp_path / "arrays").array(media(SMALL)) == array
    assert len(read_count) == 2
    assert len(list((tmp_path / "arrays").iterdir())) == 2


def test_many_threads_share_one_decoding_and_never_decode_two_at_once(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (root / "other.nii.gz").write_bytes((root / "case" / "scan.nii.gz").read_bytes())
    running, most, real = [0], [0], volume_shelf.read_volume
    pause = threading.Event()

    def watched(path: Path) -> Any:
        running[0] += 1
        most[0] = max(most[0], running[0])
        pause.wait(0.05)
        found = real(path)
        running[0] -= 1
        return found

    monkeypatch.setattr(volume_shelf, "read_volume", watched)
    render = PictureRenderer(root, arrays=tmp_path / "arrays")
    names = ["case/scan.nii.gz", "other.nii.gz"] * 8
    with ThreadPoolExecutor(8) as pool:
        arrays = list(pool.map(lambda name: render.array(media(SMALL, name)), names))
        list(pool.map(lambda name: render(media(recipe_named("slices-32"), name)), names))
    assert most == [1]
    assert len({array.path for array in arrays}) == 2


def test_a_file_that_changed_is_another_volume(
    root: Path, tmp_path: Path, asymmetric_ras: NDArray[np.int16], write_turned_nifti: Writer
) -> None:
    render = PictureRenderer(root, arrays=tmp_path / "arrays")
    before = render.array(media(SMALL)), render(media(recipe_named("slices-32")))
    path = write_turned_nifti(asymmetric_ras[::-1], "LPS", "case/scan.nii.gz")
    os.utime(path, ns=(1, 1))
    after = render.array(media(SMALL)), render(media(recipe_named("slices-32")))
    assert before[0].path != after[0].path
    assert before[1][0].data != after[1][0].data


def test_an_array_that_was_damaged_or_taken_away_is_written_again(
    root: Path, tmp_path: Path, read_count: list[Path]
) -> None:
    folder = tmp_path / "arrays"
    found = PictureRenderer(root, arrays=folder).array(media(SMALL))
    whole = found.path.read_bytes()
    for damage in (whole[:-1], whole[:-1] + b"x", b""):
        found.path.write_bytes(damage)
        assert PictureRenderer(root, arrays=folder).array(media(SMALL)) == found
        assert found.path.read_bytes() == whole
    next(folder.glob("*.json")).write_text("{")
    assert PictureRenderer(root, arrays=folder).array(media(SMALL)) == found
    render = PictureRenderer(root, arrays=folder)
    render.array(media(SMALL))
    found.path.unlink()
    assert render.array(media(SMALL)) == found
    assert found.path.read_bytes() == whole
    assert len(read_count) == 6
    assert known_array(folder, "unknown") is None


def test_a_volume_that_cannot_be_written_leaves_nothing_behind(root: Path, tmp_path: Path) -> None:
    narrow = replace(SMALL, windows=(), dtype="uint8")
    with pytest.raises(ImageError, match="values that uint8 can hold"):
        PictureRenderer(root, arrays=tmp_path / "arrays").array(media(narrow))
    assert list((tmp_path / "arrays").iterdir()) == []


def test_a_full_disk_is_no_fault_of_the_volume(root: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder")
    with pytest.raises(StoreFullError, match="a folder with room for prepared volumes"):
        PictureRenderer(root, arrays=tmp_path / "file").array(media(SMALL))
    # The kernel's own word, at the second plane.
    limit = resource.getrlimit(resource.RLIMIT_FSIZE)
    before = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    render = PictureRenderer(root, arrays=tmp_path / "arrays")
    try:
        resource.setrlimit(resource.RLIMIT_FSIZE, (400, limit[1]))
        with pytest.raises(StoreFullError, match=r"got File too large.*the same command goes on"):
            render.array(media(SMALL))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limit)
        signal.signal(signal.SIGXFSZ, before)
    assert list((tmp_path / "arrays").iterdir()) == []
    assert render.array(media(SMALL)).path.exists()  # there is room again


def test_a_volume_that_cannot_be_used_is_read_once(
    root: Path, tmp_path: Path, read_count: list[Path]
) -> None:
    scan = root / "case" / "scan.nii.gz"
    whole = scan.read_bytes()
    scan.write_bytes(whole[: len(whole) // 2])
    render = PictureRenderer(root, arrays=tmp_path / "arrays")
    said = set()
    for _ in range(4):
        with pytest.raises(ImageError) as caught:
            render(media(recipe_named("slices-32")))
        said.add(str(caught.value))
    assert len(read_count) == len(said) == 1
    scan.write_bytes(whole)  # repaired: another file
    assert render(media(recipe_named("slices-32")))


def test_what_a_killed_process_left_is_used_or_removed(
    root: Path, tmp_path: Path, read_count: list[Path]
) -> None:
    folder = tmp_path / "arrays"
    found = PictureRenderer(root, arrays=folder).array(media(SMALL))
    old, new = (folder / f"{found.path.name}.{pid}.part" for pid in (11, 12))
    for part in (old, new):
        part.write_bytes(b"half")
    os.utime(old, (1, 1))
    assert PictureRenderer(root, arrays=folder).array(media(SMALL)) == found
    assert len(read_count) == 1  # the whole one was used
    found.path.unlink()
    assert PictureRenderer(root, arrays=folder).array(media(SMALL)) == found
    assert not old.exists()
    assert new.exists()  # may be another process at work


def test_arrays_have_whole_paths(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    found = PictureRenderer(root, arrays=Path("arrays")).array(media(SMALL))
    assert found.path.parent == tmp_path / "arrays"


def test_pictures_are_kept_within_a_bound(
    root: Path, monkeypatch: pytest.MonkeyPatch, read_count: list[Path]
) -> None:
    (root / "other.nii.gz").write_bytes((root / "case" / "scan.nii.gz").read_bytes())
    one = PictureRenderer(root)(media(recipe_named("slices-32")))
    size = sum(len(picture.data) for picture in one)
    monkeypatch.setattr(volume_shelf, "MAX_SHELF_BYTES", size)
    render, read = PictureRenderer(root), len(read_count)
    for name in ("case/scan.nii.gz", "case/scan.nii.gz", "other.nii.gz", "case/scan.nii.gz"):
        render(media(recipe_named("slices-32"), name))
    assert len(read_count) - read == 3
    monkeypatch.setattr(volume_shelf, "MAX_SHELF_BYTES", size - 1)
    render, read = PictureRenderer(root), len(read_count)
    for _ in range(2):  # too large to be kept, but given out all the same
        assert render(media(recipe_named("slices-32"))) == one
    assert len(read_count) - read == 2


def test_odd_values_are_said_in_the_log(
    root: Path, asymmetric_ras: NDArray[np.int16], write_turned_nifti: Writer, caplog: Any
) -> None:
    write_turned_nifti(abs(asymmetric_ras), "LPS", "case/mr.nii.gz")
    with caplog.at_level(logging.WARNING):
        PictureRenderer(root)(media(recipe_named("slices-32"), "case/mr.nii.gz"))
    assert "case/mr.nii.gz: no HU (stated so, or no value below -300)" in caplog.text


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (media(None), "a recipe for a volume, got none"),
        (media(recipe_named("merlin")), "a recipe of pictures, got 'merlin'"),
        (media(recipe_named("lingshu"), "case/none.nii.gz"), "no readable file"),
        (media(recipe_named("lingshu"), "case"), "none a DICOM picture"),
        (
            Media(paths=("a.nii", "b.nii"), kind="volume", recipe=Recipe(volume=SMALL)),
            "one file or one folder of a series, got 2 paths",
        ),
        (Media(paths=(), kind="volume", recipe=Recipe(volume=SMALL)), "at least one file"),
    ],
)
def test_what_cannot_be_shown_is_said(root: Path, wrong: Media, message: str) -> None:
    with pytest.raises(ImageError, match=message):
        PictureRenderer(root)(wrong)


def test_what_cannot_be_an_array_is_said(root: Path, tmp_path: Path) -> None:
    render = PictureRenderer(root, arrays=tmp_path / "arrays")
    with pytest.raises(ImageError, match="a recipe of an array, got 'lingshu'"):
        render.array(media(recipe_named("lingshu")))
    with pytest.raises(ImageError, match="a volume, got a picture"):
        render.array(Media(paths=("case/scan.nii.gz",)))
    with pytest.raises(ImageError, match="a folder for arrays"):
        PictureRenderer(root).array(media(SMALL))


def test_no_path_leaves_the_release(root: Path, tmp_path: Path) -> None:
    render = PictureRenderer(root / "case", arrays=tmp_path / "arrays")
    for path in ("../other.nii.gz", "/etc/passwd", "a\\b"):
        with pytest.raises(UnsafePathError):
            render(media(recipe_named("lingshu"), path))
        with pytest.raises(UnsafePathError):
            render.array(media(SMALL, path))


def test_a_link_in_a_series_does_not_leave_it(
    asymmetric_ras: NDArray[np.int16], write_series: Writer, tmp_path: Path
) -> None:
    folder = write_series(asymmetric_ras)
    (folder / "900.dcm").rename(tmp_path / "900.dcm")
    (folder / "900.dcm").symlink_to(tmp_path / "900.dcm")
    with pytest.raises(UnsafePathError, match=r"900\.dcm, a link that leads out of it"):
        PictureRenderer(tmp_path)(media(recipe_named("lingshu"), "series"))


@pytest.mark.parametrize("name", list(RECIPES))
def test_every_named_recipe_goes_through(root: Path, tmp_path: Path, name: str) -> None:
    recipe = recipe_named(name)
    if recipe.output != "array":
        assert PictureRenderer(root)(media(recipe))
        return
    # The whole arrays take up to 220 MB; their sizes are tested without making them.
    if recipe.shape is not None:
        recipe = replace(recipe, shape=(9, 8, 7))
    elif recipe.stretch is not None:
        recipe = replace(recipe, stretch=(9, 8, 7))
    found = PictureRenderer(root, arrays=tmp_path / "arrays").array(media(recipe))
    array = np.load(found.path, allow_pickle=False)
    assert (array.shape, array.dtype.name) == (found.shape, recipe.dtype)
    assert found.receipt.layout.startswith("array " + "×".join(map(str, found.shape)))
