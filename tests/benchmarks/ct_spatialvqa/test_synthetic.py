"""The synthetic release: what its files say is in its volumes, and its faults are there."""

from __future__ import annotations

import csv
import itertools
import json
import time
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from overread.benchmarks.ct_spatialvqa import BENCHMARK, layout, released_tables
from overread.benchmarks.ct_spatialvqa.chest import centre_mm
from overread.benchmarks.ct_spatialvqa.signs import Case, draw_cases
from overread.contracts import Selection
from overread.errors import UsageError
from overread.imaging.read_volume import read_volume
from overread.records import Response, Status

SIZE, SEED = 24, 11


@pytest.fixture(scope="module")
def root(synthetic) -> Path:
    return synthetic(SIZE)


@pytest.fixture(scope="module")
def release(root):
    return BENCHMARK.open(root)


def load(root, name):
    return json.loads((root / name).read_text("utf-8"))


def test_every_file_of_the_released_layout_is_there(root):
    names = {path.relative_to(root).as_posix() for path in root.rglob("*") if path.is_file()}
    volumes = {name for name in names if name.startswith("valid_fixed/")}
    assert len(volumes) == SIZE
    models = ("model_a", "model_b", "model_c")
    assert names - volumes == {
        *(f"predictions/{model}_predictions_full.jsonl" for model in models),
        *(f"llm_eval/{model}{end}" for model in models for end in layout.JUDGE_ENDINGS.values()),
        layout.QUESTIONS_FILE, layout.CATEGORIES_FILE, layout.ROWS_FILE, layout.CASES_FILE,
        layout.CANDIDATES_FILE, layout.REPORTS_FILE, layout.MATRIX_FILE, layout.JURY_FILE,
        layout.CATEGORY_FILE, layout.TEXT_METRICS_FILE, layout.PROGRESS_FILE,
        layout.DISAGREEMENTS_FILE, layout.ASSIGNMENTS_FILE, layout.SYNTHETIC_MARK,
    }  # fmt: skip


def test_several_cases_are_of_one_patient(release):
    patients = Counter(q.patient for q in {q.case: q for q in release.replay().questions}.values())
    assert sum(patients.values()) == SIZE
    assert max(patients.values()) > 1
    assert len(patients) < SIZE


def test_the_pairs_are_among_the_candidates(release):
    replay = release.replay()
    kept = {(one.case, one.question, one.answer) for one in replay.questions}
    assert kept < set(replay.candidates)
    assert len(kept) == len(replay.questions)


def test_reports_state_what_is_asked(root, release):
    reports = load(root, layout.REPORTS_FILE)
    assert set(reports) == {one.case for one in release.replay().questions}
    for one in release.replay().questions:
        if one.question.startswith("In which lobe"):
            lobe = one.answer.removeprefix("In the ").removesuffix(".")
            assert f"of the {lobe}." in reports[one.case]["Impressions_EN"]


def test_the_rules_read_every_closed_reference_and_call_it_right(release):
    (scorer,) = release.scorers("honest")
    closed = 0
    for item in release.items(Selection()):
        reference = release.reference(item.id)
        reply = Response(
            run="r", item=item.id, status=Status.OK, text=reference.answer, request_hash="h"
        )
        for row in scorer.score(item, reference, reply):
            closed += 1
            assert (row.status, row.value) == (Status.OK, 1.0), (item.question, reference.answer)
    assert closed > 100


# ---------------------------------------------------------------- volumes


def cases() -> tuple[Case, ...]:
    return draw_cases(SIZE, np.random.default_rng([SEED, 0]))


def test_a_volume_grows_to_the_left_to_the_back_and_to_the_head(root):
    volume = read_volume(root / layout.volume_path(cases()[0].name))
    assert volume.geometry.axes == "LPS"
    assert volume.geometry.spacing_mm == pytest.approx((3.5, 3.0, 8.0))


def test_a_reader_of_the_volume_finds_what_the_report_says(root):
    """At a finding's place stands its attenuation; at the mirrored place in the other lung, lung.

    This is the answer to every question of side, lobe, depth and zone, read from voxels alone.
    """
    seen = 0
    for case in cases():
        hu = read_volume(root / layout.volume_path(case.name))
        array = hu.array.astype(float)
        for sign in case.signs:
            if sign.lobe is None or sign.count == 2:  # two nodules leave the middle free
                continue
            here, there = (
                around(array, centre_mm(sign), mirrored=mirrored) for mirrored in (False, True)
            )
            expected = {"nodule": 45, "mass": 55, "consolidation": 35, "bulla": -990}
            # a nodule of 14 mm is hardly two slices thick: some lung is in its voxels
            assert here == pytest.approx(expected.get(sign.kind, -520), abs=60), (case.name, sign)
            others = {one.sides for one in case.signs if one is not sign}
            if not others:
                assert there < -800
            seen += 1
    assert seen > 20


