"""Estimates of open questions: a headline over some of them, and metrics beside it."""

from __future__ import annotations

import dataclasses
import json
import os
from pathlib import Path

import numpy as np
import pytest
from sacrebleu.metrics.bleu import BLEU

from overread.analysis.corpus_metrics import text_pairs
from overread.analysis.estimates import estimate
from overread.analysis.plan_strata import SHARED, WEIGHTING
from overread.contracts import AlsoMetric, AnalysisPlan
from overread.errors import UsageError
from overread.records import PlannedItem, PublishedValue, Reference, Response, Status

JURY = AlsoMetric(metric="jury_accuracy", drops=(Status.UNDEFINED,), is_share=True)
JUDGES = AlsoMetric(metric="judge_accuracy", drops=(Status.UNDEFINED,), is_share=True)
ROUGE = AlsoMetric(metric="rougeL", profiles=("published",))
CORPUS = AlsoMetric(metric="bleu", profiles=("published",))


@pytest.fixture
def open_plan() -> AnalysisPlan:
    return AnalysisPlan(
        strata=((), ("form",), ("category",)),
        cells=("form",),
        cluster="patient",
        headline="rule_accuracy",
        headline_only={"form": ("yes-no", "side")},
        also=(JURY, JUDGES, ROUGE, CORPUS),
        cells_are_independent=False,
        multi_label=("category",),
        bootstrap_draws=200,
    )


def _line(item: str, form: str, category: str = "", patient: str | None = None) -> PlannedItem:
    return PlannedItem(
        item=item, request_hash=item, groups={"patient": patient or item},
        strata={"form": form, "category": category}, chance=None,
    )  # fmt: skip


def _find(estimates, metric, profile="honest", **stratum):
    return [
        row
        for row in estimates
        if (row.metric, row.profile, row.stratum) == (metric, profile, stratum)
    ]


def _pick(estimates, metric, profile="honest", **stratum):
    (found,) = _find(estimates, metric, profile, **stratum)
    return found


@pytest.fixture
def planned() -> list[PlannedItem]:
    """Six questions: three closed, three not."""
    return [
        _line("0", "yes-no", "laterality; extent"),
        _line("1", "yes-no", "laterality"),
        _line("2", "side", "laterality; extent; adjacency"),
        _line("3", "where", "extent"),
        _line("4", "where"),
        _line("5", "open", "adjacency; extent"),
    ]


def _rule(make_score, *values, profile="honest"):
    return [
        make_score(str(n), value, metric="rule_accuracy", answer="yes", profile=profile)
        for n, value in enumerate(values)
    ]


def test_the_headline_is_over_the_questions_it_is_about(planned, open_plan, make_score):
    estimates = estimate(_rule(make_score, 1.0, 0.0, 1.0), planned, open_plan)
    total = _pick(estimates, "rule_accuracy")
    assert (total.value, total.n, total.n_clusters, total.n_answered) == (2 / 3, 3, 3, 3)
    assert total.reason is not None
    assert "no response" not in total.reason
    assert _pick(estimates, "no_answer").value == 0.0
    assert _pick(estimates, "rule_accuracy", form="yes-no").n == 2
    # Where no question is closed there is no row, which is not a row of 0.
    assert not _find(estimates, "rule_accuracy", form="where")
    # Nothing was scored under the published rules, so there is nothing to say of them.
    assert {row.profile for row in estimates} == {"honest"}


def test_what_was_not_asked_yet_is_no_answer_without_an_error(planned, open_plan, make_score):
    errors = AlsoMetric(
        metric="side_error", profiles=("honest",), drops=tuple(Status)[1:], is_share=True
    )
    plan = dataclasses.replace(open_plan, also=(errors,))
    scores = [make_score("0", 1.0, metric="side_error"), make_score("1", 0.0, metric="side_error")]
    row = _pick(estimate(scores, planned, plan), "side_error")
    assert (row.value, row.n) == (0.5, 2)  # of two, not of all six
    assert "4 of 6 items have no response yet" in row.reason


