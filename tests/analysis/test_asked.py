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


def test_a_question_that_its_tables_have_moved_is_an_error(made, tmp_path):
    root = tmp_path / "moved"
    shutil.copytree(made[0], root)
    for name in ("qa_llm.json", "qa_clip.json"):  # splits now come from Metadata.csv alone
        path = root / name
        path.write_text(path.read_text().replace('"split"', '"portion"'))
    run = tmp_path / "run.sqlite"
    request = RunRequest(
        benchmark="ct-bench", release=root, model="chance", out=run, selection=Selection(limit=26)
    )
    execute(request)
    path = root / "Metadata.csv"
    with path.open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows({**row, "dataset": "val"} for row in rows)
    with RunStore.open(run) as store, pytest.raises(StoreError, match=r"lacks \d+ of 26"):
        asked_of(store, find_benchmark("ct-bench").open(root))
