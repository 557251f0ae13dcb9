"""How the exams are asked and scored: card, wording, scorers of both profiles, plan, claims.

The evaluation code was not seen: wording and reading are ours. Each question with figures is asked
twice, as it is and with its figures removed, word for word the same.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from importlib import resources
from typing import Any, Final, Literal

from overread.benchmarks.jmed48k.layout import PROFESSIONS
from overread.benchmarks.jmed48k.plan import (
    AS_ASKED,
    IMAGES_REMOVED,
    PLAN,
    WITH_FIGURE,
    WITHOUT_FIGURE,
)
from overread.benchmarks.jmed48k.readers import exact_letter, exact_letters, exact_number
from overread.contracts import Card, ExpectedCount, Scorer
from overread.metrics.image_removal import ANSWERED
from overread.records import AnswerSpace, Media, MultiChoice, Number, Option, Part, PublishedValue
from overread.records import Profile as _Profile
from overread.scoring.exam.answered import AnsweredScorer
from overread.scoring.exam.scorers import careful_scorers, exam_scorers
from overread.scoring.exam.wording import exam_parts, question_lines

__all__ = [
    "CARD",
    "ENGLISH",
    "PLAN",
    "expected_counts",
    "notes",
    "prompt",
    "published_values",
    "scorers",
]

ENGLISH: Final = "english"
"""Task of the questions in an English frame."""

CARD: Final = Card(
    name="jmed48k",
    title="JMed48k-Eval: eleven Japanese healthcare licensing exams",
    protocol_version="1",
    licence="CC-BY-NC-4.0 (data set); papers and figures by the ministry, under its own terms",
    access="open: Hugging Face JMed48k/JMed48k, folder JMed48k-eval",
    tasks={
        "one": "pick the one option that answers the question",
        "several": "pick as many options as the question says, or all that are right",
        "number": "work out a number",
        ENGLISH: "the same questions, in Japanese, in a frame worded in English",
    },
    asked_by_name=(ENGLISH,),
    conditions=(AS_ASKED, IMAGES_REMOVED),
    unit="question",
    synthetic_size=96,
    sources=("arXiv 2605.22080",),
)

_SYSTEM: Final = (
    "あなたは{who}国家試験の受験者です。問題の指示に従い、次の2行の形式だけで答えてください。\n"
    "answer: <選択肢の記号。複数選ぶ問題では記号をコンマで区切る。計算問題では数値だけ>\n"
    "explanation: <根拠を一文で>\n"
    "数の指定がない選択問題では1つだけ選びます。"
)
_REQUEST: Final = "上の形式で答えてください。"
_ENGLISH_SYSTEM: Final = (
    "You are taking the Japanese national examination for {who}. Follow the question's own "
    "instruction and answer in this form of two lines and nothing else.\n"
    "answer: <the label of the option; of several, their labels with commas; or the number alone>\n"
    "explanation: <the reason in one sentence>\n"
    "Where the question does not say how many options to choose, choose one."
)
_ENGLISH_REQUEST: Final = "Answer in the form above."

_NOTES: Final[Mapping[str, tuple[str, ...]]] = {
    "published": (
        "Accuracy is no exam result: compulsory sections, weights, forbidden options and pass "
        "marks are not in the data.",
        "Net effects of figures depend on how many questions need theirs: compare professions "
        "with the mix of questions beside them.",
        "A right answer that persists without its figure does not prove that the figure was "
        "unused: of five options a guesser is right twice in 4 %, with figures alone in 16 %, "
        "without alone in 16 %, and has a net effect of 0.",
        "The words still point to a figure that is no longer there: part of a fall may be "
        "refusal, which 'answered' counts; 'overread probe' with neutral-stem asks "
        "without the pointer.",
        "Older papers have been on the web for longer: the stratum 'year' and last_year_gap show "
        "by how much the last year is harder, which may be the papers' own doing.",
    ),
    "synthetic": (
        "This release is synthetic: sums and drawn shapes. Its numbers show that the way from "
        "release to report works, and say nothing about medicine.",
        "Published effects stand beside it for the layout only: they are of the real exams.",
    ),
}


def prompt(
    question: str,
    space: AnswerSpace,
    options: Sequence[Option],
    media: Sequence[Media],
    *,
    profession: str,
    english: bool,
) -> tuple[Part, ...]:
    """Word a question for a chat model: words first, then its figures, those of options last."""
    exam = _EXAMS.get(profession, PROFESSIONS[0])
    if english:
        system = _ENGLISH_SYSTEM.format(who=exam.english)
        return exam_parts(system, [*_english_lines(question, space, options)], media)
    lines = question_lines(question, space, options)
    return exam_parts(_SYSTEM.format(who=exam.japanese), [*lines, _REQUEST], media)


_EXAMS: Final = {each.name: each for each in PROFESSIONS}


def _english_lines(question: str, space: AnswerSpace, options: Sequence[Option]) -> list[str]:
    lines = [f"Question: {question}"] if question else []
    if options:
        told = (f"{option.letter}. {option.text}" for option in options if option.text)
        lines += ["Options:", *told]
    if isinstance(space, MultiChoice) and space.count:
        lines.append(f"Number of options to choose: {space.count}")
    if isinstance(space, Number):
        lines.append("The answer is a number.")
    return [*lines, _ENGLISH_REQUEST]


def scorers(profile: _Profile, accepted: Mapping[str, tuple[str, ...]]) -> tuple[Scorer, ...]:
    """Give the scorers of a profile: exact sets in the form asked for, or careful readers.

    `accepted` are the texts of the options accepted, by item id.
    """
    if profile == "published":
        return exam_scorers(
            profile, accepted, one=exact_letter, several=exact_letters, number=exact_number
        )
    return tuple(
        AnsweredScorer(
            scorer=scorer,
            spec=ANSWERED,
            only={"image": WITH_FIGURE},
            target_of={AS_ASKED: "with figures", IMAGES_REMOVED: "figures removed"},
        )
        for scorer in careful_scorers(profile, accepted)
    )


def notes(origin: Literal["published", "synthetic"]) -> tuple[str, ...]:
    """Say what numbers on a release of this origin do not show."""
    return _NOTES[origin]


@cache
def published_numbers() -> Mapping[str, Any]:
    """Read ``published.toml``."""
    source = resources.files("overread.benchmarks.jmed48k").joinpath("published.toml")
    return tomllib.loads(source.read_text(encoding="utf-8"))


def expected_counts() -> tuple[ExpectedCount, ...]:
    """Count the scored questions of JMed48k-Eval, those with figures once for each condition."""
    counts = published_numbers()["counts"]
    return tuple(
        ExpectedCount(stratum={"condition": condition, "image": image}, split="test", n=n)
        for condition, image, n in (
            (AS_ASKED, WITHOUT_FIGURE, counts["text_only"]),
            (AS_ASKED, WITH_FIGURE, counts["with_figures"]),
            (IMAGES_REMOVED, WITH_FIGURE, counts["with_figures"]),
        )
    )


@cache
def published_values() -> tuple[PublishedValue, ...]:
    """Give the printed net effects, as shares."""
    table = published_numbers()
    return tuple(
        PublishedValue(
            metric=str(row["metric"]),
            stratum={"profession": str(row["profession"])},
            who=str(row["who"]),
            kind="model",
            value=round(float(row["points"]) / 100, 6),
            source=str(table["source"]),
        )
        for row in table["row"]
    )
