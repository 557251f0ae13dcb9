"""A lesion set small enough to read: a row a lesion, grey pictures of their own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from overread.benchmarks.ct_bench import layout
from overread.builders.retrieved_exam.lesions import ExamLesion
from overread.imaging.boxes import draw_box
from overread.imaging.encode import encode_png
from overread.records import Box
from overread.scoring.facts.ontology import OntologyTerms
from overread.scoring.facts.reader import read_facts

SIDE = 64
BOX = Box(x_min=20, y_min=24, x_max=40, y_max=44)


@dataclass(frozen=True, kw_only=True)
class Row:
    lesion_idx: str
    description: str
    patient: int
    size: str = "20.0 x 10.0 mm"
    split: str = "test"
    lesion_type: str = ""
    body_part: str = ""
    imaging_property: str = ""


class _Cells:
    def __init__(self, row: Row) -> None:
        self._row = row

    def cells(self) -> dict[str, str]:
        cells = dict.fromkeys(layout.DEEPLESION_COLUMNS, "")
        return cells | {
            "File_name": f"{self._row.patient:06d}_01_01_010.png",
            "Patient_index": str(self._row.patient),
            "Study_index": "1",
            "Series_ID": "01",
            "Bounding_boxes": f"{BOX.x_min}, {BOX.y_min}, {BOX.x_max}, {BOX.y_max}",
            "Coarse_lesion_type": "5",
        }


@pytest.fixture
def write_set(tmp_path: Path) -> Callable[[Sequence[Row]], Path]:
    def write(rows: Sequence[Row]) -> Path:
        root = tmp_path / "set"
        root.mkdir()
        layout.write_tables(
            root,
            [
                layout.LesionRow(
                    lesion_idx=row.lesion_idx,  # type: ignore[arg-type]  any cell may stand there
                    description=row.description,
                    size=row.size,
                    dataset=row.split,
                    deeplesion=_Cells(row),
                    lesion_type=row.lesion_type,
                    body_part=row.body_part,
                    imaging_property=row.imaging_property,
                )
                for row in rows
            ],
        )
        for number, row in enumerate(rows):
            pixels = np.random.default_rng(number).integers(90, 160, (SIDE, SIDE), dtype=np.uint8)
            (root / layout.LESION_NOBOX_FOLDER).mkdir(exist_ok=True)
            layout.write_lesion_pictures(
                root,
                row.lesion_idx,  # type: ignore[arg-type]
                nobox=encode_png(pixels),
                bbox=encode_png(draw_box(pixels, BOX)),
            )
        return root

    return write


@pytest.fixture
def make_row() -> type[Row]:
    return Row


@pytest.fixture
def make_lesion() -> Callable[..., ExamLesion]:
    def make(
        lesion_idx: int,
        description: str,
        *,
        patient: str | None = None,
        size: str = "",
        attributes: str = "",
        split: str = "test",
        picture: str | None = None,
    ) -> ExamLesion:
        terms = OntologyTerms(size=size or None)
        return ExamLesion(
            lesion_idx=lesion_idx,
            patient=patient or f"p{lesion_idx}",
            study="1",
            split=split,
            plain=Path(f"{lesion_idx}.png"),
            boxed=Path(f"{lesion_idx}-box.png"),
            picture_sha256=picture or f"picture {lesion_idx}",
            box=BOX,
            spacing_mm=None,
            description=description,
            size=size,
            attributes=attributes,
            terms=terms,
            facts=read_facts(description, ontology=terms),
            cells={},
        )

    return make