def test_bounds_stay_within_the_range_of_their_metric(planned, open_plan, make_score):
    plan = dataclasses.replace(
        open_plan, headline="fact_score", headline_only={},
        also=(AlsoMetric(metric="bertscore_f1", profiles=("honest",)),),
    )  # fmt: skip
    scores = [
        make_score(str(n), value, metric=metric)
        for metric, values in (
            ("fact_score", (0.0, 0.0, 0.02, 0.0, 0.0, 0.3)),
            ("bertscore_f1", (0.9, 0.9, 0.91, 0.95, 0.99, 0.2)),
        )
        for n, value in enumerate(values)
    ]
    found = estimate(scores, planned, plan)
    for metric, least in (("fact_score", 0.0), ("fact_score_answered", 0.0), ("bertscore_f1", -1)):
        one = _pick(found, metric)
        assert one.method == "cluster wilson (patient)"
        assert least < one.low < one.value < one.high < 1  # nothing is cut at an end


def test_a_profile_with_other_scores_only_has_no_headline(planned, open_plan, make_score):
    scores = [
        *_rule(make_score, 1.0, 0.0, 1.0),
        *(make_score(str(n), 0.5, metric="rougeL", profile="published") for n in range(6)),
    ]
    estimates = estimate(scores, planned, open_plan)
    assert not _find(estimates, "rule_accuracy", "published")
    assert _pick(estimates, "rougeL", "published").n == 6


def test_before_anything_is_asked_the_headline_is_undefined(planned, open_plan):
    total = _pick(estimate([], planned, open_plan), "rule_accuracy")
    assert (total.value, total.n, total.status) == (None, 3, Status.UNDEFINED)
    assert total.reason == "no response to any of 3 items"


def test_a_jury_without_a_verdict_leaves_the_denominator(planned, open_plan, make_score):
    jury = [
        make_score("0", 1.0, metric="jury_accuracy"),
        make_score("1", 0.0, metric="jury_accuracy"),
        make_score("2", None, status=Status.UNDEFINED, metric="jury_accuracy"),
        make_score("3", None, status=Status.FAILED, metric="jury_accuracy"),
        make_score("4", 1.0, metric="jury_accuracy"),
    ]
    total = _pick(estimate(jury, planned, open_plan), "jury_accuracy")
    # Two of five: the third has no verdict; the failed one and the one not asked are not right.
    assert (total.value, total.n, total.n_answered) == (2 / 5, 5, 3)
    assert total.reason is not None
    for note in (
        "1 of 6 items have no response yet",
        "1 of 6 items have no value and are left out",
        "1 of 6 items have no value and count as not right",
    ):
        assert note in total.reason
    assert total.chance is None


def test_what_no_judge_was_asked_has_no_estimate(planned, open_plan, make_score):
    estimates = estimate(_rule(make_score, 1.0), planned, open_plan)
    assert not [row for row in estimates if row.metric in ("jury_accuracy", "judge_accuracy")]


def test_each_judge_has_its_own_row(planned, open_plan, make_score):
    scores = [
        make_score(item, value, metric="judge_accuracy", target=judge)
        for judge, values in (("gpt", "110010"), ("gemini", "100000"))
        for item, value in zip("012345", map(float, values), strict=True)
    ]
    published = [
        PublishedValue(
            metric="judge_accuracy", stratum={"judge": "gpt"}, who="M3D", kind="model",
            value=0.31, source="table 1",
        )
    ]  # fmt: skip
    estimates = estimate(scores, planned, open_plan, published=published)
    assert _pick(estimates, "judge_accuracy", judge="gpt").value == 3 / 6
    assert _pick(estimates, "judge_accuracy", judge="gemini").value == 1 / 6
    assert _pick(estimates, "judge_accuracy", judge="gpt").published == tuple(published)
    assert _pick(estimates, "judge_accuracy", form="yes-no", judge="gpt").value == 1.0
    assert not _find(estimates, "judge_accuracy")
    other = dataclasses.replace(JUDGES, metric="organ_dice")
    scores = [make_score("0", 0.5, metric="organ_dice", target="liver")]
    estimates = estimate(scores, planned, dataclasses.replace(open_plan, also=(other,)))
    assert _find(estimates, "organ_dice", target="liver")


