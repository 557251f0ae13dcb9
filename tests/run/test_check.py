import csv
import json
import shutil

import pytest

from overread.registry import find_benchmark
from overread.run.check import check_release


@pytest.fixture
def release(release_root):
    return find_benchmark("ct-bench").open(release_root)


def test_counts_per_setting_against_a_complete_release(release):
    check = check_release(release)
    test = check.splits[0]
    assert test.split == "test"
    assert len(test.rows) == 13
    assert test.total.n_expected == 1900
    assert test.total.n == sum(row.n for row in test.rows)
    assert sum(test.total.letters.values()) == test.total.n
    assert 0 < test.total.n_patients <= test.total.n_units
    assert check.ok


def test_tasks_that_are_asked_by_name_are_counted_apart(release):
    test = check_release(release).splits[0]
    (row,) = test.by_name
    assert row.stratum == {"task": "caption"}
    assert row.n > 0
    assert test.total.n == sum(each.n for each in test.rows)  # as without them


def test_a_damaged_picture_is_named_as_the_release_names_it(release_root, tmp_path):
    root = tmp_path / "damaged"
    shutil.copytree(release_root, root)
    picture = min((root / "llm" / "test").glob("**/*.png"))
    picture.write_bytes(picture.read_bytes()[:20])
    check = check_release(find_benchmark("ct-bench").open(root))
    (found,) = (each for each in check.findings if each.code == "unreadable-image")
    assert picture.relative_to(root).as_posix() in f"{found.where} {found.evidence}"
    assert str(tmp_path) not in f"{found.where} {found.evidence}"
    assert found.evidence


def test_a_patient_in_two_splits_is_an_error(release_root, tmp_path):
    root = tmp_path / "leaky"
    shutil.copytree(release_root, root)
    path = root / "qa_llm.json"
    questions = json.loads(path.read_text())
    test_lesion = next(q["lesion_idx"] for q in questions if q["split"] == "test")
    next(q for q in questions if q["split"] == "validation")["lesion_idx"] = test_lesion
    path.write_text(json.dumps(questions))
    check = check_release(find_benchmark("ct-bench").open(root))
    assert not check.ok
    assert "shared-patient" in {finding.code for finding in check.findings}


def test_a_patient_of_the_exam_in_the_training_lesions_is_an_error(release_root, tmp_path):
    root = tmp_path / "taught"
    shutil.copytree(release_root, root)
    path = next(root.glob("CT-Bench-Final-Merged*"))
    with path.open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    tested = next(row["Patient_index"] for row in rows if row["dataset"] == "test")
    next(row for row in rows if row["dataset"] == "train")["Patient_index"] = tested
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows(rows)
    found = check_release(find_benchmark("ct-bench").open(root)).findings
    (shared,) = (each for each in found if each.code == "shared-patient")
    assert shared.where == "test and train"


def test_blind_policies_are_scored(release):
    floors = check_release(release).splits[0].floors
    totals = {floor.policy: floor.value for floor in floors if not floor.stratum}
    assert {"always A", "longest option", "always refuse"} <= set(totals)
    assert totals["always refuse"] == 0
