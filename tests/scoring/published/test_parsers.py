"""Twenty-five replies to one question through every published parser, and what is known of each.

The replies are our own; how many of them each parser reads rightly, and how many of the seven that
choose nothing become a letter, follows what was measured on other replies to such a question: 10
and 0 (inspect_ai), 19 and 0 (VLMEvalKit before its judge), 8 and 7 (lmms-eval, older reader), 16
and 3 (its newer one), 15 and 7 (MedEvalKit).
"""

from __future__ import annotations

import time
import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from overread.records import Choice, Item, MultiChoice, Number, Option, Status, Text, Trace
from overread.scoring.published.deeptumorvqa import (
    read_deeptumorvqa_binary,
    read_deeptumorvqa_letter,
    read_deeptumorvqa_number,
)
from overread.scoring.published.lmms_eval import read_mcq_extract, read_mmmu
from overread.scoring.published.medevalkit import read_medevalkit, read_medevalkit_binary
from overread.scoring.published.medvigil import read_medvigil
from overread.scoring.published.parser import kind_of, read_for
from overread.scoring.published.parsers import HONEST, PARSERS, read_yes_or_no
from overread.scoring.published.vlmevalkit import read_before_judge

TEXTS = ("Liver", "Left kidney", "Lung", "Spleen")
OPTIONS = tuple(Option(letter=each, text=text) for each, text in zip("ABCD", TEXTS, strict=True))
BY_NAME = {parser.name: parser for parser in PARSERS}
LETTERS = tuple(Option(letter=each) for each in "ABCD")

REPLIES = tomllib.loads(
    (Path(__file__).parents[3] / "docs" / "figures" / "replies.toml").read_text(encoding="utf-8")
)
MEANT_B: list[str] = REPLIES["meant_b"]
MEANT_NOTHING: list[str] = REPLIES["meant_nothing"]


def counts(name: str) -> tuple[int, int]:
    """Count right readings of 25, and non-answers that became a letter, drawn ones included."""
    parser = BY_NAME[name]
    read = parser.choice
    assert read is not None
    draws = parser.silence == "random option"
    right = sum(read(text, OPTIONS).answer == "B" for text in MEANT_B)
    lettered = sum(draws or read(text, OPTIONS).answer is not None for text in MEANT_NOTHING)
    return right + len(MEANT_NOTHING) - lettered, lettered


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("honest", (24, 0)),  # "…so the second choice" is left unread
        ("inspect-ai", (10, 0)),
        ("vlmevalkit", (19, 0)),
        ("vlmevalkit-random", (12, 7)),
        ("lmms-eval", (8, 7)),
        ("lmms-eval-mcq", (16, 3)),
        ("medevalkit", (15, 7)),
        ("deeptumorvqa", (13, 3)),
        ("medvigil", (15, 3)),
        ("ct-bench", (7, 0)),  # none of these replies has its form
        ("igakuqa119", (9, 0)),
    ],
)
def test_twenty_five_replies(name, expected):
    assert len(MEANT_B) + len(MEANT_NOTHING) == 25
    assert counts(name) == expected


def test_every_parser_says_what_it_is():
    assert len(BY_NAME) == len(PARSERS)
    assert PARSERS[0] is HONEST
    for parser in PARSERS:
        assert parser.summary
        assert "\n" not in parser.summary
        assert parser.source
        assert any(parser.reads(kind) for kind in ("choice", "several", "number", "yes-no"))


@given(st.none() | st.text())
def test_nothing_raises_and_no_answer_comes_from_nowhere(text):
    for parser in PARSERS:
        for options in (OPTIONS, LETTERS, tuple(Option(letter=each) for each in "abcde"), ()):
            if parser.choice:
                answer = parser.choice(text, options).answer
                assert answer is None or answer in {each.letter for each in options}
            if parser.several and options:
                read = parser.several(text, options, None).answer
                assert set(read or "") <= {each.letter for each in options}
        readings = [reader(text) for reader in (parser.number, parser.binary) if reader]
        for reading in readings:
            assert (reading.answer is None) == (reading.status is not Status.OK)


@pytest.mark.parametrize("piece", ["<think>", "answer: ", "A ", "ANSWER:\n", "(A", "left ", "\n"])
def test_a_hostile_reply_takes_no_time(piece):
    text = piece * 40_000
    for parser in PARSERS:
        assert parser.choice is not None
        start = time.perf_counter()
        parser.choice(text, OPTIONS)
        assert time.perf_counter() - start < 1.8, parser.name


