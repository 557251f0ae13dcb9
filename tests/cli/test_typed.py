import sys

import pytest

from overread.cli import main
from overread.cli.typed import typed_command


@pytest.mark.parametrize(
    "arguments",
    [
        ["run", "--base-url", "https://user:hunter2@host/v1"],
        ["run", "--base-url=https://host/v1?api-version=2&api-key=hunter2"],
        ["run", "--model", "command:python mine.py --api-key hunter2"],
        ["run", "--model", "command:python mine.py --api_key='hunter2'"],
        ["run", "--model", "command:env HF_TOKEN=hunter2 python mine.py"],
        ["run", "--model", "command:python mine.py --password=hunter2"],
        ["run", "--model", "command:python mine.py --openai-key hunter2"],
        ["run", "--model", "command:python mine.py sk-hunter2hunter2"],
    ],
)
def test_nothing_secret_is_written_down(arguments):
    typed = typed_command(arguments)
    assert "hunter2" not in typed
    assert "[hidden]" in typed


@pytest.mark.parametrize(
    "arguments",
    [
        ["run", "ct-bench", "/data/CT-Bench", "--model", "chat:google/medgemma-4b-it"],
        ["run", "--max-tokens", "1000", "--base-url", "http://127.0.0.1:8000/v1"],
        ["run", "--model", "command:python tokenizer.py --tokens 9 --key-slice 3"],
        ["score", "ct-bench", "release", "--predictions", "a b.jsonl"],
    ],
)
def test_everything_else_stays_as_typed(arguments):
    assert "[hidden]" not in typed_command(arguments)


def test_a_run_file_holds_no_password_of_its_command(tmp_path, monkeypatch):
    release, run = tmp_path / "release", tmp_path / "run.sqlite"
    program = tmp_path / "mine.py"
    program.write_text(
        "import json, sys\n"
        "for line in sys.stdin:\n"
        "    name = json.loads(line)['id']\n"
        "    print(json.dumps({'id': name, 'text': 'A'}), flush=True)\n"
    )
    model = f"command:{sys.executable} {program} --api-key hunter2"
    commands = (
        ["synth", "ct-bench", str(release), "--lesions", "24"],
        ["run", "ct-bench", str(release), "--model", model, "--limit", "2", "--out", str(run)],
    )
    for arguments in commands:
        monkeypatch.setattr(sys, "argv", ["overread", *arguments])
        with pytest.raises(SystemExit) as stop:
            main(arguments)
        assert not stop.value.code
    assert b"hunter2" not in run.read_bytes()
    assert b"--api-key [hidden]" in run.read_bytes()
