"""The synthetic exams: every kind is there, sums are right, shapes can be told apart."""

from __future__ import annotations

import re
from collections import Counter
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from overread.benchmarks.jmed48k.loader import JMed48kRelease
from overread.benchmarks.jmed48k.synthetic import synthesise
from overread.contracts import Selection
from overread.imaging.read import read_slice
from overread.records import Item, Number

FIRST_SHAPES = {"円", "正方形", "十字", "輪", "三角形"}


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> JMed48kRelease:
    root = tmp_path_factory.mktemp("exams")
    synthesise(root, seed=11, size=96)
    return JMed48kRelease(root)


@pytest.fixture(scope="module")
def items(release: JMed48kRelease) -> dict[str, Item]:
    asked = Selection(conditions=("as-asked",))
    return {item.id: item for item in release.items(asked)}


def test_every_kind_and_every_oddity_is_there(release, items):
    assert Counter(each.reason for each in release.exclusions) == {
        "deleted": 6,
        "no-key": 6,
        "key-count": 6,
    }
    assert len(items) == 96 - 18
    strata = {
        key: Counter(item.strata[key] for item in items.values())
        for key in ("kind", "figure_in", "quality", "profession", "year", "section")
    }
    assert strata["kind"].keys() == {"one option", "several options", "a number"}
    assert strata["figure_in"].keys() == {"in the question", "in the options", "nowhere"}
    assert strata["quality"]["flagged"] == 18
    assert len(strata["profession"]) == 3
    assert strata["year"].keys() == {"2024", "2025"}
    found = {each.code: each.count for each in release.findings()}
    assert found["several-accepted"] == found["corrupt-text"] == 6
    assert found["contradicting-flag"] == 6
    assert "synthetic" in release.notes()[0]
    assert release.expected_counts() == ()


def test_passages_join_questions(items):
    cases = Counter(item.groups["case"] for item in items.values())
    assert Counter(cases.values()) == {1: 66, 2: 6}


def test_sums_products_and_even_numbers_are_right(release, items):
    seen = 0
    for name, item in items.items():
        answer = release.reference(name).answer or ""
        numbers = [int(each) for each in re.findall(r"\d+", item.question)]
        said = {
            option.letter: int(re.sub(r"\D", "", option.text or "") or -1)
            for option in item.options
        }
        if isinstance(item.answer_space, Number):
            assert int(answer) == numbers[0] * numbers[1]
        elif "合わせて" in item.question:
            assert said[answer] == sum(numbers)
        elif "棚の玉" in item.question:
            assert said[answer] == numbers[0]
        elif "すべて" in item.question:
            assert {each for each, n in said.items() if n % 2 == 0} == set(answer)
        else:
            continue
        seen += 1
    assert seen == 6 * 5


def test_a_reader_who_sees_the_figures_can_tell_the_shapes_apart(release, items):
    """By the number of bright pixels alone: each shape has an area of its own."""
    areas: dict[str, list[int]] = {}
    for name, item in items.items():
        texts = {option.letter: option.text or "" for option in item.options}
        letters = release.reference(name).answer or ""
        if not set(texts.values()) <= FIRST_SHAPES:
            continue
        for letter, media in zip(letters, item.media, strict=False):
            pixels = read_slice(release.root / media.paths[0]).pixels
            areas.setdefault(texts[letter], []).append(int((np.asarray(pixels) > 115).sum()))
    assert set(areas) == FIRST_SHAPES
    ranges = sorted((min(found), max(found)) for found in areas.values())
    assert all(before[1] < after[0] for before, after in pairwise(ranges))


@pytest.mark.parametrize("size", [1, 5, 24, 100])
def test_any_size_will_do(tmp_path: Path, size: int):
    synthesise(tmp_path, seed=2, size=size)
    release = JMed48kRelease(tmp_path)
    asked = list(release.items(Selection(conditions=("as-asked",))))
    assert len(asked) + len(release.exclusions) == size
