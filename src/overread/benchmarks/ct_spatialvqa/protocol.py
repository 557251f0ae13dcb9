"""How CT-SpatialVQA asks and scores: chat wording, scorers, judging, plan, printed numbers.

The wording follows the form of the released scripts for slice readers (Mashrafi27/CT-SpatialVQA,
benchmarking/inference: one user turn of an instruction, the slices and, last, a request with the
question; the models that take whole volumes get a request for the bare answer); the sentences are
ours.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from importlib import resources
from typing import Any, Final, Literal

from overread.contracts import (
    AlsoMetric,
    AnalysisPlan,
    Card,
    ExpectedCount,
    Judging,
    JuryRule,
    Scorer,
)
from overread.contracts.replay import AUDIT_AGREEMENT, AUDITED_SHARE
from overread.imaging.recipes import recipe_named
from overread.records import Media, Part, Profile, PublishedValue, Status, VolumeRecipe
from overread.scoring.judging.fenced import FencedForm
from overread.scoring.published.ct_spatialvqa import JUDGING as PUBLISHED_JUDGING
from overread.scoring.spatial.forms import CLOSED_FORMS
from overread.scoring.spatial.scorer import SpatialScorer
from overread.scoring.text_scorer import text_scorers

__all__ = [
    "NO_CATEGORY",
    "PLAN",
    "RECIPES",
    "TASK",
    "audit_claims",
    "card",
    "chat_prompt",
    "expected_counts",
    "judging",
    "notes",
    "published_values",
    "scorers",
    "volume_recipe",
]

TASK: Final = "spatial"
NO_CATEGORY: Final = "no category"
"""The stratum of pairs that the release gives no label."""
RECIPES: Final = (
    "slices-32",
    "mosaic-25",
    "array-hu",
    "merlin",
    "ct-chat",
    "med3dvlm",
    "m3d",
    "radfm",
    "vila-m3",
    "lingshu",
    "medgemma",
)
"""Preparations on offer: three general ones, then one for each published model."""

_INSTRUCTION: Final = "You are a radiologist. You are shown a CT examination of a patient's chest."
_REQUEST: Final = (
    "Answer the question about this examination. Say where things are as seen from the patient: "
    "left is the patient's left. Give the answer alone, in one short phrase."
)
_HONEST_JUDGING: Final = Judging(form=FencedForm(), rule=JuryRule())
_TEXT_METRICS: Final = ("cosine", "bleu", "rouge1", "rouge2", "rougeL", "meteor")

PLAN: Final = AnalysisPlan(
    strata=((), ("form",), ("category",)),
    cells=("form",),
    cluster="patient",
    headline="rule_accuracy",
    headline_only={"form": CLOSED_FORMS},
    also=(
        # An item without a verdict leaves both denominators: the honest jury found no majority
        # among readable votes; the published one lacks a vote.
        AlsoMetric(metric="jury_accuracy", drops=(Status.UNDEFINED,), is_share=True),
        AlsoMetric(metric="judge_accuracy", drops=(Status.UNDEFINED,), is_share=True),
        *(
            # The released script skips pairs with an empty side.
            AlsoMetric(
                metric=metric,
                profiles=("published",),
                drops=(Status.UNDEFINED, Status.UNPARSED, Status.REFUSED, Status.FAILED),
            )
            for metric in _TEXT_METRICS
        ),
    ),
    multi_label=("category",),
    # Of a volume many questions of one form are asked.
    cells_are_independent=False,
)

_NOTES: Final[Mapping[str, tuple[str, ...]]] = {
    "published": (
        "The headline counts closed questions alone, by rule; the jury's verdicts on all questions "
        "stand beside it and are as good as its judges.",
        "Answers were written by a language model from radiology reports: what a report leaves out "
        "is not asked, and what it has wrong is the reference.",
        "The published numbers were computed on votes that were joined row by row; 'overread "
        "reproduce ct-spatialvqa' shows which cells that changes.",
        "A volume has several questions and a patient several volumes: intervals are over "
        "patients.",
    ),
    "synthetic": (
        "This release is synthetic: phantoms with drawn findings. Its numbers show that the way "
        "from release to report works, and say nothing about reading real CT.",
        "Published models stand beside it for the layout only: they answered the real questions.",
    ),
    "built": (
        "This release was built from other reports: no published number of CT-SpatialVQA belongs "
        "beside it.",
        "Answers were written by a language model from reports: what a report leaves out is not "
        "asked, and what it has wrong is the reference.",
    ),
}


def notes(origin: Literal["published", "synthetic", "built"]) -> tuple[str, ...]:
    """Say what numbers on a release of this origin do not show."""
    return _NOTES[origin]


def chat_prompt(question: str, media: Sequence[Media]) -> tuple[Part, ...]:
    """Word an item for a chat model: what is shown, the pictures, then the question."""
    return (
        Part(text=_INSTRUCTION),
        *(Part(media=one) for one in media),
        Part(text=f"{_REQUEST}\n\nQuestion: {question}"),
    )


def volume_recipe(name: str | None) -> VolumeRecipe:
    """Give a preparation by name; None is the first of `RECIPES`. UsageError for an unknown one."""
    return recipe_named(name or RECIPES[0])


def scorers(profile: Profile) -> tuple[Scorer, ...]:
    """Give the scorers of a profile: likeness of texts, or closed questions by rule."""
    return text_scorers("published") if profile == "published" else (SpatialScorer(),)


def judging(profile: Profile) -> Judging:
    """Give how judges are asked and counted.

    The published jury needs all three votes and two of them to be yes. The honest one takes the
    votes that can be read, and an empty answer is not right without asking anyone.
    """
    return PUBLISHED_JUDGING if profile == "published" else _HONEST_JUDGING


@cache
def card() -> Card:
    """Give the benchmark's card."""
    return Card(
        name="ct-spatialvqa",
        title="CT-SpatialVQA: where things are in a chest CT volume",
        protocol_version="1",
        licence="none stated (questions); CC BY-NC-SA 4.0 (CT-RATE volumes and reports)",
        access="questions: open download; volumes: CT-RATE, after agreeing to its terms",
        tasks={TASK: "a chest CT volume: an open question about where something is"},
        conditions=RECIPES,
        recipes=RECIPES,
        splits=("test",),
        unit="case",
        synthetic_size=24,
        sources=(
            'paper "Lost in Volume", MICCAI 2026',
            "code: Mashrafi27/CT-SpatialVQA, BioMedIA-MBZUAI/CT-SpatialVQA",
            "volumes: CT-RATE, arXiv 2403.17834",
        ),
    )


