"""The commands as a user types them, each in a process of its own where start-up matters."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from overread.cli import main


@pytest.fixture(scope="session")
def release(tmp_path_factory):
    root = tmp_path_factory.mktemp("cli") / "release"
    assert call("synth", "ct-bench", str(root), "--lesions", "40", "--seed", "3") == 0
    return root


def call(*arguments: str) -> int:
    with pytest.raises(SystemExit) as stop:
        main(arguments)
    return int(stop.value.code or 0)


def test_help_names_every_command_and_imports_none():
    code = (
        "import sys; from overread.cli import main\n"
        "try: main(['--help'])\n"
        "except SystemExit: pass\n"
        "heavy = {'numpy', 'scipy', 'polars', 'openai', 'PIL', 'pydantic', 'skimage'}\n"
        "assert not heavy & set(sys.modules), heavy & set(sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    for command in ("demo", "list", "synth", "check", "run", "score", "compare", "build", "report"):
        assert command in done.stdout


def test_importing_overread_is_light():
    code = (
        "import sys, overread, overread.records, overread.contracts, overread.registry\n"
        "heavy = {'numpy', 'scipy', 'polars', 'openai', 'PIL', 'rich', 'asyncio'}\n"
        "assert not heavy & set(sys.modules), heavy & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize("what", ["benchmarks", "models"])
def test_list(what, capsys):
    assert call("list", what, "--json") == 0
    rows = json.loads(capsys.readouterr().out)
    assert {row.get("name") or row.get("adapter") for row in rows} >= (
        {"ct-bench"} if what == "benchmarks" else {"chat", "fake", "predictions", "baselines"}
    )


def test_check_prints_counts_floors_and_findings(release, capsys):
    assert call("check", "ct-bench", str(release)) == 0
    out = capsys.readouterr().out
    for words in ("txt2bbox, box", "1900", "longest option", "question-counts"):
        assert words in out
    assert call("check", "ct-bench", str(release), "--json") == 0
    check = json.loads(capsys.readouterr().out)
    assert check["splits"][0]["total"]["n_expected"] == 1900


def test_check_of_a_broken_release_exits_1(release, tmp_path, capsys):
    import shutil

    root = tmp_path / "broken"
    shutil.copytree(release, root)
    next((root / "llm/test").rglob("*.png")).write_bytes(b"no picture")
    assert call("check", "ct-bench", str(root)) == 1
    assert "unreadable-image" in capsys.readouterr().out


def test_run_score_compare_report_export(release, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert call("run", "ct-bench", str(release), "--model", "chance", "--out", "a.sqlite") == 0
    assert "blind" in capsys.readouterr().out
    arguments = ("run", "ct-bench", str(release), "-m", "longest", "-o", "b.sqlite", "--json")
    assert call(*arguments) == 0
    run = json.loads(capsys.readouterr().out)
    assert set(run) == {"run", "estimates", "findings"}
    assert set(run["estimates"][0]) >= {
        "metric", "profile", "stratum", "n", "n_answered", "value", "low", "high", "chance",
        "blind_floor", "published",
    }  # fmt: skip
    assert call("score", "a.sqlite", "--json") == 0
    capsys.readouterr()
    assert call("compare", "a.sqlite", "b.sqlite", "--json") == 0
    (pair,) = json.loads(capsys.readouterr().out)["pairs"]
    assert pair["n"] == pair["both"] + pair["only_first"] + pair["only_second"] + pair["neither"]
    assert call("report", "a.sqlite", "b.sqlite", "report") == 0
    for name in ("index.html", "report.md", "report.json"):
        assert (tmp_path / "report" / name).stat().st_size > 500
    for kind in ("parquet", "jsonl"):
        assert call("export", "a.sqlite", f"tables-{kind}", "--format", kind) == 0
        assert list((tmp_path / f"tables-{kind}").glob(f"*.{kind}"))


def test_runs_of_two_releases_are_not_compared(release, tmp_path, capsys):
    # The ids are much the same in both, and name other questions.
    other = tmp_path / "other"
    assert call("synth", "ct-bench", str(other), "--lesions", "40", "--seed", "4") == 0
    runs = [str(tmp_path / "a.sqlite"), str(tmp_path / "b.sqlite")]
    for root, run in zip((release, other), runs, strict=True):
        assert call("run", "ct-bench", str(root), "--model", "chance", "--out", run) == 0
    capsys.readouterr()
    assert call("compare", *runs) == 2
    assert "different runs of one ct-bench release" in capsys.readouterr().err
    assert call("compare", runs[0], runs[0]) == 2
    assert "given twice" in capsys.readouterr().err


def test_predictions_are_scored_by_key(release, tmp_path, capsys):
    from overread.contracts import Selection
    from overread.registry import find_benchmark

    opened = find_benchmark("ct-bench").open(release)
    items = list(opened.items(Selection()))
    file = tmp_path / "answers.jsonl"
    lines = [
        json.dumps({"item": item.id, "answer": opened.reference(item.id).answer})
        for item in reversed(items[1:])
    ]
    file.write_text("\n".join(lines))
    status = call("score", "ct-bench", str(release), "--predictions", str(file), "--json")
    assert status == 1  # one question has no answer in the file
    run = json.loads(capsys.readouterr().out)
    (total,) = [
        each
        for each in run["estimates"]
        if each["metric"] == "accuracy" and each["profile"] == "honest" and not each["stratum"]
    ]
    assert total["n"] == len(items)
    assert total["n_answered"] == len(items) - 1
    assert total["value"] == pytest.approx((len(items) - 1) / len(items))


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("run", "ct-bench", "nowhere", "--model", "chance"), "RELEASE: expected"),
        (("run", "ct-bench", "{release}", "--model", "oracle"), "--model: expected"),
        (("run", "mri-bench", "{release}", "--model", "chance"), "benchmark: expected one of"),
        (("run", "ct-bench", "{release}", "--model", "chance", "--limit", "0"), "--limit"),
        (("run", "ct-bench", "{release}", "-m", "fake", "--temperature", "nan"), "--temperature"),
        (("score", "ct-bench", "{release}"), "--predictions: expected"),
        (("check", "ct-bench", "{tmp}"), "qa_llm.json"),
        (("synth", "ct-bench", "{release}"), "OUT: expected a new or empty folder"),
        (("score", "nothing.sqlite"), "RUN: expected"),
        (("compare", "one.sqlite"), "RUN RUN"),
        (("report", "{release}"), "RUN... OUT"),
        (("export", "{release}/Metadata.csv", "{tmp}/out"), "Metadata.csv"),
    ],
)
def test_wrong_use_exits_2_and_says_what_to_do(arguments, words, release, tmp_path, capsys):
    shown = [word.format(release=release, tmp=tmp_path) for word in arguments]
    assert call(*shown) == 2
    assert words in capsys.readouterr().err


def test_unknown_words_exit_2():
    assert call("frobnicate") == 2
    assert call("run", "--nonsense") == 2


def test_the_module_runs_as_the_command():
    done = subprocess.run(
        [sys.executable, "-m", "overread", "--version"], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "0.1.0"


@pytest.mark.slow
def test_demo_leaves_a_report_and_goes_on_with_what_is_there(tmp_path, capsys):
    out = tmp_path / "demo"
    assert call("demo", "--out", str(out), "--lesions", "40") == 0
    first = (out / "report" / "index.html").stat()
    assert first.st_size > 10_000
    assert call("demo", "--out", str(out), "--lesions", "40") == 0
    assert "radiomics" in capsys.readouterr().out
    assert not list(Path(out).glob("*.part"))


@pytest.mark.slow
def test_sigterm_ends_a_run_with_its_answers_and_status_3(release, tmp_path):
    import signal
    import time

    out = tmp_path / "run.sqlite"
    command = [sys.executable, "-m", "overread", "run", "ct-bench", str(release)]
    command += ["--model", "fake:delay=0.3", "--concurrency", "2", "--no-canary", "-o", str(out)]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    deadline = time.monotonic() + 20
    while not out.exists() and time.monotonic() < deadline:
        time.sleep(0.05)
    time.sleep(1.5)
    process.send_signal(signal.SIGTERM)
    _, words = process.communicate(timeout=20)
    assert process.returncode == 3, words
    assert "Stopped." in words


def test_without_a_terminal_progress_is_told_in_lines(capsys, monkeypatch):
    from overread.cli import output
    from overread.run.asking import Progress

    monkeypatch.setattr(output, "_SECONDS_BETWEEN_LINES", 0.0)
    with output.progress_bar("chat:m", quiet=False) as on_progress:
        on_progress(Progress(done=3, total=9, failed=1, note="4 at once"))
    assert "chat:m: 3 of 9 asked, 1 failed (4 at once)" in capsys.readouterr().err
    with output.progress_bar("chat:m", quiet=True) as on_progress:
        on_progress(Progress(done=3, total=9, failed=1))
    assert capsys.readouterr().err == ""


def test_progress_of_scoring_is_told_apart_from_that_of_asking(capsys, monkeypatch):
    from overread.cli import output
    from overread.run.asking import Progress

    monkeypatch.setattr(output, "_SECONDS_BETWEEN_LINES", 0.0)
    with output.progress_bar("masks:m", quiet=False) as on_progress:
        on_progress(Progress(done=3, total=9, failed=1, stage="scored"))
    assert "masks:m: 3 of 9 scored, 1 failed" in capsys.readouterr().err
    with output.progress_bar("scoring", quiet=False, asks=False) as on_progress:
        on_progress(Progress(done=1, total=9, failed=0))  # nobody is asked: files are read
        on_progress(Progress(done=2, total=9, failed=0, stage="scored"))
    assert capsys.readouterr().err.strip() == "scoring: 2 of 9 scored, 0 failed"


def test_a_place_that_cannot_be_written_is_named(release, tmp_path, capsys):
    assert call("run", "ct-bench", str(release), "-m", "chance", "-o", str(tmp_path / "a")) == 0
    capsys.readouterr()
    taken = tmp_path / "taken"
    taken.write_text("a file")
    assert call("report", str(tmp_path / "a"), str(taken)) == 2
    assert str(taken) in capsys.readouterr().err


def test_foreign_text_cannot_move_the_terminal(release, tmp_path, capsys):
    import shutil

    root = tmp_path / "hostile"
    shutil.copytree(release, root)
    questions = json.loads((root / "qa_llm.json").read_text())
    questions[0]["q_type"] = "\x1b[31mred[bold]\x9b2J"
    (root / "qa_llm.json").write_text(json.dumps(questions))
    call("check", "ct-bench", str(root))
    out = capsys.readouterr().out
    assert "\x1b[31m" not in out
    assert "\x9b" not in out
    assert "red[bold]" in out


def test_a_release_that_has_moved_is_asked_for(release, tmp_path, capsys):
    import shutil

    old, new, run = tmp_path / "old", tmp_path / "new", str(tmp_path / "run")
    shutil.copytree(release, old)
    assert call("run", "ct-bench", str(old), "-m", "chance", "-o", run) == 0
    old.rename(new)
    capsys.readouterr()
    assert call("report", run, str(tmp_path / "page")) == 2
    assert "--release FOLDER" in capsys.readouterr().err
    assert call("report", run, str(tmp_path / "page"), "--release", str(new)) == 0
    assert call("score", run, str(new)) == 0


def test_lone_letters_are_choices_under_both_profiles(release, tmp_path, capsys):
    from overread.contracts import Selection
    from overread.registry import find_benchmark

    opened = find_benchmark("ct-bench").open(release)
    rows = [
        {"item": item.id, "answer": opened.reference(item.id).answer}
        for item in opened.items(Selection())
    ]
    file = tmp_path / "letters.json"
    file.write_text(json.dumps(rows))
    assert call("score", "ct-bench", str(release), "--predictions", str(file), "--json") == 0
    run = json.loads(capsys.readouterr().out)
    totals = {e["profile"]: e["value"] for e in run["estimates"]
              if e["metric"] == "accuracy" and not e["stratum"]}  # fmt: skip
    assert totals == {"honest": 1.0, "published": 1.0}
