"""The files of an IgakuQA119 release: where they lie, what they hold, what they give when opened.

Public repository docto-rin/IgakuQA119 (Apache-2.0)::

    questions/119A_json.json … 119F_json.json   lists of {number, question, choices, has_image}
    images/119C2.png, 119C40-1.png, …           the figures of a question, numbered where several
    results/correct_answers.csv                 the key: 問題番号, 解答
    answers/demo/119A_MODEL.json, …             stored answers (new ones lie in answers/)
    results/leaderboard.json                    entry → counts right, of all and without figures

Every reader here is bounded and gives what it could read with the reason why a part is missing.
"""

from __future__ import annotations

import csv
import io
import json
import re
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, cast

from overread.records import Finding, Severity

__all__ = [
    "ANSWER_FOLDERS",
    "IMAGES_FOLDER",
    "KEY_COLUMNS",
    "KEY_FILE",
    "LEADERBOARD_FILE",
    "MODEL_TITLES",
    "QUESTIONS_FOLDER",
    "SYNTHETIC_MARK",
    "Key",
    "answer_files",
    "block_of",
    "figures_of",
    "question_files",
    "read_json",
    "read_key",
    "rows_of",
]

QUESTIONS_FOLDER: Final = "questions"
IMAGES_FOLDER: Final = "images"
KEY_FILE: Final = "results/correct_answers.csv"
KEY_COLUMNS: Final = ("問題番号", "解答")
ANSWER_FOLDERS: Final = ("answers", "answers/demo")
LEADERBOARD_FILE: Final = "results/leaderboard.json"
SYNTHETIC_MARK: Final = "SYNTHETIC.txt"
MODEL_TITLES: Final[Mapping[str, str]] = {
    "qwen2_5-72b": "Qwen2.5-72B",
    "pfn-medllm-qwen-72b": "Preferred-MedLLM-Qwen-72B",
    "CA-DSR1-DQ32B-JP-base": "CA-DSR1-DQ32B-JP",
    "CA-DSR1-DQ32B-JP-cpt": "CA-DSR1-DQ32B-JP-CPT",
    "CA-DSR1-DQ32B-JP-sft": "CA-DSR1-DQ32B-JP-SFT",
}
"""Suffix of an answer file → the model's name on the leaderboard (``experiments.yaml``)."""

_LARGEST_FILE_BYTES: Final = 64 * 2**20
_QUESTION_FILE = re.compile(r"[^/]+_json\.json")
_NUMBER = re.compile(r"\d{1,4}([A-Z])\d{1,3}", re.ASCII)
_ANSWER_FILE = re.compile(r"\d{1,4}[A-Z]_(?P<model>[^/\\]+)\.json", re.ASCII)
_FIGURE = re.compile(r"(?P<number>[^-]+)(?:-(?P<place>\d{1,2}))?\.(?:png|jpe?g)", re.I | re.ASCII)
_MOST_FIGURES: Final = 40


def question_files(root: Path) -> tuple[Path, ...]:
    """List the question files, block by block."""
    return _listed(root / QUESTIONS_FOLDER, _QUESTION_FILE)


def answer_files(root: Path) -> dict[str, tuple[Path, ...]]:
    """List the answer files of every model, block by block; new ones before those of the demo."""
    found: dict[str, dict[str, Path]] = {}
    for folder in ANSWER_FOLDERS:
        for path in _listed(root / folder, _ANSWER_FILE):
            match = _ANSWER_FILE.fullmatch(path.name)
            if match is not None:
                found.setdefault(match["model"], {}).setdefault(path.name, path)
    return {model: tuple(files[name] for name in sorted(files)) for model, files in found.items()}


