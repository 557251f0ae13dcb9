from __future__ import annotations

from overread.contracts import Training, TrainingCase
from overread.models.baselines.typical import typical_text
from overread.records import Status

TEXTS = [
    "A cyst in the right kidney.",
    "A cyst in the left kidney.",
    "A nodule in the left lung.",
    "Sclerotic metastasis.",
]
DESCRIBE = "Describe the lesion in this CT image in one sentence."


def test_the_typical_text_shares_most_words_with_all() -> None:
    # Shares of texts with each word: a, in, the 3/4; cyst, left, kidney 2/4; the others 1/4.
    # Second text: (3·3 + 3·2)/4 = 15/4 over six words; the first and the third have 14/4 and 13/4.
    assert typical_text(TEXTS) == TEXTS[1]
    assert typical_text(TEXTS[::-1]) == TEXTS[1]


def test_a_long_text_wins_nothing_by_its_length() -> None:
    rambling = " ".join(TEXTS) + " " + " ".join(f"word{letter}" for letter in "abcdefghijklmnop")
    assert typical_text([*TEXTS, rambling]) == TEXTS[1]


def test_among_equals_the_alphabet_decides_and_without_words_there_is_none() -> None:
    assert typical_text(["b c", "a d"]) == "a d"
    assert typical_text(["12", " ", "?"]) is None
    assert typical_text([]) is None
    assert typical_text(["12", "Cyst"]) == "Cyst"


def test_majority_describes_by_the_typical_description(
    text_question, reader, ask, no_pictures
) -> None:
    cases = tuple(
        TrainingCase(id=str(n), media=(), texts={"description": text, "size": "9 mm"})
        for n, text in enumerate(TEXTS)
    )
    model = reader("majority")
    model.learn(Training(cases=cases), no_pictures)
    assert ask(model, text_question(1, DESCRIBE)).text == TEXTS[1]
    model.learn(Training(cases=()), no_pictures)
    assert ask(model, text_question(1, DESCRIBE)).status is Status.FAILED
