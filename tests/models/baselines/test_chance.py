from __future__ import annotations

from collections import Counter

from overread.contracts import ModelOptions
from overread.models.baselines import ADAPTER


def test_every_letter_is_drawn_about_equally_often(question, reader, ask):
    model = reader("chance")
    n = 2000
    counts = Counter(ask(model, question(i, ["a", "b", "c", "d"])).text for i in range(n))
    assert sorted(counts) == ["A", "B", "C", "D"]
    # Each count is Binomial(2000, 1/4): mean 500, standard deviation 19.4; 5 of them is 97.
    assert all(abs(count - n / 4) < 97 for count in counts.values())


def test_an_answer_depends_on_item_draw_and_seed_alone(question, ask):
    items = [question(i, ["a", "b", "c", "d"]) for i in range(60)]

    def letters(seed, order, draw):
        model = ADAPTER.open("chance", ModelOptions(seed=seed))
        return {item.id: ask(model, item, draw).text for item in order}

    first = letters(0, items, 0)
    assert first == letters(0, items[::-1], 0)
    assert first != letters(1, items, 0)
    assert first != letters(0, items, 1)


def test_a_question_with_two_options_is_answered_with_one_of_them(question, reader, ask):
    model = reader("chance")
    assert {ask(model, question(i, ["yes", "no"])).text for i in range(40)} == {"A", "B"}
