"""Reports of open answers over volumes: real run files of a synthetic CT-SpatialVQA release."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from overread.contracts import AlsoMetric
from overread.imaging.render import PictureRenderer
from overread.records import Media
from overread.report.contrast import contrast
from overread.report.data import ReportData, asks_for_text
from overread.report.fates import fates
from overread.report.forest import forest_groups
from overread.report.gallery import gallery_payload
from overread.report.html import write_html
from overread.report.json_report import report_json
from overread.report.judges import judges, jury_estimate
from overread.report.letters import matrices
from overread.report.markdown import markdown
from overread.report.pictures import find_changed, preview_counts, stock_shelf
from overread.report.previews import PREVIEW, in_order_of_trying, preview_of
from overread.report.readings import OTHER, UNREAD, read_forms
from overread.report.scorecard import score_card, shown_columns
from overread.report.sent import sent
from overread.report.sentence import limits, sentences
from overread.report.sources import published_sources
from overread.report.text_metrics import text_metrics
from overread.report.thumbnails import LEFT_OUT
from overread.scoring.spatial.compare import canonical_answer
from overread.scoring.spatial.forms import CLOSED_FORMS
from overread.store.run_store import RunStore

Runs = tuple[Path, Path, Path]


def test_open_questions_have_a_fate_of_their_own(open_runs: Runs, open_report: ReportData) -> None:
    for path, run, shown in zip(open_runs[1:], open_report.runs, fates(open_report), strict=True):
        with RunStore.open(path) as store:
            plan = store.plan()
            rows = [s for s in store.scores() if s.metric == "rule_accuracy"]
        n_open = sum(line.strata["form"] not in CLOSED_FORMS for line in plan)
        assert run.fates["open"] == n_open > 0
        assert run.fates["right"] == sum(row.value == 1 for row in rows) > 0
        assert run.fates["wrong"] == sum(row.value == 0 for row in rows)
        assert (run.n_waiting, sum(part.n for part in shown.slices)) == (0, len(plan))


def test_no_finished_run_is_called_unfinished(open_report: ReportData) -> None:
    told = " ".join(sentences(open_report))
    assert "not finished" not in told
    assert "A jury of 3 judges calls" in told
    (one,) = score_card(replace(open_report, runs=open_report.runs[:1]))
    assert f"of {open_report.runs[0].n_planned} questions" in one.detail
    assert "closed questions" in sentences(replace(open_report, runs=open_report.runs[:1]))[0]


def test_the_limits_speak_of_words_and_not_of_letters(
    open_report: ReportData, small_report: ReportData
) -> None:
    assert asks_for_text(open_report)
    assert not asks_for_text(small_report)
    assert "how often the words of a reader agree" in limits(open_report)[0]
    assert "picks the listed answer" in limits(small_report)[0]
    assert "lesion" not in limits(open_report)[0]


def test_a_page_of_both_kinds_shows_each_item_its_way(
    open_report: ReportData, small_report: ReportData
) -> None:
    mixed = replace(small_report, gallery=(*small_report.gallery[:2], *open_report.gallery[:2]))
    assert not asks_for_text(mixed)
    shelf = stock_shelf(replace(mixed, gallery=()), PictureRenderer(Path("/nowhere")))
    payload: Any = gallery_payload(mixed, shelf)
    assert [entry.get("open", False) for entry in payload["items"]] == [False, False, True, True]


def test_another_share_is_no_jury(open_report: ReportData) -> None:
    shares = (AlsoMetric(metric="side_error", is_share=True), *open_report.plan.also)
    plan = replace(open_report.plan, also=shares)
    assert jury_estimate(replace(open_report, plan=plan), 0) == jury_estimate(open_report, 0)
    none = replace(open_report, plan=replace(open_report.plan, also=shares[:1]))
    assert jury_estimate(none, 0) is None
    assert judges(none) is None


def test_neither_letters_nor_circumstances_are_made_up(open_report: ReportData) -> None:
    assert matrices(open_report) == ()
    assert contrast(open_report) is None
    shows = shown_columns(score_card(open_report))
    assert (shows.published, shows.jury) == (False, True)


def test_settings_hold_forms_then_categories_with_shared_weight(open_report: ReportData) -> None:
    groups = forest_groups(open_report)
    assert groups[0].label == "All closed questions"
    labels = [group.label for group in groups]
    assert labels.index("side") < labels.index("Laterality & Bilateral Symmetry")
    assert "yes or no" in labels
    shared = {group.label: [row.shared for row in group.rows] for group in groups}
    assert not any(shared["side"])
    category = "Laterality & Bilateral Symmetry"
    found = {
        tuple(sorted(e.stratum.items())): e.value
        for e in open_report.runs[0].estimates
        if e.metric == "rule_accuracy" and e.stratum.get("category") == category
    }
    (value,) = [v for key, v in found.items() if len(key) == 2]
    assert value is not None
    assert shared[category][0] == f"{100 * value:.1f}"


def test_what_was_read_stands_against_the_reference(
    open_runs: Runs, open_report: ReportData
) -> None:
    with RunStore.open(open_runs[1]) as store:
        rows = {s.item: s for s in store.scores() if s.metric == "rule_accuracy"}
    expected: Counter[tuple[str, str]] = Counter()
    for entry in open_report.gallery:
        if entry.item.strata["form"] != "yes-no":
            continue
        right = canonical_answer(entry.item.question, entry.reference.answer or "")
        said = rows[entry.item.id].answer
        assert right is not None
        expected[right.split(", ")[0], (said or UNREAD).split(", ")[0]] += 1
    run = open_report.runs[0]
    (reading,) = [one for one in run.readings if one.form == "yes-no"]
    assert set(reading.references) == {"yes", "no"}
    assert reading.answers == (*reading.references, OTHER, UNREAD)
    for name, counts in zip(reading.references, reading.counts, strict=True):
        for answer, n in zip(reading.answers, counts, strict=True):
            assert n == expected[name, answer]
    assert "lobe" not in {one.form for one in run.readings}  # too many answers for a table
    assert read_forms(open_report)[0].matrices[0].label == "command:" + (
        run.manifest.model.label.removeprefix("command:")
    )


def test_judges_show_votes_juries_and_the_paper(open_report: ReportData) -> None:
    found = judges(open_report)
    assert found is not None
    assert [(row.profile, row.judge) for row in found.judges] == [
        (profile, judge)
        for profile in ("honest", "published")
        for judge in ("fake:hash", "fake:judge-exact", "fake:judge-yes")
    ]
    assert {row.right_share for row in found.judges if row.judge == "fake:judge-yes"} == {"100.0"}
    runs = [row for row in found.juries if row.kind == "run"]
    assert [row.profile for row in runs] == ["honest", "published"]
    estimate = jury_estimate(open_report, 0)
    assert estimate is not None
    assert estimate.value is not None
    assert runs[0].shown.value == f"{100 * estimate.value:.1f}"
    paper = [row for row in found.juries if row.kind == "model"]
    assert [(row.label, row.shown.value) for row in paper][:2] == [
        ("CT-CHAT", "43.7"), ("Merlin", "28.8"),
    ]  # fmt: skip
    statistics = Counter(row.statistic for row in found.agreement)
    assert statistics == {"Cohen's kappa": 6, "Fleiss' kappa": 2, "Krippendorff's alpha": 2}
    same = next(r for r in found.agreement if r.who == "fake:hash and fake:judge-exact")
    assert (same.percent.value, same.coefficient.value) == ("100.0", "1.000")
    assert judges(replace(open_report, runs=open_report.runs[1:])) is None


def test_numbers_of_all_questions_together_are_no_likeness_of_texts(
    open_report: ReportData,
) -> None:
    texts = text_metrics(open_report)
    assert texts is not None
    assert (texts.heading, "left lung" in texts.lead) == ("Likeness of texts", True)
    plan = open_report.plan
    together = tuple(replace(also, all_of="case") for also in plan.also)
    found = text_metrics(replace(open_report, plan=replace(plan, also=together)))
    assert found is not None
    assert (found.heading, "left lung" in found.lead) == ("Further metrics", False)


def test_metrics_of_texts_stand_beside_the_paper(open_report: ReportData) -> None:
    found = text_metrics(open_report)
    assert found is not None
    assert found.metrics[1:] == ("BLEU", "ROUGE-1", "ROUGE-2", "ROUGE-L", "METEOR")
    paper = {row.label: [one.value for one in row.cells] for row in found.rows if row.kind != "run"}
    assert paper["RadFM"] == ["0.585", "16.45", "–", "–", "0.372", "0.311"]
    assert len(paper) == 8
    assert [row.label for row in found.rows if row.kind == "run"] == [
        row.label for row in score_card(open_report)
    ]
    values = {(row.who, row.metric): row.value for row in published_sources(open_report)}
    assert values["RadFM", "BLEU"] == "16.45"  # on its own scale, no share of 1645 %
    assert values["RadFM", "jury accuracy"] == "31.5 %"


def test_arrays_are_told_as_arrays(open_report: ReportData) -> None:
    arrays, slices = sent(open_report)
    assert arrays.forms == (f"array file (NumPy) ({arrays.requests})",)
    assert arrays.layouts[0].startswith("array ")
    assert " mm (" in arrays.layouts[0]
    assert arrays.orientations == (f"axes SPL ({arrays.requests})",)
    assert slices.orientations[0].startswith("orientation ")


def test_every_case_has_one_preview_and_no_alarm(open_runs: Runs, open_report: ReportData) -> None:
    shelf = stock_shelf(open_report, PictureRenderer(open_runs[0]))
    cases = {entry.item.groups["case"] for entry in open_report.gallery}
    assert len(shelf.thumbnails) == len(cases) == 6
    counts = preview_counts(shelf)
    assert (counts.n, counts.n_shown, counts.n_left_out, counts.problem) == (6, 6, 0, "")
    assert find_changed(open_report, shelf) == {}


def test_previews_are_bounded_and_say_so(open_runs: Runs, open_report: ReportData) -> None:
    shelf = stock_shelf(open_report, PictureRenderer(open_runs[0]), most_previews=2)
    counts = preview_counts(shelf)
    assert (counts.n, counts.n_shown, counts.n_left_out, counts.problem) == (6, 2, 4, "")
    payload: Any = gallery_payload(open_report, shelf)
    problems = Counter(entry["media"][0]["problem"] for entry in payload["items"])
    assert set(problems) == {None, LEFT_OUT}


def test_volumes_that_are_there_are_shown_first(
    open_runs: Runs, open_report: ReportData, tmp_path: Path
) -> None:
    release = tmp_path / "release"
    shutil.copytree(open_runs[0], release)
    volumes = sorted((release / "valid_fixed").rglob("*.nii.gz"))
    for path in volumes[:-1]:
        path.unlink()
    shelf = stock_shelf(open_report, PictureRenderer(release), most_previews=2)
    counts = preview_counts(shelf)
    assert (counts.n_shown, counts.n_left_out) == (1, 0)
    page = write_html(open_report, tmp_path, PictureRenderer(release)).read_text("utf-8")
    assert str(tmp_path) not in page  # where things lie on this machine is nobody's business


def test_without_volumes_one_line_says_so(
    open_runs: Runs, open_report: ReportData, tmp_path: Path
) -> None:
    page = write_html(open_report, tmp_path, PictureRenderer(tmp_path / "nowhere"))
    text = page.read_text("utf-8")
    assert text.count("None of 6 volumes could be read") == 1
    assert "pictures-changed" not in text


def test_markdown_and_json_say_the_same(open_report: ReportData) -> None:
    text = markdown(open_report)
    for heading in ("## Judges", "## Likeness of texts", "## Read against the reference"):
        assert heading in text
    assert "Side by side" not in text
    assert "open: for judges" in text
    assert "Weight shared among labels" in text
    assert "| honest | fake:judge-exact | fenced-" in text
    shown = json.loads(json.dumps(report_json(open_report)))
    first, second = shown["runs"]
    assert [one["profile"] for one in first["judges"]] == ["honest", "published"]
    assert len(first["judges"][0]["pairs"]) == 3
    assert first["judges"][0]["fleiss_kappa"]["value"] is not None
    assert sum(first["fates"].values()) == open_report.runs[0].n_planned
    assert first["readings"][0]["references"]
    assert "judges" not in second


def test_the_preview_recipe_is_square_and_seen_from_the_feet() -> None:
    assert PREVIEW.spacing_mm is not None
    assert PREVIEW.spacing_mm[1] == PREVIEW.spacing_mm[2]
    assert (PREVIEW.axes, PREVIEW.slices, PREVIEW.output) == ("SPL", 12, "mosaic")
    media = Media(paths=("a.nii.gz",), kind="volume", spacing_mm=(1.0, 1.0, 1.0))
    assert preview_of(media).paths == media.paths
    assert preview_of(media) == preview_of(replace(media, spacing_mm=None))


@pytest.mark.parametrize("most", [0, 1, 3, 7, 8, 20])
def test_volumes_are_tried_in_an_order_that_loses_none(most: int) -> None:
    volumes = [Media(paths=(str(n),), kind="volume") for n in range(8)]
    tried = in_order_of_trying(volumes, most=most)
    assert sorted(m.paths for m in tried) == [m.paths for m in volumes]
    first = [int(media.paths[0]) for media in tried[:most]]
    assert first == sorted(first)
    if most == 3:
        assert first == [0, 2, 5]
