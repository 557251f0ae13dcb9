import csv
import shutil

import pytest

from overread.analysis.asked import asked_of
from overread.contracts import ModelOptions, Selection
from overread.errors import StoreError
from overread.registry import find_benchmark
from overread.run.pipeline import execute
from overread.run.request import RunRequest
from overread.store.run_store import RunStore


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A release and a finished run on it."""
    folder = tmp_path_factory.mktemp("asked")
    root, run = folder / "release", folder / "run.sqlite"
    find_benchmark("ct-bench").synthesise(root, seed=5, size=40)
    execute(
        RunRequest(
            benchmark="ct-bench",
            release=root,
            model="chance",
            out=run,
            selection=Selection(limit=26),
            options=ModelOptions(),
        )
    )
    return root, run


def test_items_and_references_are_those_of_the_plan(made):
    root, run = made
    with RunStore.open(run) as store:
        asked = asked_of(store, find_benchmark("ct-bench").open(root))
        assert set(asked.items) == set(asked.references) == {line.item for line in store.plan()}


def test_another_release_is_refused(made, tmp_path):
    other = find_benchmark("ct-bench")
    other.synthesise(tmp_path / "other", seed=6, size=40)
    with RunStore.open(made[1]) as store, pytest.raises(StoreError, match="fingerprint"):
        asked_of(store, other.open(tmp_path / "other"))


@pytest.fixture
def without_splits(made, tmp_path):
    """Copy the release and let no question state its split; what is left decides it."""
    root = tmp_path / "copy"
    shutil.copytree(made[0], root)
    for name in ("qa_llm.json", "qa_clip.json"):
        path = root / name
        path.write_text(path.read_text().replace('"split"', '"portion"'))
    return root


def chance_run(root, out):
    execute(
        RunRequest(
            benchmark="ct-bench",
            release=root,
            model="chance",
            out=out,
            selection=Selection(limit=26),
        )
    )
    return out


def test_a_release_whose_tables_have_changed_is_another_one(without_splits, tmp_path):
    run = chance_run(without_splits, tmp_path / "run.sqlite")
    path = without_splits / "Metadata.csv"
    with path.open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows({**row, "dataset": "val"} for row in rows)
    with RunStore.open(run) as store, pytest.raises(StoreError, match="fingerprint"):
        asked_of(store, find_benchmark("ct-bench").open(without_splits))


def test_a_question_that_its_folder_has_moved_is_an_error(without_splits, tmp_path):
    for path in without_splits.glob("*.csv"):  # splits now come from the folders alone
        path.unlink()
    run = chance_run(without_splits, tmp_path / "run.sqlite")
    pictures = without_splits / "llm"
    (pictures / "validation").rename(pictures / "before")
    (pictures / "test").rename(pictures / "validation")
    with RunStore.open(run) as store, pytest.raises(StoreError, match=r"lacks \d+ of 26"):
        asked_of(store, find_benchmark("ct-bench").open(without_splits))
