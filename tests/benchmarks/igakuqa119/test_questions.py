"""Questions as the exam writes them: kinds, counts, options in odd places, linked cases."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from overread.benchmarks.igakuqa119.questions import read_question
from overread.records import Choice, MultiChoice, Number

FIVE = ["a. 肺炎", "b. 気胸", "c. 肺癌", "d. 喘息", "e. 結核"]


def read(question="診断はどれか。", choices=FIVE, number="119A1", has_image=False):
    found = read_question(
        {"number": number, "question": question, "choices": choices, "has_image": has_image}
    )
    assert found is not None
    return found


def letters(asked):
    return "".join(option.letter for option in asked.options)


@pytest.mark.parametrize(
    ("question", "kind", "count"),
    [
        ("診断はどれか。", "one", None),
        ("正しいのはどれか。2つ選べ。", "several", 2),
        ("正しいのはどれか。２つ選べ。", "several", 2),
        ("正しいのはどれか。3つ選べ。", "several", 3),
        ("正しいのはどれか。三つ選べ。", "several", 3),
        ("3つの薬を飲んでいる。診断はどれか。", "one", None),
    ],
)
def test_the_stem_says_how_many(question, kind, count):
    asked = read(question)
    assert (asked.kind, asked.count) == (kind, count)
    assert isinstance(asked.space, MultiChoice if kind == "several" else Choice)


def test_no_options_ask_for_a_number():
    asked = read("体重50kgのとき、尿量1,000mL/日として水分出納を求めよ。", choices=[])
    assert asked.kind == "number"
    assert isinstance(asked.space, Number)
    assert asked.options == ()


@pytest.mark.parametrize(
    ("question", "texts"),
    [
        (
            "次に投与すべき薬剤はどれか。 aアトロピン bジアゼパム Cフロセミド dアドレナリン",
            ["アトロピン", "ジアゼパム", "フロセミド", "アドレナリン"],
        ),
        (
            "問診はどれか。 a「夜は眠れますか」 b「便秘はありますか」 c「張りはありますか」",
            ["「夜は眠れますか」", "「便秘はありますか」", "「張りはありますか」"],
        ),
    ],
)
def test_options_in_the_text_are_found(question, texts):
    asked = read(question, choices=[])
    assert (asked.kind, asked.inline) == ("one", True)
    assert [option.text for option in asked.options] == texts
    assert letters(asked) == "abcde"[: len(texts)]


def test_a_calculation_with_letters_in_it_has_no_options():
    asked = read("A-aDO2を求めよ。ただし、大気圧は767Torr、b型とする。", choices=[])
    assert asked.kind == "number"


def test_odd_options():
    assert letters(read(choices=["a. 一", "b.二", "c) 三", "Ｄ．四", "e、五"])) == "abcde"
    lost = read(choices=["a. 一", "b. 二", "d. 四", "e. 五"])
    assert letters(lost) == "abcde"
    assert [option.text for option in lost.options] == ["一", "二", None, "四", "五"]
    without = read(choices=["一", "二"])
    assert letters(without) == "ab"
    assert len(without.problems) == 2
    twice = read(choices=["a. 一", "a. 二", "b. 三"])
    assert letters(twice) == "ab"
    assert "'a'" in twice.problems[0]
    assert read(choices=["a. ", "b. 二"]).options[0].text is None


@pytest.mark.parametrize(
    "row",
    [{}, {"number": 1, "question": "?"}, {"number": "", "question": "?"}, {"number": "119A1"}],
)
def test_what_is_no_question(row):
    assert read_question(row) is None


def test_an_empty_text_is_kept():
    asked = read("")
    assert asked.text == ""
    assert asked.kind == "one"


@given(
    st.dictionaries(
        st.sampled_from(["number", "question", "choices", "has_image"]),
        st.none() | st.text() | st.lists(st.text()) | st.integers() | st.booleans(),
    )
)
def test_nothing_raises(row):
    asked = read_question(row)
    if asked is not None:
        found = [option.letter for option in asked.options]
        assert len(set(found)) == len(found)
        assert (asked.kind == "number") == (not found)
