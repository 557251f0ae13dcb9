"""Label maps from files: what is read, what is read with a warning, what is refused."""

from __future__ import annotations

import gzip
import tracemalloc
from pathlib import Path

import nibabel
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from overread.errors import ImageError, UsageError
from overread.imaging.label_box import label_box, labels_of
from overread.imaging.label_map import LabelMap, mask_suffix, read_label_map
from overread.imaging.label_values import LabelKeeper

SHAPE = (5, 4, 3)
RAS = np.diag([0.8, 0.9, 2.5, 1.0])


def labels(dtype=np.uint8, highest=2):
    array = np.zeros(SHAPE, dtype)
    array[1:3, 1, 0] = 1
    array[4, 3, 2] = highest
    return array


def write(path: Path, array, *, affine=RAS, slope=None, endian="<") -> Path:
    header = nibabel.Nifti1Header(endianness=endian)
    header.set_data_dtype(array.dtype.newbyteorder(endian))
    image = nibabel.Nifti1Image(array, affine, header)
    image.header.set_data_dtype(array.dtype.newbyteorder(endian))
    if slope is not None:
        image.header.set_slope_inter(*slope)
    nibabel.save(image, path)
    return path


@pytest.mark.parametrize("name", ["a.nii", "a.nii.gz"])
@pytest.mark.parametrize("endian", ["<", ">"])
@pytest.mark.parametrize("dtype", ["u1", "i2", "u2", "i4", "i8", "u8", "f4", "f8"])
def test_every_kind_of_whole_number_is_read(tmp_path, name, endian, dtype):
    array = labels(np.dtype(dtype))
    found = read_label_map(write(tmp_path / name, array, endian=endian))
    assert found.array.dtype == np.uint8
    np.testing.assert_array_equal(found.array, array)
    assert found.spacing_mm == pytest.approx((0.8, 0.9, 2.5))
    assert found.geometry is not None
    assert found.geometry.axes == "RAS"
    assert found.voxel_ml == pytest.approx(0.8 * 0.9 * 2.5 / 1000)
    expected = [f"labels are stored as float{8 * array.itemsize}"] if dtype[0] == "f" else []
    assert list(found.warnings) == expected


@pytest.mark.parametrize(
    ("highest", "dtype"),
    [(255, np.uint8), (256, np.uint16), (65535, np.uint16), (65536, np.uint32)],
)
@pytest.mark.parametrize("stored", [np.int32, np.float64])
def test_no_label_is_wrapped_around(tmp_path, highest, dtype, stored):
    array = labels(stored, highest)
    found = read_label_map(write(tmp_path / "a.nii.gz", array))
    assert found.array.dtype == dtype
    assert labels_of(found.array) == (1, highest)
    np.testing.assert_array_equal(found.array, array)


def test_labels_scaled_by_the_header_mean_what_they_say(tmp_path):
    path = write(tmp_path / "a.nii.gz", 3 * labels(np.int16), slope=(1 / 3, 0.0))
    found = read_label_map(path)
    np.testing.assert_array_equal(found.array, labels())
    assert "scaled by the header" in found.warnings[0]


@pytest.mark.parametrize(
    ("array", "message"),
    [
        (0.7 * labels(np.float32, 1), "map of probabilities or parts of voxels"),
        (1.5 * labels(np.float64, 2), "values that are no whole numbers, such as 1.5"),
        (np.where(labels() == 1, np.nan, 0.0), r"no number \(NaN or infinite\)"),
        (np.where(labels() == 1, np.inf, 0.0), r"no number \(NaN or infinite\)"),
        (-labels(np.int16), "negative values, -2 among them"),
        (labels(np.uint64, 2**40), r"a value of 1,099,511,627,776"),
        (np.stack([labels()] * 2, axis=-1), r"4 dimensions \(5 × 4 × 3 × 2\)"),
        (labels().astype(np.complex64), "numbers of kind 'c'"),
    ],
)
def test_what_is_no_label_map_is_refused(tmp_path, array, message):
    path = write(tmp_path / "a.nii.gz", array)
    with pytest.raises(ImageError, match=message) as refused:
        read_label_map(path)
    assert str(path) in str(refused.value)


