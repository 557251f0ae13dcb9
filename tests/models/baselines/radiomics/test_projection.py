from __future__ import annotations

import numpy as np
import pytest

from overread.models.baselines.radiomics.projection import Projection, _leave_one_out


def test_left_out_predictions_equal_those_of_refitting_without_the_case():
    rng = np.random.default_rng(0)
    features, targets = rng.normal(size=(12, 4)), rng.normal(size=(12, 2))
    features -= features.mean(axis=0)
    targets -= targets.mean(axis=0)
    penalty = 0.7
    left, values, _ = np.linalg.svd(features, full_matrices=False)
    shrink = values**2 / (values**2 + penalty)
    found = _leave_one_out(left, shrink, left.T @ targets, targets)
    for row in range(12):
        # Refit from scratch, with an unpenalised constant.
        kept = np.arange(12) != row
        x, y = features[kept], targets[kept]
        x_mean, y_mean = x.mean(axis=0), y.mean(axis=0)
        gram = (x - x_mean).T @ (x - x_mean) + penalty * np.eye(4)
        slopes = np.linalg.solve(gram, (x - x_mean).T @ (y - y_mean))
        expected = y_mean + (features[row] - x_mean) @ slopes
        assert found[row] == pytest.approx(expected, abs=1e-9)


def test_a_new_case_lies_where_its_target_would_be():
    rng = np.random.default_rng(1)
    told, untold = rng.normal(size=200), rng.normal(size=(200, 5))
    targets = np.column_stack([3 * told + 1, -told])
    projection = Projection(np.column_stack([told, untold]), targets, np.ones(6))
    assert projection(np.array([1.0, 3, 3, 3, 3, 3])) == pytest.approx([4, -1], abs=0.05)
    assert projection.cases == pytest.approx(targets, abs=0.1)


def test_a_case_without_a_target_teaches_nothing():
    told = np.random.default_rng(2).normal(size=100)
    targets = (2 * told)[:, None]
    targets[::2] = np.nan
    projection = Projection(told[:, None], targets, np.ones(1))
    # Half of the cases count as average, so the slope is half as steep; nearness is kept.
    low, high = projection(np.array([-1.0])), projection(np.array([1.0]))
    assert high - low == pytest.approx(2, rel=0.35)
    assert np.isfinite(projection.cases).all()


def test_each_target_has_a_penalty_of_its_own():
    rng = np.random.default_rng(3)
    features = rng.normal(size=(60, 40))
    targets = np.column_stack([features @ rng.normal(size=40), rng.normal(size=60)])
    projection = Projection(features, targets, np.ones(40))
    # The first follows from the features and is laid out widely, the second is noise and is not.
    assert projection.cases[:, 0].std() > 0.7 * targets[:, 0].std()
    assert projection.cases[:, 1].std() < 0.5 * targets[:, 1].std()


def test_more_features_than_cases_is_no_problem():
    rng = np.random.default_rng(4)
    projection = Projection(rng.normal(size=(10, 50)), rng.normal(size=(10, 3)), np.ones(50))
    assert np.isfinite(projection(np.zeros(50))).all()
