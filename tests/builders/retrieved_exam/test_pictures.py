"""Stacks and boxes, from the 16-bit slices of a made lesion table."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from overread.benchmarks.ct_bench import layout
from overread.benchmarks.ct_bench.exam_draws import View
from overread.builders.lesion_set import build_lesion_set
from overread.builders.retrieved_exam.lesions import LesionSet, read_lesion_set
from overread.builders.retrieved_exam.pictures import (
    OWN_BOX,
    Stacks,
    make_misplacer,
    write_exam_pictures,
)
from overread.imaging.boxes import find_drawn_boxes


@pytest.fixture(scope="module")
def root(deeplesion, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("built") / "set"
    build_lesion_set(deeplesion.table, deeplesion.images, out, seed=1)
    return out


@pytest.fixture(scope="module")
def held(root: Path) -> LesionSet:
    return read_lesion_set(root, seed=1)


def test_stacks_are_found_by_the_names_in_the_merged_table(deeplesion, root, held) -> None:
    stacks = Stacks(deeplesion.images, root / layout.MERGED_FILE, held.lesions)
    # four of five series have the neighbours of their key slice
    assert len(stacks.lesions) == pytest.approx(0.8 * len(held.lesions), abs=2)
    one = min(stacks.lesions)
    lesion = next(each for each in held.lesions if each.lesion_idx == one)
    with Image.open(lesion.plain) as image:
        shown = np.asarray(image)
    # the key slice is the middle one, in the window that the lesion set was written with
    np.testing.assert_array_equal(stacks.slice(one, layout.KEY_SLICE), shown)
    assert (stacks.slice(one, 0) != shown).any()


def test_without_a_folder_there_are_no_stacks(root, held, tmp_path: Path) -> None:
    assert Stacks(None, root / layout.MERGED_FILE, held.lesions).lesions == frozenset()
    assert Stacks(tmp_path, None, held.lesions).lesions == frozenset()
    assert Stacks(tmp_path, root / layout.MERGED_FILE, held.lesions).lesions == frozenset()
    assert Stacks(tmp_path, root / layout.METADATA_FILE, held.lesions).lesions == frozenset()


def test_boxes_lie_where_no_known_lesion_does(held: LesionSet) -> None:
    misplace = make_misplacer(held.lesions)
    found = [misplace(one, np.random.default_rng(one.lesion_idx)) for one in held.lesions]
    drawn = [(one, boxes) for one, boxes in zip(held.lesions, found, strict=True) if boxes]
    assert drawn
    for lesion, boxes in drawn:
        assert len(boxes) == 3
        assert lesion.box is not None
        for box in boxes:
            width = min(box.x_max, lesion.box.x_max) - max(box.x_min, lesion.box.x_min)
            height = min(box.y_max, lesion.box.y_max) - max(box.y_min, lesion.box.y_min)
            area = (box.x_max - box.x_min) * (box.y_max - box.y_min)
            assert max(width, 0) * max(height, 0) <= 0.11 * area


def test_a_lesion_of_the_same_slice_in_another_window_is_not_marked_either(held) -> None:
    one, boxes = next(
        (one, boxes)
        for one in held.lesions
        if (boxes := make_misplacer([one])(one, np.random.default_rng(1)))
    )
    twin = replace(one, lesion_idx=999, picture_sha256="another window", box=boxes[0])
    assert twin.stem == one.stem
    again = make_misplacer([one, twin])(one, np.random.default_rng(1))
    assert again is not None
    for box in again:
        width = min(box.x_max, boxes[0].x_max) - max(box.x_min, boxes[0].x_min)
        height = min(box.y_max, boxes[0].y_max) - max(box.y_min, boxes[0].y_min)
        area = (box.x_max - box.x_min) * (box.y_max - box.y_min)
        assert max(width, 0) * max(height, 0) <= 0.11 * area


def test_pictures_show_what_their_view_says(deeplesion, root, held, tmp_path: Path) -> None:
    stacks = Stacks(deeplesion.images, root / layout.MERGED_FILE, held.lesions)
    one = min(stacks.lesions)
    lesion = next(each for each in held.lesions if each.lesion_idx == one)
    assert lesion.box is not None

    def view(slice_index: int, boxed) -> View:
        return View(lesion_idx=one, split="test", slice_index=slice_index, boxed=boxed)

    key = layout.KEY_SLICE
    views = {
        "plain.png": view(key, None),
        "own.png": view(key, OWN_BOX),
        "drawn.png": view(key, lesion.box),
        "first.png": view(0, None),
    }
    by_index = {each.lesion_idx: each for each in held.lesions}
    write_exam_pictures(tmp_path, views, by_index, stacks)
    for form in ("clip", "llm"):
        folder = tmp_path / form / "test"
        assert (folder / "plain.png").read_bytes() == lesion.plain.read_bytes()
        assert (folder / "own.png").read_bytes() == lesion.boxed.read_bytes()
        with Image.open(folder / "drawn.png") as image:
            (found,) = find_drawn_boxes(np.asarray(image.convert("RGB")))
        assert abs(found.x_min - lesion.box.x_min) <= 2
        with Image.open(folder / "first.png") as image:
            np.testing.assert_array_equal(np.asarray(image), stacks.slice(one, 0))
