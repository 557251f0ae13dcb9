"""Write a synthetic CT-Bench release: phantom CT, true descriptions, a fair exam, real layout."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from overread.benchmarks.ct_bench.anatomy import Scene, draw_scene
from overread.benchmarks.ct_bench.body import draw_body
from overread.benchmarks.ct_bench.cases import SMALLEST_RELEASE, Case, draw_cases
from overread.benchmarks.ct_bench.exam import draw_exam
from overread.benchmarks.ct_bench.exam_draws import View, by_lesion
from overread.benchmarks.ct_bench.exam_files import write_exam, write_exam_picture
from overread.benchmarks.ct_bench.layout import (
    DATASET_SPELLINGS,
    KEY_SLICE,
    SLICES_PER_STACK,
    SYNTHETIC_MARK,
    DeepLesionRow,
    LesionRow,
    refuse_used_folder,
    write_lesion_pictures,
    write_tables,
)
from overread.benchmarks.ct_bench.lesions import (
    KINDS,
    blob,
    box_px,
    description,
    imaging_property,
    place_lesions,
    recist_px,
    size_text,
)
from overread.benchmarks.ct_bench.phantom import LEAST_SECTION, PIXEL_MM, SIDE_PX, Blob, Canvas
from overread.errors import UsageError, expected
from overread.imaging.boxes import draw_box
from overread.imaging.encode import encode_png
from overread.imaging.window import apply_window

__all__ = ["synthesise"]

_WORKERS = 4
_SLICE_MM = 5.0
_LEVEL_HEIGHT = {"thorax": 0.24, "upper abdomen": 0.45, "kidneys": 0.58, "pelvis": 0.82}
"""Where a level lies between the top (0) and the bottom (1) of the scanned body."""
_SHARE_TYPED = 0.98
_SHARE_WITH_PROPERTY = 0.24
"""As in the release: a property for 23.8 % of lesions, type and body part for over 98 %."""

# One stream of random numbers per purpose, so that a picture does not depend on the exam's size.
_CASES, _EXAM, _BODY, _SCENE, _SLICE, _ROW = range(6)


def synthesise(root: Path, *, seed: int, size: int) -> None:
    """Write a synthetic release of `size` lesions into a new or empty folder.

    Same seed and size, same bytes. Eight organs; side, size, attenuation, margin and core of a
    lesion are drawn independently and are visible; nobody can do better than 25 % without looking
    at the pictures (see `exam`).

    Parameters
    ----------
    root
        Folder to write; made when absent.
    seed
        0 or more.
    size
        Number of lesions, 24 or more. About 27 % test, 13 % validation, 60 % training. From 1,500
        on the exam is complete: 1,900 and 950 questions.

    Raises
    ------
    UsageError
        If `size` is too small, `seed` negative, or the folder holds something.
    """
    _check(root, seed=seed, size=size)
    root.mkdir(parents=True, exist_ok=True)
    cases = draw_cases(size, np.random.default_rng([seed, _CASES]))
    exam = draw_exam(cases, seed=seed, rng=np.random.default_rng([seed, _EXAM]))
    views = by_lesion(exam.views)
    # Threads: numpy, zlib and the disk let go of the interpreter; a case writes its own files.
    with ThreadPoolExecutor(max_workers=_WORKERS) as pool:
        rows = list(
            pool.map(lambda case: _write_case(root, seed, case, views[case.lesion_idx]), cases)
        )
    write_tables(root, sorted(rows, key=lambda row: row.lesion_idx))
    write_exam(root, exam.questions)
    mark = f"A synthetic CT-Bench release: phantoms, no patient. Seed {seed}, {size} lesions.\n"
    (root / SYNTHETIC_MARK).write_text(mark, encoding="utf-8", newline="\n")


def _check(root: Path, *, seed: int, size: int) -> None:
    if size < SMALLEST_RELEASE:
        raise UsageError(
            expected(
                "size",
                rule=f"{SMALLEST_RELEASE} lesions or more",
                got=size,
                remedy="A smaller release could not offer four unlike options.",
            )
        )
    if seed < 0:
        raise UsageError(
            expected("seed", rule="a number of 0 or more", got=seed, remedy="Choose another.")
        )
    refuse_used_folder(root, argument="OUT")


def _write_case(root: Path, seed: int, case: Case, views: Mapping[str, View[int]]) -> LesionRow:
    """Paint a case, write its pictures, give its row."""
    scene, blobs = _prepare(seed, case)
    window = KINDS[case.lesion.facts.coarse_type].window
    indices = {KEY_SLICE} | {view.slice_index for view in views.values()}
    greys = {
        index: apply_window(_paint(seed, case, scene, blobs, index), window) for index in indices
    }
    encoded: dict[tuple[int, int | None], bytes] = {}

    def picture(index: int, boxed: int | None) -> bytes:
        if (index, boxed) not in encoded:
            encoded[index, boxed] = _encode(greys[index], index, boxed, blobs)
        return encoded[index, boxed]

    write_lesion_pictures(
        root, case.lesion_idx, nobox=picture(KEY_SLICE, None), bbox=picture(KEY_SLICE, 0)
    )
    for name, view in views.items():
        write_exam_picture(root, view.split, name, picture(view.slice_index, view.boxed))
    return _row(seed, case, blobs[0])


def _prepare(seed: int, case: Case) -> tuple[Scene, tuple[Blob, ...]]:
    """Draw a case's anatomy and put its lesions into it."""
    lesion = case.lesion
    body = draw_body(np.random.default_rng([seed, _BODY, case.patient]))
    rng = np.random.default_rng([seed, _SCENE, case.lesion_idx])
    scene = draw_scene(body, KINDS[lesion.facts.coarse_type].places[lesion.place], rng)
    middles = place_lesions(case.lesions, scene.sites, rng)
    blobs = tuple(blob(one, middle) for one, middle in zip(case.lesions, middles, strict=True))
    return scene, blobs


