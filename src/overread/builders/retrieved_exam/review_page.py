"""Pages for people: every question with its pictures, the key behind a fold."""

from __future__ import annotations

import base64
import hashlib
import itertools
from collections.abc import Iterator, Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Final, TypeAlias

from overread.benchmarks.ct_bench import layout
from overread.benchmarks.ct_bench.exam_files import Question
from overread.builders.retrieved_exam.draw import Unit
from overread.builders.retrieved_exam.lesions import ExamLesion
from overread.builders.retrieved_exam.review_sheet import asked, option_texts

__all__ = ["write_pages"]

_STYLE: Final = """
body{font:16px/1.5 system-ui,sans-serif;max-width:72rem;margin:2rem auto;padding:0 1rem;
color:#1a1a1a;background:#fff}
article{border-top:1px solid #bbb;padding:1rem 0}
figure{display:inline-block;margin:.4rem .6rem .4rem 0;vertical-align:top}
img{max-width:min(20rem,100%);height:auto;background:#000}
figure:only-of-type img{max-width:min(32rem,100%)}
figcaption{font-size:.9rem}
table{border-collapse:collapse}td,th{padding:.15rem .8rem .15rem 0;text-align:left;
vertical-align:top}
summary{cursor:pointer}
details{overflow-x:auto}
@media (max-width:40rem){td,th{padding-right:.5rem;font-size:.85rem}}
@media (prefers-color-scheme:dark){body{color:#e8e8e8;background:#161616}a{color:#9cf}}
"""
_FellFor: TypeAlias = Mapping[int, Mapping[str, Mapping[str, str]]]


def write_pages(
    folder: Path,
    questions: Sequence[tuple[Unit, Question]],
    lesions: Mapping[int, ExamLesion],
    fell_for: _FellFor,
) -> None:
    """Write ``index.html`` and a page for every split and task.

    The pages load pictures from the release beside them and nothing else: no script, no other
    address. Every text is escaped.

    Parameters
    ----------
    folder
        ``review`` within the release.
    questions
        Each unit with its questions, without and with the box.
    lesions
        By number.
    fell_for
        Number of the question → condition → reader → the letter it chose, as drawn.
    """
    by_unit: dict[int, list[Question]] = {}
    units: dict[int, Unit] = {}
    for unit, question in questions:
        by_unit.setdefault(unit.number, []).append(question)
        units[unit.number] = unit
    links: list[str] = []
    ordered = sorted(units.values(), key=lambda unit: unit.number)
    for (split, task), some in itertools.groupby(ordered, key=lambda one: (one.split, one.task)):
        members = list(some)
        name = f"{split}-{task}.html"
        body = "".join(
            _article(unit, by_unit[unit.number], lesions, fell_for.get(unit.number, {}))
            for unit in members
        )
        title = f"{split}: {task}, {len(members)} questions"
        _write(folder / name, title, f'<p><a href="index.html">All tasks</a></p>{body}')
        links.append(f'<li><a href="{escape(name)}">{escape(title)}</a></li>')
    _write(folder / "index.html", "Review of the exam", _HOW + f"<ul>{''.join(links)}</ul>")


_HOW: Final = (
    "<p>Fill in <code>sheet.csv</code>: your <b>answer</b> (a letter) before you open the key; "
    "<b>also_right</b>, letters of other choices that are right too; <b>keep</b>, yes or no. "
    "Give it back with <code>--reviewed sheet.csv</code>.</p>"
)


def _article(
    unit: Unit,
    questions: Sequence[Question],
    lesions: Mapping[int, ExamLesion],
    fell_for: Mapping[str, Mapping[str, str]],
) -> str:
    # With the box, where there is one: people should judge the question, not search the slice.
    shown = questions[-1]
    is_choice = unit.task in layout.IMAGE_CHOICE_TASKS
    pictures = "".join(
        _figure(unit, name, f"Image {layout.LETTERS[place]}" if is_choice else _place(place, shown))
        for place, name in enumerate(shown.image_paths)
    )
    texts = option_texts(unit, lesions)
    choices = (
        ""
        if is_choice
        else "<ol type='A'>" + "".join(f"<li>{escape(text)}</li>" for text in texts) + "</ol>"
    )
    return (
        f'<article id="q{unit.number}"><h2>Question {unit.number}</h2>'
        f"<p>{escape(asked(unit, lesions))}</p>{pictures}{choices}"
        f"<details><summary>Key</summary><p>{escape(_in_exam(questions))}</p>"
        f"{_key(unit, lesions, fell_for)}</details></article>\n"
    )


def _in_exam(questions: Sequence[Question]) -> str:
    """Say which questions of the drawn exam this one is: they are numbered by setting there."""
    numbers = [f"qa_id {one.qa_id} ({one.bbox_type})" for one in questions]
    return f"In the exam as drawn: {', '.join(numbers)}."


def _place(place: int, shown: Question) -> str:
    n = len(shown.image_paths)
    return f"slice {place + 1} of {n}" if n > 1 else ""


def _figure(unit: Unit, name: str, caption: str) -> str:
    source = f"../{layout.CLIP_FOLDER}/{unit.split}/{name}"
    return (
        f'<figure><img src="{escape(source)}" alt="{escape(caption or "key slice")}" '
        f'loading="lazy"><figcaption>{escape(caption)}</figcaption></figure>'
    )


def _key(
    unit: Unit, lesions: Mapping[int, ExamLesion], fell_for: Mapping[str, Mapping[str, str]]
) -> str:
    rows: list[str] = []
    for letter, option in zip(layout.LETTERS, unit.options, strict=True):
        lesion = lesions[option.lesion_idx]
        size = "" if lesion.size in lesion.description else f" {lesion.size}"
        cells = (
            letter,
            "right" if option.why_wrong is None else option.why_wrong,
            f"lesion {option.lesion_idx}: {lesion.description}{size}",
            "" if option.likeness is None else f"{option.likeness:.2f}",
            ", ".join(_fallen(letter, fell_for)) or "no reader",
        )
        rows.append("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in cells) + "</tr>")
    head = "".join(
        f"<th>{name}</th>" for name in ("choice", "why not", "what it is", "likeness", "chosen by")
    )
    return f"<table><tr>{head}</tr>{''.join(rows)}</table>"


def _fallen(letter: str, fell_for: Mapping[str, Mapping[str, str]]) -> Iterator[str]:
    """Name the readers that chose a letter; the condition where they did so under one only."""
    for reader in sorted({reader for chosen in fell_for.values() for reader in chosen}):
        under = [name for name, chosen in fell_for.items() if chosen.get(reader) == letter]
        if under:
            yield reader if len(under) == len(fell_for) else f"{reader} ({', '.join(under)})"


def _write(path: Path, title: str, body: str) -> None:
    digest = base64.b64encode(hashlib.sha256(_STYLE.encode()).digest()).decode()
    policy = (
        f"default-src 'none'; img-src 'self' file:; style-src 'sha256-{digest}'; "
        "base-uri 'none'; form-action 'none'"
    )
    page = (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{escape(policy)}">'
        '<meta name="viewport" content="width=device-width"><meta name="referrer" '
        f'content="no-referrer"><title>{escape(title)}</title><style>{_STYLE}</style></head>'
        f"<body><h1>{escape(title)}</h1>{body}</body></html>\n"
    )
    path.write_text(page, encoding="utf-8", newline="\n")