def test_a_mean_is_over_the_items_that_have_a_value(planned, open_plan, make_score):
    scores = [
        make_score(str(n), value, metric="rougeL", profile="published",
                   status=Status.UNDEFINED if value is None else Status.OK)
        for n, value in enumerate([0.2, 0.4, None, 0.6])
    ]  # fmt: skip
    total = _pick(estimate(scores, planned, open_plan), "rougeL", "published")
    assert (total.value, total.n) == (pytest.approx(0.4), 3)
    assert total.reason is not None
    assert "1 of 6 items have no value and are left out" in total.reason
    assert "2 of 6 items have no response yet" in total.reason


def test_a_metric_over_a_part_of_the_items(planned, open_plan, make_score):
    places = dataclasses.replace(JURY, only={"form": ("where", "open")})
    scores = [make_score(str(n), float(n == 3), metric="jury_accuracy") for n in range(6)]
    estimates = estimate(scores, planned, dataclasses.replace(open_plan, also=(places, ROUGE)))
    assert _pick(estimates, "jury_accuracy").value == 1 / 3
    assert not _find(estimates, "jury_accuracy", form="side")


def test_none_with_a_value_is_undefined_with_a_reason(planned, open_plan, make_score):
    scores = [
        make_score(str(n), None, status=Status.UNDEFINED, metric="jury_accuracy") for n in range(4)
    ]
    scores += [make_score("4", 1.0, metric="jury_accuracy")]
    estimates = estimate(scores, planned, open_plan)
    side = _pick(estimates, "jury_accuracy", form="side")
    assert (side.value, side.reason, side.n) == (None, "none of 1 items has a value", 0)
    nobody = _pick(estimates, "jury_accuracy", form="open")
    assert nobody.reason == "no response to any of 1 items"


def test_a_judge_of_whom_no_vote_was_read_has_no_share(planned, open_plan, make_score):
    """Empty answers are in the denominator and are not right; alone they are nobody's share."""
    unread = "the reply is no verdict"
    rows = {
        **dict.fromkeys("01", (Status.UNDEFINED, unread)),
        **dict.fromkeys("234", (Status.UNPARSED, "the answer is empty")),
    }
    scores = [
        make_score(item, None, metric=metric, target=target, status=status, reason=reason)
        for metric, target in (("jury_accuracy", None), ("judge_accuracy", "mute"))
        for item, (status, reason) in rows.items()
    ]
    scores += [
        make_score(item, 1.0 if item == "0" else None, metric="judge_accuracy", target="sharp",
                   status=Status.OK if item == "0" else status, reason=reason)
        for item, (status, reason) in rows.items()
    ]  # fmt: skip
    estimates = estimate(scores, planned, open_plan)
    for found in (
        _pick(estimates, "jury_accuracy"),
        _pick(estimates, "judge_accuracy", judge="mute"),
    ):
        assert (found.value, found.low, found.status) == (None, None, Status.UNDEFINED)
        assert (found.n, found.n_answered) == (0, 0)
        assert found.reason == f"none of 6 items has a value: {unread}"
    # One vote was read: the three empty answers and the one without a response are not right.
    assert _pick(estimates, "judge_accuracy", judge="sharp").value == 1 / 5
    # A part of the run in which every answer is plainly not right has a share, and it is 0 …
    empty = _pick(estimates, "judge_accuracy", form="where", judge="sharp")
    assert (empty.value, empty.n) == (0.0, 2)
    # … but not for a judge of whom nothing was read anywhere.
    assert _pick(estimates, "judge_accuracy", form="where", judge="mute").value is None


