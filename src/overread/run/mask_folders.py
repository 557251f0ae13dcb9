"""Finds the cases of two files or two folders of masks: who is compared with whom."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from overread.errors import UsageError, expected, listed
from overread.imaging.label_map import mask_suffix
from overread.records import Finding, Severity
from overread.run.mask_folder_names import CaseNames, NamedFiles, by_names, list_masks, named_by

__all__ = ["FolderCase", "FolderCases", "find_cases", "find_images"]

_SHOWN: Final = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class FolderCase:
    """One case on both sides."""

    id: str
    reference: Path | None
    """A label map, or a folder with a mask file a structure."""
    prediction: Path | None
    problem: str | None = None
    """Why there is no reference or no prediction."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FolderCases:
    """All cases, in the order of their names."""

    cases: tuple[FolderCase, ...]
    findings: tuple[Finding, ...] = ()
    is_structures: bool = False
    """Whether a side is a folder with a mask file a structure."""


def find_cases(
    reference: Path, prediction: Path, *, pattern: str | None, structures: bool
) -> FolderCases:
    """Find who is compared with whom.

    Two files are one case. A file and a folder are one case, whose folder has a mask file a
    structure. Two folders have a case a file, joined by their names; under `structures` they are
    one case if both hold masks themselves, else each folder (or file) in them is a case.

    Parameters
    ----------
    reference, prediction
        What is there.
    pattern
        How files of predictions are named: ``{case}_pred.nii.gz``; two patterns, parted by a comma,
        name those of references and of predictions. None finds it out.
    structures
        Folders hold a mask file a structure.

    Raises
    ------
    UsageError
        Something is not there, holds no mask, or no case is on both sides.
    """
    for name, path in (("REFERENCE", reference), ("PREDICTION", prediction)):
        if not path.exists():
            raise UsageError(
                expected(
                    name,
                    rule="a mask file or a folder of masks",
                    got=f"{path}, which is not there",
                    remedy="Look at the path.",
                )
            )
    if not (reference.is_dir() and prediction.is_dir()):
        case = FolderCase(id=_case_id(reference), reference=reference, prediction=prediction)
        return FolderCases(cases=(case,), is_structures=reference.is_dir() or prediction.is_dir())
    if structures:
        return _structure_cases(reference, prediction)
    names = _names(list_masks(reference), list_masks(prediction), pattern)
    if not names.shared:
        raise _nothing_shared(names.reference, names.prediction)
    return FolderCases(cases=tuple(_cases(names)), findings=tuple(_findings(names, prediction)))


def find_images(images: Path, cases: Sequence[str]) -> dict[str, Path]:
    """Find the image behind each case: one file for one case, or a folder joined by names.

    Raises
    ------
    UsageError
        It is not there, holds no volume, or fits no case.
    """
    if not images.exists():
        raise UsageError(
            expected(
                "--image",
                rule="a volume or a folder of volumes",
                got=f"{images}, which is not there",
                remedy="Look at the path.",
            )
        )
    if not images.is_dir():
        if len(cases) > 1:
            raise UsageError(
                expected(
                    "--image",
                    rule=f"a folder with the volumes of {len(cases)} cases",
                    got="one file",
                    remedy="Name the folder.",
                )
            )
        return dict.fromkeys(cases, images)
    wanted = {f"{case}.nii.gz": Path(case) for case in cases}
    names = by_names(wanted, list_masks(images))
    found = {
        str(names.reference.files[key][0]): names.prediction.files[key][0] for key in names.shared
    }
    if not found:
        raise UsageError(
            expected(
                "--image",
                rule="volumes named as the cases are",
                got=listed(names.prediction.files, most=_SHOWN),
                remedy=f"Cases are {listed(cases, most=_SHOWN)}.",
            )
        )
    return found


def _case_id(path: Path) -> str:
    name = path.name or path.resolve().name
    return name[: -len(mask_suffix(name) or "")] if mask_suffix(name) else name


