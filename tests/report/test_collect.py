"""From real run files to a report: a small synthetic release and runs that saw it differently."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from overread.contracts import ModelOptions, Selection
from overread.errors import StoreError, UsageError
from overread.imaging.render import PictureRenderer
from overread.records import Item
from overread.registry import find_benchmark
from overread.report.collect import collect
from overread.report.data import ReportData, run_labels
from overread.report.gallery import gallery_payload
from overread.report.pictures import find_changed, stock_shelf, with_changed_pictures
from overread.run.pipeline import execute
from overread.run.request import RunRequest
from overread.store.run_store import RunStore

LIMIT = 26  # two questions of each of the 13 settings


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("collect") / "release"
    find_benchmark("ct-bench").synthesise(root, seed=5, size=24)
    return root


@pytest.fixture(scope="module")
def run_files(root: Path) -> dict[str, Path]:
    """Answer the same questions as slices, as mosaics, in small pictures, and without any."""
    ways: dict[str, dict[str, Any]] = {
        "slices": {"model": "fake"},
        "mosaic": {"model": "fake", "stack": "mosaic"},
        "small": {"model": "fake", "selection": Selection(limit=LIMIT, max_side_px=64)},
        "blind": {"model": "constant:B"},
    }
    paths = {name: root.parent / f"{name}.sqlite" for name in ways}
    for name, way in ways.items():
        asked: dict[str, Any] = {
            "benchmark": "ct-bench",
            "release": root,
            "out": paths[name],
            "selection": Selection(limit=LIMIT),
            "options": ModelOptions(timeout_s=20),
            "canary": False,
        }
        execute(RunRequest(**(asked | way)))
    return paths


@pytest.fixture(scope="module")
def gathered(run_files: dict[str, Path]) -> Callable[..., ReportData]:
    def gather(*names: str, release: Path | None = None, title: str | None = None) -> ReportData:
        return collect([run_files[name] for name in names], release=release, title=title)[0]

    return gather


def is_stack(item: Item) -> bool:
    return item.task.startswith("ct2")


def test_a_report_holds_what_the_run_file_holds(
    gathered: Callable[..., ReportData], run_files: dict[str, Path]
) -> None:
    data = gathered("slices")
    with RunStore.open(run_files["slices"]) as store:
        (run,) = data.runs
        assert run.manifest == store.manifest
        assert run.estimates == tuple(store.estimates())
        scores = {(s.item, s.profile): s for s in store.scores()}
        responses = {r.item: r for r in store.responses()}
        planned = [line.item for line in store.plan()]
    assert len(planned) == LIMIT
    assert sorted(entry.item.id for entry in data.gallery) == sorted(planned)
    for entry in data.gallery:
        answer = entry.answers[run.manifest.run]
        assert answer.response == responses[entry.item.id]
        assert answer.honest == scores[entry.item.id, "honest"]
        assert answer.published == scores[entry.item.id, "published"]
        assert entry.reference.item == entry.item.id
        assert entry.others == {}
    assert run.answers.n == LIMIT
    assert data.comparison is None
    assert data.title == data.card.title
    assert run.tokens.n == LIMIT
    stated = [r.tokens_in for r in responses.values() if r.tokens_in is not None]
    assert (run.tokens.tokens_in, run.tokens.n_in) == (sum(stated) or None, len(stated))


def test_several_runs_are_compared_and_the_first_leads(
    gathered: Callable[..., ReportData],
) -> None:
    data = gathered("slices", "blind", title="Two readers")
    assert data.title == "Two readers"
    assert [run.manifest.model.name for run in data.runs][1] == "constant:B"
    assert data.comparison is not None
    assert len(data.comparison.pairs) == 1
    assert data.comparison.pairs[0].n == LIMIT
    assert all(set(entry.answers) == {r.manifest.run for r in data.runs} for entry in data.gallery)
    assert all(entry.others == {} for entry in data.gallery)


def test_each_run_keeps_the_items_as_it_was_shown_them(
    gathered: Callable[..., ReportData],
) -> None:
    data = gathered("slices", "mosaic", "small", "blind")
    slices, mosaic, small, blind = (run.manifest.run for run in data.runs)
    assert {run for entry in data.gallery for run in entry.others} == {mosaic, small}
    for entry in data.gallery:
        assert entry.shown_to(slices) is entry.item
        assert entry.shown_to(blind) is entry.item
        if is_stack(entry.item):
            (media,) = entry.shown_to(mosaic).media
            assert media.recipe.stack == "mosaic"
            assert entry.item.media[0].recipe.stack == "images"
        for media in entry.shown_to(small).media:
            assert media.recipe.max_side_px == 64


def test_the_gallery_shows_for_a_run_what_that_run_was_shown(
    gathered: Callable[..., ReportData], root: Path
) -> None:
    data = gathered("slices", "mosaic", "blind")
    shelf = stock_shelf(data, PictureRenderer(root))
    payload: Any = gallery_payload(data, shelf)
    for entry, shown in zip(data.gallery, payload["items"], strict=True):
        if not is_stack(entry.item):
            # A single picture is the same in both runs: nothing is written twice.
            assert not {"others", "sight"} & set(shown)
            continue
        assert shown["sight"] == [0, 1, 0]
        (tiled,) = shown["others"]
        assert len(shown["media"][0]["at"]) == 9
        (place,) = tiled["media"][0]["at"]
        picture = shelf.thumbnails[place]
        assert picture.width == picture.height  # 3 × 3 square slices
        assert tiled["question"] == shown["question"]
    alone = gathered("slices", "blind")
    fewer = stock_shelf(alone, PictureRenderer(root)).thumbnails
    stacks = [entry for entry in data.gallery if is_stack(entry.item)]
    assert 0 < len(shelf.thumbnails) - len(fewer) <= len(stacks)


def test_pictures_that_did_not_change_are_not_called_changed(
    gathered: Callable[..., ReportData], root: Path
) -> None:
    data = gathered("slices", "mosaic", "small", "blind")
    shelf = stock_shelf(data, PictureRenderer(root))
    assert find_changed(data, shelf) == {}
    assert with_changed_pictures(data, shelf) is data


def test_pictures_that_changed_since_are_told(
    gathered: Callable[..., ReportData], root: Path, tmp_path: Path
) -> None:
    moved = tmp_path / "release"
    shutil.copytree(root, moved)
    entry = next(e for e in gathered("slices").gallery if e.item.task == "img2txt")
    stack = next(e for e in gathered("slices").gallery if is_stack(e.item))
    (path,) = entry.item.media[0].paths
    with Image.open(moved / path) as picture:
        picture.rotate(180).save(moved / path)
    (moved / stack.item.media[0].paths[4]).unlink()
    data = gathered("slices", "mosaic", "blind", release=moved)
    slices, mosaic, blind = (run.manifest.run for run in data.runs)
    shelf = stock_shelf(data, PictureRenderer(moved))
    changed = find_changed(data, shelf)
    assert set(changed) == {slices, mosaic}  # the third was sent no picture
    assert [receipt.sources for receipt in changed[slices][entry.item.id]] == [(path,)]
    # Without one slice the stack cannot be rendered: none of its pictures is known to be right.
    assert len(changed[slices][stack.item.id]) == 9
    assert len(changed[mosaic][stack.item.id]) == 1
    told = with_changed_pictures(data, shelf)
    codes = {
        run.manifest.run: [f for f in run.findings if f.code == "pictures-changed"]
        for run in told.runs
    }
    (finding,) = codes[slices]
    assert finding.count == sum(map(len, changed[slices].values()))
    assert f"{finding.count} pictures that were sent have another SHA-256" in finding.evidence
    assert codes[blind] == []
    payload: Any = gallery_payload(told, shelf)
    marks = {
        shown["id"]: [answer.get("changed", False) for answer in shown["answers"]]
        for shown in payload["items"]
    }
    assert marks[entry.item.id] == [True, True, False]
    unharmed = [e.item.id for e in data.gallery if e.item.id not in changed[slices]]
    assert unharmed
    assert not any(any(marks[item_id]) for item_id in unharmed)


def test_what_does_not_belong_together_is_refused(
    gathered: Callable[..., ReportData], tmp_path: Path
) -> None:
    with pytest.raises(UsageError, match="given twice"):
        gathered("slices", "slices")
    other = tmp_path / "other"
    find_benchmark("ct-bench").synthesise(other, seed=6, size=24)
    with pytest.raises(StoreError, match="the release that the run was made on"):
        gathered("slices", release=other)


def test_runs_of_one_model_are_named_by_their_files(gathered: Callable[..., ReportData]) -> None:
    data = gathered("slices", "mosaic", "blind")
    slices, mosaic, blind = run_labels(data.runs).values()
    assert (slices, mosaic) == ("slices (fake:hash)", "mosaic (fake:hash)")
    assert blind == "constant:B"
    assert data.comparison is not None
    assert data.comparison.labels == (slices, mosaic, blind)
