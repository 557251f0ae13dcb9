"""The files of a CT-SpatialVQA release: their names, their fields, and how they are written.

Public code: BioMedIA-MBZUAI/CT-SpatialVQA and Mashrafi27/CT-SpatialVQA. File names, fields and the
form of case ids are as in the released files; `overread build report-qa` writes the same ones.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from overread.errors import UsageError, expected
from overread.records import JsonValue

__all__ = [
    "ASSIGNMENTS_FILE",
    "BUILT_MARK",
    "CANDIDATES_FILE",
    "CASES_FILE",
    "CATEGORIES",
    "CATEGORIES_FILE",
    "CATEGORY_FILE",
    "DISAGREEMENTS_FILE",
    "JUDGE_ENDINGS",
    "JURY_FILE",
    "MATRIX_FILE",
    "MISSPELT_CATEGORIES",
    "MODEL_TITLES",
    "PREDICTIONS_ENDING",
    "PREDICTIONS_FOLDER",
    "PROGRESS_FILE",
    "QUESTIONS_FILE",
    "REPORTS_FILE",
    "ROWS_FILE",
    "SYNTHETIC_MARK",
    "TEXT_METRICS_FILE",
    "VOLUME_ENDINGS",
    "VOTES_FOLDER",
    "CaseName",
    "Pair",
    "case_stem",
    "refuse_used_folder",
    "volume_path",
    "write_json",
    "write_json_lines",
    "write_pairs",
    "write_questions",
    "write_reports",
]

QUESTIONS_FILE: Final = "spatial_qa_filtered_full.json"
CATEGORIES_FILE: Final = "spatial_qa_filtered_full_with_categories.json"
ROWS_FILE: Final = "spatial_qa_filtered_full_nifti.jsonl"
CASES_FILE: Final = "spatial_qa_filtered_full_cases.jsonl"
CANDIDATES_FILE: Final = "spatial_qa_output_full.json"
"""The generated pairs before filtering."""
REPORTS_FILE: Final = "validation_reports_output.json"

PREDICTIONS_FOLDER: Final = "predictions"
PREDICTIONS_ENDING: Final = "_predictions_full.jsonl"
VOTES_FOLDER: Final = "llm_eval"
JUDGE_ENDINGS: Final[Mapping[str, str]] = {
    "gemini": "_gemini2.5_eval_full.json",
    "gpt": "_gpt_eval.json",
    "qwen": "_qwen_eval.json",
}
"""Judge → how the names of its files end, after the model's short name."""

MATRIX_FILE: Final = "metrics/correctness_matrix_avg3.csv"
JURY_FILE: Final = "metrics/llm_jury_accuracy.json"
CATEGORY_FILE: Final = "metrics/category_performance.csv"
TEXT_METRICS_FILE: Final = "metrics/text_metrics_summary.json"

PROGRESS_FILE: Final = "human_eval/progress.json"
DISAGREEMENTS_FILE: Final = "human_eval/gemini_human_disagreements.json"
ASSIGNMENTS_FILE: Final = "human_eval/assignments.json"

SYNTHETIC_MARK: Final = "SYNTHETIC.txt"
"""Beside the files of a release that overread made up."""
BUILT_MARK: Final = "BUILT.txt"
"""Beside the files of a release that overread built from other reports."""

CATEGORIES: Final = (
    "Laterality & Bilateral Symmetry",
    "Longitudinal (Vertical) Position",
    "Anterior-Posterior (Depth) Relations",
    "Medial-Lateral Orientation (Centricity)",
    "Adjacency & Containment",
    "Spatial Extent & Boundaries",
)
MISSPELT_CATEGORIES: Final[Mapping[str, str]] = {
    "Medial-Lateral Orientation": "Medial-Lateral Orientation (Centricity)",
}
"""A label as two pairs of the release spell it → its name everywhere else."""

MODEL_TITLES: Final[Mapping[str, str]] = {
    "ctchat": "CT-CHAT",
    "merlin": "Merlin",
    "med3dvlm": "Med3DVLM",
    "m3d": "M3D",
    "radfm": "RadFM",
    "vila_m3_vista3d": "VILA-M3",
    "medgemma": "MedGemma",
    "medevalkit": "MedEvalKit",
}
"""A model's short name in file names and columns → its name in the paper's table."""

