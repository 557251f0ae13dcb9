"""The released files themselves. Counts are those of the files, counted apart from the loader."""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path

import pytest

from overread.benchmarks.ct_spatialvqa import BENCHMARK
from overread.contracts import LABEL_SEPARATOR, Selection
from overread.records import Severity
from overread.scoring.spatial.forms import CLOSED_FORMS

pytestmark = pytest.mark.data

ROOT = Path(os.environ.get("OVERREAD_DATA") or "no such folder") / "ct_spatialvqa"


@pytest.fixture(scope="module")
def release(released_data):
    if not ROOT.is_dir():
        pytest.skip(f"no released files at {ROOT}")
    return BENCHMARK.open(ROOT)


@pytest.fixture(scope="module")
def replay(release):
    return release.replay()


@pytest.fixture(scope="module")
def items(release):
    return list(release.items(Selection()))


def test_the_release_is_complete(release, items):
    assert len(items) == 9077
    assert len({item.groups["case"] for item in items}) == 1601
    assert len({item.groups["patient"] for item in items}) == 1300
    assert not [f for f in release.findings(thorough=True) if f.severity is Severity.ERROR]


def test_most_questions_ask_where_and_two_in_five_are_closed(items):
    counts = Counter(item.strata["form"] for item in items)
    closed = sum(counts[form] for form in CLOSED_FORMS)
    assert counts["where"] == max(counts.values())
    assert 0.40 < closed / len(items) < 0.45


def test_ids_are_those_of_the_released_matrix(items, replay):
    assert {item.id for item in items} == set(replay.matrix)


def test_categories_and_labels_are_counted(items, replay):
    categories = Counter(
        name for item in items for name in item.strata["category"].split(LABEL_SEPARATOR)
    )
    assert categories == {
        "Laterality & Bilateral Symmetry": 6403,
        "Longitudinal (Vertical) Position": 4498,
        "Adjacency & Containment": 4396,
        "Medial-Lateral Orientation (Centricity)": 2274,
        "Anterior-Posterior (Depth) Relations": 1688,
        "Spatial Extent & Boundaries": 1263,
        "no category": 9,
    }
    assert sum("Medial-Lateral Orientation" in one.labels for one in replay.questions) == 2
    assert Counter(len(one.labels) for one in replay.questions) == {
        0: 9, 1: 2602, 2: 3088, 3: 2056, 4: 1055, 5: 246, 6: 21,
    }  # fmt: skip


def test_the_pairs_are_among_the_candidates(replay):
    assert len(replay.candidates) == 14744
    assert {(q.case, q.question, q.answer) for q in replay.questions} <= set(replay.candidates)


def test_votes_are_counted(replay):
    counts = {
        (one.model, one.judge): (len(one.rows), sum(row.verdict is True for row in one.rows))
        for one in replay.votes
    }
    assert counts == {
        ("merlin", "gpt"): (9077, 2673),
        ("merlin", "qwen"): (9077, 2754),
        ("med3dvlm", "gemini"): (9074, 3214),
        ("med3dvlm", "gpt"): (9077, 2888),
        ("med3dvlm", "qwen"): (9077, 2923),
        ("m3d", "gemini"): (9074, 3146),
        ("m3d", "gpt"): (9077, 2822),
        ("m3d", "qwen"): (9077, 2833),
        ("radfm", "gemini"): (9077, 3028),
        ("radfm", "gpt"): (9077, 2850),
        ("radfm", "qwen"): (9077, 2913),
        ("vila_m3_vista3d", "gemini"): (9077, 2675),
        ("vila_m3_vista3d", "gpt"): (9077, 2581),
        ("vila_m3_vista3d", "qwen"): (9077, 2524),
    }
    nulls = {
        (one.model, one.judge): sum(row.verdict is None for row in one.rows) for one in replay.votes
    }
    assert {key: n for key, n in nulls.items() if n} == {("vila_m3_vista3d", "gemini"): 5}


def test_every_prediction_names_its_case(replay):
    cases = [one.case for one in replay.questions]
    assert len(replay.predictions) == 5
    for one in replay.predictions:
        assert [row.case for row in one.rows] == cases
    empty = {one.model: sum(not row.prediction for row in one.rows) for one in replay.predictions}
    assert {model: n for model, n in empty.items() if n} == {"m3d": 32}


def test_the_matrix_has_empty_cells_where_votes_are_missing(replay):
    missing = Counter(
        model for row in replay.matrix.values() for model, mean in row.items() if mean is None
    )
    assert missing == {"m3d": 3, "med3dvlm": 3, "medgemma": 11, "merlin": 1}


def test_published_values_are_the_table_and_the_files(replay):
    sources = Counter(one.source.partition("/")[0] for one in replay.published)
    # 64 printed cells; two claims on the audit; 8 juries, 6 categories of 8 models, 6 text metrics
    # of 8 models.
    assert list(sources.values()) == [64, 2, 8 + 48 + 48]
    jury = {
        (one.who, one.n) for one in replay.published if one.source.endswith("jury_accuracy.json")
    }
    assert ("MedGemma", 9066) in jury
    assert ("Merlin", 9076) in jury


def test_what_the_release_lacks_is_said(replay):
    assert [(one.code, one.where, one.count) for one in replay.findings] == [
        ("missing-rows", "predictions", 3),
        ("missing-rows", "llm_eval", 10),  # three models by three judges, and Merlin by Gemini
    ]


def test_the_human_audit_is_counted(replay):
    counts = Counter((one.is_spatial, one.is_relevant) for one in replay.audit)
    assert counts == {
        (True, True): 231,
        (False, True): 65,
        (True, False): 3,
        (False, False): 3,
        (True, None): 1,
        (None, None): 1,
    }
