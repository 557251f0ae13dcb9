"""Clustered bootstrap of all models of an exam at once, of a corpus BLEU, and of a whole run.

Run by itself as ``python -m benches.bootstrap MODELS ITEMS PATIENTS DRAWS``; it prints its figures.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benches.measure import measure, python
from overread.analysis.estimates import estimate
from overread.contracts import AlsoMetric, AnalysisPlan
from overread.metrics.text.bleu import bleu
from overread.records import PlannedItem, Profile, Score, Status
from overread.stats.bootstrap import cluster_bootstrap
from overread.stats.sums_interval import sums_interval

__all__ = ["DRAWS", "ITEMS", "MODELS", "PATIENTS", "measure_bootstrap"]

MODELS, ITEMS, PATIENTS, DRAWS = 8, 9077, 1300, 10_000
"""Of the released CT-SpatialVQA questions and the models in its table."""
_SEED = 20260219
_FORMS = ("yes-no", "side", "height", "depth", "centrality", "lobe", "count", "where", "open")


def measure_bootstrap(*, models: int, items: int, patients: int, draws: int) -> dict[str, Any]:
    """Measure in a process of its own, so that the peak is that of the bootstrap.

    Returns
    -------
    dict
        Seconds of each part, and its seconds of CPU, which what else runs moves little; peak MB of
        the process, interpreter, imports and the making of the data included.
    """
    run = measure(python("benches.bootstrap", models, items, patients, draws))
    return {
        f"{draws:,} draws, {items:,} items, {patients:,} patients": {
            **run.report,
            "peak_mb": run.peak_mb,
        }
    }


def _measure(models: int, items: int, patients: int, draws: int) -> dict[str, float]:
    rng = np.random.default_rng(_SEED)
    clusters = np.sort(rng.integers(0, patients, items))
    values = (rng.random((items, models)) < 0.35).astype(np.float64)
    figures: dict[str, float] = {}

    with _timed(f"{models}_models", figures):
        intervals = cluster_bootstrap(values, clusters, draws=draws, rng=rng)
    assert all(interval.defined for interval in intervals)

    rows = _bleu_rows(items, rng)
    with _timed("corpus_bleu", figures):
        interval = sums_interval(rows, bleu, clusters, draws=draws, rng=rng)
    assert interval.defined

    planned, scores, plan = _run(values[:, 0], clusters, rng)
    with _timed("estimates_of_a_run", figures):
        estimates = estimate(scores, planned, plan)
    figures["estimates"] = len(estimates)
    return figures


@contextmanager
def _timed(name: str, figures: dict[str, float]) -> Iterator[None]:
    wall, cpu = time.perf_counter(), time.process_time()
    yield
    figures[f"{name}_s"] = time.perf_counter() - wall
    figures[f"{name}_cpu_s"] = time.process_time() - cpu


def _bleu_rows(items: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Make counts of short answers: words on both sides, shared runs of 1 to 4, runs of 1 to 4."""
    words = rng.integers(4, 20, (items, 2))
    runs = np.stack([words[:, 0] - order for order in range(4)], axis=1)
    shared = np.minimum.accumulate(rng.integers(0, 4, (items, 4)), axis=1)
    return np.concatenate([words, shared, runs], axis=1)


def _run(
    values: NDArray[np.float64], clusters: NDArray[np.int64], rng: np.random.Generator
) -> tuple[list[PlannedItem], list[Score], AnalysisPlan]:
    """Make the scores of one model: a headline, a jury, three judges and four text metrics."""
    labels = [f"category {n}" for n in range(6)]
    planned = [
        PlannedItem(
            item=str(row), request_hash=str(row), groups={"patient": str(cluster)},
            strata={
                "form": _FORMS[row % len(_FORMS)],
                "category": "; ".join(rng.choice(labels, rng.integers(1, 4), replace=False)),
            },
            chance=None,
        )
        for row, cluster in enumerate(clusters)
    ]  # fmt: skip
    text = ("rouge1", "rouge2", "rougeL", "meteor")
    wanted: list[tuple[str, Profile, str | None]] = [
        ("rule_accuracy", "honest", None),
        ("jury_accuracy", "honest", None),
        *(("judge_accuracy", "honest", judge) for judge in ("one", "two", "three")),
        *((metric, "published", None) for metric in text),
    ]
    scores = [
        Score(
            run="run", item=str(row), patient=None, metric=metric, metric_version="1",
            profile=profile, target=target, unit="share", value=float(value), status=Status.OK,
            answer="yes",
        )
        for metric, profile, target in wanted
        for row, value in enumerate(values)
        if metric != "rule_accuracy" or planned[row].strata["form"] in _FORMS[:7]
    ]  # fmt: skip
    plan = AnalysisPlan(
        strata=((), ("form",), ("category",)), cells=("form",), cluster="patient",
        headline="rule_accuracy", headline_only={"form": _FORMS[:7]},
        also=(
            AlsoMetric(metric="jury_accuracy", is_share=True),
            AlsoMetric(metric="judge_accuracy", is_share=True),
            *(AlsoMetric(metric=metric, profiles=("published",)) for metric in text),
        ),
        multi_label=("category",),
    )  # fmt: skip
    return planned, scores, plan


if __name__ == "__main__":
    print(json.dumps(_measure(*map(int, sys.argv[1:]))))
