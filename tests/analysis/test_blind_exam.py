from __future__ import annotations

import numpy as np
import pytest

from overread.analysis.blind_exam import blind_exam
from overread.records import Reference


def _exam(items, answers, *, n_folds: int = 5):
    references = {
        item.id: Reference(item=item.id, answer=answer)
        for item, answer in zip(items, answers, strict=True)
    }
    return blind_exam(items, references, cluster="patient", n_folds=n_folds)


def test_letters_and_answers_become_columns(make_item) -> None:
    exam = _exam(
        [make_item("0", ["x", "y"]), make_item("1", ["x", "y", "z"]), make_item("2", ["x"])],
        ["B", "C", "B"],
    )
    assert exam.letters == ("A", "B", "C")
    assert exam.offered.tolist() == [[1, 1, 0], [1, 1, 1], [1, 0, 0]]
    assert exam.right.tolist() == [1, 2, -1]  # B is not on offer in the last
    assert exam.chances == pytest.approx([1 / 2, 1 / 3, 1.0])


def test_a_patient_stays_in_one_fold(make_item) -> None:
    items = [make_item(str(n), ["x", "y"], patient=f"p{n % 7}") for n in range(70)]
    exam = _exam(items, ["A"] * 70)
    for patient in range(7):
        assert len(set(exam.folds[patient::7].tolist())) == 1
    assert set(exam.folds.tolist()) == {0, 1, 2, 3, 4}


def test_texts_are_known_by_their_words_and_task(make_item) -> None:
    items = [
        make_item("0", ["Left  Kidney", "spleen", None], patient="a"),
        make_item("1", ["left kidney", "liver", None], patient="b"),
        make_item("2", ["left kidney", "colon", None], task="other", patient="c"),
    ]
    texts = _exam(items, ["A", "A", "A"]).texts
    assert texts[0, 0] == texts[1, 0] >= 0
    assert texts[2].tolist() == [-1, -1, -1]  # its task has it once: nothing to learn from
    assert texts[:, 1:].max() == -1


def test_choices_without_learning_share_ties_and_guess_without_words(make_item) -> None:
    exam = _exam(
        [make_item("0", ["long one", "tiny", "also tiny"]), make_item("1", ["aa", "bb"])],
        ["A", "A"],
    )
    assert exam.picks["longest option"].tolist() == [[0, 0, 1], [0.5, 0.5, 0]]
    assert exam.picks["shortest option"].tolist() == [[0, 1, 0], [0.5, 0.5, 0]]
    pictures = _exam([make_item("0", [None, None, None])], ["A"])
    for pick in pictures.picks.values():
        assert pick == pytest.approx(np.full((1, 3), 1 / 3))


@pytest.mark.parametrize(
    ("text", "says_nothing"),
    [
        ("No finding", True),
        ("no acute abnormality", True),
        ("Normal", True),
        ("None of the above", True),
        ("abnormal", False),
        ("nodule, no calcification", False),
        ("noted", False),
    ],
)
def test_options_that_deny_any_finding(make_item, text: str, says_nothing: bool) -> None:
    picks = _exam([make_item("0", ["cyst", text, "mass"])], ["A"]).picks
    assert ("always no finding" in picks) == says_nothing
    if says_nothing:
        assert picks["always no finding"].tolist() == [[0, 1, 0]]