def around(array, middle_mm, *, mirrored):
    x, y, z = middle_mm
    at = np.array([-x if mirrored else x, y, z]) / (3.5, 3.0, 8.0) + (np.array(array.shape) - 1) / 2
    i, j, k = np.rint(at).astype(int)
    return float(np.median(array[i - 1 : i + 2, j - 1 : j + 2, k]))


def test_fluid_and_air_lie_on_the_side_that_is_said(root):
    """Fluid (about 8 HU) far back, air of -1000 HU far in front, in the lung of that side only."""
    seen: Counter[str] = Counter()
    for case in cases():
        array = read_volume(root / layout.volume_path(case.name)).array.astype(float)
        for kind, y, z in (("pleural effusion", 60.0, -20.0), ("pneumothorax", -58.0, 10.0)):
            for side, x in (("right", -70.0), ("left", 70.0)):
                said = any(s.kind == kind and side in s.sides for s in case.signs)
                hu = around(array, (x, y, z), mirrored=False)
                shown = hu > -100 if kind == "pleural effusion" else hu < -960
                assert shown == said, (case.name, kind, side, hu)
                seen[f"{kind} {said}"] += 1
    assert min(seen.values()) >= 3
    assert len(seen) == 4


def test_the_same_patient_has_the_same_ribs(root):
    """Bones are the patient's, noise is the scan's."""
    bones: dict[int, list[np.ndarray]] = {}
    for case in cases():
        array = read_volume(root / layout.volume_path(case.name)).array
        bones.setdefault(case.patient, []).append(array > 300)
    several = [masks for masks in bones.values() if len(masks) > 1]
    assert several
    assert all(np.mean(a ^ b) < 0.02 * np.mean(a) for a, b, *_ in several)
    firsts = [masks[0] for masks in bones.values()]
    assert all(np.mean(a ^ b) > 0.05 * np.mean(a) for a, b in itertools.pairwise(firsts))


# ---------------------------------------------------------------- planted faults


def test_one_judge_lacks_three_records_of_one_model(release):
    sizes = {(one.model, one.judge): len(one.rows) for one in release.replay().votes}
    n = len(release.replay().questions)
    assert sizes.pop(("model_a", "gemini")) == n - 3
    assert set(sizes.values()) == {n}


def test_the_matrix_is_joined_by_row_and_wrong_where_rows_slip(root, release):
    replay = release.replay()
    files = {(one.model, one.judge): one.rows for one in replay.votes}
    ids = {(one.case, one.question, one.answer): one.item for one in replay.questions}
    assert len(replay.matrix) == len(ids)
    by_key: dict[tuple[str, str], dict[str, bool | None]] = {}
    predicted = {one.model: one.rows for one in replay.predictions}
    for (model, judge), rows in files.items():
        keyed = iter(predicted[model])
        for vote in rows:  # votes keep the order of predictions: skip those without a vote
            row = next(r for r in keyed if (r.question, r.answer, r.prediction)
                       == (vote.question, vote.answer, vote.prediction))  # fmt: skip
            found = by_key.setdefault((model, ids[row.case, row.question, row.answer]), {})
            found[judge] = vote.verdict
    differ = Counter(
        model
        for (model, item), votes in by_key.items()
        if len(votes) == 3
        and replay.matrix[item][model]
        != int(sum(v is True for v in votes.values()) / 3 * 100) / 100
    )
    assert differ["model_a"] > 10
    assert differ["model_b"] == differ["model_c"] == 0
    assert sum(row["model_a"] is None for row in replay.matrix.values()) == 3


def test_null_verdicts_count_as_no_in_the_matrix(release):
    replay = release.replay()
    (votes,) = [one for one in replay.votes if (one.model, one.judge) == ("model_c", "gemini")]
    blocked = [row for row in votes.rows if row.verdict is None]
    assert len(blocked) == 2
    assert {row.reasoning for row in blocked} == {"BLOCKED_OR_EMPTY_RESPONSE"}
    assert all(row["model_c"] is not None for row in replay.matrix.values())


