from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from overread.errors import OverreadError, UnsafePathError, expected
from overread.imaging.safe_path import resolve_inside, without_root


def test_a_plain_path_is_resolved_below_the_release(tmp_path: Path) -> None:
    root = tmp_path.resolve()
    assert resolve_inside(root, "clip/test/7.png") == root / "clip" / "test" / "7.png"
    assert resolve_inside(root, "./clip//test/7.png") == root / "clip" / "test" / "7.png"


def test_two_dots_within_a_name_are_a_name(tmp_path: Path) -> None:
    assert resolve_inside(tmp_path, "a..b/c...png").name == "c...png"


@pytest.mark.parametrize(
    "path",
    [
        "../outside.png",
        "clip/../../outside.png",
        "clip/../test.png",
        "..",
        "/etc/passwd",
        "~/x.png",
        "C:/x.png",
        "c:x.png",
        "clip\\test.png",
        "..\\outside.png",
        "clip/\0.png",
        "",
        "   ",
        "\ud800.png",
    ],
)
def test_a_path_that_leaves_or_cannot_be_one_is_refused(tmp_path: Path, path: str) -> None:
    with pytest.raises(UnsafePathError, match="expected a path inside the release"):
        resolve_inside(tmp_path, path)


def test_a_link_out_of_the_release_is_refused(tmp_path: Path) -> None:
    root = tmp_path / "release"
    root.mkdir()
    (tmp_path / "secret.png").write_bytes(b"x")
    (root / "file.png").symlink_to(tmp_path / "secret.png")
    (root / "folder").symlink_to(tmp_path)
    for path in ("file.png", "folder/secret.png", "folder"):
        with pytest.raises(UnsafePathError, match="link"):
            resolve_inside(root, path)


def test_a_release_beside_one_with_a_longer_name_is_not_inside_it(tmp_path: Path) -> None:
    root = tmp_path / "release"
    root.mkdir()
    (tmp_path / "release-2").mkdir()
    (root / "other").symlink_to(tmp_path / "release-2")
    with pytest.raises(UnsafePathError):
        resolve_inside(root, "other/x.png")


def test_a_link_that_stays_inside_is_followed(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "alias").symlink_to(tmp_path / "real")
    assert resolve_inside(tmp_path, "alias/x.png") == tmp_path.resolve() / "real" / "x.png"


def test_a_release_reached_through_a_link_is_fine(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "alias").symlink_to(tmp_path / "real")
    assert resolve_inside(tmp_path / "alias", "x.png") == tmp_path.resolve() / "real" / "x.png"


def test_the_message_about_a_link_says_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "release").mkdir()
    (tmp_path / "release" / "a.json").symlink_to(tmp_path / "b.json")
    with pytest.raises(UnsafePathError) as refused:
        resolve_inside(tmp_path / "release", "a.json")
    message = str(refused.value)
    assert "'a.json'" in message
    assert "cp -rL FOLDER COPY" in message
    assert message.endswith("point at the folder where the files really lie.")
    # Loaders quote it in messages of their own: it stays whole there.
    assert message in expected("a.json", rule="a file", got=message, remedy="Mend it.")


HASH = "5c5e8a1f" * 8


@pytest.fixture
def snapshot(tmp_path: Path) -> Path:
    """A snapshot as the hub lays it into its cache, with a file on two levels."""
    repository = tmp_path.resolve() / "datasets--owner--exam"
    root = repository / "snapshots" / ("0a" * 20)
    (root / "valid" / "a").mkdir(parents=True)
    (repository / "blobs").mkdir()
    (repository / "blobs" / HASH).write_bytes(b"{}")
    (root / "questions.json").symlink_to(f"../../blobs/{HASH}")
    (root / "valid" / "a" / "1.nii.gz").symlink_to(f"../../../../blobs/{HASH}")
    (tmp_path / "secret").write_bytes(b"x")
    return root


def test_a_snapshots_links_to_its_blobs_are_followed_and_keep_their_names(snapshot: Path) -> None:
    for name in ("questions.json", "./valid//a/1.nii.gz"):
        found = resolve_inside(snapshot, name)
        assert found == snapshot / Path(name)
        assert found.read_bytes() == b"{}"
    # The media folder may be one within the snapshot, or be reached through a link.
    assert resolve_inside(snapshot / "valid", "a/1.nii.gz").name == "1.nii.gz"
    alias = snapshot.parents[2] / "alias"
    alias.symlink_to(snapshot)
    assert resolve_inside(alias, "questions.json") == snapshot / "questions.json"


