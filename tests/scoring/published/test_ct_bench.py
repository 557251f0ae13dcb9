from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from overread.records import Option, Status
from overread.scoring.published.ct_bench import read_ct_bench_script

OPTIONS = tuple(
    Option(letter=letter, text=text)
    for letter, text in zip("ABCD", ("Liver", "Left kidney", "Lung", "Spleen"), strict=True)
)


@pytest.mark.parametrize(
    ("reply", "answer"),
    [
        ('{"selected_option": "B", "explanation": "x"}', "B"),
        ('```json\n{"selected_option": "B", "explanation": "x"}\n```', "B"),
        ('```\n{"selected_option": "B"}\n```', "B"),
        ('json {"selected_option": "B"}', "B"),  # the set of characters, not the prefix
        ('{"selected_option": "B: Left kidney"}', "B"),
        ('{"selected_option": " B "}', "B"),
        ('{"selected_option": "Left kidney"}', "B"),
    ],
)
def test_what_the_script_reads(reply: str, answer: str) -> None:
    reading = read_ct_bench_script(reply, OPTIONS)
    assert (reading.answer, reading.status) == (answer, Status.OK)
    assert reading.rule == "script:selected_option"


@pytest.mark.parametrize(
    ("reply", "rule"),
    [
        ("B", "script:not-json"),
        ("The correct answer is **B**.", "script:not-json"),
        ("", "script:not-json"),
        ('Sure! {"selected_option": "B"}', "script:not-json"),
        ('```JSON\n{"selected_option": "B"}\n```', "script:not-json"),  # capitals are not stripped
        ('{"selected_option": "B", "explanation": "cut off', "script:not-json"),
        ('{"selected_option": "B", "explanation": "line\nbreak"}', "script:not-json"),
        ('"B"', "script:no-field"),
        ('["B"]', "script:no-field"),
        ("2", "script:no-field"),
        ('{"answer": "B"}', "script:no-field"),
        ('{"selected_option": null}', "script:off-list"),
        ('{"selected_option": "E"}', "script:off-list"),
        ('{"selected_option": "b"}', "script:off-list"),
        ('{"selected_option": ["B"]}', "script:off-list"),
        ('{"selected_option": "left kidney"}', "script:off-list"),
        ('{"selected_option": "<selected_option>"}', "script:off-list"),
    ],
)
def test_what_the_script_does_not_read(reply: str, rule: str) -> None:
    reading = read_ct_bench_script(reply, OPTIONS)
    assert (reading.answer, reading.status, reading.rule) == (None, Status.UNPARSED, rule)


def test_a_message_without_text_breaks_the_script_off() -> None:
    # `None.strip()` raises there; the item is printed and left out.
    reading = read_ct_bench_script(None, OPTIONS)
    assert (reading.answer, reading.status, reading.rule) == (
        None,
        Status.FAILED,
        "script:no-text",
    )


def test_nested_brackets_do_not_end_the_run() -> None:
    assert read_ct_bench_script("[" * 100_000, OPTIONS).answer is None


@given(reply=st.text() | st.text(alphabet='{}[]":,`jsonBselected_option '))
def test_no_reply_raises(reply: str) -> None:
    assert read_ct_bench_script(reply, OPTIONS).answer in {None, "A", "B", "C", "D"}