# ---------------------------------------------------------------- what is known of each


@pytest.mark.parametrize(
    ("text", "letter"),
    [
        ("Based on the image, C", "B"),
        ("Cannot determine", "C"),
        ("As an AI model", "A"),
        ("I am unable to answer", None),
        ("<think>A</think> D", "D"),
        ("Option (B)", "B"),
        ("<think>A", None),
        ("", None),
        (None, None),
    ],
)
def test_deeptumorvqa_letters(text, letter):
    assert read_deeptumorvqa_letter(text, LETTERS).answer == letter


@pytest.mark.parametrize(
    ("text", "value"),
    [("1,234.5", 1.0), (".5", 5.0), ("3.2e2", 3.2), ("10-20", 10), ("-35 HU", -35), ("none", None)],
)
def test_deeptumorvqa_numbers(text, value):
    answer = read_deeptumorvqa_number(text).answer
    assert (None if answer is None else float(answer)) == value


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("not sure", "no"),
        ("Normal", "no"),
        ("yesterday", "yes"),
        ("cannot say", None),
        ("Yes", "yes"),
        ("I would say no, or yes", "yes"),
        ("", None),
    ],
)
def test_deeptumorvqa_binary(text, answer):
    assert read_deeptumorvqa_binary(text).answer == answer


@pytest.mark.parametrize(
    ("text", "letter"),
    [
        ("E) cannot", "E"),
        ("The answer is D.", "D"),
        ("I cannot see a fracture here", "A"),
        ("", None),
        ("*B* because", "B"),
        ("Cannot say", None),
    ],
)
def test_medvigil_letters(text, letter):
    five = tuple(Option(letter=each) for each in "ABCDE")
    assert read_medvigil(text, five).answer == letter


@pytest.mark.parametrize("text", ["", r"\boxed{B}", "b"])
def test_lmms_eval_draws_a_letter(text):
    assert read_mmmu(text, OPTIONS).answer is None
    assert BY_NAME["lmms-eval"].silence == "random option"


def test_lmms_eval_takes_articles_and_abbreviations_for_letters():
    assert read_mmmu("A definitive diagnosis cannot be made from this", OPTIONS).answer == "A"
    assert read_mcq_extract("The CT is unclear", OPTIONS).answer == "C"
    assert read_mcq_extract("A diagnosis is not possible", OPTIONS).answer == "A"


def test_medevalkit_always_has_a_letter():
    assert read_medevalkit("", OPTIONS).answer == "A"
    assert read_medevalkit("I'm sorry, but I cannot help with that.", OPTIONS).answer == "B"
    # Described as C there; the letter is not read here either.
    assert read_medevalkit("Option B", OPTIONS).rule == "script:most-alike"
    assert read_medevalkit_binary("Yes, a nodule is noted").answer is None
    assert read_medevalkit_binary("Yes, it is").answer == "yes"
    assert read_medevalkit_binary("nodule").answer == "no"


def test_vlmevalkit_reads_a_letter_near_the_end():
    assert read_before_judge("The right option here is A", OPTIONS).answer == "A"
    assert read_before_judge("kidney", (Option(letter="A", text="Kidney"),)).answer == "A"
    assert read_before_judge("liver or spleen", OPTIONS).answer is None


@pytest.mark.parametrize(
    ("text", "answer"),
    [("Yes, a nodule is noted", "yes"), ("Normal", None), ("not sure", None), ("No.", "no")],
)
def test_the_careful_reading_of_yes_and_no(text, answer):
    assert read_yes_or_no(text).answer == answer


# ---------------------------------------------------------------- kinds of questions


def item(space):
    return Item(id="i", benchmark="b", task="t", condition="c", question="?", answer_space=space)


@pytest.mark.parametrize(
    ("space", "kind"),
    [
        (Choice(options=OPTIONS), "choice"),
        (Choice(options=()), None),
        (MultiChoice(options=OPTIONS, count=2), "several"),
        (Number(unit="mL"), "number"),
        (Text(classes=("Yes", "No")), "yes-no"),
        (Text(classes=("left", "right")), None),
        (Text(), None),
        (Trace(answer=Text(), tools=(), max_steps=1), None),
    ],
)
def test_kinds(space, kind):
    assert kind_of(item(space)) == kind
    for parser in PARSERS:
        reading = read_for(parser, item(space), "B")
        assert kind is None or (reading is not None) == parser.reads(kind)