def test_the_jury_file_repeats_the_matrix(release):
    replay = release.replay()
    for cell in replay.published:
        if cell.metric == "jury_accuracy" and cell.source == layout.JURY_FILE:
            means = [row[cell.who] for row in replay.matrix.values()]
            given = [mean for mean in means if mean is not None]
            assert cell.n == len(given)
            assert cell.value == sum(mean >= 0.66 for mean in given) / len(given)


def test_an_empty_answer_leaves_the_text_metrics(release):
    replay = release.replay()
    (rows,) = [one.rows for one in replay.predictions if one.model == "model_a"]
    assert [row.prediction for row in rows].count("") == 1
    counts = {c.who: c.n for c in replay.published if c.source == layout.TEXT_METRICS_FILE}
    assert counts["model_a"] == len(rows) - 1
    assert counts["model_b"] == len(rows)


def test_paths_are_of_three_styles_and_name_the_case(root, release):
    styles = set()
    for one in release.replay().predictions:
        rows = [json.loads(line) for line in (root / one.file).read_text().splitlines()]
        styles.add((Path(rows[0]["image_path"]).suffix, "case_id" in rows[0]))
        assert [row.case for row in one.rows] == [q.case for q in release.replay().questions]
    assert styles == {(".npy", False), (".npz", True), (".gz", True)}


def test_one_label_is_misspelt_and_one_pair_has_none(release):
    labels = [one.labels for one in release.replay().questions]
    assert sum("Medial-Lateral Orientation" in one for one in labels) == 1
    assert labels.count(()) == 1


def test_category_counts_are_those_of_the_usual_names(root, release):
    with (root / layout.CATEGORY_FILE).open(newline="") as file:
        rows = {row["category"]: int(row["count"]) for row in csv.DictReader(file)}
    items = list(release.items(Selection()))
    for name, count in rows.items():
        assert count == sum(name in item.strata["category"].split("; ") for item in items)


def test_the_human_audit_was_begun(root, release):
    audit = release.replay().audit
    assert {one.annotator for one in audit} == {"Annotator_1", "Annotator_2"}
    assert sum(one.is_relevant is None for one in audit) == 1
    progress = load(root, layout.PROGRESS_FILE)
    given = [a for cases in progress.values() for c in cases.values() for a in c["answers"]]
    assert None in given
    assert len(audit) == sum(answer is not None for answer in given)
    for one in load(root, layout.DISAGREEMENTS_FILE):
        pair = load(root, layout.CANDIDATES_FILE)[one["case"]]["qa_pairs"][one["index"]]
        assert (pair["question"], pair["answer"]) == (one["question"], one["answer"])


# ---------------------------------------------------------------- size, seed, time


@pytest.mark.parametrize("size", [6, 7])
def test_a_small_release_is_whole(synthetic, size):
    release = BENCHMARK.open(synthetic(size))
    found = release.findings(thorough=True)
    assert {one.code for one in found} == {"category-counts", "misspelt-category", "no-category"}


@pytest.mark.parametrize(("size", "seed"), [(5, 1), (0, 1), (24, -1)])
def test_senseless_sizes_and_seeds_are_refused(tmp_path, size, seed):
    with pytest.raises(UsageError, match=": expected "):
        BENCHMARK.synthesise(tmp_path / "out", seed=seed, size=size)
    assert not (tmp_path / "out").exists()


def test_a_used_folder_is_refused(tmp_path):
    (tmp_path / "file").write_text("mine")
    with pytest.raises(UsageError, match="OUT: expected a new or empty folder"):
        BENCHMARK.synthesise(tmp_path, seed=1, size=6)
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


@pytest.mark.slow
def test_a_usual_release_takes_seconds(tmp_path):
    start = time.monotonic()
    BENCHMARK.synthesise(tmp_path / "out", seed=3, size=24)
    assert time.monotonic() - start < 15


def test_a_volume_does_not_depend_on_the_questions(synthetic, monkeypatch, tmp_path):
    """One stream of random numbers a purpose: another table leaves every volume as it was."""
    monkeypatch.setattr(released_tables, "_YES", 0.99)
    BENCHMARK.synthesise(tmp_path / "out", seed=SEED, size=6)
    for path in (synthetic(6) / "valid_fixed").rglob("*.nii.gz"):
        twin = tmp_path / "out" / path.relative_to(synthetic(6))
        assert twin.read_bytes() == path.read_bytes()
