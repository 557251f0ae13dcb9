"""How MedVIGIL asks and scores: card, wording, scorers of both profiles, plan, printed numbers.

The wording follows the form of the released runner: no system turn, the question, lines ``A) …``,
one closing line that asks for the letter alone. The sentences are ours. The paper describes another
form (a system turn, ``A. …`` lines, at most 8 tokens); which of the two its numbers come from is
not known.
"""

from __future__ import annotations

import tomllib
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cache
from importlib import resources
from typing import Any, Final, Literal

from overread.benchmarks.medvigil.axes import ALSO
from overread.benchmarks.medvigil.layout import KINDS, TIERS
from overread.benchmarks.medvigil.words import OPEN, TRIPLET
from overread.contracts import AlsoMetric, AnalysisPlan, Card, ExpectedCount, Scorer
from overread.metrics.choice import ACCURACY
from overread.metrics.evidence import MCS, OPEN_ACCURACY, TRAP_FAILURE, TRIPLET_COHERENCE
from overread.records import Media, Option, Part, Profile, PublishedValue, Status
from overread.scoring.choice_scorer import ChoiceScorer
from overread.scoring.hidden_options import HiddenChoice, HiddenOptionsScorer
from overread.scoring.honest_choice import read_choice
from overread.scoring.published.medvigil import read_medvigil
from overread.scoring.published.medvigil_open import OpenVerdictScorer

__all__ = [
    "CARD",
    "PLAN",
    "TASK",
    "WORDS_PLAN",
    "condition_of",
    "expected_counts",
    "notes",
    "plan_for",
    "prompt",
    "published_numbers",
    "published_values",
    "scorers",
]

TASK: Final = "probe"
_CLOSING: Final = (
    "Answer with nothing but the letter of the right option: A, B, C, D or E. Do not explain."
)


def condition_of(kind: str) -> str:
    """Name the condition of a kind of probe: ``halluc-trap``."""
    return kind.replace("_", "-")


CARD: Final = Card(
    name="medvigil",
    title="MedVIGIL: paired probes with broken evidence",
    protocol_version="1",
    licence="annotations CC BY 4.0, code MIT; pictures: VQA-RAD CC0, SLAKE CC BY-SA 4.0, ROCO CC "
    "BY-NC-SA 4.0, chest radiographs by credentialed access",
    access="Hugging Face jhq0709/MedVIGIL; name a folder of pictures with --media",
    tasks={
        TASK: "pick the one option that fits the picture, or the safe one where none does",
        OPEN: "answer the same probes in words",
        TRIPLET: "answer a question, its paraphrase, and it under a changed condition, in words",
    },
    asked_by_name=(OPEN, TRIPLET),
    conditions=(*(condition_of(kind) for kind in KINDS), "vcf"),
    unit="case",
    synthetic_size=60,
    sources=("MedVIGIL (2026)", "hq0709/MedVIGIL"),
)

PLAN: Final = AnalysisPlan(
    strata=((), ("probe_kind",), ("tier",), ("source",), ("evidence",)),
    cells=("probe_kind",),
    headline_only={"task": (TASK,)},
    # All probes of a case ask about one picture and one finding.
    cluster="case",
    cells_are_independent=False,
    also=ALSO,
    # The aggregator keeps rows whose status is ok: calls that failed or were blocked by the host
    # leave every denominator. A reply without a letter stays, as wrong.
    published_drops=(Status.FAILED, Status.REFUSED),
)

WORDS_PLAN: Final = AnalysisPlan(
    strata=((), ("probe_kind",), ("tier",), ("source",)),
    cells=("probe_kind",),
    cluster="case",
    cells_are_independent=False,
    headline=OPEN_ACCURACY.name,
    also=(AlsoMetric(metric=TRIPLET_COHERENCE.name, only={"task": (TRIPLET,)}, all_of="triplet"),),
    # What the rules leave to a judge has no verdict here.
    headline_drops=(Status.UNDEFINED,),
    published_drops=(Status.FAILED, Status.REFUSED),
)

_NOTES: Final[Mapping[str, tuple[str, ...]]] = {
    "published": (
        "Options never rotate: where the letters lie as the release's validator demands, a fair "
        "coin between A and E has an MCS of 50.0 without any picture, and always A about two "
        "thirds of all probes.",
        "The grounding axis holds the accuracy on the region alone and nothing else: accuracy "
        "with the region greyed out cancels.",
        "No patient is named, and cases may share a picture: intervals take cases as independent.",
        "Printed numbers of models leave out calls that failed; how many is not printed.",
    ),
    "synthetic": (
        "This release is synthetic: drawn marks. Its numbers show that the way from release to "
        "report works, and say nothing about medicine.",
        "Its letters lie as the real release's validator demands, so that a blind coin scores 50.",
        "Published models stand beside it for the layout only: they answered the real probes.",
    ),
}


