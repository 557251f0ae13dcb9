from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from overread.benchmarks.ct_spatialvqa.signs import SIDED_KINDS, draw_cases


@pytest.fixture(scope="module")
def cases():
    return draw_cases(240, np.random.default_rng(5))


def lobed(cases):
    return [sign for case in cases for sign in case.signs if sign.lobe is not None]


def test_no_side_lobe_zone_or_depth_is_the_usual_one(cases):
    signs = lobed(cases)
    assert share(Counter(sign.side for sign in signs)) < 0.54
    assert share(Counter((sign.side, sign.lobe) for sign in signs)) < 0.30
    assert share(Counter(sign.zone for sign in signs)) < 0.53
    assert share(Counter(sign.depth for sign in signs if sign.lobe == "upper")) < 0.53


def test_a_kind_says_nothing_of_the_side(cases):
    for kind in {sign.kind for sign in lobed(cases)}:
        sides = Counter(sign.side for sign in lobed(cases) if sign.kind == kind)
        assert share(sides) < 0.65, kind


def test_two_findings_of_a_case_are_told_apart(cases):
    for case in cases:
        signs = [sign for sign in case.signs if sign.lobe is not None]
        assert len({sign.kind for sign in signs}) == len(signs)
        assert len({(sign.side, sign.lobe) for sign in signs}) == len(signs)


def test_fluid_and_air_hide_no_finding(cases):
    seen = 0
    for case in cases:
        for sign in case.signs:
            if sign.kind in SIDED_KINDS:
                seen += 1
                hidden = "posterior" if sign.kind == "pleural effusion" else "anterior"
                beside = [other for other in case.signs if other.lobe and other.depth == hidden]
                assert not any(other.sides[0] in sign.sides for other in beside)
    assert seen > 80


def test_names_are_unique_sorted_and_of_the_released_form(cases):
    names = [case.name for case in cases]
    assert names == sorted(set(names))
    assert len(names) == 240


def test_any_number_of_patients_can_be_drawn():
    assert len({case.name for case in draw_cases(1600, np.random.default_rng(1))}) == 1600


def share(counts: Counter) -> float:
    return max(counts.values()) / sum(counts.values())