VOLUME_ENDINGS: Final = (".nii.gz", ".nii", ".mha", ".mhd")
"""Of files that can stand for a case in a folder of volumes."""
_ENDING = re.compile(r"\.(?:nii\.gz|nii|npy|npz|mha|mhd|dcm|pt)$", re.IGNORECASE)
_CASE = re.compile(
    r"(?P<patient>[A-Za-z0-9]+_[0-9]+)_(?P<scan>[A-Za-z]+)_(?P<reconstruction>[0-9]+)"
)
_VOLUMES_FOLDER = "valid_fixed"
_PATH_PREFIX = f"dataset/data_volumes/dataset/{_VOLUMES_FOLDER}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """One question about a case with its answer, as written to a release."""

    case: str
    question: str
    answer: str
    categories: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseName:
    """What a case's name says: ``valid_1000_a_1.nii.gz`` is patient 1000, scan a, series 1.

    Examples
    --------
    >>> CaseName.of("valid_1000_a_1.nii.gz")
    CaseName(case='valid_1000_a_1.nii.gz', patient='valid_1000', study='valid_1000_a', told=True)
    """

    case: str
    patient: str
    study: str
    told: bool
    """Whether the name has the form of the release; if not, the case is a patient of its own."""

    @classmethod
    def of(cls, case: str) -> CaseName:
        """Read a case's name."""
        stem = case_stem(case)
        match = _CASE.fullmatch(stem)
        if match is None:
            return cls(case=case, patient=stem or case, study=stem or case, told=False)
        patient = match["patient"]
        return cls(case=case, patient=patient, study=f"{patient}_{match['scan']}", told=True)


def case_stem(name: str) -> str:
    """Give a case's name without folders and without the ending of a volume or array file.

    Examples
    --------
    >>> case_stem("/PATH/m3d_npy/valid_1000/valid_1000_a/valid_1000_a_1.npy")
    'valid_1000_a_1'
    """
    return _ENDING.sub("", name.replace("\\", "/").rpartition("/")[2])


def volume_path(case: str) -> str:
    """Give where CT-RATE keeps a case's volume, below the folder that holds ``valid_fixed``.

    A name that is not of the release's form stands for itself.

    Examples
    --------
    >>> volume_path("valid_1000_a_1.nii.gz")
    'valid_fixed/valid_1000/valid_1000_a/valid_1000_a_1.nii.gz'
    """
    name = CaseName.of(case)
    if not name.told:
        return case
    file = case if case_stem(case) != case else f"{case}.nii.gz"
    return f"{_VOLUMES_FOLDER}/{name.patient}/{name.study}/{file}"


def refuse_used_folder(root: Path, *, argument: str) -> None:
    """Refuse to write a release into a folder that holds something. UsageError if it does."""
    if root.exists() and (not root.is_dir() or any(root.iterdir())):
        raise UsageError(
            expected(
                argument,
                rule="a new or empty folder",
                got=f"{root}, which holds something",
                remedy="Name another folder, or empty this one.",
            )
        )


# ---------------------------------------------------------------- writing


def write_questions(root: Path, pairs: Sequence[Pair], *, with_categories: bool = False) -> None:
    """Write the question files of a release: by case, row by row, the cases, the categories.

    Parameters
    ----------
    root
        The release's folder; made when absent.
    pairs
        In the order of the release: pairs of a case stand together.
    with_categories
        Also write the file that carries `Pair.categories`.
    """
    write_pairs(root / QUESTIONS_FILE, pairs)
    if with_categories:
        write_pairs(root / CATEGORIES_FILE, pairs, with_categories=True)
    paths = {pair.case: _path_in_rows(pair.case) for pair in pairs}
    write_json_lines(
        root / ROWS_FILE,
        (
            {
                "case_id": pair.case,
                "image_path": paths[pair.case],
                "question": pair.question,
                "answer": pair.answer,
            }
            for pair in pairs
        ),
    )
    write_json_lines(
        root / CASES_FILE, ({"case_id": case, "image_path": path} for case, path in paths.items())
    )


def write_pairs(path: Path, pairs: Iterable[Pair], *, with_categories: bool = False) -> None:
    """Write pairs by case, as in ``spatial_qa_filtered_full.json``."""
    by_case: dict[str, list[JsonValue]] = {}
    for pair in pairs:
        entry: dict[str, JsonValue] = {"question": pair.question, "answer": pair.answer}
        if with_categories:
            entry["category"] = list(pair.categories)
        by_case.setdefault(pair.case, []).append(entry)
    write_json(path, {case: {"qa_pairs": entries} for case, entries in by_case.items()})


def write_reports(root: Path, reports: Mapping[str, tuple[str, str]]) -> None:
    """Write the reports: case → (findings, impression)."""
    write_json(
        root / REPORTS_FILE,
        {
            case: {"Findings_EN": findings, "Impressions_EN": impression}
            for case, (findings, impression) in reports.items()
        },
    )


def write_json(path: Path, value: JsonValue) -> None:
    """Write a JSON file as the release does: two spaces, UTF-8 as it is."""
    path.parent.mkdir(parents=True, exist_ok=True)
    text = json.dumps(value, ensure_ascii=False, indent=2)
    path.write_text(text, encoding="utf-8", newline="\n")


def write_json_lines(path: Path, rows: Iterable[Mapping[str, JsonValue]]) -> None:
    """Write a JSON Lines file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    path.write_text(text, encoding="utf-8", newline="\n")


def _path_in_rows(case: str) -> str:
    return f"{_PATH_PREFIX}/{volume_path(case).removeprefix(f'{_VOLUMES_FOLDER}/')}"
