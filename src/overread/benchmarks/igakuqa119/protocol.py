"""How the exam asks and scores: card, wording, scorers of both profiles, plan, printed numbers.

The wording follows the form of the released solver: a system turn with the rules of the form, a
user turn with the question and its options, the figures after it, and an answer of three fields,
``answer``, ``confidence`` and ``explanation``. The sentences are ours. The solver sends figures
only to models that it lists as able to see; here the model says that.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from importlib import resources
from typing import Any, Final, Literal

from overread.contracts import AlsoMetric, AnalysisPlan, Card, ExpectedCount, Scorer
from overread.metrics.sets import SET_OVERLAP
from overread.records import (
    AnswerSpace,
    Media,
    Option,
    Part,
    Profile,
    PublishedValue,
    Status,
)
from overread.scoring.exam.scorers import careful_scorers
from overread.scoring.exam.wording import exam_parts, question_lines
from overread.scoring.published.igakuqa119 import GradedAnswerScorer

__all__ = [
    "ACCEPTED",
    "CARD",
    "PLAN",
    "WITHOUT_FIGURE",
    "WITH_FIGURE",
    "expected_counts",
    "notes",
    "prompt",
    "published_values",
    "scorers",
]

ACCEPTED: Final[Mapping[str, tuple[str, ...]]] = {"119E28": ("a", "c")}
"""Questions for which the exam office takes several answers, as the released grader has it. The key
writes them as one: ``ac``."""

_SYSTEM: Final = (
    "あなたは医師国家試験の受験者です。問題の指示に従い、次の3行の形式だけで答えてください。\n"
    "answer: <選択肢の記号を小文字で。複数選ぶ問題では記号を続けて書く。計算問題では数値だけ>\n"
    "confidence: <0から1までの数>\n"
    "explanation: <根拠を一文で>\n"
    "数の指定がない選択問題では1つだけ選びます。"
)
_REQUEST: Final = "上の形式で答えてください。"

CARD: Final = Card(
    name="igakuqa119",
    title="IgakuQA119: the 119th Japanese physician licensing exam",
    protocol_version="1",
    licence="Apache-2.0 (repository); figures from the ministry's published exam",
    access="open: github.com/docto-rin/IgakuQA119",
    tasks={
        "one": "pick the one option that answers the question",
        "several": "pick as many options as the question says",
        "number": "work out a number",
    },
    conditions=("as-asked",),
    unit="question",
    synthetic_size=48,
    sources=("docto-rin/IgakuQA119, DOI 10.5281/zenodo.15743221",),
)

PLAN: Final = AnalysisPlan(
    strata=((), ("image",), ("task",), ("block",), ("section",)),
    cells=("block", "image"),
    # How far off wrong sets are; no answer shares nothing.
    also=(
        AlsoMetric(
            metric=SET_OVERLAP.name,
            profiles=("honest",),
            only={"task": ("several",)},
            drops=(Status.UNDEFINED,),
            is_share=True,
        ),
    ),
    # Questions on one patient repeat the same case: whoever misreads it misses several.
    cluster="patient",
    cells_are_independent=False,
    # The grader leaves out questions whose call failed, and those for which no answer line came
    # after all repetitions.
    published_drops=(Status.FAILED, Status.REFUSED, Status.UNPARSED),
)

WITH_FIGURE: Final = "with figure"
WITHOUT_FIGURE: Final = "no figure"
"""Values of the stratum ``image``."""

_COUNTS: Final = {
    # block: (with figures, without)
    "A": (34, 41),
    "B": (4, 46),
    "C": (15, 60),
    "D": (32, 43),
    "E": (7, 43),
    "F": (11, 64),
}

_NOTES: Final[Mapping[str, tuple[str, ...]]] = {
    "published": (
        "Accuracy is no exam result: blocks B and E weigh their questions, have a pass mark of "
        "their own, and some options must not be chosen; nothing of that is in the data.",
        "The exam was held in February 2025 and is on the web: a model trained later may have read "
        "it, key and all.",
        "Only 103 of 400 questions have a figure; the stratum 'image' tells them apart.",
    ),
    "synthetic": (
        "This release is synthetic: sums and drawn shapes. Its numbers show that the way from "
        "release to report works, and say nothing about medicine.",
        "Published models stand beside it for the layout only: they answered the real exam.",
    ),
}


def prompt(
    question: str, space: AnswerSpace, options: Sequence[Option], media: Sequence[Media]
) -> tuple[Part, ...]:
    """Word a question for a chat model: words first, then the figures."""
    lines = question_lines(question, space, options)
    return exam_parts(_SYSTEM, [*lines, _REQUEST], media)


def scorers(profile: Profile, accepted: Mapping[str, tuple[str, ...]]) -> tuple[Scorer, ...]:
    """Give the scorers of a profile: the released grading, or one careful reader for each kind.

    `accepted` are the texts of the options accepted, by item id.
    """
    if profile == "published":
        return (GradedAnswerScorer(accepted=accepted),)
    return careful_scorers(profile, accepted)


def notes(origin: Literal["published", "synthetic"]) -> tuple[str, ...]:
    """Say what numbers on a release of this origin do not show."""
    return _NOTES[origin]


@cache
def expected_counts() -> tuple[ExpectedCount, ...]:
    """Count the questions of the whole exam: 103 with figures and 297 without."""
    return tuple(
        ExpectedCount(stratum={"block": block, "image": image}, split="test", n=n)
        for block, counts in _COUNTS.items()
        for image, n in zip((WITH_FIGURE, WITHOUT_FIGURE), counts, strict=True)
    )


@cache
def published_values() -> tuple[PublishedValue, ...]:
    """Give the leaderboard's counts, over all questions and over those without figures."""
    text = (resources.files("overread.benchmarks.igakuqa119") / "published.toml").read_text(
        encoding="utf-8"
    )
    published: dict[str, Any] = tomllib.loads(text)
    return tuple(
        PublishedValue(
            metric="accuracy",
            stratum=stratum,
            who=row["who"],
            kind="model",
            value=row[key] / n,
            count=row[key],
            n=n,
            source=published["source"],
        )
        for row in published["row"]
        for key, stratum, n in (
            ("all", {}, 400),
            ("without_figures", {"image": WITHOUT_FIGURE}, 297),
        )
    )
