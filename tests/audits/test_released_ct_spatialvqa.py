"""The released files of CT-SpatialVQA: every number that is known to be right of them.

Sources: the paper's table and the release's ``metrics`` folder for what was published; counts by
row number and by key were worked out from the vote files by hand-written scripts, twice.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from overread.audits.inspection import inspect_release
from overread.audits.joins import Run
from overread.audits.reproduce.cells import Cell, Reproduction
from overread.audits.reproduce.table import reproduce
from overread.audits.shipped import grade_models
from overread.contracts import Release
from overread.metrics.text.wordnet import find_wordnet
from overread.records import Finding, Severity
from overread.registry import find_benchmark

pytestmark = [pytest.mark.data, pytest.mark.slow]

FOLDER = Path(os.environ.get("OVERREAD_DATA") or "no such folder") / "ct_spatialvqa"
TABLE = ["CT-CHAT", "Merlin", "Med3DVLM", "M3D", "RadFM", "VILA-M3", "MedGemma", "MedEvalKit"]
CATEGORIES = (
    "Laterality & Bilateral Symmetry",
    "Longitudinal (Vertical) Position",
    "Adjacency & Containment",
    "Medial-Lateral Orientation (Centricity)",
    "Anterior-Posterior (Depth) Relations",
    "Spatial Extent & Boundaries",
)


@pytest.fixture(scope="module")
def release(released_data: Path) -> Release:
    if not FOLDER.is_dir():
        pytest.skip(f"no released files at {FOLDER}")
    return find_benchmark("ct-spatialvqa").open(FOLDER)


@pytest.fixture(scope="module")
def found(release: Release) -> Reproduction:
    return reproduce(release)


@pytest.fixture(scope="module")
def findings(release: Release) -> tuple[Finding, ...]:
    return inspect_release(release)


@pytest.fixture(scope="module")
def cells(found: Reproduction) -> Mapping[tuple[str, str], Cell]:
    return {(cell.column, cell.row): cell for cell in found.cells}


def count(value: float | None, n: int | None) -> int:
    """Turn a share back into a count, which must be whole."""
    assert value is not None
    assert n is not None
    assert value * n == pytest.approx(round(value * n), abs=1e-9)
    return round(value * n)


# ---------------------------------------------------------------- juries and judges


@pytest.mark.parametrize(
    ("model", "by_row", "n_by_row", "by_key", "n_by_key"),
    [
        ("M3D", 2774, 9074, 2833, 9074),
        ("Med3DVLM", 2853, 9074, 2933, 9074),
        ("RadFM", 2858, 9077, 2858, 9077),
        ("VILA-M3", 2560, 9077, 2560, 9077),
        # Its Gemini votes were not released and are told by the matrix.
        ("Merlin", 2618, 9076, 2674, 9076),
    ],
)
def test_jury(
    cells: Any, model: str, by_row: int, n_by_row: int, by_key: int, n_by_key: int
) -> None:
    jury = cells["jury", model]
    assert (count(jury.recomputed, jury.n_published), jury.n_published) == (by_row, n_by_row)
    assert (count(jury.corrected, jury.n_corrected), jury.n_corrected) == (by_key, n_by_key)
    assert not jury.differs
    assert jury.low < jury.corrected < jury.high


def test_every_published_jury_comes_out_to_the_last_digit(cells: Any) -> None:
    rows = json.loads((FOLDER / "metrics" / "llm_jury_accuracy.json").read_text("utf-8"))
    assert len(rows) == 8
    for model in TABLE:
        jury = cells["jury", model]
        assert jury.recomputed == pytest.approx(jury.published, abs=1e-15)
    assert sorted(row["count"] for row in rows) == sorted(
        cells["jury", model].n_published for model in TABLE
    )


@pytest.mark.parametrize(
    ("judge", "model", "yes", "n"),
    [
        ("GPT", "M3D", 2822, 9077),
        ("Qwen", "M3D", 2833, 9077),
        ("Gemini", "M3D", 3146, 9074),
        ("GPT", "Med3DVLM", 2888, 9077),
        ("Qwen", "Med3DVLM", 2923, 9077),
        ("Gemini", "Med3DVLM", 3214, 9074),
        ("GPT", "RadFM", 2850, 9077),
        ("Qwen", "RadFM", 2913, 9077),
        ("Gemini", "RadFM", 3028, 9077),
        ("GPT", "VILA-M3", 2581, 9077),
        ("Qwen", "VILA-M3", 2524, 9077),
        ("Gemini", "VILA-M3", 2675, 9072),  # of 9,077, five of them null
        ("GPT", "Merlin", 2673, 9077),
        ("Qwen", "Merlin", 2754, 9077),
    ],
)
def test_single_judges(cells: Any, judge: str, model: str, yes: int, n: int) -> None:
    cell = cells[judge, model]
    assert (count(cell.recomputed, n), cell.n_corrected) == (yes, n)
    assert count(cell.corrected, n) == yes


def test_three_single_judges_are_not_what_was_published(cells: Any) -> None:
    judges = [cell for cell in cells.values() if cell.column in ("Gemini", "GPT", "Qwen")]
    assert {(c.column, c.row, c.published) for c in judges if c.differs} == {
        ("Gemini", "Merlin", 0.2985),  # 2,706 of 9,065 would be: eleven nulls, which look like no
        ("Gemini", "Med3DVLM", 0.3455),
        ("Gemini", "M3D", 0.3304),
    }
    assert sum(cell.recomputed is not None for cell in judges) == 15


@pytest.mark.parametrize(
    ("model", "by_row", "by_key"), [("M3D", 0.286, 0.762), ("Med3DVLM", 0.087, 0.773)]
)
def test_kappa_of_gemini_and_gpt(cells: Any, model: str, by_row: float, by_key: float) -> None:
    kappa = cells["kappa Gemini-GPT", model]
    assert round(kappa.recomputed, 3) == by_row
    assert round(kappa.corrected, 3) == by_key


def test_records_missing_in_the_files_of_gemini(release: Any) -> None:
    graded = grade_models(release.replay())
    lost = {"m3d": (2789, 5409, 7629), "med3dvlm": (404, 794, 4039)}
    unlike = {"m3d": 6283, "med3dvlm": 8666}
    for model, rows in lost.items():
        gemini = graded[model].judges[0]
        assert gemini.judge == "gemini"
        assert gemini.join is not None
        assert gemini.join.missing == rows
        assert gemini.join.extra == gemini.join.ambiguous == ()
        assert gemini.join.first_mismatch is not None
        assert gemini.n_unlike == unlike[model]
        assert gemini.join.runs[0] == Run(first=0, length=rows[0], offset=0)
        assert [run.offset for run in gemini.join.runs] == [0, 1, 2, 3]
    aligned = (one for model in ("radfm", "vila_m3_vista3d") for one in graded[model].judges)
    assert all(one.join is not None and one.join.is_by_row for one in aligned)


# ---------------------------------------------------------------- texts


def text_values() -> list[tuple[str, str, float, int]]:
    """Give (column, model, value, n) of the released summary for the models with predictions."""
    path = FOLDER / "metrics" / "text_metrics_summary.json"
    if not path.is_file():
        return []
    names = {
        "merlin": "Merlin",
        "med3dvlm": "Med3DVLM",
        "m3d": "M3D",
        "radfm": "RadFM",
        "vila_m3_vista3d": "VILA-M3",
    }
    columns = {
        "bleu": "BLEU",
        "rouge1_f": "ROUGE-1",
        "rouge2_f": "ROUGE-2",
        "rougeL_f": "ROUGE-L",
        "meteor": "METEOR",
    }
    return [
        (title, names[model], row[key], row["count"])
        for row in json.loads(path.read_text("utf-8"))
        if (model := row["model"].removesuffix("_full")) in names
        for key, title in columns.items()
    ]


@pytest.mark.parametrize(("column", "model", "value", "n"), text_values())
def test_texts(cells: Any, column: str, model: str, value: float, n: int) -> None:
    if column == "METEOR" and find_wordnet() is None:
        pytest.skip("no WordNet here")
    cell = cells[column, model]
    assert cell.recomputed == pytest.approx(value, abs=1e-12)
    assert cell.published == value
    assert cell.n_published == n
    assert cell.n_corrected == 9077
    assert not cell.differs
    if model == "M3D":
        assert cell.corrected < cell.recomputed - 1e-5
    else:
        assert cell.corrected == pytest.approx(cell.recomputed, abs=1e-12)


def test_known_texts(cells: Any) -> None:
    assert cells["BLEU", "RadFM"].recomputed == pytest.approx(16.457095166271824, abs=1e-9)
    assert cells["BLEU", "M3D"].recomputed == pytest.approx(1.075053407972095, abs=1e-9)
    assert cells["BLEU", "Med3DVLM"].recomputed == pytest.approx(0.565859716566616, abs=1e-9)
    assert cells["BLEU", "Merlin"].recomputed == pytest.approx(8.117463007800684, abs=1e-9)
    assert cells["BLEU", "VILA-M3"].recomputed == pytest.approx(2.508405077939672, abs=1e-9)
    assert cells["ROUGE-L", "RadFM"].recomputed == pytest.approx(0.3723984347863857, abs=1e-15)
    assert cells["ROUGE-L", "M3D"].fault == "32 empty answers left out"
    if find_wordnet() is not None:
        assert round(cells["METEOR", "RadFM"].recomputed, 13) == 0.3108181191708
        assert round(cells["METEOR", "M3D"].recomputed, 13) == 0.0768765507187
        assert cells["METEOR", "M3D"].n_published == 9045


@pytest.mark.torch
def test_cosine(cells: Any) -> None:
    pytest.importorskip("sentence_transformers")
    known = {"M3D": 0.41224256, "RadFM": 0.58452756, "Merlin": 0.50270146}
    for model, value in known.items():
        cell = cells["SBERT cosine", model]
        assert cell.recomputed == pytest.approx(value, abs=2e-7)
        assert not cell.differs
    assert cells["SBERT cosine", "M3D"].n_published == 9045


@pytest.mark.parametrize(("model", "n"), [("m3d", 8170), ("radfm", 10718)])
def test_about_half_of_the_strings_are_distinct(release: Any, model: str, n: int) -> None:
    (rows,) = (one.rows for one in release.replay().predictions if one.model == model)
    pairs = [(row.prediction or "", row.answer) for row in rows]
    texts = [text.lower() for pair in pairs if pair[0].strip() for text in pair]
    assert 18_000 < len(texts) < 18_200
    assert len(set(texts)) == n


# ---------------------------------------------------------------- categories


@pytest.mark.parametrize("category", CATEGORIES)
def test_every_row_by_category_comes_out_to_the_last_digit(cells: Any, category: str) -> None:
    for model in TABLE:
        cell = cells[category, model]
        assert round(100 * cell.recomputed, 2) == pytest.approx(100 * cell.published)
        assert not cell.differs


def test_categories_that_the_slip_moves_most(cells: Any) -> None:
    # Med3DVLM, adjacency: 30.10 % published, 24.33 % of 4,394 when joined by key.
    cell = cells["Adjacency & Containment", "Med3DVLM"]
    assert (cell.n_published, cell.n_corrected) == (4396, 4394)
    assert count(cell.corrected, 4394) == 1069
    assert cells["Medial-Lateral Orientation (Centricity)", "RadFM"].n_corrected == 2274


# ---------------------------------------------------------------- faults


def test_faults_seen_each_with_its_count(findings: Any) -> None:
    counts: dict[str, list[int]] = {}
    for one in findings:
        counts.setdefault(one.code, []).append(one.count)
    assert sorted(counts.pop("slipped-rows")) == [6283, 7607, 8666]
    assert sorted(counts.pop("matrix-not-votes")) == [2864, 4012]
    assert sorted(counts.pop("unequal-denominators")) == [2, 4]
    assert counts == {
        "changed-order": [1],
        "missing-rows": [3, 10],
        "missing-means": [18],
        "empty-answers-dropped": [32],
        "repeated-case": [1],
        "repeated-pairs": [9077 - 8151],
        "end-marks": [7518],
        "no-floor": [1],
        "no-interval": [168],
        "human-audit": [304],
        "misspelt-category": [2],
        "category-counts": [20522],
        "no-category": [9],
        "several-labels": [3088 + 2056 + 1055 + 246 + 21],
        "machine-paths": [5 * 9077],
        "cases-share-patients": [180],
        "not-reproduced": [1, 1, 1],
        "null-verdicts": [5],
        "empty-answer-right": [11],
        "same-words-wrong": [30],
        "contradictory-verdicts": [182],
        "filtered-candidates": [14744 - 9077],
        "split-votes": [3],
        "two-sources": [5],
        # Of the questions themselves.
        "blind-floor": [1],
        "blind-leak": [28],
        "no-test-possible": [1],
        "small-stratum": [3],
        # Of the replies, by model: read otherwise by parsers of other harnesses.
        "replies-without-answer": [23, 54, 30, 30, 39],
        "score-depends-on-parsing": [215, 32],
    }


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("changed-order", "RadFM 31.49 % over Med3DVLM 31.44 %, joined by key: Med3DVLM 32.32 %"),
        (
            "category-counts",
            "Laterality & Bilateral Symmetry 6,403; Longitudinal (Vertical) Position 4,498; "
            "Adjacency & Containment 4,396; Medial-Lateral Orientation (Centricity) 2,272; "
            "Anterior-Posterior (Depth) Relations 1,688; Spatial Extent & Boundaries 1,263; "
            "Medial-Lateral Orientation 2",
        ),
        (
            "several-labels",
            "9 with 0, 2,602 with 1, 3,088 with 2, 2,056 with 3, 1,055 with 4, 246 with 5, 21 "
            "with 6",
        ),
        (
            "human-audit",
            "304 pairs: 231 spatial and relevant, 65 relevant but not spatial, 3 spatial but not "
            "relevant, 3 neither, 2 incomplete",
        ),
        # 972 say no and 280 yes.
        ("no-floor", "'no' every time is right for 77.64 % (972 of 1,252) of them"),
        ("repeated-pairs", "8,151 distinct pairs of question and answer among 9,077"),
        ("cases-share-patients", "1,601 cases are of 1,300 patients"),
        ("filtered-candidates", "(9,077 of 14,744) of the candidates were kept"),
        ("no-floor", "2,361 questions have yes/no form, 1,252 answers begin with yes or no"),
    ],
)
def test_what_findings_say(findings: Any, code: str, said: str) -> None:
    (one,) = (one for one in findings if one.code == code)
    assert said in one.evidence


def test_the_order_that_the_join_made_is_not_settled_either_way(findings: Any) -> None:
    (order,) = (one for one in findings if one.code == "changed-order")
    # 2,933 of 9,074 against RadFM's 2,858 of 9,077, one of them on a question that both have not.
    assert "Med3DVLM leads RadFM by 0.83 points over 9,074 questions (95 % -0." in order.effect
    assert "these votes do not settle which is better" in order.effect


def test_the_paper_claims_more_of_its_human_audit(findings: Any) -> None:
    (audit,) = (one for one in findings if one.code == "human-audit")
    assert "3.3 % of 9,077 questions, and 76.5 % of the complete ones" in audit.effect
    # Its own list of disagreements has 104 rows on 87 pairs, 86 of them answered.
    assert "people and the validator differ on 28.29 % (86 of 304)" in audit.effect
    assert audit.effect.endswith("audited share 12 % and audit agreement 95 %")


def test_denominators_are_named(findings: Any) -> None:
    jury = next(one for one in findings if one.where.startswith("metrics/llm_jury"))
    for count_of in ("9,066 count for MedGemma", "9,074 count for M3D", "9,076 count for Merlin"):
        assert count_of in jury.evidence
    assert "9,074 count for Med3DVLM" in jury.evidence


def test_errors_are_those_that_make_published_numbers_wrong(findings: Any) -> None:
    errors = {one.code for one in findings if one.severity is Severity.ERROR}
    assert errors == {"slipped-rows", "matrix-not-votes", "changed-order"}
