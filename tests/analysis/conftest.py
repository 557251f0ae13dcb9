"""A small world for analysis: exams whose answers are known, and runs with chosen replies."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pytest

from overread.contracts import AnalysisPlan
from overread.records import Choice, Item, Option, PlannedItem, Reference, Score, Status

LETTERS = "ABCD"

# CT-Bench's test exam (arXiv 2602.14879): task -> questions without and with a box.
CT_BENCH_CELLS = {
    "img2txt": (200, 200),
    "ct2txt": (200, 200),
    "txt2img": (200, 200),
    "txt2bbox": (0, 100),
    "img2attrib": (100, 100),
    "ct2attrib": (100, 100),
    "img2size": (100, 100),
}


@pytest.fixture
def plan() -> AnalysisPlan:
    return AnalysisPlan(
        strata=((), ("task",), ("box",), ("task", "box")), cells=("task", "box"), cluster="patient"
    )


@pytest.fixture
def make_item() -> Callable[..., Item]:
    def make(
        name: str,
        texts: Sequence[str | None],
        *,
        task: str = "img2txt",
        box: str = "box",
        patient: str | None = None,
        question: str = "Which one?",
    ) -> Item:
        options = tuple(
            Option(letter=letter, text=text) for letter, text in zip("ABCDE", texts, strict=False)
        )
        return Item(
            id=name,
            benchmark="test",
            task=task,
            condition=box,
            question=question,
            answer_space=Choice(options=options),
            groups={} if patient is None else {"patient": patient},
            strata={"task": task, "box": box},
        )

    return make


@pytest.fixture
def make_line() -> Callable[..., PlannedItem]:
    def make(
        item: str,
        *,
        task: str = "img2txt",
        box: str = "box",
        patient: str | None = "p",
        draw: int = 0,
        chance: float | None = 0.25,
    ) -> PlannedItem:
        return PlannedItem(
            item=item,
            draw=draw,
            request_hash=f"{item}/{draw}",
            groups={} if patient is None else {"patient": patient},
            strata={"task": task, "box": box},
            chance=chance,
        )

    return make


@pytest.fixture
def make_score() -> Callable[..., Score]:
    def make(
        item: str,
        value: float | None,
        *,
        status: Status | None = None,
        draw: int = 0,
        profile: str = "honest",
        answer: str | None = None,
        reason: str | None = None,
        metric: str = "accuracy",
        target: str | None = None,
    ) -> Score:
        return Score(
            run="run",
            item=item,
            draw=draw,
            patient=None,
            metric=metric,
            metric_version="1",
            profile=profile,
            target=target,
            unit="1",
            value=value,
            status=status or (Status.UNPARSED if value is None else Status.OK),
            reason=reason,
            answer=answer,
        )

    return make


@pytest.fixture
def ct_bench(make_item, make_line):
    """Make CT-Bench's 1,900 questions over some 1,000 patients, answers drawn by lot."""

    def make(seed: int) -> tuple[list[Item], dict[str, Reference], list[PlannedItem]]:
        rng = np.random.default_rng(seed)
        items, references, planned = [], {}, []
        for task, counts in CT_BENCH_CELLS.items():
            for box, count in zip(("nobox", "box"), counts, strict=True):
                for number in range(count):
                    name = f"{task}/{box}/{number}"
                    patient = f"p{rng.integers(1000)}"
                    words = rng.integers(0, 9, (4, 6))
                    texts = [
                        None if task.startswith("txt") else " ".join(f"word{w}" for w in row)
                        for row in words
                    ]
                    items.append(make_item(name, texts, task=task, box=box, patient=patient))
                    references[name] = Reference(item=name, answer=LETTERS[int(rng.integers(4))])
                    planned.append(make_line(name, task=task, box=box, patient=patient))
        return items, references, planned

    return make
