"""Questions that stand twice."""

from __future__ import annotations

from typing import Any

from overread.audits.repeated_questions import AUDIT
from overread.records import Media

SHOWN = (Media(paths=("a.png",)),)


def found(release: Any) -> dict[str, Any]:
    return {one.code: one for one in AUDIT.look(release)}


def test_questions_of_their_own(exam: Any, ask: Any) -> None:
    rows = [ask(n, n, question=f"What is at {n} mm?", media=SHOWN) for n in range(4)]
    assert found(exam(rows)) == {}


def test_the_same_question_on_another_picture_is_another(exam: Any, ask: Any) -> None:
    rows = [
        ask(n, 0, question="What is it?", media=(Media(paths=(f"{n}.png",)),)) for n in range(3)
    ]
    assert found(exam(rows)) == {}


def test_a_question_asked_again(exam: Any, ask: Any) -> None:
    rows = [ask(n, 0, question="What is it?", media=SHOWN) for n in range(3)]
    one = found(exam(rows))["question-again"]
    assert (one.count, "q0 = q1, q0 = q2" in one.evidence) == (2, True)


def test_shuffled_options_are_the_same_question(exam: Any, ask: Any) -> None:
    options = ("liver", "spleen", "kidney", "colon")
    rows = [
        ask(0, 0, question="What is it?", media=SHOWN, options=options),
        ask(1, 3, question="what  is it?", media=SHOWN, options=options[::-1]),
    ]
    assert set(found(exam(rows))) == {"question-again"}


def test_two_answers_to_one_question(exam: Any, ask: Any) -> None:
    rows = [
        ask(0, 0, question="What is it?", media=SHOWN),
        ask(1, 2, question="What is it?", media=SHOWN),
    ]
    assert set(found(exam(rows))) == {"contradicted-question"}


def test_a_few_other_letters(exam: Any, ask: Any) -> None:
    asked = ("Which organ holds the bright lesion?", "Which organ holds the bright lesions?")
    rows = [ask(n, 0, question=text, media=SHOWN) for n, text in enumerate(asked)]
    assert set(found(exam(rows))) == {"question-nearly-again"}
    sized = ("Is the lesion in segment 2 larger?", "Is the lesion in segment 3 larger?")
    rows = [ask(n, 0, question=text, media=SHOWN) for n, text in enumerate(sized)]
    assert found(exam(rows)) == {}


def test_options_that_stand_twice(exam: Any, ask: Any) -> None:
    rows = [
        ask(0, 0, options=("liver", "Liver ", "kidney", "colon")),
        ask(1, 2, options=("liver", "liver", "kidney", "colon")),
        ask(2, 2, options=("liver", "", "kidney", "colon")),
    ]
    codes = found(exam(rows))
    assert set(codes) == {"right-option-twice", "option-twice", "empty-option"}
    assert "q0" in codes["right-option-twice"].evidence
    assert "q1" in codes["option-twice"].evidence
