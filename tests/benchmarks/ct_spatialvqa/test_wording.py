"""Answers that the made-up cases call right or wrong are so to the rules that score them."""

from __future__ import annotations

import numpy as np
import pytest

from overread.benchmarks.ct_spatialvqa.layout import CATEGORIES
from overread.benchmarks.ct_spatialvqa.signs import draw_cases
from overread.benchmarks.ct_spatialvqa.wording import ask_case, report_of
from overread.records import Item, Reference, Response, Status, Text
from overread.scoring.spatial.forms import CLOSED_FORMS, question_form
from overread.scoring.spatial.scorer import SpatialScorer


@pytest.fixture(scope="module")
def cases():
    return draw_cases(60, np.random.default_rng(3))


@pytest.fixture(scope="module")
def asked(cases):
    return {
        case.name: ask_case(case, np.random.default_rng([4, place]))
        for place, case in enumerate(cases)
    }


@pytest.fixture(scope="module")
def closed(asked):
    kept = [one for many in asked.values() for one in many if one.kept]
    return [one for one in kept if question_form(one.question) in CLOSED_FORMS]


def verdict(one, text):
    item = Item(
        id="i",
        benchmark="ct-spatialvqa",
        task="spatial",
        condition="slices-32",
        question=one.question,
        answer_space=Text(),
    )
    response = Response(run="r", item="i", status=Status.OK, text=text, request_hash="h")
    (row,) = SpatialScorer().score(item, Reference(item="i", answer=one.answer), response)
    return row.value


def test_right_answers_are_right_in_both_lengths(closed):
    assert len(closed) > 200
    for one in closed:
        assert verdict(one, one.answer) == 1.0, one
        assert verdict(one, one.short) == 1.0, one


def test_wrong_answers_are_wrong(closed):
    for one in closed:
        assert one.wrong
        for text in one.wrong:
            assert verdict(one, text) == 0.0, (one, text)


def test_every_closed_form_but_height_is_asked(closed):
    # Height is part of every lobe: asked alone it would be told by it.
    assert {question_form(one.question) for one in closed} == set(CLOSED_FORMS) - {"height"}


def test_no_question_stands_twice_in_a_case(asked):
    for many in asked.values():
        questions = [one.question for one in many]
        assert len(set(questions)) == len(questions)


def test_what_is_kept_is_spatial_and_in_the_report_and_has_categories(asked):
    for many in asked.values():
        kept = [one for one in many if one.kept]
        assert 4 <= len(kept) <= 6
        assert all(one.is_spatial and one.is_relevant for one in kept)
        assert all(set(one.categories) <= set(CATEGORIES) and one.categories for one in kept)
        assert any(not one.kept for one in many)


def test_yes_is_no_better_than_no(closed):
    polar = [one.short for one in closed if question_form(one.question) == "yes-no"]
    assert 0.4 < polar.count("Yes") / len(polar) < 0.6


def test_a_report_names_every_finding_with_its_place(cases):
    for case in cases:
        findings, impression = report_of(case)
        assert impression in findings
        for sign in case.signs:
            assert sign.kind in impression
            where = f"{sign.side} {sign.lobe} lobe" if sign.lobe else sign.side
            assert where in impression
