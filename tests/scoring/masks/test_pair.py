"""Pairs of masks: read once, measured once, and who is at fault where they cannot be."""

from __future__ import annotations

import os

import numpy as np
import pytest

from overread.scoring.masks import pair as pairs
from overread.scoring.masks.measures import MaskMeasures, measure_pair
from overread.scoring.masks.pair import (
    PredictionMaskError,
    ReferenceMaskError,
    file_hash,
    open_pair,
    read_reference,
)
from overread.scoring.masks.renamed import renamed_labels

A, ALL = slice(2, 6), slice(1, 7)


def test_a_pair_is_read_once_until_its_file_changes(write_mask, boxes, monkeypatch):
    read: list[str] = []
    true_reader = pairs.read_label_map
    monkeypatch.setattr(
        pairs, "read_label_map", lambda path: read.append(path.name) or true_reader(path)
    )
    reference = write_mask("reference.nii.gz", boxes((1, A, ALL, ALL)))
    first = write_mask("one.nii.gz", boxes((1, A, ALL, ALL)))
    second = write_mask("two.nii.gz", boxes((2, A, ALL, ALL)))
    third = write_mask("three.nii.gz", boxes())
    one = open_pair(reference, first)
    assert open_pair(reference, first) is one
    assert read == ["reference.nii.gz", "one.nii.gz"]
    # Several predictions on one reference, as clicks give them: the reference is read once.
    two = open_pair(reference, second)
    assert two.reference is one.reference
    assert read_reference(reference) is one.reference
    assert read[2:] == ["two.nii.gz"]
    # Two pairs are kept; the third pushes the first out.
    open_pair(reference, third)
    assert open_pair(reference, second) is two
    assert open_pair(reference, first) is not one
    write_mask("two.nii.gz", boxes((3, A, ALL, ALL)))
    os.utime(second, ns=(7, 7))
    assert open_pair(reference, second).prediction_labels == (3,)


def test_masks_are_read_once_for_scorers_that_know_other_labels(write_mask, boxes):
    path = write_mask("a.nii.gz", boxes((1, A, ALL, ALL), (2, slice(8, 9), ALL, ALL)))
    every, named = open_pair(path, path), open_pair(path, path, (1,))
    assert named.prediction is every.prediction
    assert named.report.unknown_labels == (2,)
    assert every.report.unknown_labels == ()


def test_large_cases_are_not_kept_beside_each_other(write_mask, boxes, monkeypatch):
    monkeypatch.setattr(pairs, "_BYTES_KEPT", 2000)
    paths = [write_mask(f"{n}.nii.gz", boxes((n, A, ALL, ALL))) for n in (1, 2, 3)]
    first = open_pair(paths[0], paths[0])  # 960 bytes a side
    assert open_pair(paths[0], paths[0]) is first
    second = open_pair(paths[1], paths[2])
    assert open_pair(paths[1], paths[2]) is second
    assert open_pair(paths[0], paths[0]) is not first


def test_surfaces_are_measured_once_and_two_hashes_are_kept(write_mask, boxes):
    files = [write_mask(f"{n}.nii.gz", boxes((n, A, ALL, ALL))) for n in (1, 2, 3)]
    pair = open_pair(files[0], files[0])
    assert pair.surface(1, among=(1, 2)) is pair.surface(1)
    assert pair.surface(2) is None
    assert pair.surface(5) is None
    assert len({file_hash(path) for path in (*files, files[0], files[0])}) == 3


def test_the_side_at_fault_is_told(write_mask, boxes, tmp_path):
    good = write_mask("good.nii.gz", boxes((1, A, ALL, ALL)))
    bad = tmp_path / "bad.nii.gz"
    bad.write_bytes(b"nothing")
    with pytest.raises(ReferenceMaskError, match=r"bad\.nii\.gz"):
        open_pair(bad, good)
    with pytest.raises(PredictionMaskError, match=r"bad\.nii\.gz"):
        open_pair(good, bad)
    with pytest.raises(PredictionMaskError, match="absent"):
        file_hash(tmp_path / "absent")


def test_one_structure_under_two_numbers_is_told(write_mask, boxes):
    one = write_mask("one.nii.gz", boxes((1, A, ALL, ALL), (2, slice(8, 10), ALL, ALL)))
    other = write_mask(
        "other.nii.gz",
        boxes((7, slice(3, 6), ALL, ALL), (5, slice(9, 12), ALL, ALL), (3, slice(0, 2), ALL, ALL)),
    )
    (found,) = renamed_labels(open_pair(one, other))
    # 3 of 4 planes: 2 · 3 / (4 + 3). Label 5 has one of two planes and two of its own: 2 / 5.
    assert (found.reference, found.prediction) == (1, 7)
    assert found.dice == pytest.approx(6 / 7)
    assert found.words.startswith("label 7 of the prediction lies where label 1")
    assert renamed_labels(open_pair(one, one)) == ()


def test_exchanged_and_shifted_numbers_are_told(write_mask, boxes):
    one = write_mask("one.nii.gz", boxes((1, A, ALL, ALL), (2, slice(8, 10), ALL, ALL)))
    exchanged = boxes((2, A, ALL, ALL), (1, slice(8, 10), ALL, ALL))
    found = renamed_labels(open_pair(one, write_mask("exchanged.nii.gz", exchanged)))
    assert [(each.reference, each.prediction, each.dice) for each in found] == [
        (1, 2, 1.0),
        (2, 1, 1.0),
    ]
    shifted = boxes((2, A, ALL, ALL), (3, slice(8, 10), ALL, ALL))
    found = renamed_labels(open_pair(one, write_mask("shifted.nii.gz", shifted)))
    assert [(each.reference, each.prediction) for each in found] == [(1, 2), (2, 3)]
    # A label that fits its own number is nobody else's, and a bad fit alone is no other number.
    grown = boxes((1, slice(2, 7), ALL, ALL), (2, slice(9, 12), ALL, ALL))
    assert renamed_labels(open_pair(one, write_mask("grown.nii.gz", grown))) == ()


