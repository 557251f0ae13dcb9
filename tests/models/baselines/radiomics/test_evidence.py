from __future__ import annotations

import numpy as np
import pytest

from overread.models.baselines.radiomics.evidence import Evidence

RNG = np.random.default_rng(0)
N = 80
X = RNG.uniform(-1, 1, size=N)
SIDE = np.log(RNG.uniform(20, 60, size=N))


def _evidence(texts):
    return Evidence(X[:, None], np.column_stack([SIDE, SIDE]), texts, np.ones(1))


def _texts(number):
    texts = {"description": f"a cyst in the {'liver' if X[number] > 0 else 'spleen'}"}
    if number % 4 == 0:  # few cases state it, as in the release
        texts["attributes"] = "round" if X[number] > 0 else "lobulated"
    mm = np.exp(SIDE[number])
    return texts | {"size": f"{mm / 2:.1f} x {mm / 4:.1f} mm"}


EVIDENCE = _evidence([_texts(number) for number in range(N)])


def _judge(x, side_mm):
    return EVIDENCE.judge(np.array([x]), np.log([side_mm, side_mm]))


@pytest.mark.parametrize(("x", "organ"), [(0.7, "liver"), (-0.7, "spleen")])
def test_texts_of_neighbours_decide(x, organ):
    texts = ["a cyst in the liver", "a cyst in the spleen"]
    best = int(np.argmax(EVIDENCE.agreement(_judge(x, 30), texts)))
    assert organ in texts[best]


def test_what_only_some_cases_state_is_judged_among_those():
    judgement = _judge(0.7, 30)
    round_, lobulated = EVIDENCE.agreement(judgement, ["round", "lobulated"])
    assert round_ > lobulated
    # Not diluted by the three quarters of cases that say nothing: well above one half.
    (p,) = EVIDENCE.probabilities(judgement, "attributes", ["round"])
    assert p > 0.8


def test_sizes_are_fitted_in_logarithms():
    judgement = _judge(0.0, 40)
    assert np.exp(judgement.log_size) == pytest.approx([20, 10], rel=0.05)
    scores = EVIDENCE.agreement(judgement, ["40 x 20 mm", "20 x 10 mm", "1.0 x 0.5 cm"])
    assert int(np.argmax(scores)) == 1
    assert scores[0] == pytest.approx(scores[2], rel=0.2)  # twice and half are equally far


def test_sizes_in_another_unit_than_the_training_texts_are_left_alone():
    scores = EVIDENCE.agreement(_judge(0.0, 40), ["20 x 10 pixels", "90 x 80 pixels"])
    assert scores[0] == scores[1]


def test_sizes_in_pixels_are_learned_where_texts_state_pixels():
    # Boxes of 20 to 60 mm on pixels of 0.5 to 1 mm; the texts state half the box in pixels.
    pixel = np.log(np.random.default_rng(1).uniform(0.5, 1.0, N))
    texts = [{"size": f"{np.exp(SIDE[n] - pixel[n]) / 2:.1f} pixels"} for n in range(N)]
    evidence = Evidence(X[:, None], np.column_stack([SIDE, SIDE, pixel]), texts, np.ones(1))
    for pixel_mm in (0.6, 0.9):
        judgement = evidence.judge(np.zeros(1), np.log([40, 40, pixel_mm]))
        assert np.exp(judgement.log_size[0]) == pytest.approx(20 / pixel_mm, rel=0.1)


def test_sizes_count_only_where_every_text_states_one():
    scores = EVIDENCE.agreement(_judge(0.7, 30), ["a cyst", "a cyst, 500 x 300 mm"])
    assert scores[0] == pytest.approx(scores[1])


def test_the_kind_of_text_is_recognised():
    assert EVIDENCE.kind_of(["lobulated", "round"]) == "attributes"
    assert EVIDENCE.kind_of(["in the spleen"]) == "description"
    assert EVIDENCE.kind_of(["quorum", ""]) is None


def test_probabilities_are_never_certain():
    values = EVIDENCE.probabilities(_judge(0.9, 30), "description", ["cyst", "liver", "spleen"])
    assert ((values > 0) & (values < 1)).all()


def test_without_sizes_in_the_texts_no_size_is_judged():
    evidence = _evidence([{"description": "a cyst in the liver"} for _ in range(N)])
    judgement = evidence.judge(np.array([0.0]), np.log([30.0, 30.0]))
    assert np.isnan(judgement.log_size).all()
    assert evidence.agreement(judgement, ["3 mm", "90 mm"]) == pytest.approx([0, 0])
