"""From a lesion table and key slices to a complete release in CT-Bench's layout.

The lesion set holds every usable lesion with and without its box; the exam asks about coarse type
and size (`lesion_exam`), which is all that a table knows. The two other things that a doctor adds
to such an exam, sentences about attributes and a review, are not made up here.
"""

from __future__ import annotations

import shlex
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from overread.benchmarks.ct_bench import layout
from overread.benchmarks.ct_bench.exam_draws import by_lesion
from overread.benchmarks.ct_bench.exam_files import write_exam, write_exam_picture
from overread.builders.half_built import begin, finish, make_way
from overread.builders.key_slices import KeySlices, box_in_pixels, misplaced_boxes
from overread.builders.lesion_exam import Misplace, SetExam, draw_set_exam
from overread.builders.lesion_table import LesionTable, TableLesion, left_out, read_lesion_table
from overread.builders.lesion_words import NOUNS, SetLesion, description, size_text
from overread.builders.patient_splits import SPLITS, split_patients
from overread.builders.tru import read_tru_folder
from overread.errors import ImageError, ReleaseError, UsageError, expected
from overread.imaging.boxes import draw_box
from overread.imaging.encode import encode_png
from overread.records import Box, Finding, Severity

__all__ = ["LesionSetReport", "build_lesion_set"]

_SPLIT_DRAWS = 99
"""Sets the stream of the splits apart from those of the exam, which start with a split's number."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LesionSetReport:
    """What a built release holds, and what was left out or odd."""

    lesions: int
    patients: int
    lesions_by_split: dict[str, int]
    questions: dict[str, int]
    """``split/task/bbox_type`` → number of questions."""
    findings: tuple[Finding, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Source:
    """A lesion that will be in the release, with its row and its file."""

    lesion: SetLesion
    row: TableLesion
    path: Path


def build_lesion_set(
    table: Path,
    images: Path,
    out: Path,
    *,
    seed: int,
    grey_range: tuple[int, int] | None = None,
) -> LesionSetReport:
    """Build a release from a lesion table and its key slices.

    Same table, pictures and seed: same bytes.

    Parameters
    ----------
    table
        A CSV in DeepLesion's columns (DL_info.csv), or a folder of ``.tru`` files.
    images
        Folder of the slices, named as the table names them (see `key_slices.KeySlices`). 16-bit
        PNG holds HU + 32768 and is windowed as the table says; 8-bit pictures stay as they are.
    out
        A new or empty folder, or one where such a build was stopped: it starts over there.
    seed
        0 or more; of the splits, the wrong choices, the letters, and the names of the pictures.
    grey_range
        Grey values of 8-bit pictures to show as black and white, for pictures that were stored
        with a very wide window; None leaves them as they are.

    Returns
    -------
    LesionSetReport
        Counts, and a finding for everything that was left out.

    Raises
    ------
    UsageError
        `out` holds something, `seed` is negative, or the grey range is none.
    ReleaseError
        The table cannot be read, or no lesion has a picture.
    """
    _check(images, out, seed=seed, grey_range=grey_range)
    listed = read_tru_folder(table) if table.is_dir() else read_lesion_table(table)
    slices = KeySlices(images, grey_range=grey_range)
    sources, findings = _sources(listed, slices, seed)
    stacks = {
        source.lesion.lesion_idx: paths
        for source in sources
        if source.lesion.split != "train"
        and (paths := slices.readable_stack(source.row)) is not None
    }
    lesions = [source.lesion for source in sources]
    exam = draw_set_exam(lesions, set(stacks), _misplacer(sources, slices), seed=seed)
    words = ["overread", "build", "lesion-set", str(table), str(images), str(out)]
    begin(out, command=shlex.join(words) + " …", holds_work=False)
    warned = _write_pictures(out, sources, stacks, slices, exam)
    layout.write_tables(out, [_row(source) for source in sources])
    write_exam(out, exam.questions)
    report = LesionSetReport(
        lesions=len(sources),
        patients=len({source.row.patient for source in sources}),
        lesions_by_split={
            split: sum(lesion.split == split for lesion in lesions) for split in SPLITS
        },
        questions=dict(
            Counter(f"{one.split}/{one.q_type}/{one.bbox_type}" for one in exam.questions)
        ),
        findings=(*findings, *warned, *exam.findings),
    )
    (out / layout.BUILT_MARK).write_text(_mark(table, report, seed), encoding="utf-8", newline="\n")
    finish(out)
    return report


def _check(images: Path, out: Path, *, seed: int, grey_range: tuple[int, int] | None) -> None:
    if not images.is_dir():
        raise UsageError(
            expected("IMAGES", rule="a folder of slices", got=images, remedy="Name the folder.")
        )
    if seed < 0:
        raise UsageError(
            expected("--seed", rule="a number of 0 or more", got=seed, remedy="Choose another.")
        )
    if grey_range is not None and not 0 <= grey_range[0] < grey_range[1] <= 255:
        raise UsageError(
            expected(
                "grey range",
                rule="two grey values, 0 <= low < high <= 255",
                got=grey_range,
                remedy="Leave it out to keep 8-bit pictures as they are.",
            )
        )
    make_way(out, own=())


# ---------------------------------------------------------------- which lesions


def _sources(
    listed: LesionTable, slices: KeySlices, seed: int
) -> tuple[list[_Source], tuple[Finding, ...]]:
    """Look at every listed lesion's picture; number those that can be shown."""
    with ThreadPoolExecutor() as pool:
        looked_at = list(pool.map(lambda row: _look(row, slices), listed.lesions))
    faults: dict[str, list[str]] = defaultdict(list)
    usable: list[tuple[TableLesion, Path, Box]] = []
    for row, seen in zip(listed.lesions, looked_at, strict=True):
        if isinstance(seen, str):
            faults[seen].append(row.where)
        else:
            usable.append((row, *seen))
    if not usable:
        raise ReleaseError(
            expected(
                "IMAGES",
                rule="the table's key slices, such as 000001_01_01_109.png",
                got=f"{len(slices)} slices, none of a listed lesion ({'; '.join(faults)})",
                remedy="Name the folder that holds them.",
            )
        )
    rows = [row for row, _path, _box in usable]
    splits, odd = split_patients(rows, np.random.default_rng([seed, _SPLIT_DRAWS]))
    sources = [
        _Source(
            lesion=SetLesion(
                lesion_idx=number,
                split=splits[row.patient],
                coarse_type=row.coarse_type,
                picture=row.stem,
                box=box,
                diameters_mm=row.diameters_mm,
            ),
            row=row,
            path=path,
        )
        for number, (row, path, box) in enumerate(usable, start=1)
    ]
    missing = [left_out(fault, where) for fault, where in faults.items()]
    return sources, (*listed.findings, *missing, *odd)