def test_a_fourth_axis_of_one_is_let_go_and_a_slice_is_a_thin_volume(tmp_path):
    found = read_label_map(write(tmp_path / "a.nii", labels()[..., None]))
    np.testing.assert_array_equal(found.array, labels())
    flat = read_label_map(write(tmp_path / "b.nii", labels()[:, :, 0]))
    assert flat.array.shape == (5, 4, 1)


def test_a_header_without_an_orientation_has_a_spacing_and_no_sides(tmp_path):
    image = nibabel.Nifti1Image(labels(), None)
    image.header.set_zooms((1.0, 2.0, 3.0))
    nibabel.save(image, tmp_path / "a.nii")
    found = read_label_map(tmp_path / "a.nii")
    assert (found.spacing_mm, found.geometry) == ((1.0, 2.0, 3.0), None)
    assert found.warnings == ("the header states no orientation: sides are unknown",)
    raw = bytearray((tmp_path / "a.nii").read_bytes())
    raw[80:92] = bytes(12)  # pixdim 1 to 3
    (tmp_path / "b.nii").write_bytes(raw)
    found = read_label_map(tmp_path / "b.nii")
    assert (found.spacing_mm, found.geometry) == (None, None)
    assert found.voxel_ml is found.diagonal_mm is None


def test_a_sheared_grid_has_a_spacing_and_a_warning(tmp_path):
    affine = RAS.copy()
    affine[1, 2] = 0.5
    image = nibabel.Nifti1Image(labels(), affine)
    image.header["qform_code"] = 0
    nibabel.save(image, tmp_path / "a.nii")
    found = read_label_map(tmp_path / "a.nii")
    assert found.geometry is None
    assert found.spacing_mm is not None
    assert "sheared" in found.warnings[0]


@pytest.mark.parametrize("name", ["a.nii", "a.nii.gz"])
@pytest.mark.parametrize("share", [0.0, 0.3, 0.9])
def test_cut_and_empty_files_are_refused(tmp_path, name, share):
    array = np.random.default_rng(0).integers(0, 9, (20, 20, 20)).astype(np.uint8)
    path = write(tmp_path / name, array)
    data = path.read_bytes()
    path.write_bytes(data[: int(share * len(data))])
    with pytest.raises(ImageError):
        read_label_map(path)


def test_a_zipped_file_with_a_wrong_checksum_is_refused(tmp_path):
    path = write(tmp_path / "a.nii.gz", labels())
    data = bytearray(path.read_bytes())
    data[-8] ^= 0xFF
    path.write_bytes(data)
    with pytest.raises(ImageError, match="damaged"):
        read_label_map(path)


def test_a_wrong_name_is_told_with_the_right_one(tmp_path):
    zipped = write(tmp_path / "a.nii.gz", labels())
    zipped.rename(tmp_path / "b.nii")
    with pytest.raises(ImageError, match=r"a zipped file under .* Name it b\.nii\.gz\."):
        read_label_map(tmp_path / "b.nii")
    plain = write(tmp_path / "c.nii", labels())
    plain.rename(tmp_path / "d.nii.gz")
    with pytest.raises(ImageError, match=r"a plain file under .* Name it d\.nii\."):
        read_label_map(tmp_path / "d.nii.gz")


def test_fractions_close_to_whole_numbers_do_not_look_like_them(tmp_path):
    array = labels(np.float64)
    array[0, 0, 0] = 2.0000001
    with pytest.raises(ImageError, match=r"no whole numbers, such as 2\.0000001"):
        read_label_map(write(tmp_path / "a.nii", array))


def test_a_spacing_of_nothing_is_told_in_our_words(tmp_path, caplog):
    path = write(tmp_path / "a.nii", labels())
    held = bytearray(path.read_bytes())
    held[80:92] = bytes(12)  # pixdim 1 to 3
    held[252:256] = bytes(4)  # neither qform nor sform
    path.write_bytes(held)
    found = read_label_map(path)
    assert found.spacing_mm is None
    assert any("no usable voxel size" in warning for warning in found.warnings)
    assert not caplog.records


