"""Loader, findings and rebuilt cells of HalluCXR, on synthetic releases."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from overread.benchmarks.hallucxr import BENCHMARK, layout
from overread.benchmarks.hallucxr.protocol import published_numbers
from overread.contracts import Selection
from overread.errors import ReleaseError
from overread.records import Severity


@pytest.fixture
def root(tmp_path: Path) -> Path:
    BENCHMARK.synthesise(tmp_path / "release", seed=3, size=30)
    return tmp_path / "release"


def cells(root: Path):
    return {(cell.row, cell.column): cell for cell in BENCHMARK.open(root).rebuild()}


def write(root: Path, rows: list[dict[str, object]], file: str = layout.IMAGES) -> None:
    (root / file).write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


def read(root: Path, file: str = layout.IMAGES) -> list[dict[str, object]]:
    return [json.loads(line) for line in (root / file).read_text("utf-8").splitlines()]


def test_three_questions_a_picture_and_six_models_make_the_printed_number():
    printed = published_numbers()
    assert printed["images"] * printed["queries"] * printed["models"] == printed["outputs"] == 15408


def test_all_findings_are_asked_about_where_none_is_named(root: Path):
    write(root, [{**row, "asked": ""} for row in read(root)])
    items = BENCHMARK.open(root).items(Selection(tasks=("yes-no",)))
    assert len({item.strata["finding"] for item in items}) >= 8


def test_a_named_finding_is_one_that_is_absent(root: Path):
    release = BENCHMARK.open(root)
    truth = {row["image_id"]: row["labels"] for row in read(root)}
    items = list(release.items(Selection(tasks=("named-absent",))))
    assert len(items) == 30
    for item in items:
        labels = truth[item.groups["image"]]
        assert isinstance(labels, dict)
        named = [each for each in layout.FINDINGS if f"says {each.lower()}." in item.question]
        assert [labels[each] for each in named] == [0]
        assert "present" not in item.question


def test_the_careful_model_hallucinates_less_than_the_talkative_one(root: Path):
    found = cells(root)
    careful, talkative = (
        found[model, "hallucination rate"].corrected for model in ("careful", "talkative")
    )
    assert careful is not None
    assert talkative is not None
    assert careful < talkative


def test_fewer_are_made_up_with_every_vote_and_more_left_out(root: Path):
    found = cells(root)
    for column, sign in (("fabricated_of_absent", -1), ("omitted_of_present", 1)):
        values = [found[f"{k} of 3 votes", column].recomputed for k in (1, 2, 3)]
        assert all(value is not None for value in values)
        assert list(sign * np.diff(np.array(values, dtype=float)) >= 0) == [True, True]


def test_rules_are_held_against_people(root: Path):
    found = cells(root)
    f1 = found["rules against reader 1", "F1"].recomputed
    assert f1 is not None
    assert f1 > 0.7
    errors = found["reader 1", "with an error"]
    assert errors.recomputed == found["reader 1", "fabricated finding"].recomputed
    assert errors.n_published == 68
    assert found["reader 1", "with a severe error"].recomputed == 0.0
    assert found["reader 1, reader 2", "kappa"].recomputed is not None


def test_columns_stand_together(root: Path):
    columns = [cell.column for cell in BENCHMARK.open(root).rebuild()]
    assert columns == sorted(columns, key=list(dict.fromkeys(columns)).index)


def test_arithmetic_of_the_abstract(root: Path):
    found = cells(root)
    assert found["design", "outputs"].recomputed == 15408
    implied = found["six models", "fabrication before votes, implied"].recomputed
    assert implied == pytest.approx(0.3289, abs=5e-5)


def test_a_release_without_outputs_still_asks(root: Path):
    (root / layout.OUTPUTS).unlink()
    (root / layout.ANNOTATIONS).unlink()
    release = BENCHMARK.open(root)
    assert len(list(release.items(Selection()))) == 90
    assert [one for one in release.findings() if one.severity is Severity.ERROR] == []
    assert ("careful", "hallucination rate") not in cells(root)


def test_bad_lines_are_counted(root: Path):
    rows = read(root)
    rows[1]["image_id"] = str(rows[0]["image_id"]).upper()
    rows[2]["labels"] = {"Edema": "yes", "Fracture": True}
    rows[3]["labels"] = None
    rows[4]["path"] = "../../etc/passwd"
    rows[5]["image_id"] = rows[0]["image_id"]
    write(root, rows)
    with (root / layout.IMAGES).open("a", encoding="utf-8") as file:
        file.write("[1, 2]\n{broken\n")
    outputs = read(root, layout.OUTPUTS)
    write(root, [*outputs, {"image_id": "elsewhere", "query_type": "describe", "model": "m"}, {}],
          layout.OUTPUTS)  # fmt: skip
    release = BENCHMARK.open(root)
    found = {finding.code: finding.count for finding in release.findings()}
    assert found["unusable-rows"] == 3
    assert found["no-label"] == 1
    assert found["ids-alike"] == 2
    assert found["repeated-picture"] == 1
    assert found["unsafe-path"] == 1
    assert found["unusable-outputs"] == 1
    assert found["output-without-picture"] >= 1
    unlabelled = next(item for item in release.items(Selection())
                      if item.groups["image"] == rows[2]["image_id"])  # fmt: skip
    assert release.reference(unlabelled.id).problem == "no finding has a label"
    assert list(release.rebuild())


def test_a_real_release_is_credentialed(root: Path):
    (root / layout.SYNTHETIC_MARK).unlink()
    release = BENCHMARK.open(root)
    assert "credentialed-data" in {finding.code for finding in release.findings()}
    assert any("data use agreement" in note for note in release.notes())
    assert {count.n for count in release.expected_counts()} == {856}


def test_nothing_but_broken_lines_is_no_release(tmp_path: Path):
    (tmp_path / layout.IMAGES).write_text("{}\n", encoding="utf-8")
    with pytest.raises(ReleaseError, match="no picture with labels"):
        BENCHMARK.open(tmp_path)
