"""Fingerprints of pictures: what they outlive, and what they tell apart."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

from overread.imaging.likeness import grey_levels, hash_distances, mark_picture
from overread.imaging.picture_marks import mark_files, twins
from overread.imaging.stored import StoredSlice

SIZE = 512


def scene(seed: int) -> NDArray[np.uint8]:
    """Draw smooth structures with fine texture on them, as a slice of CT has."""
    rng = np.random.default_rng(seed)
    coarse = np.array(
        Image.fromarray(rng.integers(0, 200, (9, 9), dtype=np.uint8)).resize((SIZE, SIZE), 3)
    )
    return np.clip(coarse + rng.integers(0, 50, coarse.shape), 0, 255).astype(np.uint8)


def jpeg(grey: NDArray[np.uint8], quality: int) -> NDArray[np.uint8]:
    held = io.BytesIO()
    Image.fromarray(grey).save(held, "JPEG", quality=quality)
    return np.array(Image.open(held))


def kinds(one: NDArray[np.uint8], other: NDArray[np.uint8]) -> list[str]:
    return [pair.likeness for pair in twins([mark_picture(one)], [mark_picture(other)])]


@pytest.mark.parametrize(
    "changed",
    [
        lambda g: g,
        lambda g: jpeg(g, 60),
        lambda g: np.array(Image.fromarray(g).resize((SIZE // 2, SIZE // 2), 3)),
        lambda g: np.array(Image.fromarray(g).resize((SIZE * 2, SIZE * 2), 3)),
        lambda g: (g * 0.9).astype(np.uint8),
    ],
    ids=["same", "jpeg", "half", "double", "darker"],
)
def test_a_copy_is_known_again(changed: Any) -> None:
    for seed in range(5):
        assert kinds(scene(seed), changed(scene(seed))) == ["copy"]


def test_a_crop_and_a_drawing_are_known_by_their_patches() -> None:
    grey = scene(3)
    boxed = grey.copy()
    boxed[160:164, 140:320] = boxed[300:304, 140:320] = 255
    assert kinds(grey, grey[50:400, 30:450]) == ["crop or drawing"]
    assert kinds(grey, boxed)[0] in ("copy", "crop or drawing")


def test_different_pictures_are_told_apart() -> None:
    marks = [mark_picture(scene(seed)) for seed in range(40)]
    assert list(twins(marks[:20], marks[20:])) == []


@pytest.mark.parametrize("grey", [np.zeros((64, 64)), np.full((3, 200), 9), np.zeros((1, 1))])
def test_a_flat_picture_is_like_nothing(grey: Any) -> None:
    mark = mark_picture(grey.astype(np.uint8))
    assert mark.bits is None
    assert list(twins([mark], [mark])) == []


def test_distances_count_bits() -> None:
    none, all_ = np.zeros((1, 4), np.uint64), np.full((1, 4), 2**64 - 1, np.uint64)
    assert hash_distances(none, np.concatenate([none, all_])).tolist() == [[0, 256]]


def test_colour_and_hu_become_grey() -> None:
    colour = np.stack([scene(1)] * 3, axis=2)
    assert np.array_equal(grey_levels(StoredSlice(pixels=colour, unit="display")), scene(1))
    hu = np.linspace(-1000, 1000, 100, dtype=np.float32).reshape(10, 10)
    grey = grey_levels(StoredSlice(pixels=hu, unit="hu"))
    assert (grey.min(), grey.max()) == (0, 255)


def test_unreadable_files_are_left_out(tmp_path: Path) -> None:
    Image.fromarray(scene(1)).save(tmp_path / "a.png")
    (tmp_path / "b.png").write_bytes(b"\x89PNG\r\n\x1a\n cut")
    found = mark_files(tmp_path, ["a.png", "b.png", "absent.png", "../outside.png"])
    assert list(found) == ["a.png"]


@pytest.mark.data
def test_real_slices_of_one_patient_are_no_copies(released_data: Path) -> None:
    folder = released_data / "deeplesion_slices" / "train"
    if not folder.is_dir():
        pytest.skip(f"no slices at {folder}")
    names = sorted(path.name for path in folder.glob("*.jpg"))
    marks = mark_files(folder, names)
    pairs = twins(list(marks.values()), list(marks.values()))
    assert all(pair.first == pair.second for pair in pairs)
