"""Where the files of a TriALS release lie: what the challenge's scripts read, and its repository.

The scorer's layout is a list of ids, a folder of reference masks and, where there are any, folders
of CT volumes and of clicks. A clone of the repository holds it twice, once for each task, in the
sample data of its container templates. What the gated data set looks like was not seen.
"""

from __future__ import annotations

import csv
import io
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from overread.errors import ReleaseError, expected

__all__ = [
    "CENTRE_FILE",
    "CLICK_ENDING",
    "CLICK_FOLDERS",
    "ENDINGS",
    "ID_LIST",
    "INPUT_FOLDERS",
    "LIVER_FOLDER",
    "NONCONTRAST",
    "SAMPLES",
    "SYNTHETIC_MARK",
    "TRUTH_FOLDERS",
    "CaseName",
    "Part",
    "find_part",
    "natural",
    "phase_of",
    "read_centres",
    "stem",
]

ID_LIST: Final = "test.csv"
"""One id a line, without a heading."""
TRUTH_FOLDERS: Final = ("ground_truth", "groundtruth", "labels")
INPUT_FOLDERS: Final = ("inputs", "images")
CLICK_FOLDERS: Final = ("clicks", *INPUT_FOLDERS)
CLICK_ENDING: Final = "_clicks.json"
LIVER_FOLDER: Final = "liver"
"""Of synthetic releases: masks of the liver, which simulated clicks need."""
CENTRE_FILE: Final = "centres.csv"
"""Ours, for who knows it: id or patient number, centre; no released file says it."""
SYNTHETIC_MARK: Final = "SYNTHETIC.txt"
ENDINGS: Final = (".nii.gz", ".nii")
SAMPLES: Final = {
    "segmentation": "docker/template/sample-test-data",
    "interactive": ("TriALS_2025_Interactive_Task_2/docker/template_interactive/sample-test-data"),
}
"""Task → its sample data in a clone of the repository."""
NONCONTRAST: Final = "noncontrast"

_PHASES: Final = {
    "venous": "venous",
    "portal": "venous",
    "pv": "venous",
    "noncontrast": NONCONTRAST,
    "non-contrast": NONCONTRAST,
    "non_contrast": NONCONTRAST,
    "ncct": NONCONTRAST,
    "nc": NONCONTRAST,
    "plain": NONCONTRAST,
    "arterial": "arterial",
    "art": "arterial",
    "delayed": "delayed",
    "delay": "delayed",
}
"""Prefix of an id → phase. Only ``venous`` was seen in released files."""
_LARGEST_LIST: Final = 2**24
_LONGEST_ID: Final = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseName:
    """An id taken apart: ``venous_11`` is the venous phase of patient 11."""

    phase: str
    patient: str

    @classmethod
    def of(cls, case: str) -> CaseName:
        """Take an id apart; one without a number is a patient of its own.

        Examples
        --------
        >>> CaseName.of("venous_11")
        CaseName(phase='venous', patient='11')
        """
        prefix, mark, number = case.rpartition("_")
        if not mark or not number:
            return cls(phase=phase_of(case), patient=case)
        return cls(phase=phase_of(prefix), patient=number)


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One folder in the scorer's layout."""

    folder: str
    """Relative to the release, with a slash at its end; empty for the release itself."""
    ids: tuple[str, ...]
    """As listed, or as the reference masks are named."""
    is_listed: bool
    blank_lines: int
    truth: str
    """Folder of reference masks, relative to the release."""
    inputs: str | None
    """Folder of CT volumes; None where there is none."""
    click_files: tuple[tuple[str, str], ...]
    """Id and path of its clicks, relative to the release."""


def find_part(root: Path, folder: str) -> Part | None:
    """Look at one folder; None where it holds neither an id list nor reference masks.

    Raises
    ------
    ReleaseError
        Its id list cannot be read.
    """
    place = root / folder
    name = next((each for each in TRUTH_FOLDERS if (place / each).is_dir()), TRUTH_FOLDERS[0])
    masks = _stems(place / name)
    listed = (place / ID_LIST).is_file()
    if not listed and not masks:
        return None
    ids, blank = _read_ids(place / ID_LIST) if listed else (sorted(masks, key=natural), 0)
    inputs = next((each for each in INPUT_FOLDERS if (place / each).is_dir()), None)
    clicks: dict[str, str] = {}
    for each in reversed(CLICK_FOLDERS):
        for file in _names(place / each):
            if file.endswith(CLICK_ENDING):
                clicks[file.removesuffix(CLICK_ENDING)] = f"{folder}{each}/{file}"
    return Part(
        folder=folder,
        ids=tuple(ids),
        is_listed=listed,
        blank_lines=blank,
        truth=f"{folder}{name}",
        inputs=None if inputs is None else f"{folder}{inputs}",
        click_files=tuple(sorted(clicks.items())),
    )


def phase_of(prefix: str) -> str:
    """Name the phase that an id begins with; a prefix nobody knows stands for itself.

    Examples
    --------
    >>> phase_of("NCCT"), phase_of("late")
    ('noncontrast', 'late')
    """
    lower = prefix.lower()
    return _PHASES.get(lower, lower)


def natural(name: str) -> tuple[tuple[int, int, str], ...]:
    """Give a key that puts ``venous_2`` before ``venous_10``."""
    pieces = re.split(r"(\d+)", name)
    return tuple(
        (0, int(piece), piece) if piece.isdigit() and piece.isascii() else (1, 0, piece)
        for piece in pieces
        if piece
    )


def stem(name: str) -> str | None:
    """Take a mask's or volume's ending off its name; None for other files."""
    return next((name.removesuffix(end) for end in ENDINGS if name.endswith(end)), None)


def read_centres(root: Path) -> dict[str, str]:
    """Read which centre a case or patient is of; empty where nobody wrote it down."""
    try:
        text = (root / CENTRE_FILE).read_text(encoding="utf-8-sig")[:_LARGEST_LIST]
        rows = list(csv.reader(io.StringIO(text)))
    except (OSError, UnicodeDecodeError, csv.Error):
        return {}
    return {row[0].strip(): row[1].strip() for row in rows if len(row) > 1 and row[1].strip()}


def _read_ids(path: Path) -> tuple[list[str], int]:
    try:
        data = path.read_bytes()
        if len(data) > _LARGEST_LIST:
            raise _bad_list(path, f"{len(data):,} bytes")
        rows = list(csv.reader(io.StringIO(data.decode("utf-8-sig"))))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise _bad_list(path, str(error)) from error
    ids = [row[0].strip() if row else "" for row in rows]
    long = next((each for each in ids if len(each) > _LONGEST_ID), None)
    if long is not None:
        raise _bad_list(path, f"an id of {len(long)} characters")
    return [each for each in ids if each], sum(not each for each in ids)


def _stems(folder: Path) -> list[str]:
    found = (stem(name) for name in _names(folder))
    return list(dict.fromkeys(name for name in found if name))


def _names(folder: Path) -> list[str]:
    try:
        return sorted(each.name for each in folder.iterdir())
    except OSError:
        return []


def _bad_list(path: Path, got: str) -> ReleaseError:
    return ReleaseError(
        expected(
            str(path), rule="one id a line, such as venous_0", got=got, remedy="Write it again."
        )
    )
