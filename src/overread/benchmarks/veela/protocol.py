"""How VEELA asks and scores: card, wording, plan, what its numbers do not show."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, Literal

from overread.benchmarks.veela.layout import TASK_LABELS, Task
from overread.contracts import AlsoMetric, AnalysisPlan, Card, RankPlan
from overread.metrics.cal import CAL_AREA, CAL_CONNECTIVITY, CAL_LENGTH, COMPONENT_ERROR
from overread.metrics.chaos import CHAOS_SCORE
from overread.metrics.label_swaps import SWAPPED_SHARE
from overread.metrics.overlap import DICE, IOU
from overread.metrics.skeleton import (
    CENTRELINE_DICE,
    SKELETON_PRECISION,
    SKELETON_SENSITIVITY,
)
from overread.metrics.surface import HD95, nsd_spec
from overread.records import Media, Part, Status

__all__ = ["CARD", "CONDITION", "N_TEST", "PLAN", "QUESTIONS", "notes", "prompt"]

CONDITION: Final = "volume"
N_TEST: Final = 20
"""Test cases of the challenge: the evaluator takes exactly so many files."""

CARD: Final = Card(
    name="veela",
    title="VEELA: veins of the liver in CT angiography",
    protocol_version="1",
    licence="not seen (paper: CC BY-NC-ND 4.0; the evaluation code states none)",
    access="after registration: synapse.org, syn65471967",
    tasks={
        "Task01": "mark the veins of the liver",
        "Task02": "mark hepatic veins and portal vein apart",
    },
    conditions=(CONDITION,),
    unit="case",
    synthetic_size=N_TEST,
    sources=("arXiv 2605.22357", "yaziciz/VEELA2025_Evaluation"),
    mask_ending=".nii",
)

QUESTIONS: Final[Mapping[Task, str]] = {
    "Task01": "Which voxels belong to a hepatic vein or to the portal vein of the liver?",
    "Task02": "Which voxels belong to the hepatic veins, and which to the portal vein?",
}

_NO_VALUE: Final = (Status.FAILED, Status.REFUSED, Status.UNPARSED, Status.UNDEFINED)
_SHARES: Final = (IOU.name, nsd_spec(1.0).name)

PLAN: Final = AnalysisPlan(
    strata=((), ("task",)),
    cells=("task",),
    cluster="patient",
    headline=CENTRELINE_DICE.name,
    headline_drops=(Status.UNDEFINED,),
    # A submission is scored as a whole or not at all: without a value is not 0.
    published_drops=_NO_VALUE,
    also=(
        # The headline's own rows of each class, and the other two metrics of the challenge. Each
        # profile treats what has no value in its own way.
        *(
            AlsoMetric(metric=name, profiles=("published",), drops=_NO_VALUE)
            for name in (CENTRELINE_DICE.name, *_SHARES)
        ),
        *(
            AlsoMetric(metric=name, profiles=("honest",), drops=(Status.UNDEFINED,), is_share=True)
            for name in (
                CENTRELINE_DICE.name,
                *_SHARES,
                DICE.name,
                SKELETON_SENSITIVITY.name,
                CAL_CONNECTIVITY.name,
                CAL_AREA.name,
                CAL_LENGTH.name,
            )
        ),
        # A method that finds nothing invents nothing: over the masks that have a value.
        AlsoMetric(metric=SKELETON_PRECISION.name, profiles=("honest",)),
        AlsoMetric(metric=HD95.name, profiles=("honest",)),
        AlsoMetric(metric=COMPONENT_ERROR.name, profiles=("honest",)),
        AlsoMetric(metric=CHAOS_SCORE.name, profiles=("honest",)),
        AlsoMetric(
            metric=SWAPPED_SHARE.name,
            profiles=("honest",),
            only={"task": ("Task02",)},
        ),
    ),
    ranking=RankPlan(
        weights=dict.fromkeys((CENTRELINE_DICE.name, *_SHARES), 1.0),
        strata=("task",),
        aggregate="mean",
        profile="honest",
        source="ours: the challenge's own rule was not seen",
    ),
)

_NOTES: Final[Mapping[str, tuple[str, ...]]] = {
    "published": (
        "The published profile measures surfaces as if every voxel were 3 × 2 × 1 mm along the "
        "array's axes: an error of one voxel is within its tolerance of 1 mm along the third axis "
        "alone.",
        "Annotators drew what they saw, slice by slice, and bridged no gap: a true branch that "
        "nobody could see counts against a model.",
        "Centreline Dice does not hear how wide a vessel is drawn, and rests on the thinning of "
        "scikit-image, which takes some straight vessels of even width away whole.",
        "How the challenge ranks teams was not seen; 20 patients part close methods poorly.",
    ),
    "synthetic": (
        "This release is synthetic: drawn tubes. Its numbers show that the way from masks to "
        "report works, and say nothing about livers.",
    ),
}


def prompt(task: Task, media: Sequence[Media]) -> tuple[Part, ...]:
    """Word what is asked: labels, then the scan."""
    named = ", ".join(f"{label} {name}" for label, name in TASK_LABELS[task].items())
    words = f"{QUESTIONS[task]}\nAnswer with a label map on the scan's grid: 0 background, {named}."
    return (Part(text=words), *(Part(media=one) for one in media))


def notes(origin: Literal["published", "synthetic"]) -> tuple[str, ...]:
    """Say what numbers on a release of this origin do not show."""
    return (
        (*_NOTES["synthetic"], *_NOTES["published"][:1])
        if origin == "synthetic"
        else _NOTES[origin]
    )
