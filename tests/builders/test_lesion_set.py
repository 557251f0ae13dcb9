from __future__ import annotations

import csv
import dataclasses
import hashlib
import json
import shutil
from collections import Counter
from pathlib import Path
from typing import Protocol

import numpy as np
import pytest
from PIL import Image

from overread.benchmarks.ct_bench import BENCHMARK, layout
from overread.benchmarks.ct_bench.layout import BUILT_MARK
from overread.builders import lesion_set
from overread.builders.lesion_set import LesionSetReport, build_lesion_set
from overread.builders.retrieved_exam.lesions import read_lesion_set
from overread.contracts import Selection
from overread.errors import ReleaseError, UsageError
from overread.imaging.boxes import find_drawn_boxes
from overread.records import Severity


class Folder(Protocol):
    table: Path
    images: Path
    rows: list[dict[str, str]]


@pytest.fixture(scope="module")
def built(
    deeplesion: Folder, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Path, LesionSetReport]:
    out = tmp_path_factory.mktemp("built") / "release"
    return out, build_lesion_set(deeplesion.table, deeplesion.images, out, seed=5)


def digest(root: Path) -> dict[str, str]:
    return {
        path.relative_to(root).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(root.rglob("*"))
        if path.is_file()
    }


def table_of(root: Path, name: str) -> list[dict[str, str]]:
    with (root / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_the_benchmark_opens_what_was_built_and_finds_nothing_broken(
    built: tuple[Path, LesionSetReport],
) -> None:
    out, report = built
    release = BENCHMARK.open(out)
    assert [one for one in release.findings() if one.severity is not Severity.INFO] == []
    for split in ("test", "validation"):
        items = list(release.items(Selection(split=split)))
        named = {name: n for name, n in report.questions.items() if name.startswith(f"{split}/")}
        assert len(items) == sum(named.values()) > 40
        assert all(release.reference(item.id).answer in layout.LETTERS for item in items)
        assert list(release.items(Selection(split=split, form="clip")))
    training = release.training(Selection())
    assert len(training.cases) == report.lesions_by_split["train"]
    assert all(len(case.media) == 2 for case in training.cases)


def test_the_report_counts_what_is_there(
    built: tuple[Path, LesionSetReport], deeplesion: Folder
) -> None:
    out, report = built
    rows = table_of(out, layout.METADATA_FILE)
    assert report.lesions == len(rows) == len(deeplesion.rows) == 40
    assert report.patients == 20
    spelt = {"val": "validation"}
    assert Counter(spelt.get(row["dataset"], row["dataset"]) for row in rows) == Counter(
        report.lesions_by_split
    )
    questions = json.loads((out / layout.QA_LLM_FILE).read_text(encoding="utf-8"))
    assert report.questions == dict(
        Counter(f"{one['split']}/{one['q_type']}/{one['bbox_type']}" for one in questions)
    )
    assert report.questions["test/ct2txt/bbox"] >= 4
    assert json.dumps(dataclasses.asdict(report))


def test_no_patient_is_in_two_splits(built: tuple[Path, LesionSetReport]) -> None:
    splits: dict[str, set[str]] = {}
    for row in table_of(built[0], layout.MERGED_FILE):
        splits.setdefault(row["Patient_index"], set()).add(row["dataset"])
    assert len(splits) == 20
    assert all(len(held) == 1 for held in splits.values())


def test_the_tables_own_cells_come_through_unchanged(
    built: tuple[Path, LesionSetReport], deeplesion: Folder
) -> None:
    for row, original in zip(table_of(built[0], layout.MERGED_FILE), deeplesion.rows, strict=True):
        assert {column: row[column] for column in layout.DEEPLESION_COLUMNS} == original


def test_sizes_are_the_diameters_in_mm(
    built: tuple[Path, LesionSetReport], deeplesion: Folder
) -> None:
    for row, original in zip(
        table_of(built[0], layout.METADATA_FILE), deeplesion.rows, strict=True
    ):
        long, short = (float(px) for px in original["Lesion_diameters_Pixel_"].split(","))
        assert row["size"] == f"{long * 0.8:.1f} x {short * 0.8:.1f} mm"
        assert row["size"] in row["description"]


def test_pictures_are_8_bit_and_boxes_lie_where_the_table_says(
    built: tuple[Path, LesionSetReport], deeplesion: Folder
) -> None:
    out, _report = built
    for number, original in enumerate(deeplesion.rows, start=1):
        plain = Image.open(out / layout.LESION_NOBOX_FOLDER / f"{number}.png")
        assert (plain.mode, plain.size) == ("L", (96, 96))
        boxed = np.asarray(Image.open(out / layout.LESION_BBOX_FOLDER / f"{number}.png"))
        (found,) = find_drawn_boxes(boxed)
        edges = [float(edge) for edge in original["Bounding_boxes"].split(",")]
        assert [found.x_min, found.y_min, found.x_max, found.y_max] == pytest.approx(edges, abs=0.5)
        # The lesion of 150 HU in the window -100 to 200 that the table names: 250 / 300 × 255.
        centre = round((edges[1] + edges[3]) / 2), round((edges[0] + edges[2]) / 2)
        assert np.asarray(plain)[centre] == 213


def test_no_name_of_a_picture_tells_its_lesion(built: tuple[Path, LesionSetReport]) -> None:
    out, _report = built
    names = [path.stem for path in (out / "llm").rglob("*.png")]
    assert all(len(name) == 16 and int(name, 16) >= 0 for name in names)


def test_same_seed_same_bytes(
    built: tuple[Path, LesionSetReport], deeplesion: Folder, tmp_path: Path
) -> None:
    build_lesion_set(deeplesion.table, deeplesion.images, tmp_path / "again", seed=5)
    assert digest(tmp_path / "again") == digest(built[0])


def test_what_it_was_made_from_is_written_beside_it(built: tuple[Path, LesionSetReport]) -> None:
    text = (built[0] / BUILT_MARK).read_text(encoding="utf-8")
    assert "DL_info.csv, seed 5: 40 lesions of 20 patients" in text
    assert "Not the published CT-Bench exam" in text


def test_lesions_without_a_usable_picture_are_left_out_aloud(
    deeplesion: Folder, tmp_path: Path
) -> None:
    images = tmp_path / "images"
    shutil.copytree(deeplesion.images, images)
    shutil.rmtree(images / "000003_01_01")
    (images / "000004_01_01" / "050.png").write_bytes(b"<html>404</html>")
    Image.fromarray(np.zeros((20, 20), np.uint8)).save(images / "000005_01_01" / "050.png")
    report = build_lesion_set(deeplesion.table, images, tmp_path / "out", seed=5)
    assert report.lesions == 37
    left_out = {one.evidence: one.where for one in report.findings if one.code == "lesion-left-out"}
    assert left_out == {
        "its key slice is not in the folder": "DL_info.csv, line 6",
        "its key slice cannot be read": "DL_info.csv, line 8",
        "half of its box or more lies outside its key slice": "DL_info.csv, line 10",
    }


def test_a_stopped_build_is_marked_and_starts_over(
    deeplesion: Folder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stopped, whole = tmp_path / "stopped", tmp_path / "whole"
    with monkeypatch.context() as patch:
        patch.setattr(lesion_set, "write_exam", lambda *_: (_ for _ in ()).throw(RuntimeError))
        with pytest.raises(RuntimeError):
            build_lesion_set(deeplesion.table, deeplesion.images, stopped, seed=5)
    assert any((stopped / "lesion_nobox").iterdir())
    with pytest.raises(ReleaseError, match=r"\(half-built: see UNFINISHED\.txt\)"):
        read_lesion_set(stopped, seed=1)
    build_lesion_set(deeplesion.table, deeplesion.images, stopped, seed=5)
    build_lesion_set(deeplesion.table, deeplesion.images, whole, seed=5)
    files = [
        {path.relative_to(root): path.read_bytes() for path in root.rglob("*") if path.is_file()}
        for root in (stopped, whole)
    ]
    assert files[0] == files[1]


def test_doubtful_intensities_are_reported(deeplesion: Folder, tmp_path: Path) -> None:
    images = tmp_path / "images"
    shutil.copytree(deeplesion.images, images)
    path = images / "000003_01_01" / "050.png"
    raw = np.asarray(Image.open(path))
    Image.fromarray(raw + np.uint16(1024)).save(path)  # an intercept that was lost
    report = build_lesion_set(deeplesion.table, images, tmp_path / "out", seed=5)
    (finding,) = [one for one in report.findings if one.code == "doubtful-intensities"]
    assert "no air near -1000 HU" in finding.evidence


def test_a_folder_of_tru_files_is_a_table_too(deeplesion: Folder, tmp_path: Path) -> None:
    folder = tmp_path / "slices"
    folder.mkdir()
    for original in deeplesion.rows:
        stem = original["File_name"].removesuffix(".png")
        series, _, number = stem.rpartition("_")
        hu = (
            np.asarray(Image.open(deeplesion.images / series / f"{number}.png")).astype(int) - 32768
        )
        grey = np.clip((hu + 200) // 2, 0, 255).astype(np.uint8)
        Image.fromarray(np.dstack([grey] * 3)).save(folder / f"{stem}.jpg", quality=95)
        x_min, y_min, x_max, y_max = (float(e) / 96 for e in original["Bounding_boxes"].split(","))
        (folder / f"{stem}.tru").write_text(
            f"{original['Coarse_lesion_type']} {y_min} {x_min} {y_max} {x_max}\n"
        )
    report = build_lesion_set(folder, folder, tmp_path / "out", seed=1)
    assert report.lesions == 40
    assert "test/ct2txt/bbox" not in report.questions
    rows = table_of(tmp_path / "out", layout.MERGED_FILE)
    edges = [float(edge) for edge in rows[0]["Bounding_boxes"].split(",")]
    wanted = [float(edge) for edge in deeplesion.rows[0]["Bounding_boxes"].split(",")]
    assert edges == pytest.approx(wanted, abs=0.01)
    assert rows[0]["Lesion_diameters_Pixel_"] == ""
    assert rows[0]["size"].startswith("box of ")
    findings = BENCHMARK.open(tmp_path / "out").findings()
    assert [one for one in findings if one.severity is not Severity.INFO] == []


def test_grey_range_brightens_8_bit_pictures(tmp_path: Path) -> None:
    folder = tmp_path / "slices"
    folder.mkdir()
    for patient in range(1, 5):
        stem = f"{patient:06d}_01_01_001"
        Image.fromarray(np.full((40, 40), 60, np.uint8)).save(folder / f"{stem}.png")
        (folder / f"{stem}.tru").write_text("5 0.2 0.2 0.6 0.6")
    build_lesion_set(folder, folder, tmp_path / "out", seed=1, grey_range=(10, 112))
    shown = np.asarray(Image.open(tmp_path / "out" / layout.LESION_NOBOX_FOLDER / "1.png"))
    assert (shown == 125).all()  # (60 - 10) / 102 × 255


def test_wrong_arguments_are_refused_and_nothing_is_written(
    deeplesion: Folder, tmp_path: Path
) -> None:
    full = tmp_path / "full"
    full.mkdir()
    (full / "x").write_text("")
    table, images, out = deeplesion.table, deeplesion.images, tmp_path / "out"
    with pytest.raises(UsageError, match="OUT: expected a new or empty folder"):
        build_lesion_set(table, images, full, seed=1)
    with pytest.raises(UsageError, match="IMAGES: expected a folder"):
        build_lesion_set(table, table, out, seed=1)
    with pytest.raises(UsageError, match="--seed"):
        build_lesion_set(table, images, out, seed=-1)
    with pytest.raises(UsageError, match="grey range"):
        build_lesion_set(table, images, out, seed=1, grey_range=(90, 20))
    with pytest.raises(ReleaseError, match="a lesion table"):
        build_lesion_set(tmp_path / "absent.csv", images, out, seed=1)
    with pytest.raises(ReleaseError, match="none of a listed lesion"):
        build_lesion_set(table, full, out, seed=1)
    assert not out.exists()


@pytest.mark.data
@pytest.mark.slow
def test_the_released_slices_become_a_release(released_slices: Path, tmp_path: Path) -> None:
    report = build_lesion_set(released_slices, released_slices, tmp_path / "out", seed=1)
    assert (report.lesions, report.patients) == (51, 10)
    # Patient 000020 has slices in both of the folders train and test.
    assert next(one.code for one in report.findings) == "patient-in-two-splits"
    assert report.questions["test/txt2bbox/bbox"] >= 8
    findings = BENCHMARK.open(tmp_path / "out").findings()
    assert [one for one in findings if one.severity is Severity.ERROR] == []
