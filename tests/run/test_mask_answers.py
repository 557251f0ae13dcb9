from __future__ import annotations

import gzip
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from overread.contracts import ModelOptions, Reply
from overread.errors import ImageError, StoreFullError, UsageError
from overread.records import Choice, Item, Mask, Media, Option, PlannedItem, Response, Status
from overread.registry import open_model
from overread.run.mask_answers import (
    MaskFolder,
    as_it_lies,
    check_writer,
    released_files,
    stale_answers,
)
from overread.run.planning import Planned
from overread.store.hashes import file_sha256


def item(name: str = "segment/a", **changes: Any) -> Item:
    given: dict[str, Any] = {
        "id": name,
        "benchmark": "b",
        "task": "segment",
        "condition": "plain",
        "question": "Where?",
        "answer_space": Mask(labels={1: "liver"}),
    }
    return Item(**(given | changes))


def planned(name: str, digest: str, **changes: Any) -> Planned:
    asked = item(name, **changes)
    line = PlannedItem(item=asked.id, request_hash=digest, groups={}, strata={}, chance=None)
    return Planned(item=asked, line=line)


def response(path: Path | None, text: str | None, status: Status = Status.OK) -> Response:
    return Response(
        run="r",
        item="segment/a",
        status=status,
        path=None if path is None else str(path),
        text=text,
        request_hash=64 * "a",
    )


@pytest.fixture
def folder(tmp_path: Path) -> MaskFolder:
    return MaskFolder(tmp_path / "run.sqlite", open_model("empty-mask", ModelOptions()))


# ---------------------------------------------------------------- who writes them


def test_only_a_writer_of_masks_is_asked_for_them() -> None:
    letters = Choice(options=(Option(letter="A", text="a"), Option(letter="B", text="b")))
    masks, words = [item()], [item("choose/a", task="choose", answer_space=letters)]
    writer, talker, program = (
        open_model(name, ModelOptions()) for name in ("empty-mask", "chance", "command:true")
    )
    for items, model in ((masks, writer), ([*masks, *words], writer), (words, talker)):
        check_writer(items, model, None)
    for items in (masks, words, [*masks, *words]):
        check_writer(items, program, None)
    with pytest.raises(UsageError, match=r"for 1 of 1 questions, got baselines:chance"):
        check_writer(masks, talker, None)
    with pytest.raises(UsageError, match=r"leave these questions out: --task choose\."):
        check_writer([*masks, *words], talker, None)
    with pytest.raises(UsageError, match="got none, for baselines:empty-mask"):
        check_writer(words, writer, None)
    check_writer(words, talker, "blur")
    with pytest.raises(UsageError, match=r"blur: .* got 1 of 2 that ask for one"):
        check_writer([*masks, *words], program, "blur")


def test_a_volume_that_no_case_has_is_refused_before_anything_is_asked() -> None:
    two = item(media=tuple(Media(paths=(f"{n}.nii",), kind="volume") for n in "ab"))
    check_writer([two], open_model("threshold:4:2", ModelOptions()), None)
    with pytest.raises(UsageError, match=r"one of the 2 volumes of a case, got .* volume 3"):
        check_writer([two], open_model("threshold:4:3", ModelOptions()), None)


# ---------------------------------------------------------------- where masks are written


def test_a_packed_mask_is_unpacked_where_a_benchmark_takes_no_other(tmp_path: Path) -> None:
    model = open_model("empty-mask", ModelOptions())
    masks = MaskFolder(tmp_path / "run.sqlite", model, ending=".nii")
    place = masks.place(planned("a", 64 * "a"))
    assert place is not None
    packed = place.with_name("mask.nii.gz")
    packed.write_bytes(gzip.compress(b"voxels"))
    settled = masks.settle(item(), Reply(path=str(packed)), place)
    assert settled.path == str(place.with_name("mask.nii"))
    assert settled.text == f"sha256:{sha256(b'voxels').hexdigest()}"
    assert [(each.name, each.read_bytes()) for each in place.parent.iterdir()] == [
        ("mask.nii", b"voxels")
    ]


def test_a_damaged_packed_mask_stays_as_it_is(tmp_path: Path) -> None:
    masks = MaskFolder(
        tmp_path / "run.sqlite", open_model("empty-mask", ModelOptions()), ending=".nii"
    )
    place = masks.place(planned("a", 64 * "a"))
    assert place is not None
    packed = place.with_name("mask.nii.gz")
    packed.write_bytes(gzip.compress(b"voxels")[:-9])
    assert masks.settle(item(), Reply(path=str(packed)), place).path == str(packed)
    assert [each.name for each in place.parent.iterdir()] == ["mask.nii.gz"]


