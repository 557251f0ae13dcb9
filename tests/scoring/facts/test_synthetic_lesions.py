"""On sentences whose facts are known because they were drawn: CT-Bench's synthetic lesions."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations, product

import numpy as np

from overread.benchmarks.ct_bench.lesions import (
    KINDS,
    Facts,
    Lesion,
    attributes,
    description,
    draw_lesion,
    size_text,
)
from overread.scoring.facts.contradiction import contradicts, same_lesion_facts
from overread.scoring.facts.facts import LesionFacts
from overread.scoring.facts.reader import read_facts, size_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    drawn: Lesion
    read: LesionFacts


def drawn() -> list[Told]:
    """Draw a lesion of every combination of facts at every place, in one of the wordings."""
    rng = np.random.default_rng(7)
    told: list[Told] = []
    for coarse_type, kind in KINDS.items():
        for place, side, attenuation, margin, core in product(
            kind.places, ("left", "right"), ("low", "high"), ("smooth", "irregular"),
            ("homogeneous", "calcified"),
        ):  # fmt: skip
            facts = Facts(
                coarse_type=coarse_type,
                side=side,
                attenuation=attenuation,
                margin=margin,
                core=core,
                size_class=1,
            )
            lesion = draw_lesion(facts, place, rng)
            told.append(Told(drawn=lesion, read=read_facts(description(lesion))))
    return told


TOLD = drawn()


def test_every_fact_is_read() -> None:
    for each in TOLD:
        (lesion,) = each.read.lesions
        facts = each.drawn.facts
        assert lesion.sides == {facts.side}
        assert lesion.organs == {each.drawn.place}
        assert ("margin", facts.margin) in lesion.attributes
        calcified = ("calcium", "calcified") in lesion.attributes
        assert calcified == (facts.core == "calcified")
        assert len(lesion.attributes) == 3
        assert size_of(size_text(each.drawn)) is not None


def test_sentences_contradict_exactly_where_their_facts_differ() -> None:
    rng = np.random.default_rng(3)
    pairs = list(combinations(TOLD, 2))
    for place in rng.choice(len(pairs), size=2000, replace=False):
        one, other = pairs[place]
        assert contradicts(one.read, other.read) is not None, (one.drawn, other.drawn)


def test_another_wording_of_the_same_facts_is_the_same() -> None:
    rng = np.random.default_rng(11)
    for each in TOLD[::7]:
        again = draw_lesion(each.drawn.facts, each.drawn.place, rng)
        read = read_facts(description(again))
        assert same_lesion_facts(each.read, read)
        assert contradicts(each.read, read) is None


def test_attributes_alone_contradict_as_well() -> None:
    texts = sorted({attributes(each.drawn.facts) for each in TOLD})
    assert len(texts) == 8
    for one, other in combinations(texts, 2):
        assert contradicts(read_facts(one), read_facts(other)) is not None, (one, other)
