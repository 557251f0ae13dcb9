from __future__ import annotations

import dataclasses

from overread.analysis.verdicts import join_verdicts, planned_clusters
from overread.records import Status


def test_every_planned_question_has_a_verdict_of_its_own_kind(make_line, make_score, plan) -> None:
    dropping = dataclasses.replace(plan, published_drops=(Status.FAILED,))
    planned = [make_line(name) for name in "abcdefg"]
    scores = [
        make_score("g", None, status=Status.FAILED, profile="published"),
        make_score("a", 1.0, answer="A", profile="published"),
        make_score("b", 0.0, answer="B", profile="published"),
        make_score("c", None, status=Status.UNPARSED, profile="published"),
        make_score("d", None, status=Status.UNDEFINED, answer="A", profile="published"),
        make_score("e", None, status=Status.UNDEFINED, profile="published"),
        make_score("f", 1.0, profile="honest"),
        make_score("nobody", 1.0, profile="published"),
    ]
    verdicts = join_verdicts(scores, planned, dropping, profile="published")
    assert verdicts.value.tolist() == [1, 0, 0, 0, 0, 0, 0]
    assert verdicts.graded.tolist() == [True, True, False, False, False, False, False]
    assert verdicts.answered.tolist() == [True, True, False, True, False, False, False]
    assert verdicts.asked.tolist() == [True, True, True, True, True, False, True]
    assert verdicts.ungradable.tolist() == [False, False, False, True, True, False, False]
    assert verdicts.dropped.tolist() == [False] * 6 + [True]
    honest = join_verdicts(
        [dataclasses.replace(score, profile="honest") for score in scores if score.item != "f"],
        planned,
        dropping,
        profile="honest",
    )
    assert not honest.dropped.any()


def test_draws_are_questions_of_their_own(make_line, make_score, plan) -> None:
    planned = [make_line("a", draw=draw) for draw in range(3)]
    scores = [make_score("a", 1.0, draw=2), make_score("a", 0.0, draw=0)]
    verdicts = join_verdicts(scores, planned, plan, profile="honest")
    assert verdicts.value.tolist() == [0.0, 0.0, 1.0]
    assert verdicts.asked.tolist() == [True, False, True]


def test_patients_are_the_units(make_line) -> None:
    planned = [
        make_line("a", patient="x"),
        make_line("b", patient="y"),
        make_line("c", patient="x"),
    ]
    clusters = planned_clusters(planned, "patient")
    assert clusters.codes.tolist() == [0, 1, 0]
    assert (clusters.unit, clusters.named, clusters.n_unnamed) == ("patient", True, 0)


def test_an_item_without_a_patient_is_no_patient_of_that_name(make_line) -> None:
    planned = [make_line("x", patient=None), make_line("b", patient="x")]
    clusters = planned_clusters(planned, "patient")
    assert clusters.codes.tolist() == [0, 1]
    assert (clusters.unit, clusters.n_unnamed) == ("patient", 1)


def test_without_patients_the_item_is_the_unit(make_line) -> None:
    planned = [make_line("a", draw=0), make_line("a", draw=1), make_line("b")]
    for cluster in (None, "study"):
        clusters = planned_clusters(planned, cluster)
        assert clusters.codes.tolist() == [0, 0, 1]
        assert (clusters.unit, clusters.named, clusters.n_unnamed) == ("item", False, 0)