@pytest.mark.parametrize(
    "name", ["segment/a", "../../etc/passwd", "/", "..", "a\0b", "é☃ x", "x" * 5000, "a:b*c?"]
)
def test_every_item_has_a_folder_of_its_own(folder: MaskFolder, tmp_path: Path, name: str) -> None:
    first, other = (folder.place(planned(name, digest * 64)) for digest in "ab")
    assert first is not None
    assert other is not None
    for place in (first, other):
        assert place.name == "mask"
        assert place.parent.parent == tmp_path / "run.sqlite.masks"
        assert list(place.parent.iterdir()) == []
    assert first.parent != other.parent


def test_what_an_attempt_left_is_gone_before_the_next(folder: MaskFolder) -> None:
    asked = planned("a", 64 * "a")
    place = folder.place(asked)
    assert place is not None
    (place.parent / "mask.nii.gz").write_text("half")
    assert folder.place(asked) == place
    assert list(place.parent.iterdir()) == []


def test_a_question_for_words_has_no_folder(folder: MaskFolder, tmp_path: Path) -> None:
    letters = Choice(options=(Option(letter="A", text="a"), Option(letter="B", text="b")))
    assert folder.place(planned("a", 64 * "a", answer_space=letters)) is None
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_cannot_be_made_stops_the_run(folder: MaskFolder, tmp_path: Path) -> None:
    (tmp_path / "run.sqlite.masks").write_text("a file")
    with pytest.raises(StoreFullError, match="the same command goes on"):
        folder.place(planned("a", 64 * "a"))


def test_a_reply_without_a_mask_leaves_no_folder(folder: MaskFolder) -> None:
    place = folder.place(planned("a", 64 * "a"))
    assert place is not None
    refused = Reply(status=Status.REFUSED, reason="no")
    assert folder.settle(item(), refused, place) is refused
    assert not place.parent.exists()


# ---------------------------------------------------------------- what is scored


def test_an_answer_is_scored_as_it_was_given(tmp_path: Path) -> None:
    mask = tmp_path / "mask.nii.gz"
    mask.write_text("one")
    given = response(mask, f"sha256:{file_sha256(mask)}")
    assert as_it_lies(given, tmp_path / "run.sqlite") is given
    mask.write_text("two")
    changed = as_it_lies(given, tmp_path / "run.sqlite")
    assert (changed.status, changed.path, changed.text) == (Status.FAILED, None, None)
    mask.unlink()
    gone = as_it_lies(given, tmp_path / "run.sqlite")
    assert gone.reason == f"its file is no longer there: {tmp_path.name}/mask.nii.gz"
    assert stale_answers([given], tmp_path / "run.sqlite") == {given.request_hash}


@pytest.mark.parametrize("text", [None, "B", "sha256 of nothing"])
def test_a_file_beside_words_is_left_alone(tmp_path: Path, text: str | None) -> None:
    given = response(tmp_path / "absent.nii.gz", text)
    assert as_it_lies(given, tmp_path / "run.sqlite") is given


def test_what_failed_is_left_as_it_failed(tmp_path: Path) -> None:
    given = response(None, None, Status.FAILED)
    assert as_it_lies(given, tmp_path / "run.sqlite") is given
    assert stale_answers([given], tmp_path / "run.sqlite") == set()


# ---------------------------------------------------------------- released files


def test_files_of_volumes_pictures_and_series_are_absolute_and_in_order(tmp_path: Path) -> None:
    for name in ("ct.nii.gz", "series/2.dcm", "series/1.dcm", "cell.png"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    media = (
        Media(paths=("ct.nii.gz",), kind="volume"),
        Media(paths=("series",), kind="volume"),
        Media(paths=("cell.png",)),
    )
    found = released_files(item(media=media), tmp_path)
    assert all(path.is_absolute() for paths in found.values() for path in paths)
    assert [[path.name for path in paths] for paths in found.values()] == [
        ["ct.nii.gz"],
        ["1.dcm", "2.dcm"],
        ["cell.png"],
    ]


@pytest.mark.parametrize(
    ("paths", "words"), [(("a.nii",), "nothing of this name"), ((), "got none")]
)
def test_a_volume_that_is_not_there_is_an_error_of_the_picture(
    tmp_path: Path, paths: tuple[str, ...], words: str
) -> None:
    with pytest.raises(ImageError, match=words):
        released_files(item(media=(Media(paths=paths, kind="volume"),)), tmp_path)
