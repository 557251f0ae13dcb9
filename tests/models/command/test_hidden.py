from __future__ import annotations

import pytest

from overread.models.command.hidden import without_secrets


@pytest.mark.parametrize(
    "argv",
    [
        ["--api-key", "hunter2"],
        ["--api_key=hunter2"],
        ["--openai-key", "hunter2"],
        ["--key=hunter2"],
        ["OPENAI_API_KEY=hunter2"],
        ["env HF_TOKEN=hunter2 python mine.py"],
        ["command:python mine.py --password 'hunter2 and more'"],
        ["--passwd", "hunter2"],
        ["https://me:hunter2@host/v1"],
        ["https://host/v1?code=hunter2"],
        ["sk-proj-hunter2hunter2"],
        ["hf_hunter2hunter2hunter2"],
        ["--header", "Bearer gsk_hunter2hunter2hunter2"],
    ],
)
def test_what_is_secret_is_hidden(argv: list[str]) -> None:
    shown = " ".join(without_secrets(argv))
    assert "hunter2" not in shown
    assert "[hidden]" in shown


@pytest.mark.parametrize(
    "argv",
    [
        ["hf_medgemma_27b_run.py", "--tokens", "9", "--tokenizer", "a"],
        ["python sk_model.py --key-slice 3 --monkey 2"],
        ["--keyboard", "us", "-k", "3"],
        ["https://host:8000/v1"],
    ],
)
def test_what_is_not_stays(argv: list[str]) -> None:
    assert list(without_secrets(argv)) == argv


def test_an_option_after_a_secret_one_is_no_secret() -> None:
    argv = ["--use-token", "--seed", "3", "--token", "hunter2", "last"]
    assert list(without_secrets(argv)) == [
        "--use-token", "--seed", "3", "--token", "[hidden]", "last"
    ]  # fmt: skip
