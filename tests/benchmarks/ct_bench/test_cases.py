from __future__ import annotations

from collections import Counter, defaultdict
from itertools import combinations

import numpy as np
import pytest

from overread.benchmarks.ct_bench.cases import SMALLEST_RELEASE, draw_cases, questions_per_unit
from overread.benchmarks.ct_bench.lesions import KINDS

NAMES = ("coarse_type", "side", "attenuation", "margin", "core", "size_class")


def cases(size, seed=0):
    return draw_cases(size, np.random.default_rng(seed))


@pytest.mark.parametrize("size", [SMALLEST_RELEASE, 25, 61, 240])
def test_there_are_as_many_lesions_as_asked_for_numbered_from_one(size):
    drawn = cases(size)
    assert sorted(case.lesion_idx for case in drawn) == list(range(1, size + 1))


def test_no_patient_is_in_two_splits_and_studies_count_from_one():
    splits, studies = defaultdict(set), defaultdict(list)
    for case in cases(400):
        splits[case.patient].add(case.split)
        studies[case.patient].append(case.study)
    assert all(len(found) == 1 for found in splits.values())
    assert all(found == list(range(1, len(found) + 1)) for found in studies.values())
    assert max(map(len, studies.values())) > 1


def test_splits_have_their_shares():
    shares = Counter(case.split for case in cases(1000))
    assert shares == {"test": 270, "validation": 130, "train": 600}


def test_an_index_says_nothing_about_the_split():
    drawn = cases(1000)
    early = [case for case in drawn if case.lesion_idx <= 500]
    n_test = sum(case.split == "test" for case in early)
    # 270 of 1,000; hypergeometric deviation 7.0
    assert 135 - 28 <= n_test <= 135 + 28


def test_facts_of_single_lesions_are_independent_of_each_other():
    facts = [case.lesion.facts for case in cases(6000) if not case.crowded]
    n = len(facts)
    for first, second in combinations(NAMES, 2):
        if {first, second} <= {"attenuation", "margin", "core"}:
            continue  # balanced against each other, checked below
        rows = Counter(getattr(one, first) for one in facts)
        columns = Counter(getattr(one, second) for one in facts)
        cells = Counter((getattr(one, first), getattr(one, second)) for one in facts)
        chi2 = sum(
            (cells[row, column] - rows[row] * columns[column] / n) ** 2
            / (rows[row] * columns[column] / n)
            for row in rows
            for column in columns
        )
        freedom = (len(rows) - 1) * (len(columns) - 1)
        # mean `freedom`, deviation sqrt(2 freedom): five deviations
        assert chi2 < freedom + 5 * (2 * freedom) ** 0.5 + 3, (first, second)
    combos = Counter((one.attenuation, one.margin, one.core) for one in facts)
    assert len(combos) == 8
    assert max(combos.values()) - min(combos.values()) <= 3  # once per split


def test_the_template_does_not_depend_on_the_facts():
    drawn = [case.lesion for case in cases(3000) if not case.crowded]
    for side in ("left", "right"):
        templates = Counter(one.template for one in drawn if one.facts.side == side)
        assert set(templates) == {0, 1, 2}
        assert max(templates.values()) / min(templates.values()) < 1.25


def test_a_crowded_slice_crosses_side_with_attenuation_in_one_organ():
    crowded = [case for case in cases(3000) if case.crowded]
    assert len(crowded) == 150
    first = Counter()
    for case in crowded:
        facts = [lesion.facts for lesion in case.lesions]
        assert len({(one.side, one.attenuation) for one in facts}) == 4
        assert len({one.coarse_type for one in facts}) == 1
        assert len({lesion.place for lesion in case.lesions}) == 1
        assert case.split != "train"
        first[facts[0].side, facts[0].attenuation] += 1
    # the one that is asked for is any of the four: 37.5 each, deviation 5.3
    assert all(14 < first[key] < 62 for key in first)
    assert len(first) == 4
    assert {case.lesion.facts.coarse_type for case in crowded} == set(KINDS)


def test_the_exam_grows_with_the_release_up_to_the_complete_one():
    assert questions_per_unit(24, "test") == 2
    assert questions_per_unit(240, "test") == 16
    assert questions_per_unit(240, "validation") == 8
    assert questions_per_unit(1500, "test") == 100
    assert questions_per_unit(20335, "test") == 100
    assert questions_per_unit(20335, "validation") == 50


def test_same_seed_same_cases():
    assert cases(100, seed=5) == cases(100, seed=5)
    assert cases(100, seed=5) != cases(100, seed=6)