def test_a_jury_that_had_nothing_to_judge_has_no_share(planned, open_plan, make_score):
    scores = [
        make_score(str(n), None, metric="jury_accuracy", status=Status.UNPARSED,
                   reason="the answer is empty")
        for n in range(6)
    ]  # fmt: skip
    total = _pick(estimate(scores, planned, open_plan), "jury_accuracy")
    assert (total.value, total.n) == (None, 0)
    assert total.reason == "none of 6 items has a value: the answer is empty"


def test_a_metric_that_nothing_has_a_value_of_says_why(planned, open_plan, make_score):
    reason = "METEOR: expected WordNet, got none. Install it."
    scores = [
        make_score(str(n), None, metric="rougeL", profile="published", status=Status.UNDEFINED,
                   reason=reason)
        for n in range(6)
    ]  # fmt: skip
    found = _pick(estimate(scores, planned, open_plan), "rougeL", "published")
    assert found.reason == f"none of 6 items has a value: {reason[:-1]}"


def test_a_few_unknown_chances_do_not_hide_the_others(planned, open_plan, make_score):
    many = [
        dataclasses.replace(_line(str(n), "side"), chance=None if n == 0 else 1 / 3)
        for n in range(100)
    ]
    scores = _rule(make_score, *[1.0] * 50, *[0.0] * 50)
    total = _pick(estimate(scores, many, open_plan), "rule_accuracy")
    assert total.chance == pytest.approx(1 / 3)
    assert total.reason is not None
    assert "chance is without 1 item whose possible answers cannot be listed" in total.reason
    half = [dataclasses.replace(line, chance=None) if int(line.item) % 2 else line for line in many]
    assert _pick(estimate(scores, half, open_plan), "rule_accuracy").chance is None


