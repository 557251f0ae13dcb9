"""Two scripted models that read what they are asked, and a small table of reports of our own."""

from __future__ import annotations

import csv
import itertools
import json
import re
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any, TypeAlias

import pytest

from overread.contracts import Query

Answer: TypeAlias = Callable[[Query], Any]

REPORTS = {
    "valid_1_a_1.nii.gz": (
        "There is a nodule in the upper lobe of the right lung. "
        "A small effusion is seen behind the left lower lobe. The trachea is open.",
        "Nodule in the right lung.",
    ),
    "valid_1_b_1.nii.gz": (
        "The nodule in the upper lobe of the right lung is unchanged. "
        "The effusion on the left has gone.",
        "",
    ),
    "valid_2_a_1.nii.gz": (
        "A cyst lies in the left hepatic lobe. Lymph nodes are seen in front of the trachea.",
        "Cyst in the left hepatic lobe.",
    ),
}


@dataclass
class Models:
    """Registers functions of a query as models, and remembers what they were asked."""

    asked: list[Query] = field(default_factory=list)
    names: list[str] = field(default_factory=list)

    def __call__(self, answer: Answer) -> str:
        name = f"scripted_model_{next(_numbers)}"
        module = ModuleType(name)
        module.__file__ = "no such file"

        async def remembering(query: Query) -> Any:
            self.asked.append(query)
            return answer(query)

        module.answer = remembering  # type: ignore[attr-defined]
        sys.modules[name] = module
        self.names.append(name)
        return f"python:{name}:answer"


_numbers = itertools.count()


@pytest.fixture
def models() -> Iterator[Models]:
    made = Models()
    yield made
    for name in made.names:
        del sys.modules[name]


@pytest.fixture
def table(tmp_path: Path) -> Path:
    return write_table(tmp_path / "reports.csv", REPORTS)


def write_table(path: Path, reports: dict[str, tuple[str, str]]) -> Path:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["case", "findings", "impressions"])
        writer.writerows((case, *texts) for case, texts in reports.items())
    return path


def material(query: Query) -> dict[str, Any]:
    """Read the one JSON value that the honest prompts pass texts in."""
    text = query.item.prompt[-1].text or ""
    return json.loads(re.split(r"REPORT(?: AND PAIRS)?:\n", text)[1].partition("\n")[0])


def write_pairs(query: Query) -> str:
    """Ask one question about each sentence, quoting it."""
    sentences = [s.strip() for s in material(query)["findings"].split(".") if s.strip()]
    pairs = [
        {"question": f"Where is finding {n}?", "answer": s, "evidence": s + "."}
        for n, s in enumerate(sentences)
    ]
    return json.dumps({"pairs": pairs})


def check_pairs(query: Query) -> str:
    """Find everything spatial but an open trachea."""
    labels = [
        {
            "id": pair["id"],
            "is_spatial": "trachea is open" not in pair["answer"],
            "is_relevant": True,
            "is_supported": True,
        }
        for pair in material(query)["pairs"]
    ]
    return json.dumps({"labels": labels})


@pytest.fixture
def scripts() -> dict[str, Callable[[Query], str]]:
    return {"write": write_pairs, "check": check_pairs}


@pytest.fixture
def material_of() -> Callable[[Query], dict[str, Any]]:
    return material


@pytest.fixture
def make_table() -> Callable[[Path, dict[str, tuple[str, str]]], Path]:
    return write_table