def _look(row: TableLesion, slices: KeySlices) -> tuple[Path, Box] | str:
    path = slices.path(row)
    if path is None:
        return "its key slice is not in the folder"
    try:
        pixels, _warnings = slices.show(path, row.window)
    except ImageError:
        return "its key slice cannot be read"
    box = box_in_pixels(row, pixels)
    return "half of its box or more lies outside its key slice" if box is None else (path, box)


def _misplacer(sources: Sequence[_Source], slices: KeySlices) -> Misplace:
    """Give what draws boxes that mark none of the lesions known on a slice."""
    by_index = {source.lesion.lesion_idx: source for source in sources}
    on_picture: dict[str, list[Box]] = defaultdict(list)
    for source in sources:
        on_picture[source.lesion.picture].append(source.lesion.box)

    def misplace(lesion: SetLesion, rng: np.random.Generator) -> tuple[Box, ...] | None:
        source = by_index[lesion.lesion_idx]
        pixels, _warnings = slices.show(source.path, source.row.window)
        known = on_picture[lesion.picture]
        return misplaced_boxes(pixels, lesion.box, known, rng, count=len(layout.LETTERS) - 1)

    return misplace


# ---------------------------------------------------------------- writing


def _write_pictures(
    out: Path,
    sources: Sequence[_Source],
    stacks: Mapping[int, tuple[Path, ...]],
    slices: KeySlices,
    exam: SetExam,
) -> tuple[Finding, ...]:
    """Write the pictures of every lesion; report those whose values look odd."""
    views = by_lesion(exam.views)

    def write(source: _Source) -> tuple[str, ...]:
        index, window = source.lesion.lesion_idx, source.row.window
        pixels, warnings = slices.show(source.path, window)
        layout.write_lesion_pictures(
            out, index, nobox=encode_png(pixels), bbox=_encode(pixels, source.lesion.box)
        )
        for name, view in views[index].items():
            shown = pixels
            if view.slice_index != layout.KEY_SLICE:
                shown, _warnings = slices.show(stacks[index][view.slice_index], window)
            write_exam_picture(out, view.split, name, _encode(shown, view.boxed))
        return warnings

    with ThreadPoolExecutor() as pool:
        warned = list(pool.map(write, sources))
    places: dict[str, list[str]] = defaultdict(list)
    for source, warnings in zip(sources, warned, strict=True):
        for warning in warnings:
            places[warning].append(source.row.where)
    return tuple(
        Finding(
            severity=Severity.WARNING,
            code="doubtful-intensities",
            where=where[0],
            evidence=warning,
            effect="its picture may show nonsense",
            count=len(where),
        )
        for warning, where in places.items()
    )


def _encode(pixels: NDArray[np.uint8], box: Box | None) -> bytes:
    return encode_png(pixels if box is None else draw_box(pixels, box))


class _Cells:
    """A row of the merged table whose cells are those of the table it came from."""

    def __init__(self, source: _Source) -> None:
        box, cells = source.lesion.box, dict(source.row.cells)
        if not cells.get("Bounding_boxes"):
            corners = (box.x_min, box.y_min, box.x_max, box.y_max)
            cells["Bounding_boxes"] = ", ".join(f"{corner:.5g}" for corner in corners)
        self._cells = cells

    def cells(self) -> dict[str, str]:
        return self._cells


def _row(source: _Source) -> layout.LesionRow:
    lesion = source.lesion
    known = lesion.coarse_type > 0
    return layout.LesionRow(
        lesion_idx=lesion.lesion_idx,
        description=description(lesion),
        size=size_text(lesion),
        dataset=layout.DATASET_SPELLINGS[lesion.split][0],
        # The writer asks a row for its cells only, and ours are the source's own: a table that
        # lacks a diameter must not get one on its way through numbers.
        deeplesion=_Cells(source),
        lesion_type=NOUNS[lesion.coarse_type] if known else "",
        body_part=layout.COARSE_TYPES[lesion.coarse_type] if known else "",
        imaging_property="",
    )


def _mark(table: Path, report: LesionSetReport, seed: int) -> str:
    return (
        f"Built by overread from the lesion table {table.name}, seed {seed}: {report.lesions} "
        f"lesions of {report.patients} patients, {sum(report.questions.values())} questions.\n"
        "Not the published CT-Bench exam: its numbers are not comparable with published ones.\n"
        "Descriptions state coarse type and size only; nobody has reviewed the questions.\n"
        "The pictures keep the licence of the data they were made from.\n"
    )
