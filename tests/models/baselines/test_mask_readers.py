from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import nibabel
import numpy as np
import pytest
from PIL import Image

from overread.contracts import MaskWriter, ModelOptions, Query, Reply
from overread.errors import ImageError
from overread.imaging.label_map import read_label_map
from overread.records import Item, Mask, Media, Status
from overread.registry import open_model

VALUES = np.arange(4 * 5 * 3, dtype=np.int16).reshape(4, 5, 3)
AFFINE = np.array(
    [[-0.7, 0.05, 0.0, 12.3], [0.05, 0.7, 0.0, -7.7], [0.0, 0.0, 2.5, 100.1], [0.0, 0.0, 0.0, 1.0]]
)


def volume(path: Path, values: Any = VALUES) -> Path:
    nibabel.save(nibabel.Nifti1Image(values, AFFINE), path)  # type: ignore[attr-defined]
    return path


def ask(model: str, place: Path, *files: Path, kind: Any = "volume", labels: Any = None) -> Reply:
    media = {
        Media(paths=(file.name,), kind=kind): tuple(
            sorted(file.iterdir()) if file.is_dir() else [file]
        )
        for file in files
    }
    item = Item(
        id="i",
        benchmark="b",
        task="t",
        condition="c",
        question="q",
        media=tuple(media),
        answer_space=Mask(labels=labels or {1: "lesion"}),
    )
    opened = open_model(model, ModelOptions())
    assert isinstance(opened, MaskWriter)
    assert opened.sees
    return asyncio.run(opened.ask(Query(item=item, files=media, write_to=place)))


def read(reply: Reply) -> Any:
    assert reply.status is Status.OK
    return read_label_map(Path(str(reply.path)))


@pytest.mark.parametrize("name", ["ct.nii", "ct.nii.gz"])
@pytest.mark.parametrize("model", ["empty-mask", "threshold:1000"])
def test_a_mask_lies_on_the_very_grid_of_its_volume(tmp_path: Path, name: str, model: str) -> None:
    file = volume(tmp_path / name)
    reply = ask(model, tmp_path / "mask", file)
    assert reply.path == str(tmp_path / "mask.nii.gz")
    written: Any = nibabel.load(str(reply.path))  # type: ignore[attr-defined]
    assert written.shape == VALUES.shape
    assert np.array_equal(written.affine, nibabel.load(file).affine)  # type: ignore[attr-defined]
    assert not read(reply).array.any()
    assert read(reply).warnings == ()


def test_a_threshold_is_met_by_what_equals_it_and_has_the_first_label(tmp_path: Path) -> None:
    file = volume(tmp_path / "ct.nii.gz")
    mask = read(ask("threshold:40", tmp_path / "mask", file, labels={3: "b", 2: "a"}))
    assert np.array_equal(mask.array, np.where(VALUES >= 40, 2, 0))


def test_values_are_those_of_the_scale_of_the_file(tmp_path: Path) -> None:
    image = nibabel.Nifti1Image(VALUES, AFFINE)  # type: ignore[attr-defined]
    image.header.set_slope_inter(0.5, -10)
    nibabel.save(image, tmp_path / "pet.nii.gz")  # type: ignore[attr-defined]
    stored: Any = nibabel.load(tmp_path / "pet.nii.gz")  # type: ignore[attr-defined]
    mask = read(ask("threshold:5", tmp_path / "mask", tmp_path / "pet.nii.gz"))
    assert np.array_equal(mask.array > 0, stored.get_fdata() >= 5)
    assert 0 < mask.array.sum() < mask.array.size


def test_the_second_volume_may_be_meant(tmp_path: Path) -> None:
    files = volume(tmp_path / "a.nii.gz"), volume(tmp_path / "b.nii.gz", VALUES + 100)
    assert not read(ask("threshold:100", tmp_path / "one", *files)).array.any()
    assert read(ask("threshold:100:2", tmp_path / "two", *files)).array.all()
    assert ask("threshold:100:3", tmp_path / "three", *files).reason == (
        "threshold:100:3: the case has 2 volumes, and no 3th"
    )


def test_no_voxel_that_is_no_number_is_bright(tmp_path: Path) -> None:
    values = VALUES.astype(np.float32)
    values[0, 0, 0] = np.nan
    mask = read(ask("threshold:-5", tmp_path / "mask", volume(tmp_path / "a.nii.gz", values)))
    assert (mask.array == 0).sum() == 1


def test_otsu_parts_two_levels_and_needs_two(tmp_path: Path) -> None:
    values = np.where(VALUES < 20, np.int16(3), np.int16(90))
    mask = read(ask("threshold", tmp_path / "mask", volume(tmp_path / "a.nii.gz", values)))
    assert np.array_equal(mask.array > 0, values == 90)
    flat = volume(tmp_path / "flat.nii.gz", np.full_like(VALUES, 7))
    reply = ask("threshold", tmp_path / "mask", flat)
    assert (reply.status, reply.reason) == (
        Status.FAILED, "threshold: the volume has one value alone",
    )  # fmt: skip


@pytest.mark.parametrize(("model", "marked"), [("empty-mask", 0), ("threshold:200", 4)])
def test_the_mask_of_a_picture_is_a_picture(tmp_path: Path, model: str, marked: int) -> None:
    pixels = np.zeros((6, 9), dtype=np.uint8)
    pixels[1:3, 4:6] = 220
    Image.fromarray(pixels).save(tmp_path / "cell.png")
    reply = ask(model, tmp_path / "mask", tmp_path / "cell.png", kind="picture")
    assert reply.path == str(tmp_path / "mask.png")
    assert read(reply).array.shape == (6, 9)
    assert int((read(reply).array > 0).sum()) == marked


def test_equal_masks_are_equal_bytes(tmp_path: Path) -> None:
    file = volume(tmp_path / "ct.nii.gz")
    first, second = (ask("threshold:9", tmp_path / name, file) for name in ("a", "b"))
    assert Path(str(first.path)).read_bytes() == Path(str(second.path)).read_bytes()


@pytest.mark.parametrize("model", ["empty-mask", "threshold:1"])
def test_a_broken_volume_is_an_error_of_the_picture(tmp_path: Path, model: str) -> None:
    (tmp_path / "ct.nii.gz").write_bytes(b"no volume")
    with pytest.raises(ImageError, match=r"ct\.nii\.gz"):
        ask(model, tmp_path / "mask", tmp_path / "ct.nii.gz")


def test_without_a_place_nothing_is_written(tmp_path: Path) -> None:
    reply = ask("empty-mask", None, volume(tmp_path / "ct.nii.gz"))  # type: ignore[arg-type]
    assert reply.reason == "empty-mask: it needs a volume, and a place to write to"