def test_a_file_of_another_kind_is_refused(tmp_path):
    with pytest.raises(ImageError, match="no readable file"):
        read_label_map(tmp_path / "absent.nii.gz")
    (tmp_path / "a.txt").write_text("no mask")
    with pytest.raises(ImageError, match="another kind"):
        read_label_map(tmp_path / "a.txt")
    (tmp_path / "a.nii.gz").write_bytes(gzip.compress(b"no header"))
    with pytest.raises(ImageError, match="damaged"):
        read_label_map(tmp_path / "a.nii.gz")
    (tmp_path / "a.nii").mkdir()
    with pytest.raises(ImageError, match="no plain file"):
        read_label_map(tmp_path / "a.nii")


def test_a_picture_gives_its_indices(tmp_path):
    array = labels()[:, :, 0]
    indexed = Image.fromarray(array)
    indexed.putpalette([9, 9, 9, 200, 0, 0, 0, 200, 0])
    indexed.save(tmp_path / "palette.png")
    Image.fromarray(array * 127).save(tmp_path / "grey.png")
    Image.fromarray(array > 0).save(tmp_path / "bits.png")
    Image.fromarray(array.astype(np.uint16) * 300).save(tmp_path / "deep.png")
    for name, expected in (
        ("palette", array),
        ("grey", array * 127),
        ("bits", array > 0),
        ("deep", array.astype(np.uint16) * 300),
    ):
        found = read_label_map(tmp_path / f"{name}.png")
        np.testing.assert_array_equal(found.array, expected)
        assert (found.spacing_mm, found.geometry, found.voxel_ml) == (None, None, None)


def test_a_picture_in_colour_has_no_labels(tmp_path):
    grey = np.repeat(labels()[:, :, :1], 3, axis=2)
    Image.fromarray(grey).save(tmp_path / "grey.png")
    found = read_label_map(tmp_path / "grey.png")
    np.testing.assert_array_equal(found.array, labels()[:, :, 0])
    assert found.warnings == ("grey stored as colour: its grey values were taken",)
    grey[0, 0, 1] = 7
    Image.fromarray(grey).save(tmp_path / "colour.png")
    with pytest.raises(ImageError, match="in colour"):
        read_label_map(tmp_path / "colour.png")
    (tmp_path / "broken.png").write_bytes((tmp_path / "colour.png").read_bytes()[:60])
    with pytest.raises(ImageError):
        read_label_map(tmp_path / "broken.png")


def test_a_metaimage_is_read(tmp_path):
    sitk = pytest.importorskip("SimpleITK", reason="needs the extra itk")
    image = sitk.GetImageFromArray(labels(np.int32, 300).transpose(2, 1, 0))
    image.SetSpacing((0.8, 0.9, 2.5))
    sitk.WriteImage(image, str(tmp_path / "a.mha"))
    found = read_label_map(tmp_path / "a.mha")
    assert found.array.dtype == np.uint16
    np.testing.assert_array_equal(found.array, labels(np.int32, 300))
    assert found.geometry is not None
    assert found.geometry.axes == "LPS"
    image = sitk.GetImageFromArray(labels(np.int32, 2**24 + 1).transpose(2, 1, 0))
    sitk.WriteImage(image, str(tmp_path / "b.mha"))
    with pytest.raises(ImageError, match="values beyond"):
        read_label_map(tmp_path / "b.mha")


def test_hardly_more_than_the_labels_is_held(tmp_path):
    array = np.zeros((200, 200, 100), np.float64)
    array[50:90, 50:90, 50:90] = 3
    path = write(tmp_path / "a.nii.gz", array)
    tracemalloc.start()
    try:
        found = read_label_map(path)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    # One label map of 4 MB, and pieces of 4 MB read, unpacked, checked; the file holds 32 MB.
    assert found.array.nbytes == 4_000_000
    assert peak < 28_000_000


def test_one_label_and_another_spacing():
    found = LabelMap(array=labels(), spacing_mm=None, geometry=None, source="a.nii")
    np.testing.assert_array_equal(found.only(2).array, labels() == 2)
    spaced = found.spaced((1.0, 2.0, 2.0))
    assert spaced.voxel_ml == 0.004
    assert spaced.diagonal_mm == (5**2 + 8**2 + 6**2) ** 0.5
    for bad in ((1.0, 2.0), (1.0, 2.0, 0.0), (1.0, 2.0, float("nan"))):
        with pytest.raises(UsageError, match="spacing_mm"):
            found.spaced(bad)