def figures_of(root: Path) -> dict[str, tuple[str, ...]]:
    """Give the figures of every question that has any: number → paths relative to the release.

    Figures are numbered from 1 where a question has several; one that is missing among them keeps
    its place, under the name that it should have.
    """
    alone: dict[str, str] = {}
    places: dict[str, dict[int, str]] = {}
    for path in _listed(root / IMAGES_FOLDER, _FIGURE):
        match = _FIGURE.fullmatch(path.name)
        if match is None:
            continue
        name = f"{IMAGES_FOLDER}/{path.name}"
        if match["place"] is None:
            alone.setdefault(match["number"], name)
        else:
            places.setdefault(match["number"], {}).setdefault(int(match["place"]), name)
    found: dict[str, tuple[str, ...]] = {}
    for number in sorted(alone.keys() | places.keys()):
        numbered = places.get(number, {})
        last = min(max(numbered, default=0), _MOST_FIGURES)
        row = [
            numbered.get(place, f"{IMAGES_FOLDER}/{number}-{place}.png")
            for place in range(1, last + 1)
        ]
        found[number] = (*((alone[number],) if number in alone else ()), *row)
    return found


def block_of(number: str) -> str | None:
    """Give the block of a question: ``119A12`` is of A; None where the number does not say."""
    match = _NUMBER.fullmatch(number)
    return match[1] if match else None


def read_json(path: Path, root: Path) -> tuple[object, Finding | None]:
    """Read a JSON file; None and a finding when it cannot be read."""
    try:
        if path.stat().st_size > _LARGEST_FILE_BYTES:
            return None, _unreadable(path, root, f"{path.stat().st_size:,} bytes")
        return json.loads(path.read_bytes().decode("utf-8-sig")), None
    except (OSError, ValueError, RecursionError) as error:
        return None, _unreadable(path, root, str(error))


@dataclass(frozen=True, slots=True, kw_only=True)
class Key:
    """The answer key as released: number → answer, and what is odd about it."""

    answers: Mapping[str, str]
    findings: tuple[Finding, ...] = field(default=())


def read_key(root: Path) -> Key:
    """Read the key. Without one no question has an answer, and a finding says so."""
    path = root / KEY_FILE
    try:
        if path.stat().st_size > _LARGEST_FILE_BYTES:
            return Key(answers={}, findings=(_unreadable(path, root, "too large"),))
        text = path.read_bytes().decode("utf-8-sig")
        rows = [row for row in csv.reader(io.StringIO(text, newline="")) if any(row)]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        return Key(answers={}, findings=(_unreadable(path, root, str(error)),))
    if not rows or tuple(cell.strip() for cell in rows[0][:2]) != KEY_COLUMNS:
        got = ", ".join(rows[0]) if rows else "nothing"
        return Key(answers={}, findings=(_unreadable(path, root, f"columns {got}"),))
    answers: dict[str, str] = {}
    findings: list[Finding] = []
    for line, row in enumerate(rows[1:], start=2):
        number, answer = (_plain(cell) for cell in (*row, "", "")[:2])
        if number in answers and answers[number] != answer:
            findings.append(_twice(line, number, answers[number], answer))
        answers.setdefault(number, answer)
    return Key(answers=answers, findings=tuple(findings))


def rows_of(content: object, key: str) -> Iterator[Mapping[str, object]]:
    """Give the objects of a list, or of the list under a key of an object; other things not."""
    if isinstance(content, dict):
        content = cast("dict[str, object]", content).get(key)
    for row in cast("list[object]", content) if isinstance(content, list) else ():
        if isinstance(row, dict):
            yield cast("dict[str, object]", row)


def _listed(folder: Path, wanted: re.Pattern[str]) -> tuple[Path, ...]:
    try:
        return tuple(
            sorted(
                path for path in folder.iterdir() if wanted.fullmatch(path.name) and path.is_file()
            )
        )
    except OSError:
        return ()


def _plain(cell: str) -> str:
    return unicodedata.normalize("NFKC", cell[:200]).strip()


def _unreadable(path: Path, root: Path, why: str) -> Finding:
    return Finding(
        severity=Severity.ERROR,
        code="missing-key" if path.name == Path(KEY_FILE).name else "unreadable-file",
        where=path.relative_to(root).as_posix(),
        evidence=why,
        effect="what it holds is not in any number here",
        remedy="Restore the file from the repository.",
    )


def _twice(line: int, number: str, first: str, other: str) -> Finding:
    return Finding(
        severity=Severity.ERROR,
        code="two-keys",
        where=f"{KEY_FILE}:{line}",
        evidence=f"{number} is {first!r} first and {other!r} here",
        effect="the first is used",
    )
