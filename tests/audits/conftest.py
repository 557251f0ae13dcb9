"""A release in memory: three judges, two models, every fault only where a test plants it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from overread.contracts import AnalysisPlan, Card, Selection, Training
from overread.contracts.replay import (
    ReleasedPrediction,
    ReleasedPredictions,
    ReleasedQuestion,
    ReleasedVote,
    ReleasedVotes,
    Replay,
)
from overread.records import (
    Choice,
    Finding,
    Item,
    Media,
    Option,
    Profile,
    PublishedValue,
    Reference,
)


class Make:
    """Makes the parts of a replay."""

    @staticmethod
    def questions(n: int, *, per_case: int = 2, labels: tuple[str, ...] = ()) -> list[Any]:
        """Make n questions, each with its own words; one patient a case."""
        return [
            ReleasedQuestion(
                item=f"valid_{place // per_case}_a_1.nii.gz::{place % per_case}",
                case=f"valid_{place // per_case}_a_1.nii.gz",
                patient=f"valid_{place // per_case}",
                question=f"Where is finding {place}?",
                answer=f"In place {place}.",
                labels=labels,
            )
            for place in range(n)
        ]

    @staticmethod
    def predictions(
        model: str, questions: Sequence[ReleasedQuestion], texts: Sequence[str | None] | None = None
    ) -> ReleasedPredictions:
        texts = [f"at {place}" for place in range(len(questions))] if texts is None else texts
        return ReleasedPredictions(
            model=model,
            file=f"predictions/{model}_predictions_full.jsonl",
            rows=tuple(
                ReleasedPrediction(
                    case=one.case, question=one.question, answer=one.answer, prediction=text
                )
                for one, text in zip(questions, texts, strict=True)
            ),
        )

    @staticmethod
    def votes(
        model: str,
        judge: str,
        questions: Sequence[ReleasedQuestion],
        verdicts: Sequence[bool | None],
        *,
        without: Sequence[int] = (),
        predictions: Sequence[str] | None = None,
    ) -> ReleasedVotes:
        """Make a judge file without the records of some questions; rows do not say their case."""
        texts = predictions or [f"at {place}" for place in range(len(questions))]
        return ReleasedVotes(
            model=model,
            judge=judge,
            file=f"llm_eval/{model}_{judge}_eval.json",
            rows=tuple(
                ReleasedVote(
                    case=None,
                    question=one.question,
                    answer=one.answer,
                    prediction=text,
                    verdict=verdict,
                )
                for place, (one, verdict, text) in enumerate(
                    zip(questions, verdicts, texts, strict=True)
                )
                if place not in without
            ),
        )

    @staticmethod
    def published(
        metric: str, who: str, value: float, source: str = "table", **rest: Any
    ) -> PublishedValue:
        stratum: Mapping[str, str] = rest.pop("stratum", {})
        return PublishedValue(
            metric=metric,
            stratum=stratum,
            who=who,
            kind="model",
            value=value,
            source=source,
            **rest,
        )


@dataclass
class Shipped:
    """As much of a release as audits look at."""

    held: Replay
    root: Path
    name: str = "made-up"
    card: Card = field(init=False)

    def __post_init__(self) -> None:
        self.card = Card(
            name=self.name,
            title="Made up",
            protocol_version="1",
            licence="none",
            access="none",
            tasks={},
            conditions=(),
        )

    def replay(self) -> Replay:
        return self.held

    def published(self) -> tuple[PublishedValue, ...]:
        return self.held.published

    def items(self, selection: Selection) -> Iterator[Item]:
        return iter(())

    def training(self, selection: Selection) -> Training:
        return Training()

    def plan(self) -> AnalysisPlan:
        return AnalysisPlan(strata=((),), cells=("split",), cluster="patient")

    def scorers(self, profile: Profile) -> Sequence[Any]:
        return ()


@pytest.fixture
def shipped(tmp_path: Path) -> Any:
    """Make a release of a replay: ``shipped(replay)``."""
    return lambda held, name="made-up": Shipped(held=held, root=tmp_path, name=name)


@pytest.fixture(scope="session")
def make() -> type[Make]:
    return Make


@pytest.fixture
def slipped(make: type[Make]) -> Replay:
    """Eight questions, three judges; the record of question 2 is lost in the first judge's file.

    ::

        question   0 1 2 3 4 5 6 7
        gemini     1 0 - 0 1 1 0 0      by row number   1 0 0 1 1 0 0
        gpt        1 0 1 0 1 0 0 0                      1 0 1 0 1 0 0
        qwen       1 1 0 0 1 1 0 0                      1 1 0 0 1 1 0
        jury       1 0 - 0 1 1 0 0  3/7                 1 0 0 0 1 0 0  2/7
    """
    asked = make.questions(8, labels=("Side",))
    gemini = [True, False, True, False, True, True, False, False]
    gpt = [True, False, True, False, True, False, False, False]
    qwen = [True, True, False, False, True, True, False, False]
    thirds = {0: 1.0, 1: 0.33, 2: None, 3: 0.33, 4: 0.33, 5: 1.0, 6: 0.33, 7: 0.0}
    return Replay(
        questions=tuple(asked),
        predictions=(make.predictions("m", asked),),
        votes=(
            make.votes("m", "gemini", asked, gemini, without=[2]),
            make.votes("m", "gpt", asked, gpt),
            make.votes("m", "qwen", asked, qwen),
        ),
        published=(
            make.published("judge_accuracy", "Model M", 0.43, stratum={"judge": "gemini"}),
            make.published("judge_accuracy", "Model M", 0.38, stratum={"judge": "gpt"}),
            make.published("judge_accuracy", "Model M", 0.50, stratum={"judge": "qwen"}),
            make.published("jury_accuracy", "Model M", 0.29),
            make.published("jury_accuracy", "Model M", 2 / 7, source="metrics/jury.json", n=7),
            make.published(
                "category_performance", "Model M", 0.25, stratum={"category": "Side"}, n=8
            ),
        ),
        matrix={asked[place].item: {"m": mean} for place, mean in thirds.items()},
        title_of={"m": "Model M"},
    )


@dataclass
class Exam:
    """A release in memory that is nothing but questions of choice."""

    questions: Sequence[tuple[Item, str]]
    """Items with their right letters; the split is a stratum."""
    root: Path = Path("exam")
    numbers: Sequence[PublishedValue] = ()
    findings_: Sequence[Finding] = ()

    @property
    def media_root(self) -> Path:
        return self.root

    @property
    def fingerprint(self) -> str:
        return "exam"

    @property
    def card(self) -> Card:
        splits = dict.fromkeys(item.strata["split"] for item, _ in self.questions)
        return Card(
            name="exam",
            title="Exam",
            protocol_version="1",
            licence="none",
            access="in memory",
            tasks={item.task: "which" for item, _ in self.questions},
            conditions=("plain",),
            splits=tuple(splits) or ("test",),
        )

    def items(self, selection: Selection) -> Iterator[Item]:
        return (i for i, _ in self.questions if i.strata["split"] == selection.split)

    def reference(self, item_id: str) -> Reference:
        answers = {item.id: letter for item, letter in self.questions}
        return Reference(item=item_id, answer=answers[item_id])

    def findings(self, *, thorough: bool = False) -> Sequence[Finding]:
        return self.findings_

    def scorers(self, profile: Profile) -> Sequence[Any]:
        return ()

    def plan(self) -> AnalysisPlan:
        return AnalysisPlan(strata=((), ("kind",)), cells=("kind",), cluster="patient")

    def notes(self) -> Sequence[str]:
        return ()

    def published(self) -> Sequence[PublishedValue]:
        return self.numbers

    def expected_counts(self) -> Sequence[Any]:
        return ()

    def training(self, selection: Selection) -> Training:
        return Training()


@pytest.fixture
def exam() -> type[Exam]:
    return Exam


@pytest.fixture
def ask() -> Any:
    """Make one question of choice with its right letter."""

    def asked(
        number: int,
        right: int,
        *,
        options: Sequence[str] = ("liver", "spleen", "kidney", "colon"),
        question: str = "Where is finding {number}?",
        kind: str = "usual",
        patient: str | None = None,
        split: str = "test",
        media: tuple[Media, ...] = (),
    ) -> tuple[Item, str]:
        letters = "ABCDEFGH"[: len(options)]
        item = Item(
            id=f"q{number}",
            benchmark="exam",
            task="where",
            condition="plain",
            question=question.format(number=number),
            media=media,
            answer_space=Choice(
                options=tuple(
                    Option(letter=letter, text=text)
                    for letter, text in zip(letters, options, strict=True)
                )
            ),
            groups={"patient": patient or f"p{number}"},
            strata={"split": split, "kind": kind},
        )
        return item, letters[right]

    return asked
