"""A submission as participants hand it in: a folder or a zip file with ``Task01`` and ``Task02``.

`released_evaluation` gives what the challenge's code would answer, names and all; `look_through`
tells one by one what is wrong with a submission before it is sent. A run of masks
(``--model masks:FOLDER``) needs neither.
"""

from __future__ import annotations

import re
import shutil
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from overread.benchmarks.veela.evaluator import CasePair, TaskEvaluation, evaluate_task
from overread.benchmarks.veela.layout import (
    REFERENCES_FOLDER,
    TASKS,
    Task,
    find_references,
    is_skipped,
    task_folder,
)
from overread.benchmarks.veela.protocol import N_TEST
from overread.errors import UsageError, expected
from overread.imaging.bounds import MAX_VOLUME_BYTES
from overread.imaging.safe_path import without_root
from overread.records import Finding, Severity
from overread.scoring.masks.pair import PredictionMaskError, ReferenceMaskError, open_pair

__all__ = ["look_through", "released_evaluation", "unpack"]

_MASK = re.compile(r"case_(\d{1,6})\.nii(?:\.gz)?", re.ASCII)
_MOST_FILES: Final = 2_000
_LARGEST_BYTES: Final = 2**36
"""Of all files of a submission together."""
_PIECE: Final = 2**22


def unpack(archive: Path, folder: Path) -> Path:
    """Unpack the masks of a zipped submission.

    Parameters
    ----------
    archive
        The zip file. What does not end in ``.nii`` or ``.nii.gz`` stays in it, and so do folders
        that begin with ``_``.
    folder
        Where to; made when it is not there.

    Returns
    -------
    Path
        The folder.

    Raises
    ------
    UsageError
        No zip file, a damaged one, names that lead out of the folder, or more than a submission
        can hold.
    """
    try:
        with zipfile.ZipFile(archive) as zipped:
            members = [one for one in zipped.infolist() if _is_mask(one.filename)]
            total = sum(one.file_size for one in members)
            if not members or len(members) > _MOST_FILES or total > _LARGEST_BYTES:
                raise _no_submission(archive, f"{len(members)} masks of {total:,} bytes")
            for member in members:
                _extract(zipped, member, archive, folder)
    except (OSError, zipfile.BadZipFile, NotImplementedError, RuntimeError) as error:
        raise _no_submission(archive, str(error)) from error
    return folder


def released_evaluation(release: Path, submission: Path, task: Task) -> TaskEvaluation:
    """Give what the released code makes of a submission, with the names that it wants.

    Where no folder of the task is found it takes the submission's own folder for it. The reference
    of ``NAME.nii`` is ``NAME_gt.nii``, every dot of the name being replaced, so that a second dot
    has no reference.

    Parameters
    ----------
    release
        Holds ``Test_GT``.
    submission
        The folder, unpacked.
    task
        Which.
    """
    folder = task_folder(submission, task) or submission
    if not folder.is_dir():
        return TaskEvaluation(task=task, rejection=f"E1: no folder Results/{task}", cases={})
    names = sorted(
        (path.name for path in folder.iterdir() if path.name.endswith(".nii")), key=_numeric
    )
    pairs = {
        name.removesuffix(".nii"): CasePair(
            prediction=folder / name,
            reference=release / REFERENCES_FOLDER / name.replace(".", "_gt."),
        )
        for name in names
    }
    return evaluate_task(task, pairs, n_cases=N_TEST)


def look_through(release: Path, submission: Path) -> Iterator[Finding]:
    """Tell what is wrong with a submission, file by file.

    Missing and unknown names, two files of one case, files that cannot be read, other sizes, other
    places in the patient, labels that are not asked for. ``.nii.gz`` is as good as ``.nii`` here.

    Parameters
    ----------
    release
        Holds ``Test_GT``.
    submission
        The folder, unpacked.
    """
    references = find_references(release).by_case
    for task in TASKS:
        folder = task_folder(submission, task)
        if folder is None:
            yield _finding("missing-folder", task, "no folder of this name", "E1 or E2")
            continue
        found: dict[str, Path] = {}
        for path in sorted(folder.iterdir(), key=lambda one: _numeric(one.name)):
            where = f"{task}/{path.name}"
            match = _MASK.fullmatch(path.name)
            case = f"case_{int(match[1])}" if match else ""
            if case not in references:
                yield _finding("unknown-file", where, "its name is no case's", "not scored")
            elif case in found:
                yield _finding("doubled-mask", where, f"beside {found[case].name}", "ambiguous")
            else:
                found[case] = path
        for case, reference in references.items():
            if case not in found:
                yield _finding("missing-mask", f"{task}/{case}", "no file", "scored 0; E2")
            else:
                yield from _compare(release / reference, found[case], task)


def _compare(reference: Path, prediction: Path, task: Task) -> Iterator[Finding]:
    where = f"{task}/{prediction.name}"
    labels = (1, 2) if task == "Task02" else (1,)
    try:
        report = open_pair(reference, prediction, labels).report
    except PredictionMaskError as error:
        why = without_root(str(error), prediction.parent)
        yield _finding("unreadable-mask", where, why, "scored 0; E3")
        return
    except ReferenceMaskError as error:
        why = without_root(str(error), reference.parent)
        yield _finding("unreadable-reference", reference.name, why, "undefined: no score")
        return
    if not report.same:
        why = "; ".join((*report.problems, *([report.advice] if report.advice else [])))
        yield _finding("other-grid", where, why, "refused; the evaluator looks at sizes alone")
    if report.unknown_labels:
        shown = ", ".join(str(label) for label in report.unknown_labels[:6])
        yield _finding("foreign-labels", where, f"labels {shown}", "refused; E4 or E5")


def _is_mask(name: str) -> bool:
    parts = name.split("/")
    # A name with ".." is not passed over: it is refused.
    skipped = any(is_skipped(part) or (part[:1] == "." and part != "..") for part in parts)
    return name.endswith((".nii", ".nii.gz")) and not skipped


def _extract(zipped: zipfile.ZipFile, member: zipfile.ZipInfo, archive: Path, folder: Path) -> None:
    parts = member.filename.split("/")
    if ".." in parts or "\\" in member.filename or ":" in parts[0] or not parts[0]:
        raise _no_submission(archive, f"a name that leads out of it, {member.filename!r}")
    if member.file_size > MAX_VOLUME_BYTES:
        raise _no_submission(archive, f"{member.filename} of {member.file_size:,} bytes")
    target = folder.joinpath(*parts)
    target.parent.mkdir(parents=True, exist_ok=True)
    with zipped.open(member) as packed, target.open("wb") as file:
        shutil.copyfileobj(packed, file, _PIECE)  # no more than the size stated: zipfile checks


def _numeric(name: str) -> tuple[int, str]:
    match = _MASK.fullmatch(name)
    return (int(match[1]) if match else -1), name


def _no_submission(archive: Path, got: str) -> UsageError:
    return UsageError(
        expected(
            str(archive),
            rule="a zip file with the masks of Task01 and Task02",
            got=got,
            remedy="Pack the folders with their files: zip -r submission.zip Task01 Task02.",
        )
    )


def _finding(code: str, where: str, evidence: str, effect: str) -> Finding:
    return Finding(
        severity=Severity.ERROR, code=code, where=where, evidence=evidence, effect=effect
    )
