"""The report of runs whose answers are masks: page, Markdown and JSON of one synthetic release."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from overread.cli.report_command import write_report
from overread.records import Item, Mask, Score, Status
from overread.registry import find_benchmark
from overread.report.collect import collect
from overread.report.masks.of_runs import labelled
from overread.report.masks.run_page import mask_sides
from overread.report.masks.worst import worst_rows
from overread.run.pipeline import execute
from overread.run.request import RunRequest


@dataclass(frozen=True)
class Written:
    """The three files of a report, and what they were made of."""

    page: str
    markdown: str
    json: dict[str, object]
    runs: Sequence[Path]
    release: Path


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Written:
    """Run two folders of masks of a synthetic release, one mask taken away, and report them."""
    root = tmp_path_factory.mktemp("runs")
    release = root / "release"
    find_benchmark("autopet3").synthesise(release, seed=3, size=12)
    gone = sorted((release / "predictions" / "eager").iterdir())[0]
    gone.unlink()
    runs: list[Path] = []
    for name in ("careful", "eager"):
        path = root / f"{name}.sqlite"
        execute(
            RunRequest(
                benchmark="autopet3",
                release=release,
                model=f"masks:{release / 'predictions' / name}",
                out=path,
                workers=0,
            )
        )
        runs.append(path)
    out = root / "report"
    write_report(runs, out)
    return Written(
        page=(out / "index.html").read_text(encoding="utf-8"),
        markdown=(out / "report.md").read_text(encoding="utf-8"),
        json=json.loads((out / "report.json").read_text(encoding="utf-8")),
        runs=runs,
        release=release,
    )


def test_each_run_has_its_masks_with_files_that_are_there(written: Written) -> None:
    data, _ = collect(written.runs, release=None, title=None)
    sides = mask_sides(data)
    assert [side.label for side in sides] == ["masks:careful", "masks:eager"]
    for side in sides:
        for case in side.results.cases:
            assert case.reference is not None
            assert case.image is not None
            assert (case.prediction is None) == (case.status.value == "failed")
    assert data.gallery == ()  # no preview of scans, which show no answer


def test_the_missing_mask_stands_before_the_scores_and_in_the_ledger(written: Written) -> None:
    assert "no prediction" in written.page
    assert "has no usable mask: the ledger counts them." in written.page
    _, eager = written.json["runs"]  # type: ignore[misc]
    honest = next(
        each["value"]
        for each in eager["estimates"]
        if each["metric"] == "dice" and each["profile"] == "honest" and not each["stratum"]
    )
    assert f"Dice has a mean of {honest:.3f} over" in written.page  # as on the card
    careful, eager = written.json["runs"]  # type: ignore[misc]
    assert careful["masks"]["not_scored"] == []
    (gone,) = eager["masks"]["not_scored"]
    assert gone["status"] == "failed"
    ledger = {(row["metric"], row["label"]): row for row in eager["masks"]["ledger"]}
    row = ledger["dice", "lesion"]
    assert row["without_prediction"] == 1
    assert row["n"] == eager["masks"]["cases"]
    assert row["counted"]["empty agreement is perfect"] == row["n"]
    assert "## Before the scores" in written.markdown
    assert f"| {gone['case'].replace('_', chr(92) + '_')} | masks:eager | no prediction |" in (
        written.markdown
    )


def test_the_score_card_has_both_readings_and_every_metric_of_the_plan(written: Written) -> None:
    card = written.page.split('id="card"')[1].split("</section>")[0]
    assert "Published" in card
    for name in ("Dice", "False positive volume", "False negative volume", "Panoptic quality"):
        assert name in card
    assert card.count("masks:careful") == card.count("masks:eager") > 5
    assert "gain over blind" not in written.page.lower()
    assert "questions" not in card


def test_estimates_and_page_show_one_number(written: Written) -> None:
    careful = written.json["runs"][0]  # type: ignore[index]
    (dice,) = [
        row
        for row in careful["estimates"]
        if row["metric"] == "dice" and row["profile"] == "honest" and not row["stratum"]
    ]
    assert f"<b>{dice['value']:.3f}</b>" in written.page
    assert f"| Dice | masks:careful | {dice['n']} | {dice['value']:.3f}" in written.markdown


def test_settings_have_published_methods_beside_the_runs(written: Written) -> None:
    settings = written.page.split('id="settings"')[1].split("</section>")[0]
    assert "paper model" in settings
    assert "nnunet baseline" in settings


def test_both_runs_have_pictures_of_their_worst_cases(written: Written) -> None:
    worst = written.page.split('id="worst"')[1].split("</section>")[0]
    data, _ = collect(written.runs, release=None, title=None)
    known = [min(6, len(worst_rows(side.results, most=99))) for side in mask_sides(data)]
    assert worst.count("<article") == sum(known)
    assert worst.count("<image ") == 3 * sum(known)
    assert "masks:careful" in worst.split("<article")[0]


def test_no_pictures_where_no_previews_are_wanted(written: Written, tmp_path: Path) -> None:
    write_report([written.runs[0]], tmp_path, most_previews=0)
    page = (tmp_path / "index.html").read_text(encoding="utf-8")
    assert "<image" not in page
    assert 'id="card"' in page
    assert 'id="pairs"' not in page


def test_a_run_of_questions_has_no_masks(tmp_path: Path) -> None:
    release = tmp_path / "release"
    find_benchmark("igakuqa119").synthesise(release, seed=1, size=6)
    run = tmp_path / "run.sqlite"
    execute(RunRequest(benchmark="igakuqa119", release=release, model="chance", out=run))
    data, _ = collect([run], release=None, title=None)
    assert data.runs[0].masks is None
    assert mask_sides(data) == []
    assert data.gallery


def test_a_case_of_one_label_takes_its_name(written: Written) -> None:
    data, _ = collect(written.runs, release=None, title=None)
    assert {row.label for row in mask_sides(data)[0].results.label_rows} == {"lesion"}


def test_cases_of_one_label_scored_as_cases_alone_take_its_name(tmp_path: Path) -> None:
    score = Score(
        run="r", item="a", patient="p", metric="dice", metric_version="1", profile="honest",
        unit="share", value=0.5, status=Status.OK,
    )  # fmt: skip
    items = [
        Item(
            id=name, benchmark="b", task="t", condition="c", question="q",
            answer_space=Mask(labels=labels),
        )
        for name, labels in (("a", {1: "vessel"}), ("b", {1: "vein", 2: "artery"}))
    ]  # fmt: skip
    scores = [score, replace(score, item="b"), replace(score, item="b", target="vein")]
    found = [(one.item, one.target) for one in labelled(scores, items)]
    assert found == [("a", "vessel"), ("b", None), ("b", "vein")]
