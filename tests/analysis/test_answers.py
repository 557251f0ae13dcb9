from __future__ import annotations

import dataclasses
import json

import pytest

from overread.analysis.answers import summarise_answers
from overread.records import Reference, Status


@pytest.fixture
def world(make_line, make_score):
    """Seven questions: A A B B C, one without a usable reference, one not asked."""
    right = {"1": "A", "2": "A", "3": "B", "4": "B", "5": "C", "6": "Z", "7": "A"}
    references = {
        item: Reference(item=item, answer=letter, problem="off the list" if item == "6" else None)
        for item, letter in right.items()
    }
    planned = [make_line(item, task="size" if item in "45" else "img2txt") for item in right]
    scores = [
        make_score("1", 1.0, answer="A", reason="json"),
        make_score("2", 0.0, answer="B", reason="json"),
        make_score("3", 1.0, answer="B", reason="json"),
        make_score("4", None, reason="several letters"),
        make_score("5", None, status=Status.REFUSED, reason="refusal"),
        make_score("6", None, status=Status.UNDEFINED, answer="B", reason="no usable reference"),
        make_score("1", 0.0, answer="D", profile="published"),
    ]
    return scores, planned, references


def test_letters_against_letters(world) -> None:
    summary = summarise_answers(*world, letters="ABCD")
    assert summary.confusion.references == ("A", "B", "C", "D", "none")
    assert summary.confusion.answers == ("A", "B", "C", "D", "none")
    assert summary.confusion.counts == (
        (1, 1, 0, 0, 1),
        (0, 1, 0, 0, 1),
        (0, 0, 0, 0, 1),
        (0, 0, 0, 0, 0),
        (0, 1, 0, 0, 0),
    )


def test_every_planned_question_is_counted_once(world) -> None:
    summary = summarise_answers(*world)
    assert summary.n == 7
    assert sum(map(sum, summary.confusion.counts)) == 7
    assert summary.n_answered + sum(row.count for row in summary.non_answers) == 7


def test_non_answers_by_task_status_and_rule(world) -> None:
    summary = summarise_answers(*world)
    found = [
        (row.task, row.status, row.reason, row.count, row.n_task) for row in summary.non_answers
    ]
    assert found == [
        ("img2txt", None, "not asked or not scored yet", 1, 5),
        ("size", Status.REFUSED, "refusal", 1, 2),
        ("size", Status.UNPARSED, "several letters", 1, 2),
    ]


def test_profiles_are_apart(world) -> None:
    summary = summarise_answers(*world, profile="published")
    assert summary.n_answered == 1
    assert summary.confusion.answers == ("A", "B", "C", "D", "none")


def test_letter_balance_counts_and_intervals(world) -> None:
    summary = summarise_answers(*world, letters="ABCD")
    references = {row.letter: row.count for row in summary.reference_balance}
    answers = {row.letter: row.count for row in summary.answer_balance}
    assert references == {"A": 3, "B": 2, "C": 1, "D": 0}
    assert answers == {"A": 1, "B": 3, "C": 0, "D": 0}
    second = summary.answer_balance[1]
    assert second.share == pytest.approx(3 / 4)
    assert second.low < 0.75 < second.high
    assert summary.reference_balance_p is None  # fewer than five expected of each letter


def test_a_reader_fond_of_one_letter_shows(make_line, make_score) -> None:
    planned = [make_line(str(n)) for n in range(100)]
    references = {str(n): Reference(item=str(n), answer="ABCD"[n % 4]) for n in range(100)}
    scores = [make_score(str(n), 0.0, answer="B" if n % 2 else "ABCD"[n % 4]) for n in range(100)]
    summary = summarise_answers(scores, planned, references)
    assert summary.reference_balance_p == pytest.approx(1.0)
    assert summary.answer_balance_p < 1e-4


def test_many_different_errors_stay_a_short_table(make_line, make_score) -> None:
    planned = [make_line(str(n)) for n in range(100)]
    scores = [
        make_score(
            str(n), None, status=Status.FAILED, reason=f"timeout after\n {100 + n} s" + "!" * 300
        )
        for n in range(100)
    ]
    summary = summarise_answers(scores, planned, {})
    assert len(summary.non_answers) == 21
    assert sum(row.count for row in summary.non_answers) == 100
    assert summary.non_answers[0].reason == "80 other reasons"
    assert all(len(row.reason) <= 121 and "\n" not in row.reason for row in summary.non_answers)


def test_nothing_planned_is_nothing_counted() -> None:
    summary = summarise_answers([], [], {})
    assert (summary.n, summary.n_answered) == (0, 0)
    assert summary.confusion.counts == ()
    assert summary.answer_balance == ()


def test_repeated_draws_are_questions_of_their_own(make_line, make_score) -> None:
    planned = [make_line("1"), make_line("1", draw=1)]
    scores = [make_score("1", 1.0, answer="A"), make_score("1", 0.0, draw=1, answer="B")]
    summary = summarise_answers(scores, planned, {"1": Reference(item="1", answer="A")})
    assert summary.confusion.counts == ((1, 1, 0), (0, 0, 0))


def test_summary_can_be_written_as_json(world) -> None:
    json.dumps(dataclasses.asdict(summarise_answers(*world)), allow_nan=False)


def test_free_answers_have_no_table_but_their_non_answers(make_line, make_score) -> None:
    planned = [make_line(str(n), box="closed" if n < 200 else "open") for n in range(300)]
    references = {str(n): Reference(item=str(n), answer=f"It lies at {n}.") for n in range(300)}
    scores = [make_score(str(n), 0.0, answer=f"at {n}") for n in range(190)]
    scores += [make_score(str(n), None, reason="side: not read") for n in range(190, 200)]
    summary = summarise_answers(scores, planned, references, only={"box": ("closed",)})
    assert (summary.n, summary.n_answered) == (200, 190)
    assert summary.confusion.counts == summary.confusion.references == ()
    assert summary.reference_balance == summary.answer_balance == ()
    assert summary.answer_balance_p is None
    assert [(row.reason, row.count) for row in summary.non_answers] == [("side: not read", 10)]
