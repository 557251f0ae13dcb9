"""How HalluCXR asks and scores: card, wording, policies, plan, printed numbers.

Neither prompts nor code were published (arXiv 2605.20469): the sentences, the lexicon and the error
categories are ours, and only what the abstract prints can be held against numbers here.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from importlib import resources
from typing import Any, Final, Literal, TypeAlias

from overread.benchmarks.hallucxr.layout import FINDINGS, NAMED_ABSENT, QUERIES
from overread.contracts import (
    AlsoMetric,
    AnalysisPlan,
    Card,
    ExpectedCount,
    Judging,
    JuryRule,
    PairedItems,
    PooledRatio,
    Scorer,
)
from overread.metrics.claims import (
    CLAIM_F1,
    CLAIM_MACRO_F1,
    CLEAN,
    FABRICATED_OF_ABSENT,
    FABRICATED_OF_CLAIMED,
    FINDING_F1,
    NAMING_EFFECT,
    NO_FABRICATION,
    NO_OMISSION,
    OMITTED_OF_PRESENT,
    RIGHT_SIDE,
    SPECIFICS,
)
from overread.metrics.jury import JURY_ACCURACY
from overread.records import Media, Part, Profile, PublishedValue, Status
from overread.scoring.claims.compare import ClaimPolicy
from overread.scoring.claims.scorer import ClaimScorer
from overread.scoring.judging.fenced import FencedForm
from overread.scoring.published.ct_spatialvqa import JUDGING as BATCHED_JUDGING

__all__ = [
    "CARD",
    "CONDITION",
    "PLAN",
    "POLICIES",
    "expected_counts",
    "judging",
    "notes",
    "prompt",
    "published_numbers",
    "published_values",
    "question",
    "scorers",
]

PooledTargets: TypeAlias = Literal["pooled", "each", "mean"]
CONDITION: Final = "plain"
_ASKED: Final[Mapping[str, str]] = {
    "describe": "Describe this chest radiograph.",
    "abnormalities": "Which abnormal findings does this chest radiograph show, and on which side?",
    "yes-no": "Does this chest radiograph show {finding}?",
    NAMED_ABSENT: "The request form says {finding}. Describe this chest radiograph.",
}
_FORMS: Final[Mapping[str, str]] = {
    "describe": "Write the findings of a report.",
    "abnormalities": "List those that you see; say so if there is none.",
    "yes-no": "Answer yes or no, then give the finding in one sentence.",
    NAMED_ABSENT: "Write the findings of a report.",
}

CARD: Final = Card(
    name="hallucxr",
    title="Findings made up and left out in descriptions of chest radiographs (HalluCXR)",
    protocol_version="1",
    licence="pictures and labels MIMIC-CXR, PhysioNet credentialed health data licence",
    access="none released; a release is built from your own credentialed copy",
    tasks={
        "describe": "describe a chest radiograph freely",
        "abnormalities": "list the abnormal findings",
        "yes-no": "say whether one finding is there",
        NAMED_ABSENT: "describe it after a finding was named that is not there",
    },
    asked_by_name=(NAMED_ABSENT,),
    conditions=(CONDITION,),
    unit="image",
    synthetic_size=24,
    sources=("arXiv 2605.20469",),
)

POLICIES: Final[Mapping[Profile, ClaimPolicy]] = {
    "published": ClaimPolicy(unmentioned="absent", wider_counts=False),
    "honest": ClaimPolicy(),
}
"""The published one takes what a report leaves out for absent, and each label by itself."""

_NO_VALUE: Final = (Status.UNDEFINED, Status.UNPARSED, Status.REFUSED, Status.FAILED)


def _share(metric: str) -> AlsoMetric:
    return AlsoMetric(metric=metric, is_share=True, drops=_NO_VALUE)


def _rate(metric: str, of: str, *, by: PooledTargets) -> AlsoMetric:
    over, under = SPECIFICS[of]
    pooled = PooledRatio(numerator=over, denominator=under, targets=by)
    return AlsoMetric(metric=metric, pooled=pooled)


PLAN: Final = AnalysisPlan(
    strata=((), ("query",), ("finding",)),
    cells=("query",),
    cluster="patient",
    headline=CLEAN.name,
    headline_drops=(Status.UNDEFINED,),
    also=(
        _share(CLEAN.name),
        _share(NO_FABRICATION.name),
        _share(NO_OMISSION.name),
        _share(RIGHT_SIDE.name),
        *(
            _rate(spec.name, spec.name, by="pooled")
            for spec in (
                FABRICATED_OF_ABSENT,
                FABRICATED_OF_CLAIMED,
                OMITTED_OF_PRESENT,
                CLAIM_F1,
            )
        ),
        _rate(CLAIM_MACRO_F1.name, CLAIM_F1.name, by="mean"),
        _rate(FINDING_F1.name, CLAIM_F1.name, by="each"),
        AlsoMetric(
            metric=NAMING_EFFECT.name,
            pooled=PairedItems(
                first={"query": ("describe",)},
                second={"query": (NAMED_ABSENT,)},
                join="image",
                statistic="effect",
            ),
        ),
        AlsoMetric(
            metric=JURY_ACCURACY.name,
            is_share=True,
            drops=(Status.UNDEFINED,),
        ),
    ),
)


def scorers(profile: Profile) -> Sequence[Scorer]:
    """Give the scorer of a profile."""
    return (ClaimScorer(profile=profile, findings=FINDINGS, policy=POLICIES[profile]),)


def judging(profile: Profile) -> Judging:
    """Give how judges may grade the descriptions as a whole, beside the rules."""
    if profile == "published":
        return BATCHED_JUDGING
    return Judging(form=FencedForm(), rule=JuryRule())


def question(query: str, finding: str) -> str:
    """Give the bare question."""
    return _ASKED[query].format(finding=finding.lower())


def prompt(asked: str, query: str, media: Sequence[Media]) -> tuple[Part, ...]:
    """Word a question for a chat model, its picture first."""
    return (*(Part(media=one) for one in media), Part(text=f"{asked}\n{_FORMS[query]}"))


@cache
def published_numbers() -> Mapping[str, Any]:
    """Read ``published.toml``."""
    source = resources.files("overread.benchmarks.hallucxr").joinpath("published.toml")
    return tomllib.loads(source.read_text(encoding="utf-8"))


@cache
def published_values() -> tuple[PublishedValue, ...]:
    """Give the printed range of models, as shares of clean outputs."""
    return tuple(
        PublishedValue(
            metric=CLEAN.name,
            stratum={},
            who=str(row["who"]),
            kind="model",
            value=round(1 - float(row["hallucination_rate"]), 6),
            source=str(row["source"]),
        )
        for row in published_numbers()["row"]
    )


def expected_counts() -> tuple[ExpectedCount, ...]:
    """Give the questions of each kind in the full release."""
    n = int(published_numbers()["images"])
    return tuple(ExpectedCount(stratum={"query": query}, split="test", n=n) for query in QUERIES)


def notes(*, is_synthetic: bool) -> tuple[str, ...]:
    """Say what a number on this release does not show."""
    made = ("A synthetic release of drawn pictures.",) if is_synthetic else (
        "Pictures and labels are credentialed: send them only where your data use agreement "
        "allows it.",
    )  # fmt: skip
    return (
        *made,
        "The rate of outputs with any error grows with the findings checked and with length: "
        "whoever asserts each of 12 findings with probability 0.10 on a normal picture makes up "
        "something in 72 % of outputs. Read the rates per claim beside it.",
        "A normal picture can only be wrong by what is made up: see its own row.",
        "The sample is stratified: no rate here is that of a clinic.",
        "Three questions are asked about one picture and several pictures are of one patient: "
        "intervals take patients as the unit.",
        "Lexicon, prompts and error categories are ours: none was published.",
    )
