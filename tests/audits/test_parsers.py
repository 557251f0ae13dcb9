"""Stored replies through all parsers: what each gains, loses and invents, by hand."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from overread.audits.parser_replay import NO_ANSWER, RANDOM, StoredReply, replay_parsers
from overread.audits.parsers import AUDIT, parser_findings, released_tables
from overread.benchmarks import igakuqa119
from overread.contracts import AnalysisPlan
from overread.contracts.replay import (
    ReleasedPrediction,
    ReleasedPredictions,
    ReleasedQuestion,
    Replay,
)
from overread.records import (
    AnswerSpace,
    Choice,
    Item,
    MultiChoice,
    Number,
    Option,
    Reference,
    Response,
    Score,
    Severity,
    Status,
    Text,
)
from overread.scoring.choice_scorer import ChoiceScorer
from overread.scoring.multi_choice_scorer import MultiChoiceScorer
from overread.scoring.number_scorer import NumberScorer
from overread.scoring.published.parsers import PARSERS

TEXTS = ("Liver", "Left kidney", "Lung", "Spleen")
OPTIONS = tuple(Option(letter=each, text=text) for each, text in zip("ABCD", TEXTS, strict=True))
CHOICE = Choice(options=OPTIONS)


class Exam:
    """As much of a release as the replay asks for."""

    def plan(self):
        return AnalysisPlan(strata=((),), cells=("task",), cluster=None)

    def scorers(self, profile: Any) -> tuple[Any, ...]:
        kinds = (ChoiceScorer, MultiChoiceScorer, NumberScorer)
        return tuple(kind(profile=profile) for kind in kinds)


EXAM = Exam()


def reply(
    number: int,
    text: str | None,
    *,
    right: str | None = "B",
    space: AnswerSpace = CHOICE,
    status: Status = Status.OK,
    problem: str | None = None,
) -> StoredReply:
    name = f"q{number}"
    item = Item(
        id=name, benchmark="b", task="t", condition="c", question="Which?", answer_space=space
    )
    return StoredReply(
        item=item,
        reference=Reference(item=name, answer=right, problem=problem),
        response=Response(run="r", item=name, text=text, status=status, request_hash="h"),
    )


REPLIES = (
    reply(1, "B"),
    reply(2, "The answer is B."),
    reply(3, "Cannot be determined from this image.", right="C"),
    reply(4, ""),
    reply(5, "A definitive diagnosis cannot be made.", right="A"),
    reply(6, None, status=Status.FAILED),
)


def table(replies=REPLIES, **more):
    (found,) = replay_parsers("model", replies, EXAM, **more)  # type: ignore[arg-type]
    return found


def row(found, name):
    return next(each for each in found.rows if each.parser == name)


def test_the_careful_reading_stands_first_and_counts_silence_as_not_right():
    found = table()
    assert (found.who, found.kind, found.n, found.n_no_reply) == ("model", "choice", 6, 1)
    assert [each.parser for each in found.rows][1:] == sorted(
        each.name for each in PARSERS if each.choice and each.name != "honest"
    )
    honest = found.honest
    assert honest.score == pytest.approx(2 / 6)
    assert honest.unread == pytest.approx(4 / 6)
    assert (honest.points, honest.n_differ) == (0.0, 0)


def test_what_a_parser_invents_is_counted_and_may_be_right():
    # "B"; "T…" leads to the B that stands alone; C of "Cannot"; A of "A definitive".
    found = row(table(), "deeptumorvqa")
    assert found.score == pytest.approx(4 / 6)
    assert found.points == pytest.approx(100 * 2 / 6)
    assert (found.n_invented, found.n_lost, found.n_other, found.n_differ) == (2, 0, 0, 2)


def test_a_drawn_letter_counts_by_its_expectation_and_a_failed_call_draws_none():
    # Read: B, B, none, none, A (right there). Drawn: two replies of four letters each.
    found = row(table(), "lmms-eval")
    assert found.n_drawn == 2
    assert found.score == pytest.approx((1 + 1 + 0.25 + 0.25 + 1) / 6)
    assert found.unread == pytest.approx(3 / 6)
    everything = table((reply(1, ""), reply(2, "")))
    assert row(everything, "vlmevalkit-random").score == pytest.approx(0.25)
    assert row(everything, "vlmevalkit").score == 0.0


def test_answers_lost_and_read_otherwise():
    found = table((reply(1, "The answer is B."), reply(2, "Option B"), reply(3, "Based on it: C.")))
    lost = row(found, "inspect-ai")
    assert (lost.n_lost, lost.n_invented, lost.score) == (3, 0, 0.0)
    other = row(found, "deeptumorvqa")
    assert (other.n_other, other.n_lost) == (1, 0)


def test_spread_is_between_the_highest_and_the_lowest():
    found = table()
    scores = [each.score for each in found.rows]
    assert found.spread == pytest.approx(100 * (max(scores) - min(scores)))
    # Closest to the careful reading are those that keep both stated answers.
    assert {each.parser for each in found.close} == {
        "honest",
        "deeptumorvqa",
        "lmms-eval",
        "lmms-eval-mcq",
        "medevalkit",
        "medvigil",
        "vlmevalkit",
        "vlmevalkit-random",
    }
    assert 0 <= found.close_spread <= found.spread


def test_examples_are_those_that_split_most_and_each_pattern_comes_once():
    found = table((*REPLIES, reply(7, "B"), reply(8, "B")), examples=2)
    assert len(found.examples) == 2
    distinct = [len(set(each.readings.values())) for each in found.examples]
    assert distinct == sorted(distinct, reverse=True)
    assert distinct[0] > 2
    assert {NO_ANSWER, RANDOM} & set(found.examples[0].readings.values())
    assert table(examples=0).examples == ()
    long = table((reply(1, "A mass. " * 1000),), examples=1).examples[0]
    assert len(long.reply) < 500


def test_unusable_references_and_foreign_questions_are_left_out():
    found = table(
        (*REPLIES, reply(7, "B", problem="two answers"), reply(8, "B", right=None), reply(9, "B"))
    )
    assert (found.n, found.n_unusable) == (7, 2)
    assert replay_parsers("m", [reply(1, "x", space=Text())], EXAM) == ()  # type: ignore[arg-type]
    assert replay_parsers("m", [], EXAM) == ()  # type: ignore[arg-type]
    assert replay_parsers("m", [reply(1, "B", problem="struck off")], EXAM) == ()  # type: ignore[arg-type]


def test_every_kind_has_a_table_of_its_own():
    two = MultiChoice(options=OPTIONS, count=2)
    found = replay_parsers(
        "m",
        [
            reply(1, "B"),
            reply(2, "answer: D, B", right="BD", space=two),
            reply(3, "answer: 1,200", right="1200", space=Number(unit="mL")),
        ],
        EXAM,  # type: ignore[arg-type]
    )
    assert [each.kind for each in found] == ["choice", "several", "number"]
    assert [each.honest.score for each in found] == [1.0, 1.0, 1.0]
    # The comma cuts the number in two.
    assert row(found[2], "deeptumorvqa").score == 0.0
    assert row(found[2], "deeptumorvqa").n_other == 1


def test_a_point_is_a_finding_and_less_is_none():
    (found,) = [f for f in parser_findings(table()) if f.code == "score-depends-on-parsing"]
    assert found.severity is Severity.WARNING
    assert "deeptumorvqa 66.7 (+33.3)" in found.evidence
    assert "33.3 % by careful reading" in found.evidence
    same = table(tuple(reply(each, "B") for each in range(200)))
    kept = tuple(each for each in same.rows if each.points == 0)
    assert list(parser_findings(replace(same, rows=kept))) == []
    almost = replace(kept[0], parser="almost", points=0.99)
    assert list(parser_findings(replace(same, rows=(kept[0], almost)))) == []
    full = replace(kept[0], parser="full", points=-1.0)
    assert len(list(parser_findings(replace(same, rows=(kept[0], full))))) == 1


def test_replies_without_an_answer_are_told_apart_from_failed_calls():
    (found,) = [f for f in parser_findings(table()) if f.code == "replies-without-answer"]
    assert found.count == 3
    silent = table((reply(1, None, status=Status.FAILED), reply(2, "B")))
    assert not [f for f in parser_findings(silent) if f.code == "replies-without-answer"]


class YesNoExam(Exam):
    """A release whose closed questions are scored by what yes or no says of the reference."""

    def scorers(self, profile: Any) -> tuple[Any, ...]:
        return (YesNoScorer(),)


class YesNoScorer:
    metric = "accuracy"
    profile = "honest"

    def score(self, item, reference, response):
        said, right = (text.lower().startswith("yes") for text in (response.text, reference.answer))
        unknown = reference.answer == "unknown"
        yield Score(
            run="r",
            item=item.id,
            patient=None,
            metric="accuracy",
            metric_version="1",
            profile="honest",
            unit="share",
            value=None if unknown else float(said == right),
            status=Status.UNDEFINED if unknown else Status.OK,
            reason="it says neither" if unknown else None,
        )


def test_no_inside_a_word_is_no_no():
    space = Text(classes=("yes", "no"))
    replies = [
        reply(1, "Yes, they are normal.", right="Yes, normal.", space=space),
        reply(2, "No.", right="No nodule.", space=space),
        reply(3, "Nothing to see", right="No nodule.", space=space),
        reply(4, "yes", right="unknown", space=space),
    ]
    (found,) = replay_parsers("m", replies, YesNoExam())  # type: ignore[arg-type]
    assert (found.kind, found.n, found.n_unusable) == ("yes-no", 3, 1)
    assert found.honest.score == pytest.approx(2 / 3)
    assert found.honest.unread == pytest.approx(1 / 3)
    toolkit = row(found, "medevalkit")
    assert (toolkit.n_lost, toolkit.n_invented) == (1, 1)
    assert toolkit.score == pytest.approx(2 / 3)  # the one it loses, and the one it invents
    assert row(found, "deeptumorvqa").score == pytest.approx(1.0)


def test_a_release_that_scores_nothing_has_no_table():
    class Silent(Exam):
        def scorers(self, profile: Any) -> tuple[Any, ...]:
            return ()

    assert replay_parsers("m", REPLIES, Silent()) == ()  # type: ignore[arg-type]


def test_a_refusal_by_the_host_is_no_answer_but_text_beside_it_is_a_message():
    found = table((reply(1, None, status=Status.REFUSED), reply(2, "B", status=Status.REFUSED)))
    assert found.n_no_reply == 1
    assert found.honest.score == 0.0  # declined, whatever text came
    assert row(found, "medevalkit").score == pytest.approx(0.5)
    assert row(table((reply(1, None),)), "medevalkit").unread == 0.0  # an empty message is A


# ---------------------------------------------------------------- what a release ships


@pytest.fixture
def exam(tmp_path: Path):
    igakuqa119.BENCHMARK.synthesise(tmp_path / "exam", seed=3, size=48)
    return igakuqa119.BENCHMARK.open(tmp_path / "exam")


def test_a_release_with_stored_answers_is_read_model_by_model(exam):
    tables = list(released_tables(exam.replay(), exam, examples=1))
    assert [(each.who, each.kind, each.n) for each in tables] == [
        (who, kind, n)
        for who in ("careful", "hasty")
        for kind, n in (("choice", 24), ("several", 12), ("number", 12))
    ]
    hasty = tables[3]
    assert hasty.n_no_reply == 0  # its failed calls are at questions for a number
    assert tables[5].n_no_reply == 4
    found = list(AUDIT.look(exam))
    assert {"score-depends-on-parsing"} <= {each.code for each in found}


def test_rows_that_fit_no_question_or_two_are_passed_over(exam):
    replay = exam.replay()
    (first, *_) = replay.predictions
    strange = ReleasedPrediction(case="119Z9", question="?", answer="a", prediction="answer: a")
    nameless = replace(first.rows[0], case=None)
    doubled = ReleasedQuestion(
        item=replay.questions[1].item,
        case=replay.questions[0].case,
        patient="p",
        question=replay.questions[0].question,
        answer="a",
    )
    shipped = ReleasedPredictions(
        model="m", file="f", rows=(first.rows[0], first.rows[4], strange, nameless)
    )
    counted = list(released_tables(replace(replay, predictions=(shipped,)), exam, examples=0))
    assert sum(each.n for each in counted) == 2
    twice = replace(replay, questions=(*replay.questions, doubled), predictions=(shipped,))
    assert sum(each.n for each in released_tables(twice, exam, examples=0)) == 1


def test_nothing_shipped_is_nothing_found(exam):
    assert list(released_tables(Replay(questions=()), exam, examples=0)) == []
