from __future__ import annotations

from overread.contracts import Training
from overread.records import Reference, Status

OPTIONS = ["a", "b", "c", "d"]


def test_it_counts_right_letters_by_task(question, solved, reader, ask, no_pictures):
    exam = [solved(question(i, OPTIONS, task="size"), "BBC"[i]) for i in range(3)]
    exam += [solved(question(i, OPTIONS, task="attribute"), "DDDDA"[i - 3]) for i in range(3, 8)]
    model = reader("majority")
    model.learn(Training(exam=tuple(exam)), no_pictures)
    assert ask(model, question(9, OPTIONS, task="size")).text == "B"
    assert ask(model, question(10, OPTIONS, task="attribute")).text == "D"
    # Of all eight, D is right four times: the answer where the task is new.
    assert ask(model, question(11, OPTIONS, task="unheard of")).text == "D"
    # D and C are not on offer: B leads among those that are.
    assert ask(model, question(12, ["yes", "no"], task="unheard of")).text == "B"


def test_references_that_cannot_be_used_do_not_count(question, solved, reader, ask, no_pictures):
    bad = [
        (question(i, OPTIONS), Reference(item=f"q{i}", answer="E", problem="not an option"))
        for i in range(5)
    ]
    none = [(question(5, OPTIONS), Reference(item="q5", answer=None, problem="no answer"))]
    model = reader("majority")
    model.learn(Training(exam=(*bad, *none, solved(question(6, OPTIONS), "C"))), no_pictures)
    assert ask(model, question(7, OPTIONS)).text == "C"


def test_without_solved_questions_it_says_that_nothing_can_be_said(question, reader, ask):
    reply = ask(reader("majority"), question(1, OPTIONS))
    assert (reply.status, reply.text) == (Status.FAILED, None)
    assert "solved questions" in str(reply.reason)


def test_learning_again_forgets_what_was_learned(question, solved, reader, ask, no_pictures):
    model = reader("majority")
    for letter in "AB":
        model.learn(Training(exam=(solved(question(1, OPTIONS), letter),)), no_pictures)
        assert ask(model, question(2, OPTIONS)).text == letter
