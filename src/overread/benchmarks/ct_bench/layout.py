"""How a CT-Bench release lies on disk: names, columns, spellings, and a writer of its lesion set.

The one place where a file name, a column or a spelling of the release stands. The loader reads by
these names; the synthetic release and the builder of lesion sets write by them. The fields of a
question, and their writer, are in `exam_files`.

::

    lesion_bbox/{lesion_idx}.png    8-bit key slices, box drawn      lesion_nobox/  without the box
    Metadata.csv                    lesion_idx, description, size, dataset
    CT-Bench-Final-Merged-with-DeepLesion-Metadata .csv      the blank before .csv is real
    CT-Bench Lesion Ontology Mapping.csv
    qa_clip.json  clip/{split}/     the questions for image-text scorers and their pictures
    qa_llm.json   llm/{split}/      the same questions, worded for chat models

Sources: public code CelestialShine/CT-Bench (README.md, qa_llm/run_llm.py, training/fine_tune.py)
and the file listing of Kaggle DOI 10.34740/kaggle/ds/7422536; DeepLesion's columns from its
DL_info.csv (arXiv 1710.01766). Seen in none of them, hence our choice when we write: the columns
of the ontology mapping, the values of ``split`` and ``bbox_type``, the spelling ``val``, the
texts of the choices of image-choice questions in ``qa_llm.json``.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Protocol, TypeAlias

from overread.errors import UsageError, expected

__all__ = [
    "BBOX_TYPES",
    "BUILT_MARK",
    "CLIP_FOLDER",
    "COARSE_TYPES",
    "DATASET_SPELLINGS",
    "DEEPLESION_COLUMNS",
    "IMAGE_CHOICE_TASKS",
    "KEY_SLICE",
    "LESION_BBOX_FOLDER",
    "LESION_IMAGE_NAMES",
    "LESION_NOBOX_FOLDER",
    "LETTERS",
    "LLM_FOLDER",
    "LLM_QUESTIONS",
    "MERGED_COLUMNS",
    "MERGED_FILE",
    "METADATA_COLUMNS",
    "METADATA_FILE",
    "ONTOLOGY_COLUMNS",
    "ONTOLOGY_FILE",
    "QA_CLIP_FILE",
    "QA_LLM_FILE",
    "QUESTION_SPLITS",
    "SETTINGS",
    "SLICES_PER_STACK",
    "STACK_TASKS",
    "SYNTHETIC_MARK",
    "TASKS",
    "UNFINISHED_MARK",
    "BboxType",
    "DeepLesionRow",
    "LesionRow",
    "QuestionSplit",
    "Setting",
    "TableRow",
    "refuse_used_folder",
    "write_bytes",
    "write_lesion_pictures",
    "write_tables",
]

QuestionSplit: TypeAlias = Literal["test", "validation"]
BboxType: TypeAlias = Literal["nobox", "bbox"]

# ---------------------------------------------------------------- names

LESION_BBOX_FOLDER = "lesion_bbox"
LESION_NOBOX_FOLDER = "lesion_nobox"
METADATA_FILE = "Metadata.csv"
MERGED_FILE = "CT-Bench-Final-Merged-with-DeepLesion-Metadata .csv"
ONTOLOGY_FILE = "CT-Bench Lesion Ontology Mapping.csv"
QA_CLIP_FILE = "qa_clip.json"
QA_LLM_FILE = "qa_llm.json"
CLIP_FOLDER = "clip"
LLM_FOLDER = "llm"
BUILT_MARK = "BUILT.txt"
"""Ours, in no published release: a file that says what everything beside it was made from."""
SYNTHETIC_MARK = "SYNTHETIC.txt"
"""Ours, in no real release: a file that says that everything beside it is made up."""
UNFINISHED_MARK = "UNFINISHED.txt"
"""Ours: a file that lies in a release while it is being built."""

LESION_IMAGE_NAMES = ("{lesion_idx}.png", "lesion_{lesion_idx}.png")
"""The captioning script's name, which we write, and the fine-tuning script's."""

METADATA_COLUMNS = ("lesion_idx", "description", "size", "dataset")
DEEPLESION_COLUMNS = (
    "File_name",
    "Patient_index",
    "Study_index",
    "Series_ID",
    "Key_slice_index",
    "Measurement_coordinates",
    "Bounding_boxes",
    "Lesion_diameters_Pixel_",
    "Normalized_lesion_location",
    "Coarse_lesion_type",
    "Possibly_noisy",
    "Slice_range",
    "Spacing_mm_px_",
    "Image_size",
    "DICOM_windows",
    "Patient_gender",
    "Patient_age",
    "Train_Val_Test",
)
MERGED_COLUMNS = (*METADATA_COLUMNS, *DEEPLESION_COLUMNS)
ONTOLOGY_COLUMNS = ("lesion_idx", "lesion_type", "body_part", "imaging_property")

DATASET_SPELLINGS: Mapping[str, tuple[str, ...]] = {
    "train": ("train", "training"),
    "validation": ("val", "valid", "validation"),
    "test": ("test",),
}
"""Split → its spellings in the column ``dataset``; the first is written."""

QUESTION_SPLITS: tuple[QuestionSplit, ...] = ("test", "validation")
BBOX_TYPES: tuple[BboxType, ...] = ("nobox", "bbox")
LETTERS = ("A", "B", "C", "D")
SLICES_PER_STACK = 9
KEY_SLICE = SLICES_PER_STACK // 2
"""Place of the key slice in a stack."""

COARSE_TYPES: Mapping[int, str] = {
    1: "bone",
    2: "abdomen",
    3: "mediastinum",
    4: "liver",
    5: "lung",
    6: "kidney",
    7: "soft tissue",
    8: "pelvis",
    -1: "unknown",
}
"""DeepLesion's ``Coarse_lesion_type``."""