def _paint(
    seed: int, case: Case, scene: Scene, blobs: Sequence[Blob], index: int
) -> NDArray[np.float32]:
    """Paint one slice of a case's stack in HU."""
    waves = np.random.default_rng([seed, _BODY, case.patient, 1]).uniform(size=(2, 4, 4))
    rng = np.random.default_rng([seed, _SLICE, case.lesion_idx, index])
    canvas = Canvas(waves, z_mm=_z_mm(index), rng=rng)
    for shape in scene.shapes:
        canvas.paint(shape)
    for shape in blobs:
        canvas.paint_blob(shape)
    return canvas.finish()


def _z_mm(index: int) -> float:
    return (index - KEY_SLICE) * _SLICE_MM


def _encode(grey: NDArray[np.uint8], index: int, boxed: int | None, blobs: Sequence[Blob]) -> bytes:
    """Encode a slice, with the box where the lesion it marks is present."""
    if boxed is None or blobs[boxed].scale_at(_z_mm(index)) < LEAST_SECTION:
        return encode_png(grey)
    return encode_png(draw_box(grey, box_px(blobs[boxed])))


# ---------------------------------------------------------------- the tables


def _row(seed: int, case: Case, shape: Blob) -> LesionRow:
    lesion, facts = case.lesion, case.lesion.facts
    rng = np.random.default_rng([seed, _ROW, case.lesion_idx])
    typed = rng.uniform() < _SHARE_TYPED
    has_property = rng.uniform() < _SHARE_WITH_PROPERTY
    return LesionRow(
        lesion_idx=case.lesion_idx,
        description=description(lesion),
        size=size_text(lesion),
        dataset=DATASET_SPELLINGS[case.split][0],
        deeplesion=_deeplesion_row(seed, case, shape),
        lesion_type=KINDS[facts.coarse_type].noun if typed else "",
        body_part=lesion.place if typed else "",
        imaging_property=imaging_property(facts) if has_property else "",
    )


def _deeplesion_row(seed: int, case: Case, shape: Blob) -> DeepLesionRow:
    lesion = case.lesion
    kind = KINDS[lesion.facts.coarse_type]
    person = np.random.default_rng([seed, _BODY, case.patient, 2])
    gender, age = str(person.choice(["F", "M"])), int(person.integers(18, 90))
    height = _LEVEL_HEIGHT[kind.places[lesion.place]]
    key_slice = round(30 + 120 * height)
    box = box_px(shape)
    half = SLICES_PER_STACK // 2
    return DeepLesionRow(
        file_name=f"{case.patient:06d}_{case.study:02d}_01_{key_slice:03d}.png",
        patient_index=case.patient,
        study_index=case.study,
        series_id=1,
        key_slice_index=key_slice,
        measurement_px=recist_px(shape),
        box_px=(box.x_min, box.y_min, box.x_max, box.y_max),
        diameters_px=(shape.long_mm / PIXEL_MM, shape.short_mm / PIXEL_MM),
        normalised_location=(
            (box.x_min + box.x_max) / 2 / SIDE_PX,
            (box.y_min + box.y_max) / 2 / SIDE_PX,
            height,
        ),
        coarse_type=lesion.facts.coarse_type,
        possibly_noisy=False,
        slice_range=(key_slice - half, key_slice + half),
        spacing_mm=(PIXEL_MM, PIXEL_MM, _SLICE_MM),
        image_size=(SIDE_PX, SIDE_PX),
        window_hu=(kind.window.low_hu, kind.window.high_hu),
        gender=gender,
        age=age,
        train_val_test={"train": 1, "validation": 2, "test": 3}[case.split],
    )
