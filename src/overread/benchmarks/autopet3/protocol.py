"""How autoPET III asks and scores: card, wording, plan, ranking, printed numbers.

What a container was shown is one CT and one PET on one grid; words are ours, for models that need
some. The ranking is that of the challenge's page; a plan with a mixed model was given up by its
organisers.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Mapping, Sequence
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Final, Literal

from overread.benchmarks.autopet3.scorers import AutoPetHonest, AutoPetPublished
from overread.contracts import (
    AlsoMetric,
    AnalysisPlan,
    Card,
    ExpectedCount,
    PooledRatio,
    RankPlan,
    Scorer,
)
from overread.metrics.autopet import DICE_2022, FNV_ML_2022, FPV_ML_2022
from overread.metrics.lesion_matching import (
    LESION_F1,
    LESION_PRECISION,
    LESION_RECALL,
    LESION_RECALL_BY_SIZE,
    SIZE_LESIONS,
    SIZE_LESIONS_FOUND,
)
from overread.metrics.lesion_volume import (
    CLEAN_NEGATIVE,
    OUTSIDE_ML,
    UNCOVERED_ML,
    VOLUME_BIAS,
)
from overread.metrics.lesions import FNV_ML, FPV_ML
from overread.metrics.overlap import DICE
from overread.metrics.panoptic import PANOPTIC_QUALITY
from overread.metrics.pooled import POOLED_DICE
from overread.records import Media, Part, Profile, PublishedValue, Status

__all__ = [
    "CARD",
    "CONDITION",
    "LEADERBOARDS",
    "PLAN",
    "QUESTION",
    "SUBSETS",
    "TASK",
    "expected_counts",
    "leaderboard_rows",
    "notes",
    "prompt",
    "published_values",
    "scorers",
]

TASK: Final = "lesions"
CONDITION: Final = "pet-ct"
QUESTION: Final = (
    "Mark every voxel of every tumour lesion in this whole-body PET/CT study; leave out "
    "physiological uptake."
)
_REQUEST: Final = (
    "Write one mask on the grid of the PET: 1 for lesions, 0 for all else. A study without a "
    "lesion has an empty mask."
)
SUBSETS: Final = (("LMU", "FDG"), ("LMU", "PSMA"), ("UKT", "FDG"), ("UKT", "PSMA"))
"""Centre and tracer, in the order of the leaderboard."""
LEADERBOARDS: Final[Mapping[str, tuple[str, str]]] = {
    "category 1": ("leaderboard.csv", "leaderboard.toml"),
    "category 2": ("leaderboard_datacentric.csv", "leaderboard_datacentric.toml"),
}
"""Award category → its printed rows, and what is claimed of them; facts, not the page's text."""
_SOURCE: Final = (
    "autopet-iii.grand-challenge.org, leaderboard; lab-midas/websiteautopet, autopetiii.html "
    "(CC BY 3.0)"
)

CARD: Final = Card(
    name="autopet3",
    title="autoPET III: tumour lesions in whole-body PET/CT",
    protocol_version="1",
    licence="of the collections (TCIA, FDAT); evaluation code Apache-2.0; leaderboard CC BY 3.0",
    access="training part: open download (about 120 GB); test part: closed",
    tasks={TASK: "segment all tumour lesions of an FDG or PSMA PET/CT study"},
    conditions=(CONDITION,),
    splits=("train", "test"),
    unit="case",
    synthetic_size=24,
    sources=(
        "arXiv 2605.05775",
        "autopet-iii.grand-challenge.org",
        "evaluation: ClinicalDataScience/autoPETIII; of 2022: lab-midas/autoPET",
        "TCIA DOI 10.7937/gkr0-xv29 (FDG), 10.7937/r7ep-3x37 (PSMA); FDAT 6gjsg-zcg93",
    ),
)

_NO_LESION: Final = (Status.UNDEFINED,)

