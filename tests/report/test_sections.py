"""The sections' rows: score card, forest plot, side by side, fates, letters, pairs, floors."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from overread.analysis.answers import AnswerSummary, Confusion, NonAnswer
from overread.contracts import AnalysisPlan
from overread.records import Estimate, PlannedItem, Score, Status
from overread.report.contrast import contrast
from overread.report.data import ReportData, run_labels
from overread.report.fates import count_fates, fates, kinds_shown
from overread.report.floors import floors
from overread.report.forest import forest_groups
from overread.report.letters import matrices
from overread.report.markdown import markdown
from overread.report.pairs import pairs
from overread.report.scorecard import card_notes, score_card, verdict
from overread.report.sent import sent
from overread.report.sentence import limits, sentences
from overread.report.sources import published_sources
from overread.report.tokens import TokenTotals


def make_estimate(metric: str, value: float | None, low: float | None, high: float | None):
    return Estimate(
        metric=metric, profile="honest", stratum={}, n=1900, n_answered=1800, n_clusters=523,
        value=value, low=low, high=high, method="cluster bootstrap (patient)",
        chance=0.25, chance_low=0.231, chance_high=0.27, blind_floor=0.262,
        blind_policy="commonest letter of the task",
    )  # fmt: skip


def with_estimates(report: ReportData, *estimates: Estimate) -> ReportData:
    run = replace(report.runs[0], estimates=estimates)
    return replace(report, runs=(run,), comparison=None)


@pytest.mark.parametrize(
    ("low", "high", "word"),
    [(0.01, 0.2, "above"), (-0.1, -0.01, "below"), (-0.1, 0.1, "level"), (None, None, "unknown")],
)
def test_the_interval_of_the_gain_decides(low: float, high: float, word: str) -> None:
    assert verdict(make_estimate("gain_over_blind", 0.05, low, high)) == word


def test_the_score_card_has_the_five_numbers(small_report: ReportData) -> None:
    report = with_estimates(
        small_report,
        make_estimate("accuracy", 0.381, 0.359, 0.403),
        make_estimate("accuracy_answered", 0.402, 0.38, 0.425),
        make_estimate("no_answer", 0.0526, 0.043, 0.064),
        make_estimate("gain_over_blind", 0.119, 0.095, 0.143),
    )
    (row,) = score_card(report)
    assert (row.gain.value, row.gain.interval) == ("+11.9", "+9.5 to +14.3")
    assert (row.score.value, row.score.interval) == ("38.1", "35.9 to 40.3")
    assert (row.answered.value, row.no_answer.value) == ("40.2", "5.3")
    assert (row.chance.value, row.chance.interval) == ("25.0", "23.1 to 27.0")
    assert (row.floor.value, row.floor.reason) == ("26.2", "commonest letter of the task")
    assert row.published.value == "–"  # no estimate, so no number
    assert not row.readings_differ
    assert row.floor_x == "26.20%"
    (sentence,) = sentences(report)
    assert sentence == (
        "chat:medgemma-27b gave the reference answer to 38.1 % of 1\u202f900 questions "
        "(95 % interval 35.9 to 40.3, 523 patients): above the 26.2 % of the best policy that "
        "sees no picture (commonest letter of the task) by 11.9 points. 5.3 % got no readable "
        "answer and count as not right; of those answered 40.2 % were right."
    )


def test_a_run_without_a_score_says_so(small_report: ReportData) -> None:
    nothing = replace(
        make_estimate("accuracy", None, None, None),
        status=Status.UNDEFINED,
        reason="no question was asked",
    )
    report = with_estimates(small_report, nothing)
    assert sentences(report) == ("chat:medgemma-27b has no score: no question was asked.",)
    assert score_card(report)[0].score.reason == "no question was asked"
    assert score_card(report)[0].mark is None


def test_a_value_without_interval_is_explained_once(small_report: ReportData) -> None:
    flat = replace(make_estimate("gain_over_blind", 0.1, None, None), reason="no variation")
    report = with_estimates(small_report, flat)
    assert card_notes(report) == ("No interval for the gain over the blind floor, no variation.",)


def test_a_share_of_none_says_of_how_many_instead_of_an_interval(
    small_report: ReportData,
) -> None:
    none = replace(make_estimate("no_answer", 0.0, None, None), reason="no variation")
    every = replace(make_estimate("accuracy", 1.0, None, None), reason="no variation")
    gained = replace(make_estimate("gain_over_blind", 0.0, None, None), reason="no variation")
    report = with_estimates(small_report, none, every, gained)
    (row,) = score_card(report)
    assert (row.no_answer.value, row.no_answer.counts) == ("0.0", "0 of 1\u202f900")
    assert (row.score.value, row.score.counts) == ("100.0", "1\u202f900 of 1\u202f900")
    assert row.gain.counts == ""  # a gain of 0 points is a difference, no share of anything
    assert card_notes(report) == (
        "No interval for accuracy, no variation.",
        "No interval for the gain over the blind floor, no variation.",
    )
    assert "| 0.0 (0 of 1\u202f900) |" in markdown(report)


def test_several_runs_are_sorted_by_their_floor(small_report: ReportData) -> None:
    told = sentences(small_report)
    assert told[0].startswith("The best policy that sees no picture (")
    words = " ".join(told)
    for row in score_card(small_report):
        phrase = {"above": "Above it", "below": "Below it", "level": "Not to be told apart"}
        group = next(one for one in told if one.startswith(phrase[row.verdict]))
        assert f"{row.label} ({row.score.value} %, {row.gain.value} points)" in group
        assert words.count(f"{row.label} ({row.score.value} %") == 1


def test_what_is_not_shown_ends_with_the_benchmarks_own_words(small_report: ReportData) -> None:
    first, *rest = limits(small_report)
    assert "no evidence of use in care" in first
    assert rest == list(small_report.notes)


def test_the_forest_has_total_circumstances_and_thirteen_cells(small_report: ReportData) -> None:
    groups = forest_groups(small_report)
    assert [group.label for group in groups[:3]] == ["All questions", "no box", "with box"]
    assert len(groups) == 3 + 13
    assert [group.starts_level for group in groups] == [
        False, True, False, True, *[False] * 12,
    ]  # fmt: skip
    total = groups[0]
    assert [row.label for row in total.rows] == [
        "chat:medgemma-27b", "clip:biomedclip", "chat:radfm", "GPT-4V", "Gemini 1.5 Pro",
        "BiomedCLIP, trained with boxes", "junior doctor", "senior radiologist 1",
        "senior radiologist 2",
    ]  # fmt: skip
    gemini = total.rows[4]
    assert gemini.mark is not None
    assert gemini.mark.interval is None  # a percentage without a count has no interval
    assert groups[3].asks == "One slice: pick the description."


def test_readers_have_the_interval_of_their_counts(small_report: ReportData) -> None:
    with_box = forest_groups(small_report)[2]
    reader = next(row for row in with_box.rows if row.label == "senior radiologist 1")
    # 47 of 55; Wilson by hand: centre (47 + 1.92)/(55 + 3.84) = 83.1 %, half width 9.3 %
    assert (reader.n, reader.shown.value, reader.shown.interval) == ("55", "85.5", "73.8 to 92.4")


def test_side_by_side_leaves_no_circumstance_out(small_report: ReportData) -> None:
    found = contrast(small_report)
    assert found is not None
    assert found.values == ("no box", "with box")
    assert [label for label, _, _ in found.groups] == [
        "All questions", "img2txt", "ct2txt", "txt2img", "txt2bbox", "img2attrib", "ct2attrib",
        "img2size",
    ]  # fmt: skip
    only_box = found.groups[4][2][0]
    assert only_box.sides[0].mark is None
    assert only_box.sides[0].shown.reason == "not asked"
    assert only_box.sides[1].mark is not None


def test_no_side_by_side_without_circumstances(small_report: ReportData) -> None:
    assert contrast(replace(small_report, plan=replace(small_report.plan, cells=("task",)))) is None


def make_answers() -> AnswerSummary:
    return AnswerSummary(
        profile="honest", n=20, n_answered=13,
        confusion=Confusion(
            references=("A", "B", "none"), answers=("A", "B", "none"),
            counts=((5, 2, 4), (1, 4, 2), (1, 0, 1)),
        ),
        non_answers=(
            NonAnswer(task="t", status=Status.UNPARSED, reason="two letters", count=3, n_task=20),
            NonAnswer(task="t", status=Status.REFUSED, reason="refusal", count=1, n_task=20),
            NonAnswer(task="t", status=Status.FAILED, reason="HTTP 500", count=1, n_task=20),
            NonAnswer(task="t", status=Status.UNDEFINED, reason="no reference", count=1, n_task=20),
            NonAnswer(task="t", status=None, reason="not asked", count=1, n_task=20),
        ),
        reference_balance=(), answer_balance=(), reference_balance_p=0.5, answer_balance_p=None,
    )  # fmt: skip


FATED = (
    ("a", "side", Status.OK, 1.0),
    ("b", "side", Status.OK, 0.0),
    ("c", "side", Status.UNPARSED, None),
    ("d", "side", Status.REFUSED, None),
    ("e", "lobe", Status.FAILED, None),
    ("f", "lobe", Status.UNDEFINED, None),
    ("g", "lobe", None, None),  # closed, asked, and not scored yet
    ("h", "open", None, None),  # open and asked
    ("i", "open", None, None),  # open and not asked
)


def test_fates_are_counted_from_score_rows() -> None:
    base = {"run": "r", "patient": "p", "metric_version": "1", "profile": "honest", "unit": "share"}
    scores = [
        Score(**base, item=item, metric="rule_accuracy", value=value, status=status)
        for item, _, status, value in FATED
        if status is not None
    ]
    scores.append(Score(**base, item="h", metric="jury_accuracy", value=1.0, status=Status.OK))
    planned = [
        PlannedItem(item=item, request_hash=item, groups={}, strata={"form": form}, chance=None)
        for item, form, _, _ in FATED
    ]
    plan = AnalysisPlan(
        strata=((),), cells=("form",), cluster="patient", headline="rule_accuracy",
        headline_only={"form": ("side", "lobe")},
    )  # fmt: skip
    assert count_fates(scores, planned, plan, answered=set("abcdefgh")) == {
        "right": 1, "wrong": 1, "open": 1, "unparsed": 1, "refused": 1, "failed": 1,
        "undefined": 1, "pending": 2,
    }  # fmt: skip


def test_every_question_has_one_fate(small_report: ReportData) -> None:
    counts = {
        "right": 9, "wrong": 3, "open": 0, "unparsed": 3, "refused": 1, "failed": 1,
        "undefined": 2, "pending": 1,
    }  # fmt: skip
    run = replace(small_report.runs[0], answers=make_answers(), fates=counts)
    (shown,) = fates(replace(small_report, runs=(run,)))
    assert {part.kind: part.n for part in shown.slices} == counts
    assert (shown.n, run.n_planned, run.n_waiting) == ("20", 20, 1)
    assert [part.x for part in shown.slices[:4]] == ["0.000%", "45.000%", "60.000%", "60.000%"]
    assert (shown.reasons[0].kind, shown.reasons[0].n, shown.reasons[0].share) == (
        "no answer readable", "3", "15.0",
    )  # fmt: skip
    assert "open" not in kinds_shown((shown,))
    assert "refused" in kinds_shown(fates(small_report))


def test_fates_say_what_letters_say(small_report: ReportData) -> None:
    for run in small_report.runs:
        confusion = run.answers.confusion
        right = sum(
            n
            for row, counts in zip(confusion.references, confusion.counts, strict=True)
            for column, n in zip(confusion.answers, counts, strict=True)
            if row == column != "none"
        )
        assert run.fates["right"] == right > 0


def test_fates_of_a_whole_report_add_up(small_report: ReportData) -> None:
    for shown, run in zip(fates(small_report), small_report.runs, strict=True):
        assert sum(part.n for part in shown.slices) == run.answers.n


def test_letters_are_shaded_by_their_share_of_the_row(small_report: ReportData) -> None:
    report = replace(small_report, runs=(replace(small_report.runs[0], answers=make_answers()),))
    (matrix,) = matrices(report)
    first, second, without = matrix.rows
    assert [cell.n for cell in first.cells] == ["5", "2", "4"]
    assert [cell.shade for cell in first.cells] == [4, 2, 3]  # 45, 18 and 36 % of the row
    assert [cell.is_diagonal for cell in second.cells] == [False, True, False]
    assert [cell.shade for cell in without.cells] == [0, 0, 0]
    assert matrix.picked == ("35.0", "30.0", "35.0")
    assert (matrix.reference_p, matrix.answer_p) == ("0.500", "–")


def test_pairs_stand_on_one_axis(small_report: ReportData) -> None:
    found = pairs(small_report)
    assert found is not None
    comparison = small_report.comparison
    assert comparison is not None
    assert len(found.rows) == 3
    for row, pair in zip(found.rows, comparison.pairs, strict=True):
        assert row.mark is not None
        assert row.mark.x == found.axis.x(pair.difference)
        assert found.axis.low <= pair.difference <= found.axis.high
    assert len(found.details) == 3
    assert pairs(replace(small_report, comparison=None)) is None


def test_pairs_say_which_p_is_adjusted(small_report: ReportData) -> None:
    comparison = small_report.comparison
    assert comparison is not None
    first = comparison.pairs[0]

    def told(*adjusted: str | None) -> str:
        rows = tuple(replace(first, adjusted=name) for name in adjusted)
        changed = replace(comparison, pairs=rows, by_stratum=())
        found = pairs(replace(small_report, comparison=changed))
        assert found is not None
        assert [row.adjusted for row in found.rows] == [name or "" for name in adjusted]
        assert found.unit == "patient"
        return found.tests

    assert "starts from exact McNemar;" in told("mcnemar", None)
    assert "starts from the permutation that swaps the two runs patient by patient;" in told(
        "sign flip"
    )
    assert "patient by patient where a patient has several questions, else exact McNemar" in told(
        "sign flip", "mcnemar"
    )


def test_floors_show_all_policies_of_the_total(small_report: ReportData) -> None:
    found = floors(small_report)
    assert found is not None
    assert {row.policy for row in found.total} >= {"always A", "longest option", "always refuse"}
    assert len(found.strata) == 2 + 7 + 13
    assert floors(replace(small_report, floors=())) is None


def test_what_was_sent_is_counted_from_receipts(small_report: ReportData) -> None:
    first = sent(small_report)[0]
    run = small_report.runs[0].manifest.run
    responses = [entry.answers[run].response for entry in small_report.gallery]
    receipts = [r for response in responses if response for r in response.receipts]
    assert first.pictures.replace("\u202f", "") == str(len(receipts))
    assert any(text.startswith("slices of stacks of 9") for text in first.layouts)
    assert first.windows == (f"window as stored ({first.pictures})",)


def test_tokens_are_told_with_what_they_are_a_sum_of(small_report: ReportData) -> None:
    chat, clip, _ = small_report.runs
    some = TokenTotals(n=304, n_in=290, n_out=304, tokens_in=1_234_567, tokens_out=9000)
    first, second = sent(replace(small_report, runs=(replace(chat, tokens=some), clip)))
    assert first.tokens_in == "1\u202f234\u202f567 (290 of 304 responses)"
    assert first.tokens_out == "9\u202f000"
    assert (second.tokens_in, second.tokens_out) == ("–", "–")


def test_published_numbers_name_their_source_and_remark(small_report: ReportData) -> None:
    rows = {(row.who, row.stratum): row for row in published_sources(small_report)}
    assert rows["GPT-4V", "All questions"].counts == "540 of 1\u202f900"
    assert rows["GPT-4V", "All questions"].interval == "26.4 to 30.5"
    assert rows["Gemini 1.5 Pro", "All questions"].remark == "the source gives no count"
    assert all(row.source == "arXiv 2602.14879, table 3" for row in rows.values())


def test_two_runs_of_one_model_keep_apart(report_maker: Callable[..., ReportData]) -> None:
    (run,) = report_maker(size=0.01, n_runs=1).runs
    other = replace(run, manifest=replace(run.manifest, run="0123456789"))
    labels = run_labels([run, other])
    assert labels["0123456789"] == "chat:medgemma-27b (01234567)"
    assert len(set(labels.values())) == 2
    named = [replace(run, file="team-a"), replace(other, file="team-b")]
    assert list(run_labels(named).values()) == [
        "team-a (chat:medgemma-27b)",
        "team-b (chat:medgemma-27b)",
    ]
    assert list(run_labels(named[:1]).values()) == ["chat:medgemma-27b"]
    alike = run_labels([named[0], replace(other, file="team-a")])
    assert alike["0123456789"] == "team-a (chat:medgemma-27b) (01234567)"
    assert len(set(alike.values())) == 2
    built_in = replace(run.manifest.model, kind="baselines", name="constant:B")
    reader = replace(run, manifest=replace(run.manifest, model=built_in))
    assert list(run_labels([reader]).values()) == ["constant:B"]


@pytest.mark.parametrize(
    ("gained", "words"),
    [
        ((-0.1, -0.2, -0.05), ": below the 26.2 % of the best policy"),
        ((0.01, -0.02, 0.04), ", which cannot be told apart from the 26.2 %"),
        ((0.01, None, None), ", beside the 26.2 %"),
    ],
)
def test_one_run_is_held_against_the_floor(
    small_report: ReportData, gained: tuple[float, float | None, float | None], words: str
) -> None:
    report = with_estimates(
        small_report,
        make_estimate("accuracy", 0.27, 0.25, 0.29),
        make_estimate("gain_over_blind", *gained),
    )
    assert words in sentences(report)[0]


def test_without_a_floor_or_an_interval_nothing_is_claimed(small_report: ReportData) -> None:
    bare = replace(
        make_estimate("accuracy", 0.27, None, None),
        blind_floor=None, blind_policy=None, n_clusters=None, chance=None,
    )  # fmt: skip
    report = with_estimates(small_report, bare)
    assert sentences(report) == (
        "chat:medgemma-27b gave the reference answer to 27.0 % of 1\u202f900 questions"
        " (no interval).",
    )
    (row,) = score_card(report)
    assert (row.chance.value, row.floor.value, row.floor_x) == ("–", "–", None)
    assert row.verdict == "unknown"


def test_runs_without_a_common_floor_name_none(small_report: ReportData) -> None:
    one, two, _ = small_report.runs
    moved = tuple(replace(estimate, blind_floor=0.9) for estimate in two.estimates)
    report = replace(small_report, runs=(one, replace(two, estimates=moved)))
    assert sentences(report)[0].startswith("Each run is held against")


def test_a_remark_of_one_run_names_it(small_report: ReportData) -> None:
    estimate = replace(make_estimate("accuracy", 0.3, 0.2, 0.4), reason="only 12 patients")
    runs = (replace(small_report.runs[0], estimates=(estimate,)), small_report.runs[1])
    notes = card_notes(replace(small_report, runs=runs))
    assert "chat:medgemma-27b: only 12 patients." in notes


def test_another_headline_than_accuracy_is_shown_all_the_same(small_report: ReportData) -> None:
    def renamed(estimate: Estimate) -> Estimate:
        metric = estimate.metric.replace("accuracy", "exact_match")
        published = tuple(replace(row, metric=metric) for row in estimate.published)
        return replace(estimate, metric=metric, published=published)

    runs = tuple(
        replace(run, estimates=tuple(map(renamed, run.estimates))) for run in small_report.runs
    )
    plan = replace(small_report.plan, headline="exact_match")
    other = replace(small_report, plan=plan, runs=runs)
    assert score_card(other) == score_card(small_report)
    assert forest_groups(other) == forest_groups(small_report)
    assert contrast(other) == contrast(small_report)
    assert sentences(other) == sentences(small_report)
    assert "| Gain over blind floor | Exact match |" in markdown(other)
    assert "## Exact match in every setting" in markdown(other)
