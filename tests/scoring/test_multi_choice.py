"""Sets of letters in replies: as models write them, in Japanese and English, and hostile ones."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from overread.records import Option, Status
from overread.scoring.multi_choice import join_letters, read_exam_choice, read_letters

TEXTS = ("肺炎", "気胸", "肺癌", "IgA腎症", "a mass")
OPTIONS = tuple(Option(letter=each, text=text) for each, text in zip("abcde", TEXTS, strict=True))
FORM = "answer: {}\nconfidence: 0.9\nexplanation: {}"


@pytest.mark.parametrize(
    "text",
    [
        "ce",
        "ec",
        "c, e",
        "c,e",
        "C E",
        "[c, e]",
        '"ce"',
        "ｃとｅ",
        "ⓒⓔ",
        "ウ・オ",
        "㋒、㋔",
        "ｳ, ｵ",
        "③⑤",
        "3, 5",
        "c；e",
        "c/e",
        "c．e",
        "(c) (e)",
        "c)とe)",
        "選択肢 c と 選択肢 e",
        "c. 肺癌  e. a mass",
        "c,e です",
        "answer: ce",
        "Answer: c and e",
        "**answer:** ce",
        "正解は c と e です。",
        "答え：ウ、オ\n理由：正解は d ではない",
        "【解答】ウ、オ",
        "解答\nc, e",
        '{"answer": ["c", "e"]}',
        '{"answer": "ce", "confidence": 0.9}',
        r"\boxed{c, e}",
        "<answer>c, e</answer>",
        "<think>answer: ab</think>answer: ce",
        "answer:\nce",
        "cとeが正しい。\n\nc, e",
        "肺癌と a mass",
        "answer: aではなく c と e",
        "answer: c, e (a も考えられる)",
        "解答欄：c、e",
        "＜答え＞ ce",
        "{'answer': ['c','e']}",
        '{"answer": {"c": "肺癌", "e": "a mass"}}',
        "c\ne",
        "- c\n- e",
        "1. c\n2. e",
        "The answers are c and e because option a would need fever, which this patient does not "
        "have, and b and d would show on the film.",
        "C and E are both correct. Options a, b and d are not, as the film shows neither air nor "
        "fluid in the chest, and the urine is clear.",
        "所見から考える。\n肺癌と a mass が残り、\n以上である。",
        r"\boxed{\text{c, e}}",
    ],
)
def test_one_set_in_many_spellings(text):
    reading = read_letters(text, OPTIONS, 2)
    assert (reading.answer, reading.status) == ("ce", Status.OK), reading


@pytest.mark.parametrize(
    ("text", "rule", "status"),
    [
        (None, "empty", Status.UNPARSED),
        (" \n", "empty", Status.UNPARSED),
        ("answer: [選んだ回答(単数/複数/数値)]", "placeholder", Status.UNPARSED),
        ("answer: <letters>", "placeholder", Status.UNPARSED),
        ("answer: ", "placeholder", Status.UNPARSED),
        ('{"answer": null}', "placeholder", Status.UNPARSED),
        ("None", "placeholder", Status.UNPARSED),
        ("answer: c", "wrong-size", Status.UNPARSED),
        ("abcde", "wrong-size", Status.UNPARSED),
        ("cc", "wrong-size", Status.UNPARSED),
        ("answer: cf", "off-list", Status.UNPARSED),
        ("答え: 8;100;90.9", "nothing-named", Status.UNPARSED),
        ("答えは分かりません", "abstention", Status.REFUSED),
        ("I cannot provide an answer", "refusal", Status.REFUSED),
        ("画像がないため回答できません。", "refusal", Status.REFUSED),
        ("該当なし", "none-of-the-options", Status.UNPARSED),
        ("<think>answer: ce", "unclosed-thinking", Status.UNPARSED),
        ("<think>ce</think>", "only-thinking", Status.UNPARSED),
        ("aではない", "denied", Status.UNPARSED),
        ("answer: c または e", "several-letters", Status.UNPARSED),
        ("answer: c or e", "several-letters", Status.UNPARSED),
        ("答え：不明", "abstention", Status.REFUSED),
        ("画像がない。\nこのため回答できません。\n以上", "refusal", Status.REFUSED),
        ("肺炎か、\n気胸か、\n肺癌か", "several-options", Status.UNPARSED),
        ("所見は\n何も\n言わない", "nothing-named", Status.UNPARSED),
        ("35", "nothing-named", Status.UNPARSED),  # a number, not the third and the fifth
    ],
)
def test_no_answer_has_its_kind(text, rule, status):
    reading = read_letters(text, OPTIONS, 2)
    assert (reading.answer, reading.rule, reading.status) == (None, rule, status)


CORPUS = [
    (row["reply"], row.get("options"), row["answer"])
    for file in sorted((Path(__file__).parent / "corpus").glob("*.jsonl"))
    for row in map(json.loads, file.read_text(encoding="utf-8").splitlines())
]


@pytest.mark.parametrize(("reply", "texts", "answer"), CORPUS)
def test_where_there_is_no_form_a_choice_is_read_as_everywhere(reply, texts, answer):
    organs = texts or {"A": "Liver", "B": "Left kidney", "C": "Lung", "D": "Spleen"}
    options = tuple(Option(letter=letter, text=text) for letter, text in organs.items())
    assert read_exam_choice(reply, options).answer == answer


def test_every_option_that_is_named_counts():
    assert read_letters("肺炎、気胸、肺癌です", OPTIONS, 3).answer == "abc"
    assert read_letters("肺炎、気胸、肺癌です", OPTIONS, 2).rule == "wrong-size"
    longer = tuple(
        Option(letter=a, text=t) for a, t in zip("abc", ("癌", "肺癌", "胃癌"), strict=True)
    )
    assert read_letters("答え：肺癌と胃癌", longer, 2).answer == "bc"


def test_an_open_number_of_letters_takes_any_size():
    assert read_letters("c", OPTIONS, None).answer == "c"
    assert read_letters("abcde", OPTIONS, None).answer == "abcde"
    assert read_letters("", OPTIONS, None).answer is None


def test_the_field_outranks_what_the_explanation_says():
    text = FORM.format("ce", "…したがって正解は d である。\n解答: ab\n正解：d")
    assert read_letters(text, OPTIONS, 2).answer == "ce"
    assert read_exam_choice(FORM.format("a", "正解は d"), OPTIONS).answer == "a"


def test_the_last_field_wins_but_not_that_of_a_question_of_its_own():
    assert read_letters("answer: ab\nanswer: ce", OPTIONS, 2).answer == "ce"
    assert read_exam_choice("ANSWER: a\nWait. ANSWER: b it is", OPTIONS).answer == "b"
    ran_on = FORM.format("ce", "…") + "\nさいころuser\n問題: 次はどれか。\nanswer: ab"
    assert read_letters(ran_on, OPTIONS, 2).answer == "ce"
    echoed = "answer: ce\nanswer: [選んだ回答(単数/複数/数値)]"
    assert read_letters(echoed, OPTIONS, 2).answer == "ce"


@pytest.mark.parametrize(
    ("text", "answer", "rule"),
    [
        ("a", "a", "first-letter"),
        ('answer: "a"\nconfidence: 1.0', "a", "first-letter"),
        ("answer: b (100%)", "b", "answer-phrase"),
        ("answer: e 確信度(0~1): 0.95", "e", "first-letter"),
        ("ウ", "c", "first-letter"),
        ("②", "b", "first-letter"),
        ("答え：エ", "d", "first-letter"),
        ("answer: ③\n理由：…", "c", "first-letter"),
        ("答え：ア、エ", None, "several-letters"),
        ("answer: 3", None, "nothing-named"),
        ("de", None, "several-letters"),
        ("answer: d, e", None, "several-letters"),
        ("answer: af", None, "nothing-named"),
        ("answer: [選んだ回答(単数/複数/数値)]", None, "placeholder"),
        ("", None, "empty"),
        ("The right option is c.", "c", "answer-phrase"),
        ("答え：気胸", "b", "answer-phrase"),
    ],
)
def test_single_choices_of_the_same_form(text, answer, rule):
    reading = read_exam_choice(text, OPTIONS)
    assert (reading.answer, reading.rule) == (answer, rule)


def test_letters_are_joined_in_the_order_of_the_options():
    assert join_letters("ec", OPTIONS) == join_letters("ce", OPTIONS) == "ce"
    assert join_letters("cce", OPTIONS) == "ce"
    tens = tuple(Option(letter=str(each)) for each in range(1, 12))
    assert join_letters(["11", "2"], tens) == "2,11"


def test_kana_and_digits_are_their_own_letters_where_options_have_them():
    kana = tuple(
        Option(letter=each, text=text) for each, text in zip("アイウ", TEXTS, strict=False)
    )
    assert read_letters("答え：ウ、ア", kana, 2).answer == "アウ"
    digits = tuple(Option(letter=each) for each in "12345")
    assert read_letters("③⑤", digits, 2).answer == "35"
    assert read_letters("1 と 4", digits, 2).answer == "14"
    # What options say comes before their place: "③" is the option that says so.
    said = tuple(Option(letter=each, text=text) for each, text in zip("abc", "③①②", strict=True))
    assert read_letters("answer: ③、②", said, 2).answer == "ac"
    assert read_exam_choice("answer: ③", said).answer == "a"


@settings(max_examples=200)
@given(st.text(), st.sampled_from([None, 1, 2, 3]))
def test_nothing_raises_and_no_letter_comes_from_nowhere(text, count):
    for reading in (read_letters(text, OPTIONS, count), read_exam_choice(text, OPTIONS)):
        assert (reading.answer is None) == (reading.status is not Status.OK)
        assert set(reading.answer or "") <= set("abcde")
    answer = read_letters(text, OPTIONS, count).answer
    assert answer is None or count is None or len(answer) == count
    assert read_letters(text, (), count).answer is None


@given(st.sets(st.sampled_from("abcde"), min_size=1), st.sampled_from(["", ", ", "・", " と "]))
def test_what_is_written_is_read(letters, between):
    wanted = "".join(sorted(letters))
    written = between.join(sorted(letters, reverse=True))
    assert read_letters(f"answer: {written}", OPTIONS, len(letters)).answer == wanted


@pytest.mark.parametrize("piece", ["answer: \n", "c,", "{'", "答え", "正解は", "[", "1.", "ⓐ"])
def test_a_hostile_reply_takes_no_time(piece):
    text = piece * 50_000
    start = time.perf_counter()
    read_letters(text, OPTIONS, 2)
    read_exam_choice(text, OPTIONS)
    assert time.perf_counter() - start < 1.8
