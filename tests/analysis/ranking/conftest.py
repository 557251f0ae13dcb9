from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from overread.analysis.ranking.table import CaseTable, RankedMetric

SIX = [
    [0.90, 0.85, 0.70],
    [0.80, 0.82, 0.75],
    [0.95, 0.90, 0.60],
    [0.70, 0.65, 0.72],
    [0.88, 0.80, 0.66],
    [0.77, 0.76, 0.50],
]

MakeTable = Callable[..., CaseTable]


@pytest.fixture
def make_table() -> MakeTable:
    def make(rows, *, patients=None, strata=None) -> CaseTable:
        values = np.array(rows, dtype=float)
        return CaseTable(
            methods=tuple("ABCDEFGHIJ"[: values.shape[1]]),
            cases=tuple(f"case {row}" for row in range(1, len(values) + 1)),
            values={"dsc": values},
            patients=patients,
            strata=strata,
        )

    return make


@pytest.fixture
def six(make_table: MakeTable) -> CaseTable:
    """Six cases of A, B and C."""
    return make_table(SIX)


@pytest.fixture
def dsc() -> list[RankedMetric]:
    return [RankedMetric(name="dsc", larger_is_better=True)]


@pytest.fixture(scope="session")
def autopet() -> tuple[CaseTable, dict[str, float]]:
    """The 19 listed rows of autoPET III and their published scores.

    Source: autopet-iii.grand-challenge.org, evaluation and ranking (site licence CC BY 3.0), as in
    lab-midas/websiteautopet autopetiii.html; teams are numbered by their place, DC and NN are the
    two baselines.
    """
    path = Path(__file__).with_name("autopet3.csv")
    rows = list(csv.DictReader(path.read_text("utf-8").splitlines()))
    methods, strata, metrics = (
        tuple(dict.fromkeys(row[key] for row in rows)) for key in ("place", "stratum", "metric")
    )
    cell = {(row["metric"], row["stratum"], row["place"]): float(row["value"]) for row in rows}
    table = CaseTable(
        methods=methods,
        cases=strata,
        strata=strata,
        values={
            metric: np.array([[cell[metric, one, who] for who in methods] for one in strata])
            for metric in metrics
        },
        is_aggregated=True,
    )
    return table, {row["place"]: float(row["published"]) for row in rows}
