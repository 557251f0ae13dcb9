"""Writes a synthetic exam in the release's very layout: sums, drawn shapes, two models' answers.

A reader who looks at the figures and can add is right everywhere; one who sees no figure is at
chance on the questions that have one. The stored answers hold the faults of the real ones:
placeholders sent back, quotes, several letters where one is asked for, sets of a wrong size, a
failed call.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np

from overread.benchmarks.igakuqa119 import layout
from overread.imaging.drawn_shapes import draw_shapes
from overread.imaging.encode import encode_png
from overread.records import JsonValue

__all__ = ["synthesise"]

_BLOCKS: Final = "ABCDEF"
_LETTERS: Final = "abcde"
_SHAPES: Final = ("円", "正方形", "十字", "輪", "三角形")
_PLACEHOLDER: Final = "[選んだ回答(単数/複数/数値)]"
_MODELS: Final = {"careful": 0.8, "hasty": 0.5}
"""Stored model → how often it is right where no fault is planted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Drawn:
    number: str
    question: str
    choices: tuple[str, ...]
    has_image: bool
    key: str


def synthesise(root: Path, *, seed: int, size: int) -> None:
    """Write `size` questions in six blocks, their figures, key, stored answers and leaderboard.

    In turn: a shape to recognise, a sum to pick, two shapes to recognise, a product to work out.
    """
    rng = np.random.default_rng(seed)
    for folder in (layout.QUESTIONS_FOLDER, layout.IMAGES_FOLDER, "results", "answers/demo"):
        (root / folder).mkdir(parents=True, exist_ok=True)
    blocks: dict[str, list[_Drawn]] = {}
    per_block = -(-size // len(_BLOCKS))
    for place in range(size):
        block = _BLOCKS[place // per_block]
        row = blocks.setdefault(block, [])
        row.append(_draw(rng, root, f"119{block}{len(row) + 1}", place, row))
    for block, row in blocks.items():
        _write(
            root / layout.QUESTIONS_FOLDER / f"119{block}_json.json", [_asked(one) for one in row]
        )
    drawn = [one for row in blocks.values() for one in row]
    with (root / layout.KEY_FILE).open("w", encoding="utf-8", newline="") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(layout.KEY_COLUMNS)
        table.writerows([one.number, one.key] for one in drawn)
    board: dict[str, JsonValue] = {}
    for model, skill in _MODELS.items():
        stored = {one.number: _answer(rng, place, one, skill) for place, one in enumerate(drawn)}
        for block, row in blocks.items():
            path = root / "answers" / "demo" / f"119{block}_{model}.json"
            results = [_stored(one, model, stored[one.number]) for one in row]
            _write(path, {"experiment_id": f"119{block}_{model}", "results": results})
        board[model] = _standing(drawn, stored)
    _write(root / layout.LEADERBOARD_FILE, board)
    mark = f"Written by overread: a synthetic exam of {size} questions, seed {seed}.\n"
    (root / layout.SYNTHETIC_MARK).write_text(mark, encoding="utf-8", newline="\n")


def _draw(
    rng: np.random.Generator, root: Path, number: str, place: int, row: Sequence[_Drawn]
) -> _Drawn:
    turn = place % 4
    order = [int(each) for each in rng.permutation(5)]
    shapes = tuple(
        f"{letter}. {_SHAPES[each]}" for letter, each in zip(_LETTERS, order, strict=True)
    )
    if turn == 0:
        answer = int(rng.integers(5))
        _figure(rng, root / layout.IMAGES_FOLDER / f"{number}.png", [order[answer]])
        return _Drawn(
            number=number,
            question="次の図に示す図形はどれか。",
            choices=shapes,
            has_image=True,
            key=_LETTERS[answer],
        )
    if turn == 1:
        before = _LETTERS.index(row[-1].key) if row and row[-1].key in _LETTERS else 0
        # Not the letter of the question before it: no block has one letter alone.
        answer = (before + 1 + int(rng.integers(4))) % 5
        one, two = (int(each) for each in rng.integers(10, 50, 2))
        sums = [one + two + 3 * (each - answer) for each in range(5)]
        return _Drawn(
            number=number,
            question=f"{one}と{two}の和はどれか。",
            choices=tuple(f"{letter}. {each}" for letter, each in zip(_LETTERS, sums, strict=True)),
            has_image=False,
            key=_LETTERS[answer],
        )
    if turn == 2:
        right = sorted(int(each) for each in rng.permutation(5)[:2])
        for figure, each in enumerate(right, start=1):
            path = root / layout.IMAGES_FOLDER / f"{number}-{figure}.png"
            _figure(rng, path, [order[each]])
        return _Drawn(
            number=number,
            question="次の2枚の図に示す図形はどれか。2つ選べ。",
            choices=shapes,
            has_image=True,
            key="".join(_LETTERS[each] for each in right),
        )
    one, two = (int(each) for each in rng.integers(3, 30, 2))
    return _Drawn(
        number=number,
        question=f"{one}に{two}を掛けた値を求めよ。",
        choices=(),
        has_image=False,
        key=str(one * two),
    )


def _figure(rng: np.random.Generator, path: Path, shapes: list[int]) -> None:
    path.write_bytes(encode_png(draw_shapes(rng, shapes)))


def _asked(one: _Drawn) -> JsonValue:
    return {
        "number": one.number,
        "question": f"{one.question} ",
        "choices": list(one.choices),
        "has_image": one.has_image,
    }


def _answer(rng: np.random.Generator, place: int, one: _Drawn, skill: float) -> str | None:
    """Draw a stored answer: six questions in twelve hold a fault each, by turns."""
    is_right, other = bool(rng.random() < skill), _LETTERS[int(rng.integers(5))]
    fault = place % 12
    if fault in (3, 8):
        return _PLACEHOLDER
    if fault == 2:
        return one.key[0]
    if fault == 4:
        return ", ".join(sorted({one.key, other}))
    if fault == 5:
        return f'"{one.key}"'
    if fault == 11 and skill < 0.6:
        return None
    if is_right:
        return one.key
    return str(int(one.key) + 1) if one.key.isdigit() else other


def _stored(one: _Drawn, model: str, answer: str | None) -> JsonValue:
    given: dict[str, JsonValue] = {"model": model, "timestamp": "2025-01-01T00:00:00"}
    if answer is None:
        given["error"] = "TimeoutError()"
    else:
        given |= {
            "answer": answer,
            "confidence": 0.9,
            "explanation": "図と選択肢を比べた。",
            "cot": None,
        }
    return {
        "question_number": one.number,
        "question_text": f"{one.question} ",
        "choices": list(one.choices),
        "has_image": one.has_image,
        "answers": [given],
    }


def _standing(drawn: Sequence[_Drawn], stored: Mapping[str, str | None]) -> JsonValue:
    """Count as the released grader does: failed calls leave the denominator."""
    graded = [one for one in drawn if stored[one.number] is not None]
    right = {one.number for one in graded if _plain(stored[one.number]) == _plain(one.key)}
    plain = [one for one in graded if not one.has_image]
    return {
        "overall_correct": len(right),
        "overall_total": len(graded),
        "no_image_correct": sum(one.number in right for one in plain),
        "no_image_total": len(plain),
    }


def _plain(answer: str | None) -> str:
    return "".join(sorted((answer or "").translate(str.maketrans(dict.fromkeys("[], ")))))


def _write(path: Path, content: JsonValue) -> None:
    text = json.dumps(content, ensure_ascii=False, indent=2)
    path.write_text(text + "\n", encoding="utf-8", newline="\n")
