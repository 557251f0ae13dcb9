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


def test_only_directions_that_targets_speak_of_make_distance():
    rng = np.random.default_rng(1)
    told, untold = rng.normal(size=200), rng.normal(size=(200, 5))
    projection = Projection(np.column_stack([told, untold]), told[:, None] / told.std(), np.ones(6))
    distances = projection.distances(np.array([1.0, 3, 3, 3, 3, 3]))
    nearest = np.argsort(distances)[:10]
    assert told[nearest] == pytest.approx(np.ones(10), abs=0.35)


def test_more_features_than_cases_is_no_problem():
    rng = np.random.default_rng(2)
    projection = Projection(rng.normal(size=(10, 50)), rng.normal(size=(10, 3)), np.ones(50))
    assert np.isfinite(projection.distances(np.zeros(50))).all()
