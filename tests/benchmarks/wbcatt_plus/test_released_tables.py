"""Known values of the released tables (apple2373/wbcatt, MIT), counted independently."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from overread.benchmarks.wbcatt_plus import BENCHMARK
from overread.benchmarks.wbcatt_plus.layout import ATTRIBUTES, read_table
from overread.benchmarks.wbcatt_plus.rebuild import look_up, majority, rebuild
from overread.metrics.classes import class_counts, class_kappa, macro_f1

pytestmark = pytest.mark.data

MAJORITY = {
    "cell_size": 0.5499, "cell_shape": 0.7741, "nucleus_shape": 0.2927,
    "nuclear_cytoplasmic_ratio": 0.8790, "chromatin_density": 0.9074, "cytoplasm_vacuole": 0.9209,
    "cytoplasm_texture": 0.7935, "cytoplasm_colour": 0.7480, "granule_type": 0.3278,
    "granule_colour": 0.3191, "granularity": 0.7389,
}  # fmt: skip
LOOK_UP = {
    "cell_size": (0.7086, 0.6756), "nucleus_shape": (0.6602, 0.5820),
    "cytoplasm_vacuole": (0.9209, 0.4794), "granule_type": (0.9971, 0.9966),
    "granularity": (0.9984, 0.9979),
}  # fmt: skip
KAPPA = {
    "cell_size": 0.7921, "cell_shape": 0.8868, "nucleus_shape": 0.8822,
    "nuclear_cytoplasmic_ratio": 0.9253, "chromatin_density": 0.8612, "cytoplasm_vacuole": 0.9222,
    "cytoplasm_texture": 0.8687, "cytoplasm_colour": 0.9116, "granule_type": 0.9958,
    "granule_colour": 0.9819, "granularity": 0.9979,
}  # fmt: skip


@pytest.fixture(scope="module")
def tables(released: Path):
    return {
        split: read_table(released / f"pbc_attr_v1_{split}.csv", released).cells
        for split in ("train", "val", "test")
    }


@pytest.fixture(scope="module")
def again(released: Path):
    return read_table(released / "pbc_attr_reannotations.csv", released).cells


def _counts(cells, answers, name):
    pairs = [(cell.values[name], answers[cell.name][name]) for cell in cells]
    return class_counts([one for one, _ in pairs], [other for _, other in pairs])[1:]


def test_rows_of_each_table(tables, again) -> None:
    assert [len(tables[split]) for split in ("train", "val", "test")] == [6169, 1030, 3099]
    assert len(again) == 1000
    names = [cell.name for cells in tables.values() for cell in cells]
    assert len(set(names)) == len(names) == 10298
    kinds = Counter(cell.cell_type for cells in tables.values() for cell in cells)
    assert kinds == {
        "Neutrophil": 3329, "Eosinophil": 3117, "Monocyte": 1420, "Basophil": 1218,
        "Lymphocyte": 1214,
    }  # fmt: skip


def test_rare_values_of_the_test_split(tables) -> None:
    counts = {
        (name, value): sum(cell.values[name] == value for cell in tables["test"])
        for name, value in (
            ("cytoplasm_vacuole", "yes"), ("chromatin_density", "loosely"),
            ("nuclear_cytoplasmic_ratio", "high"), ("cytoplasm_colour", "purple blue"),
        )
    }  # fmt: skip
    assert [*counts.values()] == [245, 287, 375, 340]


def test_the_majority_of_training(tables) -> None:
    answers = majority(tables["train"], tables["test"])
    found = {}
    for name in ATTRIBUTES:
        hits, _, cases = _counts(tables["test"], answers, name)
        found[name] = round(float(hits.sum() / cases.sum()), 4)
    assert found == MAJORITY
    f1 = [float(macro_f1(*_counts(tables["test"], answers, name))) for name in ATTRIBUTES]
    assert sum(f1) / 11 == pytest.approx(0.3351, abs=5e-5)


def test_the_cell_type_as_an_answer(tables) -> None:
    answers = look_up(tables["train"], tables["test"])
    for name, (accuracy, f1) in LOOK_UP.items():
        hits, claims, cases = _counts(tables["test"], answers, name)
        assert hits.sum() / cases.sum() == pytest.approx(accuracy, abs=5e-5)
        assert macro_f1(hits, claims, cases) == pytest.approx(f1, abs=5e-5)


def test_kappa_of_the_second_reading(tables, again) -> None:
    first = {cell.name: cell for cells in tables.values() for cell in cells}
    answers = {cell.name: cell.values for cell in again}
    cells = [first[cell.name] for cell in again]
    found = {name: float(class_kappa(*_counts(cells, answers, name))) for name in ATTRIBUTES}
    assert {name: round(value, 4) for name, value in found.items()} == KAPPA


def test_the_four_rows_that_a_model_stands_between(tables, again) -> None:
    cells = {(cell.column, cell.row): cell for cell in rebuild(tables, again)}
    found = {
        key: round(100 * (cell.recomputed if cell.published is None else cell.published), 1)
        for key, cell in cells.items()
        if "mean of attributes" in key[0] and "kappa" not in key[0]
    }
    assert [*found.values()] == [65.9, 89.2, 96.1, 94.1, 33.5, 78.7, 94.7, 91.3]
    right = "all eleven right"
    assert cells[right, "majority of train"].recomputed == pytest.approx(0.0336, abs=5e-5)
    assert cells[right, "look-up by cell type"].recomputed == pytest.approx(0.2449, abs=5e-5)
    assert cells[right, "second human reading"].recomputed == pytest.approx(0.637)


def test_three_rows_contradict_themselves(released) -> None:
    (finding,) = [
        each for each in BENCHMARK.open(released).findings() if each.code == "inconsistent-granules"
    ]
    assert finding.count == 3
    for name in ("BNE_125415", "EO_197001", "EO_244392"):
        assert name in finding.where


def test_chance_is_that_of_a_uniform_guess() -> None:
    chance = sum(1 / len(values) for values in ATTRIBUTES.values()) / 11
    assert chance == pytest.approx(0.4091, abs=5e-5)
