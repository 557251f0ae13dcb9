"""Loading, asking and scoring of attributes and component masks."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from overread.benchmarks.wbcatt_plus import BENCHMARK, layout, protocol
from overread.contracts import ModelOptions, Selection
from overread.errors import ReleaseError
from overread.records import Mask, Reference, Response, Severity, Status
from overread.run.pipeline import execute
from overread.run.request import RunRequest
from overread.store.run_store import RunStore


def _items(root: Path, **selection):
    release = BENCHMARK.open(root)
    return release, list(release.items(Selection(**selection)))


def _rewrite(path: Path, change) -> None:
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    change(rows)
    with path.open("w", encoding="utf-8", newline="") as file:
        table = csv.DictWriter(file, rows[0])
        table.writeheader()
        table.writerows(rows)


def test_a_picture_is_asked_eleven_times(drawn: Path) -> None:
    release, items = _items(drawn)
    assert len(items) == 12 * 11
    assert {item.task for item in items} == set(layout.ATTRIBUTES)
    assert all(item.options for item in items)
    one = items[0]
    assert one.id == "SNE_100000.jpg::cell_size"
    assert [option.text for option in one.options] == ["big", "small"]
    assert release.reference(one.id).answer in ("A", "B")


def test_masks_are_asked_only_by_name(drawn: Path) -> None:
    release, items = _items(drawn, tasks=("segmentation",))
    assert len(items) == 12
    assert isinstance(items[0].answer_space, Mask)
    reference = release.reference(items[0].id)
    assert (drawn / reference.path).is_file()
    assert release.plan_for(["segmentation"]).headline == "dice"
    assert release.plan_for(["cell_size"]).headline == "accuracy"


def test_nil_is_a_word(drawn: Path) -> None:
    release, items = _items(drawn, tasks=("granule_type",))
    lymphocyte = next(item for item in items if item.strata["cell_type"] == "Lymphocyte")
    letter = release.reference(lymphocyte.id).answer
    assert next(o.text for o in lymphocyte.options if o.letter == letter) == "nil"


def test_a_value_outside_the_list_is_undefined_and_found(release: Path) -> None:
    table = release / "pbc_attr_v1_ccrop_test.csv"
    _rewrite(table, lambda rows: rows[0].update(cell_size="huge"))
    opened, items = _items(release)
    assert "huge" in opened.reference(items[0].id).problem
    assert any(each.code == "unknown-value" for each in opened.findings())


def test_a_name_in_two_splits_is_found(release: Path) -> None:
    with (release / "pbc_attr_v1_ccrop_train.csv").open(encoding="utf-8") as file:
        name = next(csv.DictReader(file))["img_name"]
    _rewrite(release / "pbc_attr_v1_ccrop_test.csv", lambda rows: rows[0].update(img_name=name))
    (found,) = [f for f in BENCHMARK.open(release).findings() if f.code == "repeated-picture"]
    assert found.severity is Severity.ERROR
    assert name in found.where


def test_a_cut_table_keeps_its_whole_rows(release: Path) -> None:
    table = release / "pbc_attr_v1_ccrop_test.csv"
    text = table.read_text(encoding="utf-8")
    table.write_text(text[: text.rindex(",blue") if ",blue" in text else len(text) - 40])
    opened, items = _items(release)
    assert 0 < len(items) < 132
    assert any(each.code == "unusable-rows" for each in opened.findings())


@pytest.mark.parametrize("content", [b"", b"\xff\xfe\x00", b"a,b\n1,2\n", b'"img_name\n'])
def test_a_table_that_is_none_is_no_release(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "pbc_attr_v1_test.csv").write_bytes(content)
    with pytest.raises(ReleaseError, match=r"pbc_attr_v1_test\.csv"):
        BENCHMARK.open(tmp_path)


def test_pictures_may_lie_elsewhere(release: Path, tmp_path: Path) -> None:
    (release / layout.CROP_FOLDER).rename(tmp_path / layout.CROP_FOLDER)
    assert any(f.code == "missing-image" for f in BENCHMARK.open(release).findings())
    opened = BENCHMARK.open(release, media=tmp_path)
    assert not [f for f in opened.findings() if f.code == "missing-image"]


def test_labels_are_held_against_the_areas_of_masks(drawn: Path) -> None:
    found = {f.code: f for f in BENCHMARK.open(drawn).findings(thorough=True)}
    assert found["nucleus-area"].severity is found["cell-area"].severity is Severity.INFO


@pytest.mark.parametrize(
    ("reply", "letter"),
    [
        ("big", "A"), (" Small ", "B"), ("B", "B"), ('{"selected_option": "A"}', "A"),
        ("It is big", None), ("big or small", None), ("", None), (None, None), ("{", None),
        ('{"selected_option": 3}', None),
    ],
)  # fmt: skip
def test_the_published_profile_takes_one_listed_value(reply, letter) -> None:
    assert protocol.read_listed_value(reply, protocol.options_of("cell_size")).answer == letter


def test_a_table_of_predictions_is_joined_by_column(drawn: Path, tmp_path: Path) -> None:
    out = tmp_path / "told.run"
    execute(
        RunRequest(
            benchmark="wbcatt-plus",
            release=drawn,
            model=f"predictions:{drawn / 'example_predictions' / 'attributes.csv'}",
            options=ModelOptions(),
            selection=Selection(),
            out=out,
        )
    )
    with RunStore.open(out) as store:
        rows = {(row.metric, row.profile): row for row in store.estimates() if not row.stratum}
        assert all(response.status is Status.OK for response in store.responses())
    accuracy = rows["accuracy", "honest"]
    assert 0.85 < accuracy.value < 1
    assert accuracy.value == rows["accuracy", "published"].value
    assert rows["macro_f1", "honest"].value == pytest.approx(accuracy.value, abs=0.1)
    assert rows["all_right", "honest"].value < accuracy.value
    assert -1 <= rows["class_kappa", "honest"].value <= 1
    assert accuracy.n_clusters == 12


def _masks(root: Path, folder: Path, profile: str):
    release, items = _items(root, tasks=("segmentation",))
    scorer = release.scorers(profile)[1]
    rows = []
    for item in items:
        path = folder / Path(release.reference(item.id).path).name
        response = Response(
            run="r", item=item.id, status=Status.OK, path=str(path), request_hash=item.id
        )
        rows += scorer.score(item, release.reference(item.id), response)
    return rows


def test_masks_are_pooled_as_the_notebook_does(drawn: Path) -> None:
    folder = drawn / "example_predictions" / "masks"
    rows = _masks(drawn, folder, "published")
    true = np.concatenate([_pixels(drawn / layout.CROP_FOLDER / p.name) for p in _files(folder)])
    told = np.concatenate([_pixels(p) for p in _files(folder)])
    for label, name in {0: "background", **layout.COMPONENTS}.items():
        sums = {
            metric: sum(row.value for row in rows if (row.metric, row.target) == (metric, name))
            for metric in ("reference_voxels", "prediction_voxels", "overlap_voxels")
        }
        assert sums["reference_voxels"] == (true == label).sum()
        assert sums["prediction_voxels"] == (told == label).sum()
        assert sums["overlap_voxels"] == ((true == label) & (told == label)).sum()


def test_a_perfect_mask_has_a_dice_of_one(drawn: Path) -> None:
    rows = _masks(drawn, drawn / layout.CROP_FOLDER, "honest")
    values = {row.value for row in rows if row.metric == "dice" and row.value is not None}
    assert values == {1.0}


def test_a_mask_of_another_size_has_no_value(drawn: Path, tmp_path: Path) -> None:
    folder = drawn / "example_predictions" / "masks"
    for path in _files(folder):
        Image.fromarray(_pixels(path)[:-1]).save(tmp_path / path.name)
    for profile in ("published", "honest"):
        rows = [row for row in _masks(drawn, tmp_path, profile) if row.metric == "overlap_voxels"]
        assert {row.status for row in rows} == {Status.UNPARSED}
        assert {row.value for row in rows} == {None}


def test_a_reference_without_its_mask_is_undefined(drawn: Path) -> None:
    release, (item, *_) = _items(drawn, tasks=("segmentation",))
    response = Response(run="r", item=item.id, status=Status.OK, path="x", request_hash="h")
    gone = Reference(item=item.id, answer=None, path="pbcseg_final_v1/gone.png")
    for profile in ("published", "honest"):
        rows = list(release.scorers(profile)[1].score(item, gone, response))
        assert {row.status for row in rows} <= {Status.UNDEFINED, Status.FAILED}
        assert all(row.value is None for row in rows)


def _files(folder: Path) -> list[Path]:
    return sorted(folder.glob("*_mask.png"))


def _pixels(path: Path):
    with Image.open(path) as image:
        return np.array(image)


def test_a_mask_outside_of_the_release_is_not_read(tmp_path, monkeypatch):
    from overread.benchmarks.wbcatt_plus import findings, layout

    root = tmp_path / "release"
    root.mkdir()
    (tmp_path / "x_mask.png").write_bytes(b"private")
    values = {name: options[0] for name, options in layout.ATTRIBUTES.items()}
    cell = layout.Cell(name="x.jpg", cell_type="Basophil", values=values, path="../x.jpg")
    read = []
    monkeypatch.setattr(findings, "read_label_map", read.append)
    found = list(findings.look(root, root, {"test": ("wbcatt+", (cell,))}, thorough=True))
    assert "unsafe-path" in {each.code for each in found}
    assert read == []
