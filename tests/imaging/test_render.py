from __future__ import annotations

import hashlib
import io
import logging
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

from overread.errors import ImageError, UnsafePathError
from overread.imaging.boxes import find_drawn_boxes
from overread.imaging.picture import Picture
from overread.imaging.render import PictureRenderer
from overread.records import Box, Media, Recipe, Window


@pytest.fixture
def release(tmp_path: Path) -> Path:
    """Nine 8-bit slices of 64 × 48 pixels, each with its own grey value, and a JPEG."""
    rng = np.random.default_rng(0)
    for number in range(9):
        noise = rng.integers(0, 20, (48, 64), dtype=np.uint8) + np.uint8(20 * number)
        Image.fromarray(noise).save(tmp_path / f"{number}.png")
    Image.fromarray(rng.integers(0, 256, (48, 64, 3), dtype=np.uint8)).save(tmp_path / "photo.jpg")
    return tmp_path


STACK = tuple(f"{number}.png" for number in range(9))


def pixels(picture: Picture) -> NDArray[np.uint8]:
    opened = Image.open(io.BytesIO(picture.data))
    receipt = picture.receipt
    # What every receipt promises.
    assert receipt.sha256 == hashlib.sha256(picture.data).hexdigest()
    assert receipt.size_bytes == len(picture.data)
    assert (receipt.width, receipt.height) == opened.size
    assert receipt.media_type == f"image/{(opened.format or '').lower()}"
    return np.asarray(opened)


@pytest.mark.parametrize(
    ("name", "media_type"), [("3.png", "image/png"), ("photo.jpg", "image/jpeg")]
)
def test_a_stored_picture_goes_out_byte_for_byte(release: Path, name: str, media_type: str) -> None:
    for recipe in (Recipe(), Recipe(max_side_px=64), Recipe(window=Window.centred(0, 10))):
        (picture,) = PictureRenderer(release)(Media(paths=(name,), recipe=recipe))
        pixels(picture)
        assert picture.data == (release / name).read_bytes()
        assert picture.receipt.media_type == media_type
        assert picture.receipt.sources == (name,)
        assert picture.receipt.window == "as stored"
        assert picture.receipt.orientation == "as stored"
        assert picture.receipt.layout == "single"
        assert picture.receipt.boxes_drawn == 0


def test_a_stack_is_one_picture_a_slice_in_order(release: Path) -> None:
    for stack in ("images", "features"):
        media = Media(paths=STACK, kind="stack", recipe=Recipe(stack=stack))
        pictures = PictureRenderer(release)(media)
        assert [picture.receipt.layout for picture in pictures] == [
            f"slice {number} of 9" for number in range(1, 10)
        ]
        means = [pixels(picture).mean() for picture in pictures]
        assert means == sorted(means)


def test_a_stack_as_a_mosaic_is_one_picture_of_all(release: Path) -> None:
    media = Media(paths=STACK, kind="stack", recipe=Recipe(stack="mosaic"))
    (picture,) = PictureRenderer(release)(media)
    tiled = pixels(picture)
    assert tiled.shape == (144, 192)
    assert picture.receipt.layout == "mosaic 3×3"
    assert picture.receipt.sources == STACK
    slice_4 = np.asarray(Image.open(release / "4.png"))
    assert np.array_equal(tiled[48 + 10 : 96, 64 + 10 : 128], slice_4[10:, 10:])

    small = Media(paths=STACK, kind="stack", recipe=Recipe(stack="mosaic", max_side_px=96))
    assert pixels(PictureRenderer(release)(small)[0]).shape == (72, 96)


def test_a_mosaic_of_one_slice_is_the_slice(release: Path) -> None:
    media = Media(paths=("1.png",), kind="stack", recipe=Recipe(stack="mosaic"))
    (picture,) = PictureRenderer(release)(media)
    assert picture.data == (release / "1.png").read_bytes()


def test_boxes_are_drawn_unless_the_recipe_says_no(release: Path) -> None:
    box = Box(x_min=10, y_min=12, x_max=30, y_max=33)
    (drawn,) = PictureRenderer(release)(Media(paths=("2.png",), boxes=(box,)))
    assert find_drawn_boxes(pixels(drawn)) == [box]
    assert drawn.receipt.boxes_drawn == 1
    assert drawn.receipt.window == "as stored"
    plain = Media(paths=("2.png",), boxes=(box,), recipe=Recipe(draw_boxes=False))
    assert PictureRenderer(release)(plain)[0].data == (release / "2.png").read_bytes()


