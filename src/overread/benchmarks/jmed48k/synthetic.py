"""Writes synthetic exams in the release's very layout: sums and drawn shapes, of every kind.

Three professions, two years. A reader who looks at the figures and can add is right everywhere; one
who sees no figure is at chance on the questions that have one. Some questions hold what real papers
hold: deleted, without a usable key, with several answers accepted, with lost characters.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import numpy as np

from overread.benchmarks.jmed48k import layout
from overread.imaging.drawn_shapes import N_SHAPES, draw_shapes
from overread.imaging.encode import encode_png
from overread.records import JsonValue

__all__ = ["synthesise"]

_SHAPES: Final = ("円", "正方形", "十字", "輪", "三角形")
_YEARS: Final = ("2024", "2025")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Exam:
    number: int
    labels: str
    sections: tuple[str, ...]


_EXAMS: Final = (
    _Exam(number=1, labels="abcde", sections=("A", "F")),
    _Exam(number=3, labels="1234", sections=("AM", "PM")),
    _Exam(number=11, labels="12345", sections=("",)),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Paper:
    """One paper while it is written."""

    exam: _Exam
    year: str
    folder: Path
    rng: np.random.Generator
    used: dict[str, int]
    """Section → place of the answer last drawn in it, over the years of the exam."""
    counted: list[int] = field(default_factory=list[int])
    """How many things the passages of its cases speak of."""
    rows: list[JsonValue] = field(default_factory=list["JsonValue"])

    def answer(self, section: str) -> int:
        """Draw the place of a right option: not the one before it, so that none is alone."""
        n = len(self.exam.labels)
        last = self.used.get(section)
        place = int(self.rng.integers(n))
        if last is not None:
            place = (last + 1 + int(self.rng.integers(n - 1))) % n
        self.used[section] = place
        return place

    def draw(self, shapes: Sequence[int], *, again: str) -> str:
        """Draw a figure; give the reference to it, as the release writes such."""
        name = f"{self.year}_q{len(self.rows) + 1}{again}.png"
        path = self.folder / f"{self.year}_images" / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(encode_png(draw_shapes(self.rng, shapes)))
        return f"{self.year}_images/{name}"


def synthesise(root: Path, *, seed: int, size: int) -> None:
    """Write `size` questions over six papers, with their figures.

    The first four of each paper are a shape to recognise, a sum, two shapes, and either options
    that are in a figure alone or a number; odd ones follow, then these again.
    """
    rng = np.random.default_rng(seed)
    papers: list[_Paper] = []
    for exam in _EXAMS:
        name = layout.PROFESSIONS[exam.number - 1].name
        used: dict[str, int] = {}
        for year in _YEARS:
            folder = root / layout.EVAL_FOLDER / f"{exam.number:02d}_{name}" / f"{name}_{year}"
            folder.mkdir(parents=True, exist_ok=True)
            papers.append(_Paper(exam=exam, year=year, folder=folder, rng=rng, used=used))
    for place in range(size):
        number = place % len(papers)
        _write(papers[number], place // len(papers), number)
    for paper in papers:
        path = paper.folder / f"{paper.folder.name}.json"
        text = json.dumps({"questions": paper.rows}, ensure_ascii=False, indent=1)
        path.write_text(text + "\n", encoding="utf-8", newline="\n")
    mark = f"Written by overread: synthetic exams of {size} questions, seed {seed}.\n"
    (root / layout.SYNTHETIC_MARK).write_text(mark, encoding="utf-8", newline="\n")


def _write(paper: _Paper, turn: int, number: int) -> None:
    """Write the next question of a paper."""
    section = paper.exam.sections[turn % len(paper.exam.sections)]
    at = turn % 16
    if at in (0, 10, 11):
        _shape(paper, section, at)
    elif at in (1, 13):
        _sum(paper, section, lost=at == 13)
    elif at in (2, 15):
        _two_shapes(paper, section)
    elif at == 3:
        (_drawn_options if number % 2 == 0 else _product)(paper, section)
    elif at == 4:
        (_product if number % 2 == 0 else _drawn_options)(paper, section)
    elif at in (5, 6):
        _case(paper, paper.exam.sections[0], first=at == 5)
    else:
        _odd(paper, section, at)


def _shape(paper: _Paper, section: str, at: int) -> None:
    """Ask for a shape; in the odd turns by another slash, and against the flag."""
    answer = paper.answer(section)
    shapes = _order(paper)
    image = paper.draw([shapes[answer]], again="")
    if at == 10:
        image = image.replace("/", "\\")
    _add(
        paper,
        section,
        "次の図に示す図形はどれか。" if at != 10 else "次の図に示す図形はどれか。１つ選べ。",
        [_SHAPES[each] for each in shapes],
        [paper.exam.labels[answer]],
        content=[image],
        text_only=at == 11,
    )


def _sum(paper: _Paper, section: str, *, lost: bool) -> None:
    answer = paper.answer(section)
    one, two = (int(each) for each in paper.rng.integers(10, 50, 2))
    texts = [f"{one + two + 3 * (each - answer)}個" for each in range(len(paper.exam.labels))]
    text = f"箱Aに{one}個、箱Bに{two}個の玉がある。合わせていくつか。"
    text = text.replace("玉", "\ufffd") if lost else text
    _add(paper, section, text, texts, [paper.exam.labels[answer]], content=[], text_only=True)


def _two_shapes(paper: _Paper, section: str) -> None:
    shapes = _order(paper)
    n = len(paper.exam.labels)
    right = sorted(int(each) for each in paper.rng.permutation(n)[:2])
    images = [paper.draw([shapes[each]], again=f"-{k}") for k, each in enumerate(right, start=1)]
    _add(
        paper,
        section,
        "次の2枚の図に示す図形はどれか。２つ選べ。",
        [_SHAPES[each] for each in shapes],
        [paper.exam.labels[each] for each in right],
        content=images,
        text_only=False,
    )


def _drawn_options(paper: _Paper, section: str) -> None:
    """Ask which of the shapes in a figure is one: the options have no words."""
    answer = paper.answer(section)
    shapes = _order(paper)
    labels = paper.exam.labels
    _add(
        paper,
        section,
        f"図の左から順に{labels[0]}から{labels[-1]}とする。{_SHAPES[shapes[answer]]}はどれか。",
        [""] * len(labels),
        [labels[answer]],
        content=[],
        options_at=[paper.draw(shapes, again="_options")],
        text_only=False,
    )


def _product(paper: _Paper, section: str) -> None:
    one, two = (int(each) for each in paper.rng.integers(3, 30, 2))
    digits = list(str(one * two))
    text = f"{one}に{two}を掛けた値を求めよ。"
    _add(paper, section, text, [], digits, content=[], text_only=True)


def _case(paper: _Paper, section: str, *, first: bool) -> None:
    """Ask two questions about one passage and one figure."""
    if first:
        paper.counted.append(int(paper.rng.integers(20, 90)))
    n = paper.counted[-1]
    passage = f"次の文と図について問いに答えよ。棚には玉が{n}個ある。"
    answer = paper.answer(section)
    shapes = _order(paper)
    image = f"{paper.year}_images/{paper.year}_case{len(paper.counted)}.png"
    if first:
        (paper.folder / image).parent.mkdir(exist_ok=True)
        picture = draw_shapes(paper.rng, [shapes[answer]])
        (paper.folder / image).write_bytes(encode_png(picture))
        texts = [_SHAPES[each] for each in shapes]
        text = "図に示す図形はどれか。"
    else:
        texts = [f"{n + 2 * (each - answer)}個" for each in range(len(paper.exam.labels))]
        text = "棚の玉はいくつか。"
    _add(
        paper,
        section,
        text,
        texts,
        [paper.exam.labels[answer]],
        content=[image],
        text_only=False,
        passage=passage,
    )


def _odd(paper: _Paper, section: str, at: int) -> None:
    """Write what real papers hold too: corrected, deleted and unusable keys."""
    labels = paper.exam.labels
    numbers = [2 * int(each) for each in paper.rng.permutation(45)[: len(labels)]]
    even = [int(each) for each in paper.rng.permutation(len(labels))[: 3 if at == 8 else 2]]
    for place in range(len(labels)):
        numbers[place] += 10 if place in even else 11
    text, key = {
        7: ("偶数はどれか。", [labels[place] for place in even]),
        8: ("偶数はどれか。すべて選べ。", [labels[place] for place in even]),
        9: ("10より大きいのはどれか。", ["採点除外"]),
        12: ("100より大きいのはどれか。", []),
        14: ("偶数はどれか。2つ選べ。", [labels[even[0]]]),
    }[at]
    _add(paper, section, text, [str(each) for each in numbers], key, content=[], text_only=True)


def _order(paper: _Paper) -> list[int]:
    """Draw as many shapes as there are labels, in some order."""
    return [int(each) for each in paper.rng.permutation(N_SHAPES)[: len(paper.exam.labels)]]


def _add(
    paper: _Paper,
    section: str,
    text: str,
    options: Sequence[str],
    key: Sequence[str],
    *,
    content: Sequence[str],
    text_only: bool,
    options_at: Sequence[str] = (),
    passage: str | None = None,
) -> None:
    labelled: dict[str, JsonValue] = dict(zip(paper.exam.labels, options, strict=False))
    paper.rows.append(
        {
            "question_number": len(paper.rows) + 1,
            "section": section,
            "question_text": text,
            "text_reference": passage,
            "options": labelled,
            "correct_answer": list(key),
            "img": {"content_img": list(content), "answer_img": list(options_at)},
            "text_only": text_only,
        }
    )
