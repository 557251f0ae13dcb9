"""Kinds of exam questions, as a Japanese stem and its options tell them.

How many options to choose stands in the stem ("2つ選べ"), and a question without options asks for a
number. The kind never comes from the key, which would give something of the answer away.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from typing import Final, Literal, TypeAlias

from overread.records import AnswerSpace, Choice, MultiChoice, Number, Option

__all__ = [
    "ExamKind",
    "answer_space",
    "asks_for_all",
    "exam_kind",
    "names_a_figure",
    "stated_count",
]

ExamKind: TypeAlias = Literal["one", "several", "number"]

_COUNT = re.compile(r"([2-9二三四五])\s?つ\s?(?:を)?\s?選")
_KANJI: Final = {"二": 2, "三": 3, "四": 4, "五": 5}
_ALL = re.compile(r"(?:すべて|全て|全部)\s?(?:を)?\s?選")
_FIGURE_NAMED = re.compile(r"を(?:別に)?示す|別冊")


def stated_count(text: str) -> int | None:
    """Give how many options a stem says to choose; None where it says nothing.

    Examples
    --------
    >>> stated_count("正しいのはどれか。２つ選べ。"), stated_count("3つの薬を飲んでいる。")
    (2, None)
    """
    found = _COUNT.search(unicodedata.normalize("NFKC", text))
    if found is None:
        return None
    return _KANJI.get(found[1]) or int(found[1])


def asks_for_all(text: str) -> bool:
    """Whether a stem asks for every right option, however many there are."""
    return _ALL.search(unicodedata.normalize("NFKC", text)) is not None


def names_a_figure(text: str) -> bool:
    """Whether a stem says that something is shown beside it."""
    return _FIGURE_NAMED.search(text) is not None


def exam_kind(options: Sequence[Option], count: int | None) -> ExamKind:
    """Tell the kind of a question by its options and by the number that its stem states."""
    return "number" if not options else "several" if count else "one"


def answer_space(kind: ExamKind, options: tuple[Option, ...], count: int | None) -> AnswerSpace:
    """Give what a reader of a question of a kind is asked for."""
    if kind == "several":
        return MultiChoice(options=options, count=count)
    return Choice(options=options) if kind == "one" else Number(unit="")