@given(
    st.lists(
        st.tuples(st.integers(0, 4), st.integers(0, 3), st.integers(0, 2), st.integers(1, 300)),
        max_size=6,
    ),
    st.sampled_from(["C", "F"]),
)
def test_the_box_and_the_labels_are_those_of_numpy(filled, order):
    array = np.zeros(SHAPE, np.uint16, order=order)
    for i, j, k, label in filled:
        array[i, j, k] = label
    box = label_box(array)
    if not filled:
        assert box is None
    else:
        assert box is not None
        for axis, places in enumerate(np.nonzero(array)):
            assert (box[axis].start, box[axis].stop) == (places.min(), places.max() + 1)
    assert labels_of(array) == tuple(int(each) for each in np.unique(array) if each)


@given(st.lists(st.one_of(st.integers(-3, 2**33), st.floats()), min_size=1, max_size=8))
def test_numbers_are_kept_as_they_are_or_refused(values):
    keeper = LabelKeeper("a.nii", len(values), slope=1.0, intercept=0.0)
    stored = np.array(values, np.float64)
    good = np.isfinite(stored).all() and (stored == np.rint(stored)).all()
    good = good and stored.min() >= 0 and stored.max() < 2**32
    if good:
        keeper.take(stored[:1])
        keeper.take(stored[1:])
        assert keeper.labels().tolist() == stored.tolist()
    else:
        with pytest.raises(ImageError):
            keeper.take(stored)


def test_suffixes():
    assert mask_suffix("A.NII.GZ") == ".nii.gz"
    assert mask_suffix("a.png") == ".png"
    assert mask_suffix("a.jpg") is None


def test_an_empty_array_has_no_box_and_no_labels():
    assert label_box(np.zeros((0, 3), np.uint8)) is None
    assert labels_of(np.zeros((0, 3), np.uint8)) == ()


def test_a_pair_of_files_and_hostile_offsets_are_refused(tmp_path):
    path = write(tmp_path / "a.nii", labels())
    raw = bytearray(path.read_bytes())
    raw[108:112] = np.float32(2**26).tobytes()
    path.write_bytes(raw)
    with pytest.raises(ImageError, match="voxels from byte 67,108,864 on"):
        read_label_map(path)
    nibabel.save(nibabel.MGHImage(labels(), RAS), tmp_path / "b.mgz")
    (tmp_path / "b.mgz").rename(tmp_path / "b.nii.gz")
    with pytest.raises(ImageError):
        read_label_map(tmp_path / "b.nii.gz")


def test_units_and_two_orientations_are_told(tmp_path):
    image = nibabel.Nifti1Image(labels(), RAS)
    image.header.set_xyzt_units("meter")
    nibabel.save(image, tmp_path / "a.nii")
    found = read_label_map(tmp_path / "a.nii")
    assert found.spacing_mm == pytest.approx((800.0, 900.0, 2500.0))
    assert "units of 1000 mm" in found.warnings[0]
    image = nibabel.Nifti1Image(labels(), RAS)
    image.set_qform(np.diag([-0.8, 0.9, 2.5, 1.0]), 1)
    nibabel.save(image, tmp_path / "b.nii")
    found = read_label_map(tmp_path / "b.nii")
    assert "the header's sform and qform differ: the sform was taken" in found.warnings
    assert found.geometry is not None
    assert found.geometry.axes == "RAS"


@given(st.lists(st.tuples(st.integers(0, 351), st.integers(0, 255)), min_size=1, max_size=4))
def test_a_header_with_any_bytes_is_read_or_refused(tmp_path_factory, changes):
    folder = tmp_path_factory.getbasetemp()
    path = folder / "hostile.nii"
    raw = bytearray(_HEADER)
    for place, value in changes:
        raw[place] = value
    path.write_bytes(raw)
    try:
        found = read_label_map(path)
    except ImageError:
        return
    assert found.array.ndim == 3
    assert found.spacing_mm is None or min(found.spacing_mm) > 0


_HEADER = nibabel.Nifti1Image(labels(), RAS).to_bytes()
