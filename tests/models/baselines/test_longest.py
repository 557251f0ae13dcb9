from __future__ import annotations

import pytest


@pytest.mark.parametrize(
    ("texts", "letter"),
    [
        (["liver", "left kidney", "lung", "spleen"], "B"),
        (["lung", "bone", "neck"], "A"),  # bone and neck are as long as lung: the first wins
        (["liver      ", "kidneys", "lung"], "B"),  # blanks around a text are not counted
        ([None, None, None, None], "A"),  # four pictures
    ],
)
def test_it_takes_the_first_of_the_longest(texts, letter, question, reader, ask):
    assert ask(reader("longest"), question(1, texts)).text == letter
