"""Tells a release that is being built, or whose building was stopped, from a finished one.

A mark is written before anything else and taken away after everything else. Whoever opens the
folder in between is told; the same command clears away what it had written and starts over.
"""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from overread.benchmarks.ct_bench import layout
from overread.errors import UsageError, expected

__all__ = ["begin", "finish", "make_way"]

_LESION_SET: Final = (
    layout.METADATA_FILE,
    layout.MERGED_FILE,
    layout.ONTOLOGY_FILE,
    layout.LESION_NOBOX_FOLDER,
    layout.LESION_BBOX_FOLDER,
    layout.QA_LLM_FILE,
    layout.QA_CLIP_FILE,
    layout.LLM_FOLDER,
    layout.CLIP_FOLDER,
    layout.BUILT_MARK,
)


_HALF_BUILT: Final = "Half-built"
_HALF_CHANGED: Final = "Half-changed"


def begin(out: Path, *, command: str, holds_work: bool) -> None:
    """Make the folder and mark it as unfinished.

    Parameters
    ----------
    out
        The folder.
    command
        What goes on with it when it is given again.
    holds_work
        Whether the folder holds what people did: then nothing in it is cleared away.
    """
    out.mkdir(parents=True, exist_ok=True)
    state = _HALF_CHANGED if holds_work else _HALF_BUILT
    (out / layout.UNFINISHED_MARK).write_text(
        f"{state}: '{command}' did not come to its end, or is at work. Give the same command "
        "again.\n",
        encoding="utf-8",
        newline="\n",
    )


def finish(out: Path) -> None:
    """Take the mark away: all is there."""
    (out / layout.UNFINISHED_MARK).unlink()


def make_way(out: Path, *, own: Sequence[str]) -> bool:
    """Clear away what a stopped build left in a folder; otherwise it must be new or empty.

    Parameters
    ----------
    out
        The folder to build in.
    own
        Names that this builder writes there, beside those of a lesion set and its exam. Nothing
        else is touched.

    Returns
    -------
    bool
        Whether something half-built was cleared away.

    Raises
    ------
    UsageError
        It is a file, or holds something else than a stopped build.
    """
    mark = out / layout.UNFINISHED_MARK
    if not mark.is_file():
        layout.refuse_used_folder(out, argument="OUT")
        return False
    if not mark.read_text("utf-8", errors="replace").startswith(_HALF_BUILT):
        raise UsageError(
            expected(
                "OUT",
                rule="a new or empty folder",
                got=f"{out}, a finished one that was being changed",
                remedy=f"The command that goes on with it is in {layout.UNFINISHED_MARK}.",
            )
        )
    names = {*_LESION_SET, *own}
    strange = sorted(path.name for path in out.iterdir() if path != mark and path.name not in names)
    if strange:
        raise UsageError(
            expected(
                "OUT",
                rule="a new or empty folder, or a half-built one that holds nothing else",
                got=f"{out}, half-built and with {', '.join(strange[:3])}",
                remedy="Move that away, or name another folder.",
            )
        )
    for path in [path for path in out.iterdir() if path != mark]:
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink()
    return True
