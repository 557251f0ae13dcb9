"""Known values of reading a set: order, separators, quotes, a set of the wrong size."""

from __future__ import annotations

import json

import pytest

from overread.benchmarks.jmed48k.readers import exact_letter, exact_letters, exact_number
from overread.contracts import Selection
from overread.records import Option, Status

FIVE = tuple(Option(letter=letter) for letter in "abcde")
TEN = tuple(Option(letter=str(number)) for number in range(1, 11))


@pytest.mark.parametrize("profile", ["published", "honest"])
@pytest.mark.parametrize(
    ("text", "value", "reason"),
    [
        ("ec", 1.0, None),
        ("c, e", 1.0, None),
        ("answer: ｃ・ｅ", 1.0, None),
        ("cd", 0.0, None),
        ("c", None, "wrong-size"),
        ("cde", None, "wrong-size"),
        ("", None, "empty"),
    ],
)
def test_sets(write, question, score, profile, text, value, reason):
    row = question(question_text="どれか。2つ選べ。", correct_answer=["c", "e"])
    release = write({("01_physician", "2025"): [row]})
    (item,) = release.items(Selection())
    found = score(release, item, text, profile)
    assert found.value == value
    assert reason is None or found.reason == reason


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ('"a"', "a"),
        ("answer: b\nexplanation: c と d は誤り", "b"),
        ("answer: a\nanswer: c", "c"),
        (json.dumps({"selected_option": "D"}), "d"),
        ("回答：ｅ", "e"),
        ("I think a", None),
        ("ab", None),
        ("f", None),
        ("answer: [選んだ回答(単数/複数/数値)]", None),
        (None, None),
        ("a" * 100_000, None),
    ],
)
def test_one_label_the_exact_way(text, answer):
    reading = exact_letter(text, FIVE)
    assert reading.answer == answer
    assert (reading.status is Status.OK) == (answer is not None)


def test_labels_of_two_digits():
    assert exact_letters("10, 1", TEN, 2).answer == "1,10"
    assert exact_letter("10", TEN).answer == "10"


@pytest.mark.parametrize(
    ("text", "answer"),
    [("answer: ６００", "600"), ("0.5", "0.5"), ("1,200", "1,200"), ("600 mL", None), ("", None)],
)
def test_numbers(text, answer):
    assert exact_number(text).answer == answer
