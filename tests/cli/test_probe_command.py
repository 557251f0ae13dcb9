from __future__ import annotations

import json
from pathlib import Path

import pytest

from overread.cli import main
from overread.registry import find_benchmark
from overread.report.collect import collect


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("probed") / "release"
    find_benchmark("ct-bench").synthesise(made, seed=5, size=24)
    return made


def status_of(*arguments: object) -> int:
    with pytest.raises(SystemExit) as left:
        main([str(argument) for argument in arguments])
    return int(left.value.code or 0)


def test_a_probe_writes_runs_a_page_and_json(
    root: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "probe"
    arguments = ("probe", "ct-bench", root, "-m", "constant:A", "--limit", 13, "-o", out,
                 "--only", "shuffled-options", "--only", "wrong-window")  # fmt: skip
    assert status_of(*arguments) == 0
    said = capsys.readouterr().out
    assert "As released the score is" in said
    assert "applies to no question here" in said
    assert sorted(path.name for path in out.iterdir()) == [
        "original.sqlite", "probe.html", "probe.json", "shuffled-options.sqlite",
    ]  # fmt: skip
    assert status_of(*arguments, "--json") == 0
    printed = capsys.readouterr()
    value = json.loads(printed.out)
    assert value["model"] == "constant:A"
    assert [arm["arm"] for arm in value["arms"]] == ["shuffled-options"]
    assert "Asked 0 questions" in printed.err
    written = json.loads((out / "probe.json").read_text("utf-8"))
    assert {**written, "created": ""} == {**value, "created": ""}


def test_arms_are_runs_for_every_other_command(
    root: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "probe"
    assert status_of("probe", "ct-bench", root, "-m", "constant:A", "--limit", 26, "-o", out,
                     "--only", "shuffled-options", "--only", "mirror") == 0  # fmt: skip
    runs = [out / "original.sqlite", out / "shuffled-options.sqlite", out / "mirror.sqlite"]
    before = json.loads((out / "probe.json").read_text("utf-8"))["arms"][0]["changed"]
    capsys.readouterr()
    assert status_of("score", runs[1], "--json") == 0
    estimates = json.loads(capsys.readouterr().out)["estimates"]
    total = next(
        one for one in estimates
        if one["metric"] == "accuracy" and one["profile"] == "honest" and not one["stratum"]
    )  # fmt: skip
    assert total["value"] == pytest.approx(before)
    assert status_of("compare", *runs) == 0
    assert status_of("report", *runs, tmp_path / "report") == 0
    page = (tmp_path / "report" / "index.html").read_text("utf-8")
    assert "constant:A, shuffled-options" in page
    assert "pictures-changed" not in page
    assert status_of("export", runs[1], tmp_path / "tables") == 0
    # In a joint report each run's answer is marked among the options as that run had them.
    data, _ = collect(runs[:2], release=None, title=None)
    shuffled = data.runs[1].manifest.run
    assert any(entry.moved for entry in data.gallery)
    for entry in data.gallery:
        right = [
            next(o for o in item.options if o.letter == reference.answer)
            for item, reference in (
                (entry.item, entry.reference),
                (entry.shown_to(shuffled), entry.answer_for(shuffled)),
            )
        ]
        assert (right[0].text, right[0].media) == (right[1].text, right[1].media)


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (("--only", "mirorr"), "overread list perturbations"),
        (("--only", "mirror", "--only", "mirror"), "each once"),
        (("--probe-seed", "-1"), "--probe-seed"),
        (("--limit", "0"), "--limit"),
    ],
)
def test_wrong_use_is_told_before_anything_is_asked(
    more: tuple[str, ...], said: str, root: Path, tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    out = tmp_path / "probe"
    assert status_of("probe", "ct-bench", root, "-m", "constant:A", "-o", out, *more) == 2
    assert said in capsys.readouterr().err
    assert not out.exists()


def test_stored_answers_cannot_be_probed(
    root: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    stored = tmp_path / "answers.jsonl"
    stored.write_text('{"id": "x", "prediction": "A"}\n')
    status = status_of(
        "probe", "ct-bench", root, "-m", f"predictions:{stored}", "-o", tmp_path / "p", "--limit", 3
    )
    assert status in (1, 2)
    assert "predictions" in capsys.readouterr().err


def test_perturbations_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert status_of("list", "perturbations", "--json") == 0
    listed = json.loads(capsys.readouterr().out)
    assert {"no-image", "shuffled-options", "mirror"} <= {row["name"] for row in listed}
