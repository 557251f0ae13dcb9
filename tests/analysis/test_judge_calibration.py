from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from overread.analysis.judge_calibration import (
    calibrate,
    judged_by_scores,
    judged_by_votes,
    read_labels,
)
from overread.errors import UsageError
from overread.records import PlannedItem, Status, Vote


def _vote(judge: str, item: str, verdict: bool | None) -> Vote:
    return Vote(
        run="run", item=item, profile="honest", judge=judge, judge_hash=judge,
        request_hash=f"{judge}/{item}", verdict=verdict,
        status=Status.UNPARSED if verdict is None else Status.OK,
    )  # fmt: skip


@pytest.fixture
def planned(make_line):
    return [make_line(str(n), patient=f"p{n // 2}") for n in range(200)]


def test_a_lenient_judge_is_corrected(planned, plan) -> None:
    rng = np.random.default_rng(2)
    right = rng.random(200) < 0.4
    yes = right | (rng.random(200) < 0.3)  # it lets three wrong answers of ten pass
    votes = [_vote("lenient", str(n), bool(one)) for n, one in enumerate(yes)]
    labels = {(str(n), 0): bool(right[n]) for n in range(0, 200, 2)}
    (found,) = calibrate(judged_by_votes(votes), labels, planned, plan)
    assert found.judge == "lenient"
    assert found.share.judged == pytest.approx(yes.mean())
    assert found.share.n_labelled == found.share.n_clusters_labelled == 100
    assert found.share.low is not None
    assert found.share.high is not None
    assert found.share.low < right.mean() < found.share.high < yes.mean()
    assert found.kappa.n == 100
    (gladen,) = calibrate(judged_by_votes(votes), labels, planned, plan, method="rogan-gladen")
    assert gladen.share.sensitivity.value == 1.0
    assert gladen.share.value == pytest.approx(found.share.value, abs=0.05)


def test_a_jury_and_judges_are_read_from_score_rows(make_score) -> None:
    scores = [
        make_score("1", 1.0, metric="jury_accuracy"),
        make_score("2", None, metric="jury_accuracy"),
        make_score("1", 0.0, metric="judge_accuracy", target="gpt"),
        make_score("1", 0.0, metric="jury_accuracy", profile="published"),
    ]
    assert judged_by_scores(scores, metric="jury_accuracy", profile="honest") == {
        "jury_accuracy": {("1", 0): True, ("2", 0): None}
    }
    assert judged_by_scores(scores, metric="judge_accuracy", profile="honest") == {
        "gpt": {("1", 0): False}
    }


def test_nothing_labelled_says_so(planned, plan) -> None:
    (found,) = calibrate({"judge": {("1", 0): True}}, {}, planned, plan)
    assert (found.share.value, found.share.reason) == (None, "no item with a verdict has a label")


def test_labels_in_several_words(tmp_path, planned) -> None:
    path = tmp_path / "labels.csv"
    path.write_text(
        "\ufeffitem,label,who\n0,right,a\n1,No,a\n2, TRUE ,b\n3,0,b\n4,,b\n0,yes,c\n", "utf-8"
    )
    read = read_labels(path, planned)
    assert read.labels == {("0", 0): True, ("1", 0): False, ("2", 0): True, ("3", 0): False}
    assert read.findings == ()


def test_what_cannot_be_used_is_left_out_and_reported(tmp_path, planned) -> None:
    path = tmp_path / "labels.csv"
    path.write_text(
        "item,draw,label\n0,0,right\n0,0,wrong\n1,,maybe\n999,0,right\n2,7,right\n3,x,right\n5\n"
        "6,0,right,more,cells\n",
        "utf-8",
    )
    read = read_labels(path, planned)
    assert read.labels == {("6", 0): True}
    assert {found.code: found.count for found in read.findings} == {
        "unknown-item": 3,
        "unreadable-label": 1,
        "contradictory-label": 1,
    }
    assert [found.evidence for found in read.findings] == [
        "labels of no item of this run: 3 ('row 5: 999', 'row 6: 2', 'row 7: 3')",
        "labels neither right nor wrong: 1 ('row 4: maybe for 1')",
        "items called both right and wrong: 1 ('rows 2 and 3: 0')",
    ]


def test_a_label_that_is_none_is_reported_whatever_its_item(tmp_path, planned) -> None:
    path = tmp_path / "labels.csv"
    path.write_text('item,label\n0,right\n\n"nobody",perhaps\n', "utf-8")
    (found,) = read_labels(path, planned).findings
    assert found.evidence == "labels neither right nor wrong: 1 ('row 4: perhaps for nobody')"


def test_two_labels_against_the_judge_correct_nothing(planned, plan) -> None:
    verdicts = {(str(n), 0): n < 170 for n in range(200)}
    labels = {("0", 0): False, ("199", 0): True}
    (found,) = calibrate({"judge": verdicts}, labels, planned, plan)
    assert (found.share.judged, found.share.n_labelled) == (0.85, 2)
    assert (found.share.value, found.share.low, found.share.high) == (None, None, None)
    assert found.share.reason == "2 labels: fewer than 10 carry no correction"
    assert (found.share.sensitivity.value, found.share.specificity.value) == (None, None)
    assert (found.kappa.value, found.kappa.reason) == (None, "fewer than 10 labels")


@pytest.mark.parametrize("content", [b"id,verdict\n1,right\n", b"", b"\xff\xfe\x00", b"item\n1\n"])
def test_another_file_is_refused_with_what_was_expected(tmp_path, planned, content) -> None:
    path = tmp_path / "labels.csv"
    path.write_bytes(content)
    with pytest.raises(UsageError, match="a CSV file in UTF-8 whose header names"):
        read_labels(path, planned)
    with pytest.raises(UsageError, match="whose header names"):
        read_labels(tmp_path / "absent.csv", planned)


@given(content=st.text(max_size=300))
def test_no_text_makes_the_reader_fail_otherwise(tmp_path_factory, content) -> None:
    path = tmp_path_factory.mktemp("labels") / "labels.csv"
    path.write_text("item,label\n" + content, "utf-8", errors="replace", newline="")
    lines = [
        PlannedItem(item=name, request_hash=name, groups={}, strata={}, chance=None)
        for name in "01"
    ]
    try:
        read = read_labels(path, lines)
    except UsageError:
        return
    assert set(read.labels) <= {("0", 0), ("1", 0)}


def test_a_file_that_cannot_be_labels_is_not_read_into_memory(tmp_path, planned) -> None:
    path = tmp_path / "labels.csv"
    with path.open("wb") as file:
        file.truncate(100_000_001)  # sparse: takes no room
    with pytest.raises(UsageError, match="a file of more than 100 MB"):
        read_labels(path, planned)