PLAN: Final = AnalysisPlan(
    strata=((), ("centre", "tracer"), ("tracer",), ("centre",), ("scanner",)),
    cells=("centre", "tracer"),
    cluster="patient",
    cells_are_independent=False,
    headline=DICE.name,
    # Dice is over studies with a lesion: what others hold is told by the volumes and by CLEAN.
    headline_drops=_NO_LESION,
    also=(
        AlsoMetric(metric=FPV_ML.name),
        AlsoMetric(metric=FNV_ML.name, drops=_NO_LESION),
        AlsoMetric(
            metric=CLEAN_NEGATIVE.name, profiles=("honest",), drops=_NO_LESION, is_share=True
        ),
        AlsoMetric(
            metric=LESION_RECALL.name,
            profiles=("honest",),
            pooled=PooledRatio(
                numerator={"lesions_found": 1},
                denominator={"lesions_found": 1, "lesions_missed": 1},
            ),
        ),
        AlsoMetric(
            metric=LESION_RECALL_BY_SIZE.name,
            profiles=("honest",),
            pooled=PooledRatio(
                numerator={SIZE_LESIONS_FOUND.name: 1},
                denominator={SIZE_LESIONS.name: 1},
                targets="each",
            ),
        ),
        AlsoMetric(
            metric=LESION_PRECISION.name,
            profiles=("honest",),
            pooled=PooledRatio(
                numerator={"lesions_right": 1},
                denominator={"lesions_right": 1, "lesions_invented": 1},
            ),
        ),
        AlsoMetric(metric=LESION_F1.name, profiles=("honest",), drops=_NO_LESION, is_share=True),
        AlsoMetric(
            metric=PANOPTIC_QUALITY.name, profiles=("honest",), drops=_NO_LESION, is_share=True
        ),
        AlsoMetric(
            metric=POOLED_DICE.name,
            profiles=("honest",),
            pooled=PooledRatio(
                numerator={"overlap_voxels": 2},
                denominator={"reference_voxels": 1, "prediction_voxels": 1},
            ),
        ),
        AlsoMetric(
            metric=VOLUME_BIAS.name,
            profiles=("honest",),
            pooled=PooledRatio(
                numerator={"prediction_ml": 1, "reference_ml": -1},
                denominator={"reference_ml": 1},
                low=-1.0,
                high=10.0,
            ),
        ),
        AlsoMetric(metric=OUTSIDE_ML.name, profiles=("honest",)),
        AlsoMetric(metric=UNCOVERED_ML.name, profiles=("honest",), drops=_NO_LESION),
        AlsoMetric(metric=DICE_2022.name, profiles=("published",), drops=_NO_LESION),
        AlsoMetric(metric=FPV_ML_2022.name, profiles=("published",)),
        AlsoMetric(metric=FNV_ML_2022.name, profiles=("published",)),
    ),
    ranking=RankPlan(
        weights={DICE.name: 0.5, FNV_ML.name: 0.25, FPV_ML.name: 0.25},
        smaller_is_better=(FNV_ML.name, FPV_ML.name),
        strata=("centre", "tracer"),
        tie_break=DICE.name,
        source="autopet-iii.grand-challenge.org, evaluation and ranking",
    ),
)

_NOTES: Final[Mapping[str, tuple[str, ...]]] = {
    "training": (
        "These are studies that methods were trained on: a model that saw them scores too well "
        "here; results by fold are fair only to models of that fold.",
        "One touching voxel makes a component right: false volumes do not tell how well a lesion "
        "is drawn; lesion F1, panoptic quality and the volume outside of lesions do.",
        "Volumes in ml are driven by a few studies: look at their distribution, not at the mean.",
        "Dice has studies with lesions alone in its denominator, the false positive volume all of "
        "them: the counts stand beside each number.",
        "The published leaderboard is of 200 closed test studies: it stands here for "
        "orientation, not for comparison.",
    ),
    "synthetic": (
        "This release is synthetic: ellipsoids on a noisy body. Its numbers show that the way from "
        "masks to report works, and say nothing about PET/CT.",
        "Published values stand beside it for the layout only: they are of the real test part.",
    ),
}


def notes(origin: Literal["training", "synthetic"]) -> tuple[str, ...]:
    """Say what numbers on a release of this origin do not show."""
    return _NOTES[origin]


def prompt(media: Sequence[Media]) -> tuple[Part, ...]:
    """Word the task for a model that reads words: the volumes first."""
    return (*(Part(media=one) for one in media), Part(text=f"{QUESTION} {_REQUEST}"))


def scorers(profile: Profile, root: Path) -> tuple[Scorer, ...]:
    """Give the scorers of a profile: the released script's, or the careful one."""
    return (AutoPetPublished(root=root),) if profile == "published" else (AutoPetHonest(root=root),)


@cache
def expected_counts() -> tuple[ExpectedCount, ...]:
    """Give how many studies a complete release has."""
    train = {("UKT", "FDG"): 1014, ("LMU", "PSMA"): 597}
    rows = [("train", subset, n) for subset, n in train.items()]
    rows += [("test", subset, 50) for subset in SUBSETS]
    return tuple(
        ExpectedCount(stratum={"centre": centre, "tracer": tracer}, split=split, n=n)
        for split, (centre, tracer), n in rows
    )


@cache
def leaderboard_rows(category: str) -> tuple[Mapping[str, str], ...]:
    """Give the printed rows of a category, cells as printed: ``0.6619 (3)``."""
    file = resources.files("overread.benchmarks.autopet3") / LEADERBOARDS[category][0]
    return tuple(csv.DictReader(io.StringIO(file.read_text(encoding="utf-8"))))


@cache
def published_values() -> tuple[PublishedValue, ...]:
    """Give the subset means of the leaderboard, each of 50 studies."""
    metrics = {"DSC": DICE.name, "FNV": FNV_ML.name, "FPV": FPV_ML.name}
    # The baseline of category 2 stands in both tables, with the same numbers.
    rows = {row["algorithm"]: row for each in LEADERBOARDS for row in leaderboard_rows(each)}
    return tuple(
        PublishedValue(
            metric=metric,
            stratum={"centre": centre, "tracer": tracer},
            who=row["algorithm"],
            kind="model",
            value=printed_value(row[f"{name} {centre} {tracer}"]),
            # Only the false positive volume is defined in all of them.
            n=50 if metric == FPV_ML.name else None,
            source=_SOURCE,
        )
        for row in rows.values()
        for name, metric in metrics.items()
        for centre, tracer in SUBSETS
    )


def printed_value(cell: str) -> float:
    """Read the number of a cell, without its position.

    Examples
    --------
    >>> printed_value("0.6619 (3)")
    0.6619
    """
    return float(re.sub(r"\(.*\)", "", cell))
