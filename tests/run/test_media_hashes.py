import os

import pytest

from overread.contracts import Selection
from overread.errors import ReleaseError
from overread.records import Item, Media, ModelIdentity, Text
from overread.registry import find_benchmark
from overread.run import media_hashes as module
from overread.run.manifest import make_manifest
from overread.run.media_hashes import media_hashes
from overread.store.run_store import RunStore


@pytest.fixture
def store(release_root, tmp_path):
    manifest = make_manifest(
        find_benchmark("ct-bench").open(release_root), identity=ModelIdentity(kind="k", name="n"),
        selection=Selection(), draws=1, seed=0, command="",
    )  # fmt: skip
    with RunStore.create(tmp_path / "run", manifest) as opened:
        yield opened


def item(path):
    return Item(
        id=path, benchmark="b", task="t", condition="c", question="?",
        media=(Media(paths=(path,)),), answer_space=Text(),
    )  # fmt: skip


def test_hashes_are_taken_from_the_store_until_a_file_changes(store, tmp_path):
    file = tmp_path / "a.png"
    file.write_bytes(b"one")
    first = media_hashes([item("a.png")], root=tmp_path, store=store)
    about = file.stat()
    assert store.media_hash("a.png", about.st_size, about.st_mtime_ns) == first["a.png"]
    file.write_bytes(b"two")
    os.utime(file, ns=(1, 1))
    assert media_hashes([item("a.png")], root=tmp_path, store=store) != first


def test_one_absent_file_has_no_hash_and_all_absent_is_an_error(store, tmp_path):
    (tmp_path / "a.png").write_bytes(b"one")
    found = media_hashes([item("a.png"), item("b.png")], root=tmp_path, store=store)
    assert set(found) == {"a.png"}
    with pytest.raises(ReleaseError, match="holds none of 1"):
        media_hashes([item("b.png")], root=tmp_path, store=store)


def test_a_large_file_is_told_by_samples_all_over_it(store, tmp_path, monkeypatch):
    monkeypatch.setattr(module, "WHOLE_BYTES", 10_000)
    file = tmp_path / "scan.nii.gz"
    content = bytearray(os.urandom(5 * 2**20))
    file.write_bytes(content)
    first = media_hashes([item("scan.nii.gz")], root=tmp_path, store=store)
    # Compressed: what is changed at the start is changed to the end. A tail of other bytes does.
    content[-(2**19) :] = os.urandom(2**19)
    file.write_bytes(content)
    os.utime(file, ns=(1, 1))
    assert media_hashes([item("scan.nii.gz")], root=tmp_path, store=store) != first


def test_a_shorter_large_file_is_another_one(store, tmp_path, monkeypatch):
    monkeypatch.setattr(module, "WHOLE_BYTES", 1000)
    file = tmp_path / "scan.nii.gz"
    file.write_bytes(bytes(3 * 2**20))
    first = media_hashes([item("scan.nii.gz")], root=tmp_path, store=store)
    file.write_bytes(bytes(3 * 2**20 - 1))
    assert media_hashes([item("scan.nii.gz")], root=tmp_path, store=store) != first


def test_the_voxels_beside_a_header_count(store, tmp_path):
    (tmp_path / "scan.mhd").write_bytes(b"ObjectType = Image\nElementDataFile = scan.raw\n")
    (tmp_path / "scan.raw").write_bytes(b"one")
    first = media_hashes([item("scan.mhd")], root=tmp_path, store=store)
    (tmp_path / "scan.raw").write_bytes(b"other")
    assert media_hashes([item("scan.mhd")], root=tmp_path, store=store) != first


def test_a_folder_without_a_series_has_no_hash(store, tmp_path):
    (tmp_path / "series").mkdir()
    (tmp_path / "a.nii").write_bytes(b"one")
    found = media_hashes([item("series"), item("a.nii")], root=tmp_path, store=store)
    assert list(found) == ["a.nii"]