def test_of_two_fitting_labels_the_better_one_is_told_also_of_large_numbers(write_mask, boxes):
    # Ten planes; four in 70000, five in 70001: Dice 8 / 14 and 10 / 15.
    one = write_mask("one.nii.gz", boxes((1, slice(0, 10), ALL, ALL)).astype(np.int32))
    other = boxes((1, slice(0, 4), ALL, ALL), (2, slice(5, 10), ALL, ALL)).astype(np.int32)
    other[other > 0] += 69_999
    (found,) = renamed_labels(open_pair(one, write_mask("other.nii.gz", other)))
    assert (found.reference, found.prediction) == (1, 70_001)
    assert found.dice == pytest.approx(2 / 3)


def test_two_sizes_are_refused_whatever_is_asked_for(write_mask, boxes):
    one = write_mask("one.nii.gz", boxes((1, A, ALL, ALL)))
    other = write_mask("other.nii.gz", boxes((1, A, ALL, ALL))[:-1])
    pair = open_pair(one, other)
    for look in (pair.check, lambda: pair.overlaps, lambda: pair.labels, lambda: pair.surface(1)):
        with pytest.raises(PredictionMaskError, match="size: 12 × 10 × 8 in the reference"):
            look()


def test_counts_by_index_are_given_where_only_headers_differ(write_mask, boxes):
    """A benchmark's own code may never look at headers: its values must still be had."""
    one = write_mask("one.nii.gz", boxes((1, A, ALL, ALL)))
    other = write_mask("other.nii.gz", boxes((1, A, ALL, ALL)), spacing_mm=(2.0, 1.0, 1.0))
    pair = open_pair(one, other)
    assert not pair.report.same
    assert pair.overlap(1).dice == 1.0
    with pytest.raises(PredictionMaskError, match="spacing: 1 × 1 × 1 mm in the reference, 2"):
        pair.check()


def test_without_a_voxel_size_there_are_no_distances(write_mask, boxes):
    import nibabel

    path = write_mask("one.nii", boxes((1, A, ALL, ALL)))
    raw = bytearray(path.read_bytes())
    raw[80:92] = bytes(12)  # pixdim
    raw[252:256] = bytes(4)  # no qform, no sform
    path.write_bytes(raw)
    assert nibabel.load(path).shape == (12, 10, 8)
    pair = open_pair(path, path)
    with pytest.raises(ReferenceMaskError, match="--spacing X,Y,Z"):
        pair.surface(1)
    found = pair.spaced((1.0, 1.0, 2.0)).surface(1)
    assert found is not None
    assert found.hd_mm == 0.0


def test_a_small_lesion_in_a_large_volume_costs_what_the_lesion_costs(write_mask, boxes):
    array = np.zeros((60, 60, 60), np.uint8)
    array[10:12, 20:23, 30:34] = 1
    path = write_mask("one.nii.gz", array)
    pair = open_pair(path, path)
    assert pair.box == (slice(10, 12), slice(20, 23), slice(30, 34))
    assert pair.cropped[0].shape == (2, 3, 4)
    assert pair.masks(1)[1].all()
    assert pair.lesions(1, 6) is pair.lesions(1, 6)


def test_touching_the_border_changes_nothing(write_mask, boxes):
    """Cropping to the labels puts every mask at a border: distances must not see it."""
    inside = np.zeros((14, 12, 10), np.uint8)
    inside[3:7, 3:9, 3:7] = 1
    moved = np.roll(inside, 1, axis=0)
    near, far = (write_mask(f"{n}.nii.gz", each) for n, each in enumerate((inside, moved)))
    cut = [
        write_mask(f"{n}c.nii.gz", each[3:8, 3:9, 3:7]) for n, each in enumerate((inside, moved))
    ]
    for measures in (MaskMeasures(), MaskMeasures(surface=False, lesions="centre", skeleton=True)):
        whole, cropped = (
            {
                (each.spec.name, each.target): each.outcome
                for each in measure_pair(open_pair(*files), {1: "lesion"}, measures)
                if each.spec.name != "grid_diagonal_mm"
            }
            for files in ((near, far), cut)
        )
        assert whole == cropped


def test_connectivity_follows_the_number_of_axes():
    assert MaskMeasures(connectivity=18).connectivity_of(3) == 18
    assert MaskMeasures(connectivity=18).connectivity_of(2) == 8
    assert MaskMeasures(connectivity=6).connectivity_of(2) == 4
    assert MaskMeasures(connectivity=8).connectivity_of(3) == 6


@pytest.mark.data
def test_the_real_pair_has_the_values_that_were_published_with_it(released_data):
    """TotalSegmentator's test files: label 1 by surface-distance, 3 mm voxels."""
    folder = released_data / "totalsegmentator_ct"
    pair = open_pair(folder / "example_seg.nii.gz", folder / "example_seg_fast.nii.gz")
    assert pair.report.same
    assert len({*pair.reference_labels} & {*pair.prediction_labels}) == 40
    assert {*pair.reference_labels} ^ {*pair.prediction_labels} == {13}
    assert pair.overlap(1).dice == pytest.approx(0.9774, abs=5e-5)
    found = pair.surface(1, among=pair.labels)
    assert found is not None
    assert found.hd95_mm() == 3.0
    assert found.nsd(3.0) == pytest.approx(0.9999, abs=5e-5)
