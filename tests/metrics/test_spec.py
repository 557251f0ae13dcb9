from __future__ import annotations

import importlib
import pkgutil
from dataclasses import FrozenInstanceError

import pytest

from overread import metrics
from overread.metrics.choice import ACCURACY
from overread.metrics.spec import MetricSpec


def test_a_contract_cannot_be_edited() -> None:
    with pytest.raises(FrozenInstanceError):
        ACCURACY.version = "2"  # type: ignore[misc]


def test_a_name_stands_for_one_metric() -> None:
    # Reports look a metric up by its name: of two that differ one would be told of the other.
    declared: dict[str, set[MetricSpec]] = {}
    for module in pkgutil.walk_packages(metrics.__path__, f"{metrics.__name__}."):
        for value in vars(importlib.import_module(module.name)).values():
            if isinstance(value, MetricSpec):
                declared.setdefault(value.name, set()).add(value)
    assert len(declared) > 100
    assert {name: specs for name, specs in declared.items() if len(specs) > 1} == {}
