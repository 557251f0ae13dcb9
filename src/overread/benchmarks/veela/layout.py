"""Where the files of VEELA lie: references under the evaluator's names, scans, submissions.

The evaluation code (yaziciz/VEELA2025_Evaluation) names the references; how the download on Synapse
names the scans was not seen, so they are looked for::

    Test_GT/case_1_gt.nii … case_20_gt.nii   references: 0 background, 1 hepatic, 2 portal
    …/case_1.nii                             scans, anywhere below, or in the folder of --media
    SUBMISSION/…/Task01/case_1.nii           a submission: exactly so many .nii files
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal, TypeAlias

__all__ = [
    "REFERENCES_FOLDER",
    "SCANS_FOLDER",
    "SYNTHETIC_MARK",
    "TASKS",
    "TASK_LABELS",
    "ReferenceFiles",
    "Task",
    "find_references",
    "find_scans",
    "is_skipped",
    "task_folder",
]

Task: TypeAlias = Literal["Task01", "Task02"]
"""As a submission names its folders."""

TASKS: Final[tuple[Task, ...]] = ("Task01", "Task02")
TASK_LABELS: Final[Mapping[Task, Mapping[int, str]]] = {
    "Task01": {1: "vessel"},
    "Task02": {1: "hepatic", 2: "portal"},
}

REFERENCES_FOLDER: Final = "Test_GT"
SCANS_FOLDER: Final = "Test"
"""Where a synthetic release has its scans, and where an absent one is said to be expected."""
SYNTHETIC_MARK: Final = "SYNTHETIC.txt"

_REFERENCE = re.compile(r"case_(\d{1,6})_gt\.nii(?:\.gz)?", re.ASCII)
_SCAN = re.compile(r"case_(\d{1,6})(?:\.nii(?:\.gz)?|\.mha)?", re.ASCII)
_DEEPEST: Final = 4
_MOST_FOLDERS: Final = 20_000


@dataclass(frozen=True, slots=True, kw_only=True)
class ReferenceFiles:
    """The references of a release."""

    by_case: Mapping[str, str]
    """``case_7`` → path relative to the release, in numeric order."""
    doubled: tuple[str, ...]
    """Files beside one of the same case: ``.nii.gz`` beside ``.nii``."""
    unknown: tuple[str, ...]
    """Files of other names."""


def find_references(root: Path) -> ReferenceFiles:
    """List the references; ``.nii`` before ``.nii.gz`` where a case has both."""
    found: dict[int, str] = {}
    doubled: list[str] = []
    unknown: list[str] = []
    try:
        entries = sorted(os.scandir(root / REFERENCES_FOLDER), key=lambda entry: entry.name)
    except OSError:
        entries = []
    for entry in entries:  # ".nii" sorts before ".nii.gz"
        match = _REFERENCE.fullmatch(entry.name)
        path = f"{REFERENCES_FOLDER}/{entry.name}"
        if match is None or not entry.is_file():
            if not entry.name.startswith((".", "_")):
                unknown.append(path)
        elif int(match[1]) in found:
            doubled.append(path)
        else:
            found[int(match[1])] = path
    return ReferenceFiles(
        by_case={f"case_{number}": found[number] for number in sorted(found)},
        doubled=tuple(doubled),
        unknown=tuple(unknown),
    )


def find_scans(root: Path, cases: Collection[str]) -> dict[str, str]:
    """Find the scans of cases below a folder: files, or folders of a DICOM series.

    Returns
    -------
    dict
        Case → path relative to `root`; the shallowest, then the first by name. References and
        submissions are not looked into.
    """
    found: dict[str, tuple[int, str]] = {}
    for depth, inner, names in _walk(root):
        for name in names:
            match = _SCAN.fullmatch(name)
            case = f"case_{int(match[1])}" if match else ""
            if case in cases:
                place = (depth, f"{inner}/{name}" if inner else name)
                found[case] = min(found.get(case, place), place)
    return {case: path for case, (_, path) in found.items()}


def task_folder(root: Path, task: Task) -> Path | None:
    """Find the folder of a task in a submission, as the evaluator walks it.

    The first folder of that name, from the top; folders that begin with ``_`` (archives of macOS
    have such) are passed over.
    """
    for folder, folders, _ in os.walk(root):
        folders[:] = sorted(name for name in folders if not is_skipped(name))
        if task in folders:
            return Path(folder, task)
    return None


def is_skipped(name: str) -> bool:
    """Tell whether the evaluator passes over a folder of this name."""
    return name.startswith("_")


def _walk(root: Path) -> Iterator[tuple[int, str, list[str]]]:
    """Give depth, path and content of every folder that may hold scans."""
    for visited, (folder, folders, files) in enumerate(os.walk(root)):
        if visited >= _MOST_FOLDERS:
            return
        inner = os.path.relpath(folder, root).replace(os.sep, "/")
        inner = "" if inner == "." else inner
        depth = inner.count("/") + 1 if inner else 0
        series = [name for name in folders if _SCAN.fullmatch(name)]
        yield depth, inner, sorted([*files, *series])
        passed = {REFERENCES_FOLDER, *TASKS, *series}
        folders[:] = sorted(name for name in folders if name not in passed and not is_skipped(name))
        if depth >= _DEEPEST:
            folders[:] = []