def prompt(question: str, options: Sequence[Option], media: Sequence[Media]) -> tuple[Part, ...]:
    """Word a probe for a chat model, its picture first."""
    if not options:
        return (*(Part(media=one) for one in media), Part(text=question))
    lines = [question, ""] if question else []
    lines += [f"{option.letter}) {option.text}" for option in options]
    words = Part(text="\n".join([*lines, "", _CLOSING]))
    return (*(Part(media=one) for one in media), words)


def plan_for(tasks: Collection[str]) -> AnalysisPlan:
    """Give the plan of a run of these tasks: of words where nothing else is asked."""
    return WORDS_PLAN if tasks and set(tasks) <= {OPEN, TRIPLET} else PLAN


def scorers(profile: Profile, choices: Mapping[str, HiddenChoice]) -> tuple[Scorer, ...]:
    """Give the scorers of a profile: what the released scripts read, or what a reply states.

    `choices` are what questions in words leave to choose between, by item id.
    """
    if profile == "published":
        return ChoiceScorer(profile=profile, reader=read_medvigil), OpenVerdictScorer()
    return (
        ChoiceScorer(profile=profile, reader=read_choice),
        HiddenOptionsScorer(profile=profile, choices=choices),
    )


def notes(origin: Literal["published", "synthetic"]) -> tuple[str, ...]:
    """Say what numbers on a release of this origin do not show."""
    return _NOTES[origin]


@cache
def published_numbers() -> Mapping[str, Any]:
    """Read ``published.toml``."""
    source = resources.files("overread.benchmarks.medvigil").joinpath("published.toml")
    return tomllib.loads(source.read_text(encoding="utf-8"))


@cache
def expected_counts() -> tuple[ExpectedCount, ...]:
    """Count the probes of each kind in the whole release: 2,556 together."""
    return tuple(
        ExpectedCount(stratum={"probe_kind": kind}, split="test", n=n)
        for kind, n in published_numbers()["counts"].items()
    )


@cache
def published_values() -> tuple[PublishedValue, ...]:
    """Give the printed numbers as shares, and the radiologist's counts."""
    return (*_reader_values(), *(v for row in published_numbers()["row"] for v in _values(row)))


def _values(row: Mapping[str, Any]) -> Iterator[PublishedValue]:
    numbers = published_numbers()
    counts: Mapping[str, int] = numbers["counts"]
    if "overall" in row:
        yield _printed(row["who"], ACCURACY.name, {}, row["overall"], sum(counts.values()))
        yield _printed(row["who"], TRAP_FAILURE.name, {}, row["trap_failure"], None)
        for kind, value in zip(numbers["order"], row["kinds"], strict=True):
            yield _printed(row["who"], ACCURACY.name, {"probe_kind": kind}, value, counts[kind])
        for tier, value in zip(TIERS, row["sfr"], strict=True):
            yield _printed(row["who"], TRAP_FAILURE.name, {"tier": tier}, value, None)
    yield _printed(row["who"], MCS.name, {}, row["mcs"], None)


def _printed(
    who: str, metric: str, stratum: Mapping[str, str], value: float, n: int | None
) -> PublishedValue:
    return PublishedValue(
        metric=metric,
        stratum=dict(stratum),
        who=who,
        kind="model",
        value=round(value / 100, 6),
        n=n,
        source=published_numbers()["source"],
    )


def _reader_values() -> Iterator[PublishedValue]:
    numbers = published_numbers()
    counts, reader, tiers = numbers["counts"], numbers["reader"], numbers["cases"]["tiers"]

    def value(metric: str, stratum: Mapping[str, str], right: int, n: int) -> PublishedValue:
        return PublishedValue(
            metric=metric,
            stratum=dict(stratum),
            who=reader["who"],
            kind="reader",
            value=right / n,
            count=right,
            n=n,
            source=numbers["source"],
        )

    right: Mapping[str, int] = reader["right"]
    yield value(ACCURACY.name, {}, sum(right.values()), sum(counts.values()))
    for kind in counts:
        yield value(ACCURACY.name, {"probe_kind": kind}, right[kind], counts[kind])
    failed: Mapping[str, int] = reader["traps_answered"]
    yield value(TRAP_FAILURE.name, {}, sum(failed.values()), counts["halluc_trap"])
    for tier, n in failed.items():
        yield value(TRAP_FAILURE.name, {"tier": tier}, n, 2 * tiers[tier])
    for kind, printed in zip(numbers["order"], reader["kinds"], strict=True):
        yield PublishedValue(
            metric=f"printed_{ACCURACY.name}",
            stratum={"probe_kind": kind},
            who=reader["who"],
            kind="reader",
            value=round(printed / 100, 6),
            source=numbers["source"],
        )
    yield PublishedValue(
        metric=MCS.name,
        stratum={},
        who=reader["who"],
        kind="reader",
        value=round(reader["mcs"] / 100, 6),
        source=numbers["source"],
    )