def _names(
    reference: Mapping[str, Path], prediction: Mapping[str, Path], pattern: str | None
) -> CaseNames:
    if pattern is None:
        return by_names(reference, prediction)
    first, comma, second = pattern.partition(",")
    references = named_by(reference, first if comma else "{case}")
    predictions = named_by(prediction, second if comma else first)
    shared = tuple(case for case in references.files if case in predictions.files)
    return CaseNames(reference=references, prediction=predictions, how="", shared=shared)


def _cases(names: CaseNames) -> Iterator[FolderCase]:
    folded = {case.casefold(): case for case in names.prediction.files}
    for case, references in sorted(names.reference.files.items()):
        predictions = names.prediction.files.get(case, ())
        problem = None
        if len(references) > 1:
            problem = f"{len(references)} references: {_both(references)}"
        elif len(predictions) > 1:
            problem = f"{len(predictions)} masks, and nothing says which counts: "
            problem += _both(predictions)
        elif not predictions:
            near = folded.get(case.casefold())
            problem = f"no mask: expected one of {case}"
            if near is not None:
                problem += f"; {near} is there, with other capital letters"
        yield FolderCase(
            id=case,
            reference=references[0] if len(references) == 1 else None,
            prediction=predictions[0] if len(predictions) == 1 else None,
            problem=problem,
        )


def _findings(names: CaseNames, folder: Path) -> Iterator[Finding]:
    if names.how:
        yield Finding(
            severity=Severity.INFO,
            code="mask-naming",
            where=folder.name,
            evidence=f"cases were joined: {names.how}",
            remedy="Is it another naming? Give it: --pattern '{case}_pred.nii.gz'.",
        )
    extra = [case for case in names.prediction.files if case not in names.reference.files]
    for found, evidence in (
        (extra, "predictions of cases that have no reference"),
        ([*names.prediction.left, *names.reference.left], "files that the pattern does not fit"),
    ):
        if found:
            yield Finding(
                severity=Severity.WARNING,
                code="unknown-mask",
                where=folder.name,
                evidence=f"{evidence}: {listed(found, most=_SHOWN)}",
                effect="they are not scored",
                remedy="Compare the names of both folders.",
                count=len(found),
            )


def _structure_cases(reference: Path, prediction: Path) -> FolderCases:
    if any(mask_suffix(each.name) for each in reference.iterdir() if each.is_file()):
        case = FolderCase(id=_case_id(reference), reference=reference, prediction=prediction)
        return FolderCases(cases=(case,), is_structures=True)
    sides = [
        {
            _case_id(each): each
            for each in sorted(folder.iterdir())
            if not each.name.startswith(".") and (each.is_dir() or mask_suffix(each.name))
        }
        for folder in (reference, prediction)
    ]
    references, predictions = sides
    if not references.keys() & predictions.keys():
        raise _nothing_shared(
            *(NamedFiles(files={case: (path,) for case, path in side.items()}) for side in sides)
        )
    names = CaseNames(
        reference=NamedFiles(files={case: (path,) for case, path in references.items()}),
        prediction=NamedFiles(files={case: (path,) for case, path in predictions.items()}),
        how="",
    )
    return FolderCases(
        cases=tuple(_cases(names)),
        findings=tuple(_findings(names, prediction)),
        is_structures=True,
    )


def _nothing_shared(reference: NamedFiles, prediction: NamedFiles) -> UsageError:
    return UsageError(
        expected(
            "PREDICTION",
            rule=f"masks of the reference's cases ({listed(reference.files, most=_SHOWN)})",
            got=listed([*prediction.files, *prediction.left], most=_SHOWN),
            remedy="Say how predictions are named: --pattern '{case}_pred.nii.gz'; two patterns, "
            "parted by a comma, name references and predictions.",
        )
    )


def _both(paths: Sequence[Path]) -> str:
    return " and ".join(path.name for path in paths)
