from __future__ import annotations

import pytest

from overread.records import Status


@pytest.mark.parametrize(
    ("word", "letter"), [("constant", "A"), ("constant:C", "C"), ("constant:d", "D")]
)
def test_it_repeats_its_letter(word, letter, question, reader, ask):
    model = reader(word)
    answers = {ask(model, question(i, ["a", "b", "c", "d"])).text for i in range(5)}
    assert answers == {letter}
    assert model.identity.settings["letter"] == letter


def test_a_letter_that_is_not_on_offer_is_no_answer(question, reader, ask):
    reply = ask(reader("constant:D"), question(1, ["yes", "no"]))
    assert (reply.status, reply.text) == (Status.FAILED, None)
    assert "only A, B" in str(reply.reason)
