"""Paths written in a release stay inside the release: hostile until shown otherwise."""

from __future__ import annotations

import os
import re
import stat
from pathlib import Path

from overread.errors import UnsafePathError, expected

__all__ = ["resolve_inside", "without_root"]


def resolve_inside(root: Path, relative: str) -> Path:
    r"""Turn a path written in a release into a real one that lies inside the release.

    The file need not exist. Links are followed; one that leaves the release is refused, one that
    stays inside is fine. One kind of link may leave: a file of a snapshot in the Hugging Face
    cache, which is kept beside it as ``blobs/HASH``. Forward slashes separate folders; a backslash
    is refused rather than guessed at, since it separates folders on one system and is a letter on
    another.

    Parameters
    ----------
    root
        The release's folder.
    relative
        The path as the release writes it, such as ``lesion_bbox/17.png``.

    Returns
    -------
    Path
        Absolute, with every link resolved but that of a snapshot's file: its own name says what
        kind of file it is, the blob's does not.

    Raises
    ------
    UnsafePathError
        The path is empty, absolute, holds ``..``, a backslash, a drive or a NUL, cannot be
        written on this system, or leads out of `root` through a link.

    Examples
    --------
    >>> from pathlib import Path
    >>> resolve_inside(Path("/"), "lesion_bbox/17.png").as_posix()
    '/lesion_bbox/17.png'
    """
    fault = _fault(relative)
    if fault:
        raise _unsafe(relative, fault)
    try:
        # os.path: half the cost of Path.resolve, and a release has tens of thousands of paths.
        real_root = os.path.realpath(root)
        real = os.path.realpath(os.path.join(real_root, relative))  # noqa: PTH118
        inside = os.path.commonpath((real_root, real)) == real_root
    except (OSError, ValueError) as error:  # ValueError: a text no file system can hold
        raise _unsafe(relative, f"It cannot be a path here ({error}).") from error
    if inside:
        return Path(real)
    if _is_snapshot_file(real_root, relative, real):
        return Path(os.path.normpath(os.path.join(real_root, relative)))  # noqa: PTH118
    raise UnsafePathError(
        expected(
            "path",
            rule="a path inside the release",
            got=repr(relative),
            remedy="It is, or lies behind, a link that leads out of the folder. Copy the folder "
            "with the files themselves (cp -rL FOLDER COPY), or point at the folder where the "
            "files really lie.",
        )
    )


def without_root(message: str, root: Path) -> str:
    """Name files in a message as the release does, not by where it lies on this machine.

    Examples
    --------
    >>> without_root("/data/exam/a/1.png: expected a picture", Path("/data/exam"))
    'a/1.png: expected a picture'
    """
    for folder in dict.fromkeys((os.path.abspath(root), os.path.realpath(root))):  # noqa: PTH100
        if folder != os.sep:
            message = re.sub(rf"(?<![\w/.-]){re.escape(folder)}{re.escape(os.sep)}", "", message)
    return message


def _is_snapshot_file(real_root: str, relative: str, real: str) -> bool:
    """Tell whether a path is a file of a Hugging Face snapshot and `real` is its blob.

    The cache of the Hugging Face hub keeps each file once, as REPOSITORY/blobs/HASH, and lays a
    link to it into every snapshot that has it: REPOSITORY/snapshots/REVISION/FOLDER/FILE →
    ../../../blobs/HASH. So a download with the hub's own tools consists of links that leave it,
    and refusing them would refuse the usual way to get a release. Only that very link is let
    through: the root is a snapshot (or lies in one), the file is the only link on the way, and
    its text is the shortest relative path to a plain file that lies directly in the blobs beside
    the snapshots. A link to anything else, an absolute one, one with a detour, a link to a link
    and a linked folder stay refused: whoever wrote a release must not choose what is read.
    """
    head, found, below = real_root.rpartition(f"{os.sep}snapshots{os.sep}")
    if not found or not below:
        return False
    blobs = os.path.join(head, "blobs")  # noqa: PTH118
    link = os.path.normpath(os.path.join(real_root, relative))  # noqa: PTH118
    folder = os.path.dirname(link)  # noqa: PTH120
    try:
        return (
            os.path.realpath(folder) == folder
            and os.path.dirname(real) == blobs  # noqa: PTH120
            and os.readlink(link) == os.path.relpath(real, folder)  # noqa: PTH115
            and stat.S_ISREG(os.lstat(real).st_mode)
        )
    except OSError:
        return False


def _fault(relative: str) -> str | None:
    if not relative.strip():
        return "It is empty."
    if "\0" in relative:
        return "It holds a NUL."
    if "\\" in relative:
        return "It holds a backslash; folders are separated by '/'."
    if relative.startswith(("/", "~")) or (len(relative) > 1 and relative[1] == ":"):
        return "It is absolute."
    if ".." in relative.split("/"):
        return "It climbs out with '..'."
    return None


def _unsafe(relative: str, fault: str) -> UnsafePathError:
    return UnsafePathError(
        expected(
            "path",
            rule="a path inside the release",
            got=repr(relative),
            remedy=f"{fault} Correct the release file that names it.",
        )
    )