# ---------------------------------------------------------------- the exam

TASKS = ("img2txt", "ct2txt", "txt2img", "txt2bbox", "img2attrib", "ct2attrib", "img2size")
STACK_TASKS = frozenset({"ct2txt", "ct2attrib"})
"""Nine slices and four texts."""
IMAGE_CHOICE_TASKS = frozenset({"txt2img", "txt2bbox"})
"""One text and four pictures; every other task shows one picture (or stack) and four texts."""

LLM_QUESTIONS: Mapping[str, str] = {
    "img2txt": "Which description fits the lesion in this CT image?",
    "ct2txt": "Which description fits the lesion in these nine consecutive CT slices?",
    "txt2img": "Which image shows this lesion? {text}",
    "txt2bbox": "In which image does the box mark this lesion? {text}",
    "img2attrib": "Which attributes fit the lesion in this CT image?",
    "ct2attrib": "Which attributes fit the lesion in these nine consecutive CT slices?",
    "img2size": "What is the size of the lesion in this CT image (long x short axis)?",
}
"""Our wording: the release's was not seen. ``{text}`` is the description to look for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """One of the exam's 13 settings and how many questions a complete release has in it."""

    task: str
    bbox_type: BboxType
    test: int
    validation: int
    reader_cases: int


SETTINGS: tuple[Setting, ...] = tuple(
    Setting(task=task, bbox_type=bbox_type, test=n, validation=n // 2, reader_cases=readers)
    for task, n, readers, bbox_types in (
        ("img2txt", 200, 10, BBOX_TYPES),
        ("ct2txt", 200, 10, BBOX_TYPES),
        ("txt2img", 200, 10, BBOX_TYPES),
        ("txt2bbox", 100, 10, BBOX_TYPES[1:]),
        ("img2attrib", 100, 5, BBOX_TYPES),
        ("ct2attrib", 100, 5, BBOX_TYPES),
        ("img2size", 100, 5, BBOX_TYPES),
    )
    for bbox_type in bbox_types
)
"""Derived from the printed totals and averages (arXiv 2602.14879): 900 + 1,000 test questions,
950 validation questions, 100 reader cases."""

# ---------------------------------------------------------------- rows


class TableRow(Protocol):
    """What DeepLesion's table says of a lesion; a source that knows less leaves cells empty."""

    def cells(self) -> dict[str, str]:
        """Give a cell for every one of `DEEPLESION_COLUMNS`."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class DeepLesionRow:
    """One row of DeepLesion's table: pixels count from 0, x to the right, y down."""

    file_name: str
    """``PPPPPP_SS_RR_KKK.png``: patient, study, series, key slice."""
    patient_index: int
    study_index: int
    series_id: int
    key_slice_index: int
    measurement_px: tuple[float, float, float, float, float, float, float, float]
    """Long, then short RECIST diameter, each as x1, y1, x2, y2."""
    box_px: tuple[float, float, float, float]
    """x1, y1, x2, y2, with DeepLesion's padding of 5 pixels."""
    diameters_px: tuple[float, float]
    normalised_location: tuple[float, float, float]
    coarse_type: int
    possibly_noisy: bool
    slice_range: tuple[int, int]
    spacing_mm: tuple[float, float, float]
    image_size: tuple[int, int]
    window_hu: tuple[float, float]
    gender: str
    age: int | None
    train_val_test: int
    """1 train, 2 validation, 3 test."""

    def cells(self) -> dict[str, str]:
        """Give the row as its cells, numbers separated as in DL_info.csv."""
        values = (
            self.file_name,
            self.patient_index,
            self.study_index,
            f"{self.series_id:02d}",
            self.key_slice_index,
            _numbers(self.measurement_px),
            _numbers(self.box_px),
            _numbers(self.diameters_px),
            _numbers(self.normalised_location),
            self.coarse_type,
            int(self.possibly_noisy),
            _numbers(self.slice_range),
            _numbers(self.spacing_mm),
            _numbers(self.image_size),
            _numbers(self.window_hu),
            self.gender,
            "" if self.age is None else self.age,
            self.train_val_test,
        )
        return dict(zip(DEEPLESION_COLUMNS, map(str, values), strict=True))


@dataclass(frozen=True, slots=True, kw_only=True)
class LesionRow:
    """One lesion of the lesion set. An empty ontology term means: none was mapped."""

    lesion_idx: int
    description: str
    size: str
    dataset: str
    """A first spelling of `DATASET_SPELLINGS`."""
    deeplesion: TableRow
    lesion_type: str
    body_part: str
    imaging_property: str


# ---------------------------------------------------------------- writing


def refuse_used_folder(folder: Path, *, argument: str) -> None:
    """Refuse to write a release where something lies.

    Raises
    ------
    UsageError
        `folder` is a file, or holds something; the message calls it `argument`.
    """
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UsageError(
            expected(
                argument,
                rule="a new or empty folder",
                got=f"{folder}, which is a file or holds something",
                remedy="Name another one: nothing is overwritten.",
            )
        )


def write_tables(root: Path, lesions: Sequence[LesionRow]) -> None:
    """Write the three tables of the lesion set into an existing folder.

    UTF-8, comma separated, lines end with a bare line feed: same rows, same bytes everywhere.
    """
    metadata = [
        {
            "lesion_idx": str(row.lesion_idx),
            "description": row.description,
            "size": row.size,
            "dataset": row.dataset,
        }
        for row in lesions
    ]
    merged = [
        {**cells, **row.deeplesion.cells()} for cells, row in zip(metadata, lesions, strict=True)
    ]
    ontology = [
        {
            "lesion_idx": str(row.lesion_idx),
            "lesion_type": row.lesion_type,
            "body_part": row.body_part,
            "imaging_property": row.imaging_property,
        }
        for row in lesions
    ]
    _write_csv(root / METADATA_FILE, METADATA_COLUMNS, metadata)
    _write_csv(root / MERGED_FILE, MERGED_COLUMNS, merged)
    _write_csv(root / ONTOLOGY_FILE, ONTOLOGY_COLUMNS, ontology)


def write_lesion_pictures(root: Path, lesion_idx: int, *, nobox: bytes, bbox: bytes) -> None:
    """Write a lesion's two key slices, given as encoded 8-bit PNG files."""
    name = LESION_IMAGE_NAMES[0].format(lesion_idx=lesion_idx)
    for folder, data in ((LESION_NOBOX_FOLDER, nobox), (LESION_BBOX_FOLDER, bbox)):
        write_bytes(root / folder / name, data)


def _numbers(values: Iterable[float]) -> str:
    return ", ".join(f"{value:g}" if isinstance(value, int) else f"{value:.5g}" for value in values)


def write_bytes(path: Path, data: bytes) -> None:
    """Write a file and the folders it lies in."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)


def _write_csv(path: Path, columns: Sequence[str], rows: Iterable[Mapping[str, str]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, columns, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