@cache
def expected_counts() -> tuple[ExpectedCount, ...]:
    """Give the size of a complete release. Its forms are of our reading, and stated nowhere."""
    return (ExpectedCount(stratum={}, split="test", n=9077),)


@cache
def published_values() -> tuple[PublishedValue, ...]:
    """Give the numbers of the printed table: 8 models, 8 rows."""
    published = _published()
    return tuple(
        PublishedValue(
            metric=row["metric"],
            stratum={"judge": row["judge"]} if "judge" in row else {},
            who=who,
            kind="model",
            value=round(value / 100, 6) if row.get("percent") else value,
            source=published["sources"]["table"],
        )
        for row in published["row"]
        for who, value in zip(published["columns"]["models"], row["values"], strict=True)
    )


@cache
def audit_claims() -> tuple[PublishedValue, ...]:
    """Give what the paper says of its human audit; no model's number, so no part of the table."""
    said = _published()["audit"]
    return tuple(
        PublishedValue(
            metric=metric,
            stratum={},
            who="human audit",
            kind="reader",
            value=said[metric],
            source=said["source"],
        )
        for metric in (AUDITED_SHARE, AUDIT_AGREEMENT)
    )


def _published() -> dict[str, Any]:
    file = resources.files("overread.benchmarks.ct_spatialvqa") / "published.toml"
    return tomllib.loads(file.read_text(encoding="utf-8"))
