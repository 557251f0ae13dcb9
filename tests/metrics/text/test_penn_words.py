from __future__ import annotations

import importlib
from functools import cache
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from overread.metrics.text.penn_words import penn_words, sentences

ONE_SENTENCE = [
    "A nodule in the left lung.",
    "Cyst (1.5 x 2.0 cm), right kidney; thin-walled, no calcification",
    'The so-called "target" lesion measures 12 mm!',
    "It's 3,5 cm -- the radiologist can't tell whether it's new?",
    "left-sided mass; 50% larger than before.",
    "A lesion of 4 mm ...",
    "",
]
SEVERAL = [
    "There is a nodule in the left lung. it measures 5 mm.",
    "A cyst (benign). No other finding! Is it new? Yes.",
    "Compared (vs. prior CT) it has grown. The margins are smooth.",
    "Seen by Dr. Smith on CT. The liver is normal.",
    "A node... Then a cyst.",
]


@cache
def _nltk_word_tokenize() -> Any:
    nltk = importlib.import_module("nltk.tokenize")
    try:
        nltk.word_tokenize("A word. Another.")
    except LookupError:
        pytest.skip("no data set punkt_tab of NLTK on this computer")
    return nltk.word_tokenize


@pytest.mark.parametrize("text", ONE_SENTENCE)
def test_one_sentence_has_the_very_words_of_nltk(text: str) -> None:
    # `preserve_line` is NLTK's own way of leaving out the sentences, and so their data.
    word_tokenize = importlib.import_module("nltk.tokenize").word_tokenize
    assert penn_words(text) == word_tokenize(text, preserve_line=True)


@pytest.mark.parametrize("text", [*ONE_SENTENCE, *SEVERAL])
def test_words_are_those_of_nltk_where_its_data_is(text: str) -> None:
    assert penn_words(text) == _nltk_word_tokenize()(text)


# What NLTK 3.10 makes of these with the data set punkt_tab, looked up once and written down.
@pytest.mark.parametrize(
    ("text", "words"),
    [
        (SEVERAL[0], "There is a nodule in the left lung . it measures 5 mm ."),
        (SEVERAL[1], "A cyst ( benign ) . No other finding ! Is it new ? Yes ."),
        (SEVERAL[2], "Compared ( vs. prior CT ) it has grown . The margins are smooth ."),
        (SEVERAL[3], "Seen by Dr. Smith on CT . The liver is normal ."),
        (SEVERAL[4], "A node ... Then a cyst ."),
        ("1. nodule in lung. 2. Cyst", "1. nodule in lung . 2 . Cyst"),
        ("lung.The liver", "lung.The liver"),
    ],
)
def test_each_sentence_gives_its_full_stop_a_word_of_its_own(text: str, words: str) -> None:
    assert penn_words(text) == words.split(" ")


def test_a_break_of_a_line_is_white_space() -> None:
    assert penn_words("A node.\n\nA cyst.") == ["A", "node", ".", "A", "cyst", "."]


@given(st.text(alphabet=st.characters(codec="utf-8"), max_size=80))
def test_no_text_is_refused_and_no_word_holds_white_space(text: str) -> None:
    assert all(word and not any(map(str.isspace, word)) for word in penn_words(text))
    assert "".join("".join(sentences(text)).split()) == "".join(text.split())


def test_a_hostile_text_takes_no_time() -> None:
    assert len(penn_words("a." * 50_000)) == 2
    assert len(penn_words("word. " * 2_000)) == 4_000
