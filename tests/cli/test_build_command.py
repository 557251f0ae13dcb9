"""`overread build report-qa` against a chat server of our own that reads what it is asked."""

from __future__ import annotations

import csv
import json
import re
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from cyclopts import App

from overread.benchmarks.ct_spatialvqa import BENCHMARK
from overread.cli.build_command import report_qa_command
from overread.contracts import Selection
from overread.records import Severity

REPORTS = [
    (
        "valid_1_a_1.nii.gz",
        "A nodule lies in the right upper lobe. The aorta is [bold]wide[/].",
        "",
    ),
    ("valid_2_a_1.nii.gz", "Free fluid is seen behind the left lower lobe.", "Fluid on the left."),
    ("valid_3_a_1.nii.gz", "", ""),
]


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    asked: list[str]

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        text = _text(body["messages"][-1]["content"])
        type(self).asked.append(text)
        message = {"role": "assistant", "content": _answer(text)}
        self._send({"choices": [{"message": message, "finish_reason": "stop"}]})

    def do_GET(self) -> None:
        self._send({"data": [{"id": "writer"}, {"id": "checker"}]})

    def _send(self, value: object) -> None:
        data = json.dumps(value).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""


def _text(content: Any) -> str:
    return content if isinstance(content, str) else ""


def _answer(text: str) -> str:
    found = re.split(r"REPORT(?: AND PAIRS)?:\n", text)
    if len(found) < 2:
        return "Ready."
    held = json.loads(found[1].partition("\n")[0])
    if "pairs" in held:
        return json.dumps([{"id": pair["id"], **_labels(pair)} for pair in held["pairs"]])
    sentences = [s.strip() for s in held["findings"].split(".") if s.strip()]
    return "Here they are:\n" + json.dumps(
        [
            {"question": f"Where is finding {n}?", "answer": s, "evidence": s}
            for n, s in enumerate(sentences)
        ]
    )


def _labels(pair: dict[str, str]) -> dict[str, bool]:
    is_spatial = "aorta" not in pair["answer"]
    return {"is_spatial": is_spatial, "is_relevant": True, "is_supported": True}


@pytest.fixture
def server() -> Iterator[tuple[str, list[str]]]:
    handler = type("Handler", (_Handler,), {"asked": []})
    listening = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    listening.daemon_threads = True
    thread = threading.Thread(target=listening.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{listening.server_address[1]}/v1", handler.asked
    listening.shutdown()
    listening.server_close()
    thread.join()


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "reports.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([("case", "findings", "impressions"), *REPORTS])
    return path


def call(*arguments: object) -> object:
    app = App()
    app.command(report_qa_command, name="report-qa")
    return app(["report-qa", *map(str, arguments)], result_action="return_value")


def chat(url: str) -> list[str]:
    return ["-g", "chat:writer", "-v", "chat:checker", "--base-url", url]


def test_two_chat_models_make_an_exam_that_the_benchmark_opens(
    server: tuple[str, list[str]], table: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    url, _ = server
    out = tmp_path / "exam"
    assert call(table, out, *chat(url), "--sheet", tmp_path / "sheet.csv") == 0
    said = capsys.readouterr()
    for words in ("dropped: not-spatial", "kept", "report-without-findings"):
        assert words in said.out
    assert "Wrote 2 questions on 2 cases of 2 patients" in said.err
    assert "3 questions for people" in said.err
    release = BENCHMARK.open(out)
    items = list(release.items(Selection(split="test")))
    assert [item.id for item in items] == ["valid_1_a_1.nii.gz::0", "valid_2_a_1.nii.gz::0"]
    assert [one for one in release.findings() if one.severity is Severity.ERROR] == []


def test_the_same_command_again_asks_nothing_not_even_whether_the_server_is_there(
    server: tuple[str, list[str]], table: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    url, asked = server
    out = tmp_path / "exam"
    call(table, out, *chat(url))
    n_asked = len(asked)
    capsys.readouterr()
    assert call(table, out, *chat(url), "--json") == 0
    assert len(asked) == n_asked
    held = json.loads(capsys.readouterr().out)
    assert (held["asked"], held["known"], held["kept"]) == (0, 4, 2)
    assert held["dropped"] == {"not-spatial": 1}
    assert held["examples"]["not-spatial"] == [
        "valid_1_a_1.nii.gz::1: Where is finding 1? → The aorta is [bold]wide[/]"
    ]


def test_what_people_said_is_shown(
    server: tuple[str, list[str]], table: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    url, _ = server
    out, sheet = tmp_path / "exam", tmp_path / "sheet.csv"
    call(table, out, *chat(url), "--sheet", sheet)
    with sheet.open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.reader(file))
    spatial = rows[0].index("is_spatial")
    for row in rows[1:]:
        row[spatial : spatial + 3] = ["yes", "yes", "yes"]
    with sheet.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows(rows)
    capsys.readouterr()
    assert call(table, out, *chat(url), "--audited", sheet) == 0
    said = capsys.readouterr()
    assert "judged by people" in said.out
    assert "1 of 1" in said.out  # the dropped pair, which people would keep
    assert "Wrote 3 questions" in said.err


def test_a_request_without_a_reply_is_exit_status_1(
    server: tuple[str, list[str]],
    table: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    url, _ = server
    monkeypatch.chdir(tmp_path)
    (tmp_path / "half_a_writer.py").write_text(
        "import json\n"
        "def write(query):\n"
        "    if 'valid_2' in query.item.id:\n"
        "        raise ValueError('no')\n"
        "    said = 'A nodule lies in the right upper lobe'\n"
        "    return json.dumps([{'question': 'Where?', 'answer': said, 'evidence': said}])\n"
    )
    writer = ["-g", "python:half_a_writer:write", "-v", "chat:checker", "--base-url", url]
    assert call(table, tmp_path / "exam", *writer) == 1
    said = capsys.readouterr()
    assert "request-unanswered" in said.out
    assert "1 requests got no reply. The same command asks them again." in said.err
