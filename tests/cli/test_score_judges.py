"""`overread score … --judge`, on a release of three questions in CT-SpatialVQA's layout."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from overread.cli import main
from overread.models.fake.script import read_script
from overread.models.fake.server import FakeServer
from overread.records import Estimate
from overread.store.run_store import RunStore

PAIRS = {
    "valid_1_a_1.nii.gz": [
        ("On which side is the effusion?", "On the left side.", "on the left side"),
        ("Is the effusion on the left?", "Yes", "No"),
    ],
    "valid_2_a_1.nii.gz": [("Are both lungs affected?", "Yes, both.", "Yes. Both!")],
    "valid_3_a_1.nii.gz": [("Where is the nodule?", "In the right upper lobe.", "Left")],
}


def call(*arguments: str | Path) -> int:
    with pytest.raises(SystemExit) as stop:
        main([str(argument) for argument in arguments])
    return int(stop.value.code or 0)


@pytest.fixture
def release(tmp_path: Path) -> Path:
    root = tmp_path / "release"
    root.mkdir()
    pairs = {
        case: {"qa_pairs": [{"question": q, "answer": a} for q, a, _ in rows]}
        for case, rows in PAIRS.items()
    }
    (root / "spatial_qa_filtered_full.json").write_text(json.dumps(pairs))
    return root


@pytest.fixture
def predictions(tmp_path: Path) -> Path:
    path = tmp_path / "answers.jsonl"
    rows = [
        {"image_path": f"/x/{case}", "question": q, "answer": a, "prediction": p}
        for case, pairs in PAIRS.items()
        for q, a, p in pairs
    ]
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    return path


@pytest.fixture
def run(release: Path, predictions: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    assert call("score", "ct-spatialvqa", release, "--predictions", predictions) == 0
    capsys.readouterr()
    return predictions.with_name("answers.ct-spatialvqa.sqlite")


def total(output: dict[str, Any], metric: str, profile: str = "honest") -> dict[str, Any]:
    (found,) = (
        each
        for each in output["estimates"]
        if each["metric"] == metric and each["profile"] == profile and not each["stratum"]
    )
    return found


def test_a_run_is_judged_and_says_by_whom(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    judges = (
        "--judge",
        "fake:judge=exact",
        "--judge",
        "fake:judge=no",
        "--judge",
        "fake:judge=yes",
    )
    assert call("score", run, *judges) == 0
    shown = capsys.readouterr()
    for words in ("jury accuracy", "Judges, honest profile, form fenced-2", "Cohen's kappa"):
        assert words in shown.out
    assert "Fleiss' kappa: " in shown.out
    assert "4 answers judged by 3; 12 requests now, 0 without a reply" in shown.err

    assert call("score", run, "--json") == 0  # nobody is asked, and the votes are still there
    output = json.loads(capsys.readouterr().out)
    assert total(output, "jury_accuracy")["value"] == pytest.approx(2 / 4)
    (jury,) = output["judges"]
    assert (jury["profile"], jury["form"]) == ("honest", "fenced-2")
    assert [
        (each["judge"], each["n"], each["n_asked"], each["n_read"], each["n_yes"])
        for each in jury["judges"]
    ] == [
        ("fake:judge-exact", 4, 4, 4, 2),
        ("fake:judge-no", 4, 4, 4, 0),
        ("fake:judge-yes", 4, 4, 4, 4),
    ]
    kappas = {(p["first"], p["second"]): p["percent"]["value"] for p in jury["pairs"]}
    assert kappas[("fake:judge-exact", "fake:judge-yes")] == 0.5
    assert kappas[("fake:judge-no", "fake:judge-yes")] == 0.0
    # Fleiss by hand: all items 2:1, so P = 1/3; 6 of 12 yes, so P_e = 1/2: (1/3 - 1/2) / (1/2).
    assert jury["fleiss_kappa"]["value"] == pytest.approx(-1 / 3)


def test_both_profiles_stand_side_by_side(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    three = ("--judge", "fake:judge=exact", "--judge", "fake:judge=no", "--judge", "fake:judge=yes")
    assert call("score", run, "--judge", "fake:judge=exact") == 0
    assert call("score", run, *three, "--judge-profile", "published") == 0
    capsys.readouterr()
    assert call("score", run, "--json") == 0
    output = json.loads(capsys.readouterr().out)
    assert [each["profile"] for each in output["judges"]] == ["published", "honest"]
    assert total(output, "jury_accuracy", "published")["value"] == pytest.approx(0.5)
    assert total(output, "jury_accuracy", "honest")["value"] == pytest.approx(0.5)


def test_predictions_are_judged_in_one_command(
    release: Path, predictions: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ("score", "ct-spatialvqa", release, "--predictions", predictions, "--json")
    assert call(*arguments, "--judge", "fake:judge=yes") == 0
    output = json.loads(capsys.readouterr().out)
    assert total(output, "jury_accuracy")["value"] == 1.0
    assert output["judges"][0]["pairs"] == []
    assert output["judges"][0]["fleiss_kappa"] is None


def test_several_files_are_one_json_list(
    release: Path, predictions: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = predictions.with_name("other.jsonl")
    other.write_bytes(predictions.read_bytes())
    files = ("--predictions", predictions, "--predictions", other)
    assert (
        call("score", "ct-spatialvqa", release, *files, "--judge", "fake:judge=no", "--json") == 0
    )
    shown = json.loads(capsys.readouterr().out)
    assert [total(each, "jury_accuracy")["value"] for each in shown] == [0.0, 0.0]
    assert len({each["run"] for each in shown}) == 2


def test_people_calibrate_the_judges(
    run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    labels = tmp_path / "labels.csv"
    rows = [("valid_1_a_1.nii.gz::0", "right"), ("valid_1_a_1.nii.gz::1", "wrong")]
    rows += [("valid_2_a_1.nii.gz::0", "right"), ("valid_3_a_1.nii.gz::0", "right")]
    rows += [("x", "right"), ("valid_3_a_1.nii.gz::0", "perhaps")]
    labels.write_text("item,label\n" + "".join(f"{item},{label}\n" for item, label in rows))
    judged = ("--judge", "fake:judge=exact", "--human", labels)
    assert call("score", run, *judged, "--json") == 0
    output = json.loads(capsys.readouterr().out)
    evidence = {finding["code"]: finding["evidence"] for finding in output["findings"]}
    assert evidence["unknown-item"] == "labels of no item of this run: 1 ('row 6: x')"
    assert evidence["unreadable-label"] == (
        "labels neither right nor wrong: 1 ('row 7: perhaps for valid_3_a_1.nii.gz::0')"
    )
    by_judge = {each["judge"]: each for each in output["judges"][0]["calibration"]}
    assert set(by_judge) == {"fake:judge-exact", "jury_accuracy"}
    exact = by_judge["fake:judge-exact"]
    assert (exact["judged"], exact["value"], exact["n_labelled"]) == (0.5, None, 4)
    assert (exact["sensitivity"], exact["cohen_kappa"]["value"]) == (None, None)
    assert exact["reason"] == "4 labels: fewer than 10 carry no correction"
    assert call("score", run, *judged) == 0
    shown = capsys.readouterr().out
    assert "Against people" in shown
    assert "fewer than 10 carry no correction" in " ".join(shown.split())


@pytest.mark.parametrize("people", ["side with the judge", "side against it"])
def test_twelve_labels_correct_a_judge_or_refuse_it(
    people: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    root, file = tmp_path / "release", tmp_path / "answers.jsonl"
    root.mkdir()
    cases = {f"valid_{n}_a_1.nii.gz": "right" if n % 2 else "wrong" for n in range(12)}
    question, answer = "Where is the nodule?", "In the left lung."
    pairs = {case: {"qa_pairs": [{"question": question, "answer": answer}]} for case in cases}
    (root / "spatial_qa_filtered_full.json").write_text(json.dumps(pairs))
    told = {"right": answer, "wrong": "In the spleen."}
    file.write_text(
        "".join(
            json.dumps(
                {
                    "image_path": case,
                    "question": question,
                    "answer": answer,
                    "prediction": told[is_],
                }
            )
            + "\n"
            for case, is_ in cases.items()
        )
    )
    other = {"right": "wrong", "wrong": "right"}
    labels = tmp_path / "labels.csv"
    labels.write_text(
        "item,label\n"
        + "".join(
            f"{case}::0,{is_ if people == 'side with the judge' else other[is_]}\n"
            for case, is_ in cases.items()
        )
    )
    arguments = ("score", "ct-spatialvqa", root, "--predictions", file, "--human", labels)
    assert call(*arguments, "--judge", "fake:judge=exact", "--json") == 0
    output = json.loads(capsys.readouterr().out)
    for each in output["judges"][0]["calibration"]:
        assert (each["judged"], each["n_labelled"]) == (0.5, 12)
        if people == "side with the judge":
            assert (each["value"], each["sensitivity"], each["specificity"]) == (0.5, 1.0, 1.0)
        else:
            assert (each["value"], each["low"], each["sensitivity"]) == (None, None, 0.0)
            assert "no better than a coin" in each["reason"]


def test_people_without_judges_are_refused(
    run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "labels.csv").write_text("item,label\n")
    before = run.read_bytes()
    assert call("score", run, "--human", tmp_path / "labels.csv") == 2
    assert "--human: expected a run whose answers were judged" in capsys.readouterr().err
    assert run.read_bytes() == before


def test_people_may_come_after_the_judges(
    run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert call("score", run, "--judge", "fake:judge=exact") == 0
    (tmp_path / "labels.csv").write_text("item,label\nvalid_2_a_1.nii.gz::0,right\n")
    capsys.readouterr()
    assert call("score", run, "--human", tmp_path / "labels.csv", "--json") == 0
    (jury,) = json.loads(capsys.readouterr().out)["judges"]
    assert jury["calibration"][0]["n_labelled"] == 1


def test_people_without_judges_are_refused_before_a_file_is_joined(
    release: Path, predictions: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "labels.csv").write_text("item,label\n")
    arguments = ("score", "ct-spatialvqa", release, "--predictions", predictions)
    assert call(*arguments, "--human", tmp_path / "labels.csv") == 2
    assert "--human: expected a run whose answers were judged" in capsys.readouterr().err
    assert not predictions.with_name("answers.ct-spatialvqa.sqlite").exists()


@pytest.mark.parametrize(
    "option", [("--retry",), ("--base-url", "http://h/v1"), ("--judge-profile", "published")]
)
def test_options_of_judges_need_a_judge(
    run: Path, option: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    assert call("score", run, *option) == 2
    said = capsys.readouterr().err
    assert f"{option[0]}: expected judges to ask, got" in said
    assert f"or leave {option[0]} out" in said


@pytest.mark.parametrize("profile", ["honest", "published"])
def test_a_judge_that_nobody_can_read_gives_status_1_and_no_share(
    run: Path, profile: str, capsys: pytest.CaptureFixture[str]
) -> None:
    judges = ("--judge", "fake:judge=prose", "--judge", "fake:judge=yes")
    for _ in range(2):  # the second start asks nothing, and nothing has become better
        assert call("score", run, *judges, "--judge-profile", profile) == 1
        last = " ".join(capsys.readouterr().err.splitlines()[-1:])
        assert "scored again from the stored answers. No vote of fake:judge-prose could be" in last
        assert "judge-yes" not in last
    jury = ("--judge", "fake:judge=prose", "--judge", "fake:judge=yes", "--judge", "fake:judge=no")
    assert call("score", run, *jury, "--judge-profile", profile) == 1
    shown = " ".join(capsys.readouterr().out.split())
    assert "Fleiss' kappa: – (no item was rated by all 3 raters)" in shown
    assert call("score", run, *judges, "--judge-profile", profile) == 1
    capsys.readouterr()
    assert call("score", run, "--json") == 0
    output = json.loads(capsys.readouterr().out)
    by_judge = {
        each["stratum"]["judge"]: each
        for each in output["estimates"]
        if each["metric"] == "judge_accuracy"
        and each["profile"] == profile
        and each["stratum"].keys() == {"judge"}
    }
    assert (by_judge["fake:judge-prose"]["value"], by_judge["fake:judge-prose"]["n"]) == (None, 0)
    assert "none of 4 items has a value: " in by_judge["fake:judge-prose"]["reason"]
    assert by_judge["fake:judge-yes"]["value"] == 1.0


def test_answers_that_are_judged_are_scored_once(
    release: Path, predictions: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scored: list[int] = []
    replace = RunStore.replace_estimates

    def count(store: RunStore, estimates: Iterable[Estimate]) -> None:
        rows = list(estimates)
        scored.append(len(rows))
        replace(store, rows)

    monkeypatch.setattr(RunStore, "replace_estimates", count)
    arguments = ("score", "ct-spatialvqa", release, "--predictions", predictions)
    assert call(*arguments, "--judge", "fake:judge=yes") == 0
    assert sum(n > 0 for n in scored) == 1
    assert call(*arguments) == 0
    assert sum(n > 0 for n in scored) == 2


def test_answers_are_scored_without_judges_that_cannot_be_asked(
    release: Path, predictions: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ("score", "ct-spatialvqa", release, "--predictions", predictions)
    assert call(*arguments, "--judge", "nosuch:judge") == 2
    with RunStore.open(predictions.with_name("answers.ct-spatialvqa.sqlite")) as store:
        assert {each.metric for each in store.estimates()} >= {"rule_accuracy", "rougeL"}
    capsys.readouterr()


def test_a_wrong_key_is_said_and_leaves_the_scores(
    run: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with FakeServer(read_script("key=right")) as server:
        assert call("score", run, "--judge", "chat:judge", "--base-url", server.base_url) == 3
    assert "OPENAI_API_KEY" in capsys.readouterr().err
    assert call("report", run, run.with_name("report")) == 0


def test_requests_without_a_reply_give_status_1_and_are_asked_again(
    run: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with FakeServer(read_script("queue=ok+400")) as server:
        judge = ("--judge", "chat:judge", "--base-url", server.base_url, "--max-retries", "0")
        assert call("score", run, *judge) == 1
        assert "4 requests now, 1 without a reply. The same command asks" in capsys.readouterr().err
        assert call("score", run, *judge) == 0
        assert "1 requests now, 0 without a reply" in capsys.readouterr().err


def test_a_benchmark_with_letters_has_no_judges(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert call("synth", "ct-bench", tmp_path / "ct", "--lesions", "24") == 0
    (tmp_path / "p.jsonl").write_text('{"item": "x", "answer": "A"}\n')
    arguments = ("score", "ct-bench", tmp_path / "ct", "--predictions", tmp_path / "p.jsonl")
    capsys.readouterr()
    assert call(*arguments, "--judge", "fake") == 2
    assert "--judge: expected a benchmark with open answers" in capsys.readouterr().err


@pytest.mark.parametrize("option", ["--concurrency", "--max-tokens", "--timeout-s"])
def test_numbers_below_their_least_are_refused(
    run: Path, option: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert call("score", run, "--judge", "fake", option, "0") == 2
    assert f"{option}: expected a number of" in capsys.readouterr().err
