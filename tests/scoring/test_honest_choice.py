from __future__ import annotations

import json
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from overread.records import Option, Status
from overread.scoring.honest_choice import read_choice
from overread.scoring.reading import Rule

CORPUS = Path(__file__).parent / "corpus"
TWENTY_FIVE = CORPUS / "twenty_five.jsonl"
ORGANS = {"A": "Liver", "B": "Left kidney", "C": "Lung", "D": "Spleen"}


def options(texts: dict[str, str | None] | None = None) -> tuple[Option, ...]:
    chosen = ORGANS if texts is None else texts
    return tuple(Option(letter=letter, text=text) for letter, text in chosen.items())


def corpus() -> list[Any]:
    return [
        pytest.param(json.loads(line), id=f"{file.stem}-{number}")
        for file in sorted(CORPUS.glob("*.jsonl"))
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), start=1)
    ]


@pytest.mark.parametrize("row", corpus())
def test_every_reply_of_the_corpus_is_read_as_a_person_would(row: dict[str, Any]) -> None:
    reading = read_choice(row["reply"], options(row.get("options")))
    assert (reading.answer, str(reading.rule)) == (row["answer"], row["rule"]), row["why"]
    expected = "ok" if row["answer"] else row.get("status", "unparsed")
    assert reading.status == expected


def test_of_25_replies_18_choose_and_7_do_not() -> None:
    rows = [json.loads(line) for line in TWENTY_FIVE.read_text("utf-8").splitlines()]
    read = Counter(read_choice(row["reply"], options()).answer for row in rows)
    assert read == {"B": 18, None: 7}


LETTERS = st.sampled_from(["AB", "ABCD", "ABCDE", "abcd", "1234"])
TEXTS = st.lists(st.text(max_size=30) | st.none(), min_size=5, max_size=5)
PIECES = st.sampled_from(
    ["A", "B", "b", "E", "(B)", "answer", "the answer is", "ANSWER:", "not", "or", "\n", " ", "*",
     "{", "}", '"selected_option":', '"', "'", ",", ":", "<think>", "</think>", "\\boxed{", "[[",
     "Left kidney", "liver", "option", "is correct", "```json", "I cannot", "null", "İ", "ſ",
     "\u0301", "\ud800", "9", "選択肢"]
)  # fmt: skip


@given(
    reply=st.text() | st.lists(PIECES, max_size=30).map(" ".join),
    letters=LETTERS,
    texts=TEXTS,
)
@example(reply="İ", letters="ABCD", texts=["İ", "i̇", None, "I", ""])
@example(reply='{"selected_option": ' + "[" * 5000, letters="ABCD", texts=[None] * 5)
@example(reply='{"a":' * 5000, letters="ABCD", texts=[None] * 5)
def test_no_reply_raises_or_yields_a_letter_that_is_not_on_offer(
    reply: str, letters: str, texts: list[str | None]
) -> None:
    offered = tuple(Option(letter=a, text=t) for a, t in zip(letters, texts, strict=False))
    reading = read_choice(reply, offered)
    assert (reading.status is Status.OK) == (reading.answer is not None)
    assert reading.answer is None or reading.answer in letters
    assert reading.rule in set(Rule)


@given(letter=st.sampled_from("ABCD"), before=st.text(alphabet="xyz \n.", max_size=40))
def test_an_explicit_last_answer_is_always_read(letter: str, before: str) -> None:
    reading = read_choice(f"ANSWER: A\n{before}\nANSWER: {letter}", options())
    assert reading.answer == letter


@given(order=st.permutations("ABCD"), answered=st.sampled_from(["Answer: {}", "\\boxed{{{}}}"]))
@pytest.mark.parametrize("parted", ["\n", "\n\n", " ", "\n…\n"])
def test_a_walk_through_the_options_is_an_answer_only_with_words(
    order: list[str], answered: str, parted: str
) -> None:
    walk = parted.join(answered.format(letter) for letter in order)
    assert read_choice(walk, options()).rule == Rule.SEVERAL_LETTERS
    worded = f"{walk}\nNo, it is cortical.\n{answered.format(order[0])}"
    assert read_choice(worded, options()).answer == order[0]


@given(letter=st.sampled_from("ABCD"))
@pytest.mark.parametrize(
    "wrap",
    ["{}", "({})", "[{}]", "**{}**", "__{}__", "`{}`", "${}$", '"{}"', "{}.", "{}:",
     "\\boxed{{{}}}", "<answer>{}</answer>", '{{"selected_option": "{}"}}', "```\n{}\n```",
     "Answer: {}", "\t{}\n"],
)  # fmt: skip
def test_a_wrapper_never_changes_the_letter(wrap: str, letter: str) -> None:
    assert read_choice(wrap.format(letter), options()).answer == letter


@given(text=st.text(max_size=200))
def test_reading_is_a_function_of_the_reply(text: str) -> None:
    assert read_choice(text, options()) == read_choice(text, options())


def test_without_options_nothing_is_read() -> None:
    assert read_choice("B", ()).answer is None


def test_options_with_the_same_text_are_not_told_apart_by_it() -> None:
    twins = options({"A": "Cyst", "B": "Cyst", "C": "Mass"})
    assert read_choice("Cyst", twins).answer is None
    assert read_choice("Mass", twins).answer == "C"


HOSTILE = {
    "letters": "B ",
    "letters without blanks": "AB",
    "braces": '{"',
    "nested objects": '{"a":',
    "opened fields": '{"selected_option": "',
    "quotes": '"',
    "back-slashes": "\\",
    "blanks": " ",
    "line ends": "\n",
    "blank lines": " \n",
    "tags": "<answer>",
    "thinking": "<think>",
    "closed thinking": "<think></think>",
    "boxes": "\\boxed{",
    "phrases": "the answer is ",
    "several": "the answer is A or ",
    "verdicts": "B is ",
    "options": "option B, ",
    "texts": "left kidney ",
    "negations": "not liver ",
    "marks": "#### - * > ",
    "combining marks": "\u0301\u0323",
    "ligatures": "\ufdfa",
    "full width": "Ｂ",
    "stars": "*",
    "dots": ".",
    "hyphens": "-",
    "words": "lorem ipsum ",
    "if": "if would ",
    "conditions": "B is correct only if ",
    "recital": "Image A: Image B:",
    "recital of texts": "A. Liver\nB. Left kidney\n",
    "walk": "Answer: A\nAnswer: B\nAnswer: C\n",
    "walk with texts": "Answer: A. Liver\nAnswer: B. Left kidney\nAnswer: C. Lung\n",
    "refusals": "I cannot ",
}


@pytest.mark.parametrize("unit", HOSTILE.values(), ids=HOSTILE.keys())
def test_two_megabytes_are_read_in_under_a_second(unit: str) -> None:
    reply = unit * (2_000_000 // len(unit))
    began = time.process_time()
    read_choice(reply, options())
    assert time.process_time() - began < 1.0


def test_an_answer_at_the_end_of_two_megabytes_is_found() -> None:
    reply = "The slice shows the upper abdomen. " * 60_000 + "\nANSWER: B"
    assert read_choice(reply, options()).answer == "B"
