"""A folder to write into, looked at before the work."""

from __future__ import annotations

from pathlib import Path

from overread.errors import UsageError, expected

__all__ = ["check_out_folder"]


def check_out_folder(out: Path | None) -> None:
    """Refuse a folder that cannot be made because a file is in its place.

    Raises
    ------
    UsageError
        `out`, or a folder above it, is a file.
    """
    if out is None:
        return
    there = next((each for each in (out, *out.parents) if each.exists()), None)
    if there is not None and not there.is_dir():
        raise UsageError(
            expected(
                "--out",
                rule="a folder, or a path where one can be made",
                got=f"{there}, which is a file",
                remedy="Name a folder: --out results.",
            )
        )
