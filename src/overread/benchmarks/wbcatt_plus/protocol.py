"""How attributes are asked and scored, and how component masks are: card, wording, plans.

The release trains eleven heads on one encoder; asking a model in words is our own choice, and so
are the sentences. The printed numbers are in ``published.toml``.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Collection, Mapping, Sequence
from functools import cache, lru_cache
from importlib import resources
from typing import Any, Final

from overread.benchmarks.wbcatt_plus.layout import ATTRIBUTES, COMPONENTS
from overread.contracts import (
    AlsoMetric,
    AnalysisPlan,
    Card,
    ClassAgreement,
    ExpectedCount,
    PooledRatio,
)
from overread.metrics.classes import (
    ALL_RIGHT,
    BALANCED_ACCURACY,
    CLASS_KAPPA,
    MACRO_F1,
    MACRO_PRECISION,
)
from overread.records import Choice, Media, Option, Part, PublishedValue, Status
from overread.scoring.reading import Reading

__all__ = [
    "CARD",
    "PLAN",
    "SEGMENTATION",
    "SEGMENTATION_PLAN",
    "choice_of",
    "expected_counts",
    "options_of",
    "plan_for",
    "prompt",
    "published_numbers",
    "published_values",
    "question",
    "read_listed_value",
]

SEGMENTATION: Final = "segmentation"

_ASKED: Final[Mapping[str, str]] = {
    "cell_size": "How large is the white blood cell?",
    "cell_shape": "What is the outline of the white blood cell?",
    "nucleus_shape": "What is the shape of the nucleus?",
    "nuclear_cytoplasmic_ratio": "How large is the nucleus compared with the cytoplasm?",
    "chromatin_density": "How is the chromatin of the nucleus packed?",
    "cytoplasm_vacuole": "Does the cytoplasm hold vacuoles?",
    "cytoplasm_texture": "What is the texture of the cytoplasm?",
    "cytoplasm_colour": "What is the colour of the cytoplasm?",
    "granule_type": "What kind of granules does the cell have?",
    "granule_colour": "What is the colour of the granules?",
    "granularity": "Is the cell granular?",
}

CARD: Final = Card(
    name="wbcatt-plus",
    title="Attributes and components of white blood cells (WBCAtt, WBCAtt+)",
    protocol_version="1",
    licence="tables, crops and masks MIT; pictures of the PBC set under their own terms",
    access="github.com/apple2373/wbcatt; Hugging Face apple2373/wbcattplus; PBC: Mendeley "
    "snkd93bnjr",
    tasks={**_ASKED, SEGMENTATION: "mark the five components of the cell (WBCAtt+ only)"},
    asked_by_name=(SEGMENTATION,),
    conditions=("plain",),
    splits=("test", "val", "train"),
    unit="cell",
    synthetic_size=36,
    sources=("arXiv 2605.19692", "arXiv 2306.13531", "apple2373/wbcatt"),
)

PLAN: Final = AnalysisPlan(
    strata=((), ("task",), ("cell_type",)),
    cells=("task",),
    # No patient, slide or donor is known: the picture is the only unit there is.
    cluster="image",
    also=(
        AlsoMetric(metric=MACRO_F1.name, pooled=ClassAgreement(statistic="f1")),
        AlsoMetric(metric=MACRO_PRECISION.name, pooled=ClassAgreement(statistic="precision")),
        AlsoMetric(metric=BALANCED_ACCURACY.name, pooled=ClassAgreement(statistic="recall")),
        AlsoMetric(metric=CLASS_KAPPA.name, pooled=ClassAgreement(statistic="kappa")),
        AlsoMetric(metric=ALL_RIGHT.name, all_of="image"),
    ),
)

_IOU: Final[Mapping[str, Mapping[str, float]]] = {
    "numerator": {"overlap_voxels": 1.0},
    "denominator": {"reference_voxels": 1.0, "prediction_voxels": 1.0, "overlap_voxels": -1.0},
}
SEGMENTATION_PLAN: Final = AnalysisPlan(
    strata=((), ("cell_type",)),
    cells=("cell_type",),
    cluster="image",
    headline="dice",
    headline_drops=(Status.UNDEFINED,),
    also=(
        # One confusion matrix over all pictures; the background is no component.
        AlsoMetric(
            metric="pooled_miou",
            pooled=PooledRatio(
                numerator=_IOU["numerator"],
                denominator=_IOU["denominator"],
                targets="mean",
                only_targets=tuple(COMPONENTS.values()),
            ),
        ),
        AlsoMetric(
            metric="pooled_iou",
            pooled=PooledRatio(
                numerator=_IOU["numerator"], denominator=_IOU["denominator"], targets="each"
            ),
        ),
        AlsoMetric(metric="dice", profiles=("honest",), is_share=True, drops=(Status.UNDEFINED,)),
        AlsoMetric(metric="iou", profiles=("honest",), is_share=True, drops=(Status.UNDEFINED,)),
    ),
)


def plan_for(tasks: Collection[str]) -> AnalysisPlan:
    """Give the plan of a run of these tasks."""
    return SEGMENTATION_PLAN if set(tasks) == {SEGMENTATION} else PLAN


def question(attribute: str) -> str:
    """Ask for an attribute."""
    return _ASKED[attribute]


@cache
def options_of(attribute: str) -> tuple[Option, ...]:
    """Give the listed values of an attribute as options A, B, … in alphabetical order."""
    return tuple(
        Option(letter=letter, text=value)
        for letter, value in zip("ABCDEF", ATTRIBUTES[attribute], strict=False)
    )


def choice_of(attribute: str) -> Choice:
    """Give what an attribute leaves to choose between."""
    return Choice(options=options_of(attribute))


def prompt(asked: str, options: Sequence[Option], media: Sequence[Media]) -> tuple[Part, ...]:
    """Word a question for a chat model, its picture first."""
    return (*(Part(media=one) for one in media), _worded(asked, tuple(options)))


@lru_cache(maxsize=256)
def _worded(asked: str, options: tuple[Option, ...]) -> Part:
    if not options:
        return Part(text=asked)
    lines = [
        "The picture shows one stained white blood cell of a peripheral blood smear.",
        asked,
        *(f"{option.letter}) {option.text}" for option in options),
        'Answer with the letter of one option as JSON: {"selected_option": "<letter>"}',
    ]
    return Part(text="\n".join(lines))


def read_listed_value(text: str | None, options: tuple[Option, ...]) -> Reading:
    """Read a reply that is one listed value or its letter and nothing else, or the JSON asked for.

    Case and blanks are folded. This is the published profile's rule, and our choice: the release
    asks no model in words.
    """
    words = _folded(text or "")
    if words.startswith("{"):
        words = _folded(_selected(text or ""))
    for option in options:
        if words in (_folded(option.letter), _folded(option.text or "")):
            return Reading(answer=option.letter, status=Status.OK, rule="listed value")
    return Reading(answer=None, status=Status.UNPARSED, rule="none of the listed values")


def _folded(text: str) -> str:
    return " ".join(text.casefold().split())


def _selected(text: str) -> str:
    try:
        found: Any = json.loads(text)
    except (ValueError, RecursionError):
        return ""
    value = found.get("selected_option") if isinstance(found, dict) else None
    return value if isinstance(value, str) else ""


@cache
def published_numbers() -> Mapping[str, Any]:
    """Read ``published.toml``."""
    source = resources.files("overread.benchmarks.wbcatt_plus").joinpath("published.toml")
    return tomllib.loads(source.read_text(encoding="utf-8"))


@cache
def published_values() -> tuple[PublishedValue, ...]:
    """Give the printed numbers of models, as shares."""
    table = published_numbers()
    return tuple(
        PublishedValue(
            metric=metric,
            stratum={},
            who=str(row["who"]),
            kind="model",
            value=round(float(row[metric]) / 100, 6),
            n=None,
            source=str(row["source"]),
        )
        for row in table["row"]
        for metric in (
            "accuracy",
            MACRO_F1.name,
            MACRO_PRECISION.name,
            BALANCED_ACCURACY.name,
            "pooled_miou",
        )
        if metric in row
    )


def expected_counts() -> tuple[ExpectedCount, ...]:
    """Give the questions of each attribute in the full release."""
    return tuple(
        ExpectedCount(stratum={"task": attribute}, split=split, n=n)
        for split, n in published_numbers()["cells"].items()
        for attribute in ATTRIBUTES
    )