def test_a_box_follows_a_picture_that_is_shrunk_and_stays_sharp(tmp_path: Path) -> None:
    Image.fromarray(np.full((200, 400), 80, dtype=np.uint8)).save(tmp_path / "x.png")
    box = Box(x_min=100, y_min=40, x_max=180, y_max=120)
    media = Media(paths=("x.png",), boxes=(box,), recipe=Recipe(max_side_px=200))
    shown = pixels(PictureRenderer(tmp_path)(media)[0])
    assert shown.shape == (100, 200, 3)
    # (100 + 0.5) / 2 - 0.5 = 49.75, and so on; nearest pixels.
    assert find_drawn_boxes(shown) == [Box(x_min=50, y_min=20, x_max=90, y_max=60)]
    assert set(map(tuple, shown.reshape(-1, 3).tolist())) == {(80, 80, 80), (0, 255, 0)}


def test_a_box_is_drawn_on_every_slice_of_a_stack(release: Path) -> None:
    box = Box(x_min=20, y_min=22, x_max=40, y_max=42)
    media = Media(paths=STACK[:4], kind="stack", boxes=(box,), recipe=Recipe(stack="mosaic"))
    (picture,) = PictureRenderer(release)(media)
    assert len(find_drawn_boxes(pixels(picture))) == 4
    assert picture.receipt.boxes_drawn == 4


def test_hu_are_windowed_by_the_recipe_or_as_abdomen(
    tmp_path: Path,
    body_hu: NDArray[np.int16],
    write_png16: Callable[[NDArray[Any], str], Path],
) -> None:
    write_png16(body_hu, "key.png")
    (abdomen,) = PictureRenderer(tmp_path)(Media(paths=("key.png",)))
    assert abdomen.receipt.window == "-160 to 240 HU"
    assert set(np.unique(pixels(abdomen))) == {0, 128, 172, 255}  # 110 HU: 270 / 400 × 255
    bone = Recipe(window=Window(low_hu=0, high_hu=1000))
    (shown,) = PictureRenderer(tmp_path)(Media(paths=("key.png",), recipe=bone))
    assert shown.receipt.window == "0 to 1000 HU"
    assert set(np.unique(pixels(shown))) == {0, 10, 28, 179}  # 40, 110, 700 of 1000 × 255


def test_dicom_is_shown_with_its_orientation_and_monochrome1_inverted(
    tmp_path: Path, body_hu: NDArray[np.int16], write_dicom: Callable[..., Path]
) -> None:
    write_dicom(body_hu, "plain.dcm", RescaleIntercept=0)
    write_dicom(
        body_hu, "inverted.dcm", RescaleIntercept=0, PhotometricInterpretation="MONOCHROME1"
    )
    (plain,) = PictureRenderer(tmp_path)(Media(paths=("plain.dcm",)))
    (inverted,) = PictureRenderer(tmp_path)(Media(paths=("inverted.dcm",)))
    assert plain.receipt.orientation == "LP"
    assert inverted.receipt.window == "-160 to 240 HU, inverted"
    assert np.array_equal(pixels(inverted), 255 - pixels(plain))


def test_a_slice_of_a_volume_is_named_and_its_box_turns_with_it(
    tmp_path: Path, body_hu: NDArray[np.int16], write_nifti: Callable[..., Path]
) -> None:
    ras = np.diag([1.0, 1.0, 1.0, 1.0])
    write_nifti(np.stack([body_hu, body_hu], axis=-1).swapaxes(0, 1)[::-1, ::-1], ras, "ct.nii.gz")
    # The liver in shown pixels: columns 12 to 25, rows 12 to 23; in the file's own grid mirrored.
    box = Box(x_min=59 - 25, y_min=39 - 23, x_max=59 - 12, y_max=39 - 12)
    (picture,) = PictureRenderer(tmp_path)(Media(paths=("ct.nii.gz#1",), boxes=(box,)))
    assert picture.receipt.sources == ("ct.nii.gz#1",)
    assert picture.receipt.orientation == "LP"
    assert find_drawn_boxes(pixels(picture)) == [Box(x_min=12, y_min=12, x_max=25, y_max=23)]
    with pytest.raises(ImageError, match="slice 2 of 2"):
        PictureRenderer(tmp_path)(Media(paths=("ct.nii.gz#2",)))
    with pytest.raises(ImageError, match="no slice number"):
        PictureRenderer(tmp_path)(Media(paths=("ct.nii.gz",)))