def test_cells_of_open_questions_are_clustered(open_plan, make_score):
    planned = [_line(str(n), "side", patient=f"p{n // 4}") for n in range(200)]
    values = [float(n // 4 % 2) for n in range(200)]  # a patient is right in all or in none
    cell = _pick(estimate(_rule(make_score, *values), planned, open_plan), "rule_accuracy",
                 form="side")  # fmt: skip
    assert cell.method == "cluster bootstrap (patient)"
    assert cell.high - cell.low > 0.2  # of 50 patients, not of 200 questions
    # Nobody right: nothing to resample, and still no certainty.
    cell = _pick(estimate(_rule(make_score, *[0.0] * 200), planned, open_plan), "rule_accuracy",
                 form="side")  # fmt: skip
    assert (cell.low, cell.method) == (0.0, "wilson")
    assert cell.high > 0
    # Further metrics alone change no interval of a plan whose cells are independent.
    exam = dataclasses.replace(open_plan, cells_are_independent=True)
    cell = _pick(estimate(_rule(make_score, *values), planned, exam), "rule_accuracy", form="side")
    assert cell.method == "wilson"


def test_bleu_stays_between_0_and_100(open_plan):
    planned = [_line(str(n), "side", patient=f"p{n // 4}") for n in range(12)]
    texts = {(str(n), 0): ("left lower lobe of lung" if n < 4 else "no", "left lower lobe of lung")
             for n in range(12)}  # fmt: skip
    found = _pick(estimate([], planned, open_plan, texts=texts), "bleu", "published")
    assert found.method == "bounded cluster jackknife (patient)"
    assert 0 < found.low < found.value < found.high < 100


# ---------------------------------------------------------------- several labels


def test_an_item_counts_under_each_of_its_labels_and_once_with_its_weight_shared(
    planned, open_plan, make_score
):
    scores = [make_score(str(n), float(n in (0, 3)), metric="jury_accuracy") for n in range(6)]
    estimates = estimate(scores, planned, open_plan)
    whole = _pick(estimates, "jury_accuracy", category="extent")
    # Items 0, 2, 3, 5; 0 and 3 are right.
    assert (whole.value, whole.n) == (2 / 4, 4)
    assert whole.reason is not None
    assert "3 of 4 items count under other labels as well" in whole.reason
    shared = _pick(estimates, "jury_accuracy", category="extent", **{WEIGHTING: SHARED})
    # Weights 1/2, 1/3, 1, 1/2: (1/2 + 1) / (7/3).
    assert (shared.value, shared.n) == (pytest.approx(1.5 / (7 / 3)), 4)
    assert shared.reason is not None
    assert "3 of 4 items share their weight among several labels" in shared.reason
    assert shared.method != "wilson"
    # An item without a label is in no category, and no category is empty.
    assert {row.stratum.get("category") for row in estimates} == {
        None, "laterality", "extent", "adjacency"
    }  # fmt: skip


def test_shared_weights_add_up_to_the_items_that_have_labels(open_plan, make_score):
    rng = np.random.default_rng(1)
    labels = ["a", "b", "c", "d"]
    planned = [
        _line(str(n), "where", "; ".join(rng.choice(labels, rng.integers(1, 5), replace=False)))
        for n in range(200)
    ]
    values = (rng.random(200) < 0.4).astype(float)
    scores = [make_score(str(n), value, metric="jury_accuracy") for n, value in enumerate(values)]
    estimates = estimate(scores, planned, open_plan)
    shared = [row for row in estimates if row.stratum.get(WEIGHTING) == SHARED]
    weights = {
        label: sum(
            1 / len(line.strata["category"].split("; "))
            for line in planned
            if label in line.strata["category"]
        )
        for label in labels
    }
    total = sum(row.value * weights[row.stratum["category"]] for row in shared)
    assert total / sum(weights.values()) == pytest.approx(values.mean())


# ---------------------------------------------------------------- BLEU of a corpus

_TEXTS = (
    ("The nodule is in the left lung.", "The nodule is located in the right lung."),
    ("No.", "No, there is no pleural effusion."),
    ("In the left lower lobe, near the pleura", "In the left lower lobe near the pleura."),
    ("", "Both lungs."),
    ("the heart is enlarged on the left side", "The heart is enlarged."),
)


def _texts(planned):
    responses = [
        Response(run="run", item=str(n), request_hash=str(n), status=Status.OK, text=text)
        for n, (text, _) in enumerate(_TEXTS)
    ]
    references = {str(n): Reference(item=str(n), answer=text) for n, (_, text) in enumerate(_TEXTS)}
    return text_pairs(planned, responses, references)


def test_bleu_of_a_stratum_is_that_of_its_texts(planned, open_plan):
    estimates = estimate([], planned, open_plan, texts=_texts(planned))
    total = _pick(estimates, "bleu", "published")
    used = [pair for pair in _TEXTS if pair[0]]
    theirs = BLEU().corpus_score(
        [one.lower() for one, _ in used], [[two.lower() for _, two in used]]
    )
    assert total.value == pytest.approx(theirs.score, abs=1e-12)
    assert (total.n, total.n_answered, total.n_clusters) == (4, 4, 4)
    assert total.reason is not None
    assert "1 of 6 items have no response yet" in total.reason
    assert "1 of 6 items have no value and are left out" in total.reason
    assert total.method == "bounded cluster jackknife (patient)"
    closed = _pick(estimates, "bleu", "published", form="yes-no")
    theirs = BLEU().corpus_score(
        [one.lower() for one, _ in _TEXTS[:2]], [[two.lower() for _, two in _TEXTS[:2]]]
    )
    assert closed.value == pytest.approx(theirs.score, abs=1e-12)
    assert _pick(estimates, "bleu", "published", form="open").status is Status.UNDEFINED


def test_without_texts_there_is_no_bleu(planned, open_plan):
    assert not [row for row in estimate([], planned, open_plan) if row.metric == "bleu"]


def test_a_failed_reply_and_an_unusable_reference_have_no_text(planned):
    responses = [
        Response(run="r", item="0", request_hash="0", status=Status.FAILED, text="half a rep"),
        Response(run="r", item="1", request_hash="1", status=Status.OK, text="left"),
    ]
    references = {"1": Reference(item="1", answer="left", problem="two answers")}
    assert text_pairs(planned, responses, references) == {
        ("0", 0): (None, None),
        ("1", 0): ("left", None),
    }


@pytest.mark.slow
def test_the_interval_of_bleu_covers(open_plan) -> None:
    """Draw corpora from a large one whose BLEU is known; patients answer alike."""
    rng = np.random.default_rng(4)
    words = np.array(list("abcdefghijkl"))

    def corpus(n_patients):
        planned, texts = [], {}
        for patient in range(n_patients):
            skill = rng.random()
            for question in range(3):
                name = f"{patient}/{question}"
                right = rng.choice(words, 9)
                said = np.where(rng.random(9) < skill, right, rng.choice(words, 9))
                planned.append(_line(name, "where", patient=str(patient)))
                texts[name, 0] = (" ".join(said), " ".join(right))
        return planned, texts

    plan = dataclasses.replace(open_plan, also=(CORPUS,), strata=((),), cells=())
    planned, texts = corpus(3000)
    truth = _pick(estimate([], planned, plan, texts=texts), "bleu", "published").value
    covered = 0
    for _ in range(100):
        planned, texts = corpus(40)
        found = _pick(estimate([], planned, plan, texts=texts), "bleu", "published")
        assert found.low is not None
        assert found.high is not None
        assert truth is not None
        covered += found.low <= truth <= found.high
    assert 88 <= covered <= 99


def test_two_verdicts_of_one_jury_on_one_item_are_refused(planned, open_plan, make_score):
    twice = [make_score("0", 1.0, metric="jury_accuracy") for _ in range(2)]
    with pytest.raises(UsageError, match=r"two of jury_accuracy \(honest\) for item '0'"):
        estimate(twice, planned, open_plan)


# ---------------------------------------------------------------- released predictions

RELEASE = Path(os.environ.get("OVERREAD_DATA") or "no such folder") / "ct_spatialvqa"


@pytest.mark.data
@pytest.mark.parametrize(
    ("model", "bleu", "n"),
    [("radfm", 16.457095166271824, 9077), ("m3d", 1.075053407972095, 9045)],
)
def test_bleu_of_released_predictions(released_data: Path, open_plan, model, bleu, n) -> None:
    path = RELEASE / "predictions" / f"{model}_predictions_full.jsonl"
    if not path.is_file():
        pytest.skip(f"no released predictions at {path}")
    rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    patients = [Path(row["image_path"]).name.split("_")[1] for row in rows]
    planned = [_line(str(n), "open", patient=patient) for n, patient in enumerate(patients)]
    texts = {(str(n), 0): (row["prediction"], row["answer"]) for n, row in enumerate(rows)}
    plan = dataclasses.replace(open_plan, also=(CORPUS,), strata=((),), cells=())
    found = _pick(estimate([], planned, plan, texts=texts), "bleu", "published")
    assert found.value == pytest.approx(bleu, abs=1e-9)
    assert (found.n, found.n_clusters) == (n, 1300)
    assert found.low is not None
    assert found.high is not None
    assert found.low < bleu < found.high


def test_an_item_that_never_has_a_label_does_not_lack_it(make_score) -> None:
    # One task of two has hepatic veins: over all items theirs is the mean of that task's alone.
    planned = [_line(str(n), "Task02" if n < 2 else "Task01") for n in range(4)]
    scores = [
        make_score("0", 0.8, metric="dice", target="hepatic"),
        make_score("1", None, metric="dice", target="hepatic", status=Status.FAILED),
        *(make_score(str(n), 0.5, metric="dice", target="vessel") for n in (2, 3)),
    ]
    plan = AnalysisPlan(
        strata=((),), cells=("form",), cluster="patient", headline="none", bootstrap_draws=50,
        also=(AlsoMetric(metric="dice", is_share=True, drops=(Status.UNDEFINED,)),),
    )  # fmt: skip
    found = estimate(scores, planned, plan)
    hepatic = _pick(found, "dice", target="hepatic")
    assert (hepatic.value, hepatic.n) == (0.4, 2)
    assert _pick(found, "dice", target="vessel").value == 0.5
