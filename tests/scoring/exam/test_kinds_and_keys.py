"""What a stem says of its question, and what a key has to do with it."""

from __future__ import annotations

import pytest

from overread.records import Choice, MultiChoice, Number, Option
from overread.scoring.exam.keys import fit_key
from overread.scoring.exam.kinds import (
    answer_space,
    asks_for_all,
    exam_kind,
    names_a_figure,
    stated_count,
)
from overread.scoring.exam.wording import exam_parts, question_lines

FIVE = tuple(Option(letter=letter, text=f"薬{letter}") for letter in "abcde")


@pytest.mark.parametrize(
    ("stem", "count"),
    [
        ("正しいのはどれか。2つ選べ。", 2),
        ("正しいのはどれか。３つ選びなさい。", 3),
        ("適切なのはどれか。二つを選べ。", 2),
        ("薬を2つ飲んでいる。診断はどれか。", None),
        ("1つ選べ。", None),
        ("", None),
    ],
)
def test_a_stem_states_how_many(stem, count):
    assert stated_count(stem) == count


def test_all_that_are_right():
    assert asks_for_all("正しいのをすべて選べ。")
    assert asks_for_all("全て選べ")
    assert not asks_for_all("すべての患者に行う検査を選べ。")


def test_a_figure_is_named():
    assert names_a_figure("胸部X線写真を示す。")
    assert names_a_figure("別冊No. 1")
    assert not names_a_figure("診断はどれか。")


def test_the_kind_comes_from_the_question():
    assert exam_kind((), 2) == "number"
    assert exam_kind(FIVE, None) == "one"
    assert exam_kind(FIVE, 2) == "several"
    assert isinstance(answer_space("one", FIVE, None), Choice)
    assert answer_space("several", FIVE, 2) == MultiChoice(options=FIVE, count=2)
    assert isinstance(answer_space("number", (), None), Number)


@pytest.mark.parametrize(
    ("letters", "count", "written", "problem"),
    [
        ("ec", 2, "ce", None),
        ("c", 2, "x", "asks for 2"),
        ("ce", None, "ce", None),  # every right one is asked for
        ("f", 2, "x", "names no options"),
        ("", 2, "x", "names no options"),
    ],
)
def test_a_key_is_held_against_its_question(letters, count, written, problem):
    answer, why = fit_key("x", letters, MultiChoice(options=FIVE, count=count))
    assert answer == written
    assert (why is None) if problem is None else problem in (why or "")


def test_a_number_has_a_number_for_a_key():
    assert fit_key("600", (), Number(unit="")) == ("600", None)
    assert "no number" in (fit_key("a", "a", Number(unit=""))[1] or "")


def test_words_first_then_figures():
    space = MultiChoice(options=FIVE, count=2)
    lines = question_lines("どれか。", space, (*FIVE[:1], Option(letter="b")))
    assert lines == ["問題：どれか。", "選択肢：", "a. 薬a", "選ぶ数：2"]
    assert question_lines("", Number(unit=""), ()) == ["数値で答える問題です。"]
    parts = exam_parts("rules", lines, ())
    assert [part.role for part in parts] == ["system", "user"]
