"""The released way of joining, on a case small enough to follow by hand."""

from __future__ import annotations

from overread.benchmarks.ct_spatialvqa.released_tables import (
    category_table,
    jury_rows,
    matrix_table,
    mean_votes,
    text_rows,
)
from overread.benchmarks.ct_spatialvqa.replies import Judged, Predicted
from overread.benchmarks.ct_spatialvqa.wording import Asked

IDS = {("c", q, "a"): f"c::{n}" for n, q in enumerate(["q0", "q1", "q2", "q3"])}


def answer(question, text="a"):
    asked = Asked(question=question, answer="a", short="a", wrong=("b",))
    return Predicted(case="c", asked=asked, text=text, is_right=True)


def judged(judge, *votes):
    """Votes as question and verdict: ``q0+`` is yes, ``q0-`` no, ``q0?`` null."""
    verdict = {"+": True, "-": False, "?": None}
    return Judged(
        model="m", judge=judge, rows=tuple((answer(v[:-1]), verdict[v[-1]]) for v in votes)
    )


def test_rows_are_paired_by_number_and_filed_under_the_first_judges_question():
    # The first judge lacks q1: its rows 1 and 2 are q2 and q3, the others' are q1 and q2.
    votes = [
        judged("gemini", "q0+", "q2-", "q3+"),
        judged("gpt", "q0+", "q1+", "q2-", "q3+"),
        judged("qwen", "q0-", "q1+", "q2-", "q3+"),
    ]
    # q0: 2 of 3 = 0.66 (cut, not rounded). Row 1, filed under q2: no + q1's yes + q1's yes = 0.66.
    # Row 2, filed under q3: yes + q2's no + q2's no = 0.33. q1 has no row.
    assert mean_votes(votes, IDS) == {
        "c::0": {"m": 0.66},
        "c::2": {"m": 0.66},
        "c::3": {"m": 0.33},
    }


def test_null_counts_as_no():
    votes = [judged("gemini", "q0?"), judged("gpt", "q0+"), judged("qwen", "q0+")]
    assert mean_votes(votes, IDS) == {"c::0": {"m": 0.66}}


MATRIX = {"c::1": {"m": 1.0, "n": 0.33}, "c::0": {"m": 0.66}, "c::2": {"m": 0.33, "n": 1.0}}


def test_the_matrix_is_sorted_and_a_missing_mean_is_an_empty_cell():
    assert matrix_table(MATRIX, ["m", "n"]).splitlines() == [
        "question_id,m,n",
        "c::0,0.66,",
        "c::1,1.00,0.33",
        "c::2,0.33,1.00",
    ]


def test_the_jury_counts_two_of_three_over_those_with_a_mean():
    assert jury_rows(MATRIX, ["m", "n"]) == [
        {"model": "m", "count": 3, "llm_jury_accuracy": 2 / 3},
        {"model": "n", "count": 2, "llm_jury_accuracy": 1 / 2},
    ]


def test_a_category_counts_a_missing_mean_as_wrong_and_a_pair_in_each_label():
    table = category_table(MATRIX, ["m", "n"], {"c::0": ("A", "B"), "c::1": ("A",), "c::2": ()})
    assert table.splitlines() == ["category,count,m,n", "A,2,100.00,0.00", "B,1,100.00,0.00"]


def test_an_empty_answer_is_left_out_of_likeness():
    (row,) = text_rows({"m": [answer("q0", "a"), answer("q1", ""), answer("q2", " ")]})
    assert row["count"] == 1
    assert row["rouge1_f"] == row["rougeL_f"] == 1.0