@pytest.mark.parametrize(
    "target",
    [
        "/absolute",  # the very blob, named from the top of the file system
        "../../../secret",
        "../../blobs/../../secret",
        f"../../blobs/../blobs/{HASH}",
        f"../../blobs/./{HASH}",
        "../../blobs",
        "../../blobs/nothing",
        "../../blobs/folder",
        "../../blobs/folder/file",
        "../../blobs/link",  # to a plain file outside
        "../../blobs/again",  # to another blob
        "../../refs/main",
        "../../../datasets--owner--other/blobs/one",
    ],
)
def test_nothing_else_leaves_a_snapshot(snapshot: Path, target: str) -> None:
    repository = snapshot.parents[1]
    blobs = repository / "blobs"
    (blobs / "folder").mkdir()
    (blobs / "folder" / "file").write_bytes(b"x")
    (blobs / "link").symlink_to("../../secret")
    (blobs / "again").symlink_to(HASH)
    for other in (repository / "refs" / "main", repository.parent / "datasets--owner--other"):
        other.parent.mkdir(exist_ok=True)
    (repository / "refs" / "main").write_bytes(b"x")
    (repository.parent / "datasets--owner--other" / "blobs").mkdir(parents=True)
    (repository.parent / "datasets--owner--other" / "blobs" / "one").write_bytes(b"x")
    (snapshot / "bad").symlink_to(str(blobs / HASH) if target == "/absolute" else target)
    with pytest.raises(UnsafePathError, match="cp -rL"):
        resolve_inside(snapshot, "bad")


def test_links_on_the_way_to_a_blob_are_refused(snapshot: Path) -> None:
    (snapshot / "folder").symlink_to("../../blobs")
    (snapshot / "inner").symlink_to("valid/a")
    (snapshot / "chain").symlink_to("questions.json")
    for path in (f"folder/{HASH}", "inner/1.nii.gz", "chain"):
        with pytest.raises(UnsafePathError):
            resolve_inside(snapshot, path)


def test_blobs_beside_a_folder_that_is_no_snapshot_are_outside(tmp_path: Path) -> None:
    root = tmp_path / "releases" / "one"
    root.mkdir(parents=True)
    (tmp_path / "blobs").mkdir()
    (tmp_path / "blobs" / HASH).write_bytes(b"x")
    (root / "file").symlink_to(f"../../blobs/{HASH}")
    snapshots = tmp_path / "snapshots"  # the folder of all snapshots is none itself
    snapshots.mkdir()
    (snapshots / "file").symlink_to(f"../blobs/{HASH}")
    for folder in (root, snapshots):
        with pytest.raises(UnsafePathError):
            resolve_inside(folder, "file")


def test_blobs_that_are_a_link_themselves_are_outside(snapshot: Path) -> None:
    blobs = snapshot.parents[1] / "blobs"
    blobs.rename(blobs.with_name("elsewhere"))
    blobs.symlink_to("elsewhere")
    with pytest.raises(UnsafePathError):
        resolve_inside(snapshot, "questions.json")


def test_messages_name_files_as_the_release_does(tmp_path: Path) -> None:
    root = tmp_path.resolve() / "exam"
    (root / "a").mkdir(parents=True)
    alias = root.with_name("alias")
    alias.symlink_to(root)
    # The real path is in a message also where the release was reached through a link.
    for shown in (root, alias):
        message = without_root(f"bad ({shown}/a/1.png: no picture)", alias)
        assert message == "bad (a/1.png: no picture)"
    assert without_root(f"{root}-2/a.png", root) == f"{root}-2/a.png"
    assert without_root(f"/mnt{root}/a.png", root) == f"/mnt{root}/a.png"
    assert without_root("/a.png", Path("/")) == "/a.png"


@given(path=st.text(max_size=60))
def test_any_text_is_inside_or_refused(path: str) -> None:
    root = Path("/nowhere/release")
    try:
        found = resolve_inside(root, path)
    except OverreadError:
        return
    assert found.is_relative_to(root)
