from __future__ import annotations

import base64
import hashlib
import io
from pathlib import Path

import numpy as np
from PIL import Image

from overread.contracts import Picture
from overread.errors import ImageError
from overread.imaging.render import PictureRenderer
from overread.records import Media, Receipt
from overread.report.thumbnails import Role, make_shelf


def make_picture(path: str, data: bytes) -> Picture:
    return Picture(
        data=data,
        receipt=Receipt(
            sha256=hashlib.sha256(data).hexdigest(), width=1, height=1, size_bytes=len(data),
            media_type="image/png", sources=(path,), window="as stored", layout="single",
            orientation="as stored", boxes_drawn=0,
        ),
    )  # fmt: skip


def encode(pixels: np.ndarray) -> bytes:
    buffer = io.BytesIO()
    Image.fromarray(pixels).save(buffer, "PNG")
    return buffer.getvalue()


FILES = {
    "grey.png": encode(np.full((300, 600), 90, np.uint8)),
    "green.png": encode(np.full((32, 32, 3), (0, 255, 0), np.uint8)),
    "text.png": b"this is no picture",
}
FILES["copy.png"] = FILES["grey.png"]


def render(media: Media) -> tuple[Picture, ...]:
    if media.paths[0] not in FILES:
        raise ImageError(f"{media.paths[0]}: expected a picture, got nothing. Look again.")
    return tuple(make_picture(path, FILES[path]) for path in media.paths)


def open_thumbnail(data: str) -> Image.Image:
    return Image.open(io.BytesIO(base64.b64decode(data)))


def test_a_path_that_leaves_the_release_is_a_reason_and_stops_nothing(tmp_path: Path) -> None:
    (tmp_path / "grey.png").write_bytes(FILES["grey.png"])
    inside, outside = Media(paths=("grey.png",)), Media(paths=("../../etc/passwd",))
    wanted: list[tuple[Media, Role]] = [(outside, "single"), (inside, "single")]
    shelf = make_shelf(wanted, PictureRenderer(tmp_path))
    assert shelf.places[inside, "single"] == (0,)
    assert "climbs out" in shelf.problems[outside, "single"]


def test_each_distinct_picture_is_kept_once() -> None:
    grey, copy = Media(paths=("grey.png",)), Media(paths=("copy.png",))
    shelf = make_shelf([(grey, "single"), (copy, "single"), (grey, "single")], render)
    assert len(shelf.thumbnails) == 1
    assert shelf.places[grey, "single"] == shelf.places[copy, "single"] == (0,)


def test_thumbnails_keep_their_shape_and_colour() -> None:
    grey, green = Media(paths=("grey.png",)), Media(paths=("green.png",))
    shelf = make_shelf([(grey, "single"), (green, "option")], render)
    small = shelf.thumbnails[0]
    assert (small.width, small.height) == (384, 192)
    assert open_thumbnail(small.data).size == (384, 192)
    red, bright, blue = open_thumbnail(shelf.thumbnails[1].data).convert("RGB").getpixel((9, 9))
    assert bright > 200 > red
    assert blue < 60
    assert shelf.thumbnails[1].width == 32  # never enlarged


def test_a_picture_that_cannot_be_shown_says_why_and_stops_nothing() -> None:
    missing, broken = Media(paths=("gone.png",)), Media(paths=("text.png",))
    grey = Media(paths=("grey.png", "green.png"))
    shelf = make_shelf([(missing, "single"), (broken, "single"), (grey, "slice")], render)
    assert "gone.png: expected a picture" in shelf.problems[missing, "single"]
    assert "text.png" in shelf.problems[broken, "single"]
    assert shelf.places[grey, "slice"] == (0, 1)


def test_many_pictures_are_kept_smaller(tmp_path: Path) -> None:
    many = Media(paths=("grey.png",) * 4001)
    shelf = make_shelf([(many, "single")], render)
    assert shelf.thumbnails[0].width == 288
    assert len(shelf.places[many, "single"]) == 4001
