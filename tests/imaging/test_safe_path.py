from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from overread.errors import OverreadError, UnsafePathError
from overread.imaging.safe_path import resolve_inside


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


@given(path=st.text(max_size=60))
def test_any_text_is_inside_or_refused(path: str) -> None:
    root = Path("/nowhere/release")
    try:
        found = resolve_inside(root, path)
    except OverreadError:
        return
    assert found.is_relative_to(root)
