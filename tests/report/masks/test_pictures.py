"""Pictures of a case: outlines over the scan, over grey shapes, and what is said where none is."""

from __future__ import annotations

import base64
import io
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from overread.analysis.mask_results import MaskResults
from overread.errors import ImageError
from overread.imaging.label_map import LabelMap, read_label_map
from overread.imaging.read_volume import read_volume
from overread.imaging.stored import StoredSlice
from overread.report.masks.pictures import case_pictures, fitted


def maps(results: MaskResults, place: int) -> tuple[LabelMap, LabelMap, Path]:
    case = results.cases[place]
    assert case.reference is not None
    assert case.prediction is not None
    assert case.image is not None
    return read_label_map(case.reference), read_label_map(case.prediction), case.image


def test_three_planes_over_the_scan(phantoms: MaskResults) -> None:
    reference, prediction, image = maps(phantoms, 1)
    drawn = case_pictures(reference, prediction, [1], image=read_volume(image))
    assert [plane.name for plane in drawn.planes] == ["axial", "coronal", "sagittal"]
    assert drawn.note == "the scan from −160 to 240 HU"
    for plane in drawn.planes:
        assert plane.reference
        assert plane.prediction
        assert plane.scale == "20 mm"
        with Image.open(io.BytesIO(base64.b64decode(plane.data))) as opened:
            grey = np.asarray(opened.convert("L"))
            assert opened.size[0] / opened.size[1] == pytest.approx(
                plane.shown_width / plane.shown_height, rel=0.03
            )
        assert grey[0].max() < 30  # air
        assert grey.max() > 120  # the liver at 60 HU


def test_a_dim_lesion_is_seen_beside_what_is_far_brighter(phantoms: MaskResults) -> None:
    reference, prediction, image = maps(phantoms, 1)
    scan = read_volume(image)
    uptake = np.zeros(scan.array.shape, np.float32)
    uptake[reference.array == 3] = 4.0
    uptake[30:40, 20:30, 5:17] = 90.0  # the bladder, more than one voxel in a hundred
    pet = replace(scan, array=uptake, unit="raw")
    drawn = case_pictures(reference, prediction, [3], image=pet)
    assert drawn.note == "the scan from 0 to 8"
    plane = drawn.planes[0]
    with Image.open(io.BytesIO(base64.b64decode(plane.data))) as opened:
        grey = np.asarray(opened.convert("L"))
    assert 100 < np.sort(grey[grey > 60])[0:50].mean() < 255


def test_without_a_scan_the_labels_are_grey_shapes(phantoms: MaskResults) -> None:
    reference, prediction, _ = maps(phantoms, 1)
    drawn = case_pictures(reference, prediction, [1], image=None)
    assert drawn.note == "grey shapes are the reference's labels"
    assert len(drawn.planes) == 3


def test_a_label_that_one_mask_has_is_drawn_as_that_mask_alone(phantoms: MaskResults) -> None:
    reference, prediction, _ = maps(phantoms, 3)  # its lesion was missed
    planes = case_pictures(reference, prediction, [3], image=None).planes
    assert all(plane.reference and plane.reference == plane.only_reference for plane in planes)
    assert not any(plane.prediction or plane.only_prediction for plane in planes)


def test_a_label_that_no_mask_has_has_no_picture(phantoms: MaskResults) -> None:
    reference, prediction, _ = maps(phantoms, 1)
    drawn = case_pictures(reference, prediction, [77], image=None)
    assert drawn.planes == ()
    assert drawn.note == "neither mask has this label"


def test_a_scan_on_another_grid_is_not_shown_and_it_says_so(phantoms: MaskResults) -> None:
    reference, prediction, image = maps(phantoms, 1)
    scan = read_volume(image)
    cut = replace(scan, array=scan.array[:-1])
    assert (
        "another grid (47 × 40 × 24 voxels"
        in case_pictures(reference, prediction, [1], image=cut).note
    )
    assert reference.geometry is not None
    affine = np.array(scan.geometry.affine_lps)
    affine[0, 3] += 5
    moved = replace(scan.geometry, affine_lps=tuple(map(tuple, affine.tolist())))
    drawn = case_pictures(reference, prediction, [1], image=replace(scan, geometry=moved))
    assert "the scan lies in another place" in drawn.note


def test_a_prediction_on_another_grid_is_laid_on_the_references(phantoms: MaskResults) -> None:
    reference, prediction, _ = maps(phantoms, 6)  # written 9 mm off
    laid = fitted(prediction, like=reference)
    assert laid is not prediction
    assert laid.array.shape == reference.array.shape
    own = maps(phantoms, 1)[1]
    assert fitted(own, like=reference) is own


def test_another_size_without_a_place_cannot_be_laid_on(phantoms: MaskResults) -> None:
    reference, prediction, _ = maps(phantoms, 1)
    odd = replace(prediction, array=prediction.array[:-1], geometry=None)
    with pytest.raises(ImageError, match="a header that says where"):
        fitted(odd, like=reference)


def test_masks_of_a_picture_lie_on_it_in_its_colours() -> None:
    reference = np.zeros((90, 120), np.uint8)
    reference[30:50, 40:70] = 1
    pixels = np.zeros((90, 120, 3), np.uint8)
    pixels[..., 0], pixels[30:50, 40:70] = 200, (20, 180, 40)
    one = LabelMap(array=reference, spacing_mm=None, geometry=None, source="a.png")
    other = replace(one, array=np.roll(reference, 3, 1))
    drawn = case_pictures(one, other, [1], image=StoredSlice(pixels=pixels, unit="display"))
    (plane,) = drawn.planes
    assert (drawn.note, plane.name, plane.scale) == ("", "picture", "")
    with Image.open(io.BytesIO(base64.b64decode(plane.data))) as opened:
        assert opened.mode == "RGB"
        red, green, _ = np.asarray(opened).reshape(-1, 3).T
    assert red.max() > 150
    assert green.max() > 150


def test_a_picture_of_another_size_is_not_shown() -> None:
    reference = np.ones((9, 12), np.uint8)
    one = LabelMap(array=reference, spacing_mm=None, geometry=None, source="a.png")
    pixels = np.zeros((9, 13), np.uint8)
    drawn = case_pictures(one, one, [1], image=StoredSlice(pixels=pixels, unit="display"))
    assert "another grid (9 × 13 voxels" in drawn.note