def test_numbers_without_a_scale_are_stretched_and_the_receipt_says_so(
    tmp_path: Path, write_nifti: Callable[..., Path]
) -> None:
    write_nifti(np.arange(101, dtype=np.int16)[:, None, None], np.eye(4), "mr.nii")
    (picture,) = PictureRenderer(tmp_path)(Media(paths=("mr.nii#0",)))
    assert picture.receipt.window == "1 to 99 stored"
    shown = pixels(picture)
    assert (shown.min(), shown.max()) == (0, 255)


def test_a_doubtful_calibration_is_logged(
    tmp_path: Path,
    body_hu: NDArray[np.int16],
    write_png16: Callable[[NDArray[Any], str], Path],
    caplog: pytest.LogCaptureFixture,
) -> None:
    write_png16(body_hu + 1024, "off.png")
    with caplog.at_level(logging.WARNING):
        PictureRenderer(tmp_path)(Media(paths=("off.png",)))
    assert caplog.messages == [
        # The body is 28 × 40 of 40 × 60 pixels.
        "off.png: no air near -1000 HU, and 47 % of the pixels lie above 600 HU"
    ]


def test_a_photograph_on_its_side_is_turned_and_sent_as_png(tmp_path: Path) -> None:
    exif = Image.Exif()
    exif[0x0112] = 6
    Image.fromarray(np.zeros((20, 40), dtype=np.uint8)).save(tmp_path / "x.jpg", exif=exif)
    (picture,) = PictureRenderer(tmp_path)(Media(paths=("x.jpg",)))
    assert pixels(picture).shape == (40, 20)
    assert picture.receipt.media_type == "image/png"


def test_what_cannot_be_shown_is_an_image_error_that_names_the_file(
    release: Path, png_header: Callable[[int, int], Path]
) -> None:
    (release / "text.png").write_text("not found")
    cut = (release / "1.png").read_bytes()
    (release / "cut.png").write_bytes(cut[: len(cut) // 2])
    png_header(20_000, 20_000)
    for name in ("absent.png", "text.png", "cut.png", "20000x20000.png"):
        with pytest.raises(ImageError, match=name):
            PictureRenderer(release)(Media(paths=(name,)))
    with pytest.raises(ImageError, match="at least one file"):
        PictureRenderer(release)(Media(paths=()))


def test_one_missing_slice_spoils_the_stack_and_is_named(release: Path) -> None:
    for stack in ("images", "mosaic"):
        media = Media(paths=(*STACK[:8], "9.png"), kind="stack", recipe=Recipe(stack=stack))
        with pytest.raises(ImageError, match=r"9\.png"):
            PictureRenderer(release)(media)


def test_a_path_that_climbs_out_is_refused(release: Path) -> None:
    for path in ("../x.png", "/etc/passwd", "../ct.nii.gz#1"):
        with pytest.raises(UnsafePathError):
            PictureRenderer(release)(Media(paths=(path,)))


def test_many_threads_share_one_renderer(release: Path) -> None:
    render = PictureRenderer(release)
    box = Box(x_min=10, y_min=12, x_max=30, y_max=33)
    media = [Media(paths=(name,), boxes=(box,)) for name in STACK] * 8
    alone = [render(one) for one in media]
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(render, media)) == alone


@pytest.mark.data
def test_a_real_key_slice_gets_its_box(released_data: Path) -> None:
    folder = released_data / "deeplesion_slices" / "train"
    name = "000016_01_01_025"
    _kind, y_min, x_min, y_max, x_max = map(float, (folder / f"{name}.tru").read_text().split())
    box = Box(x_min=512 * x_min, y_min=512 * y_min, x_max=512 * x_max, y_max=512 * y_max)
    (plain,) = PictureRenderer(folder)(Media(paths=(f"{name}.jpg",)))
    assert plain.data == (folder / f"{name}.jpg").read_bytes()
    (drawn,) = PictureRenderer(folder)(Media(paths=(f"{name}.jpg",), boxes=(box,)))
    (found,) = find_drawn_boxes(pixels(drawn))
    assert found.x_min == pytest.approx(box.x_min, abs=0.5)
    assert found.y_max == pytest.approx(box.y_max, abs=0.5)
