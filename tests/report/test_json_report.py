from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

from overread.records import Estimate, PublishedValue, Status
from overread.report.data import ReportData
from overread.report.json_report import estimate_json, report_json, run_json, write_json
from overread.report.tokens import TokenTotals


def test_an_estimate_keeps_its_numbers_and_its_reason() -> None:
    row = PublishedValue(
        metric="accuracy", stratum={}, who="GPT-4V", kind="model", value=0.284, count=540,
        n=1900, source="table 3",
    )  # fmt: skip
    estimate = Estimate(
        metric="accuracy", profile="honest", stratum={"box": "box"}, n=0, n_answered=0,
        n_clusters=None, value=None, low=None, high=None, method="none",
        status=Status.UNDEFINED, reason="no item", published=(row,),
    )  # fmt: skip
    shown: Any = estimate_json(estimate)
    assert shown["value"] is None
    assert (shown["status"], shown["reason"]) == ("undefined", "no item")
    assert shown["stratum"] == {"box": "box"}
    assert shown["published"][0]["count"] == 540
    assert {
        "metric", "profile", "stratum", "n", "n_answered", "value", "low", "high", "chance",
        "blind_floor", "published",
    } <= set(shown)  # fmt: skip


def test_one_run_has_the_promised_form(small_report: ReportData) -> None:
    one = replace(small_report, runs=small_report.runs[:1], comparison=None)
    shown: Any = report_json(one)
    assert list(shown) == ["run", "estimates", "findings", "tokens"]
    n = one.runs[0].tokens.n
    assert shown["tokens"] == {
        "in": 900 * n, "out": 34 * n, "responses": n, "responses_in": n, "responses_out": n,
    }  # fmt: skip
    assert shown["run"] == one.runs[0].manifest.run
    assert len(shown["estimates"]) == len(one.runs[0].estimates)
    assert len(shown["findings"]) == len(one.findings) + len(one.runs[0].findings)
    assert run_json("r", (), ()) == {"run": "r", "estimates": [], "findings": []}
    assert "tokens" not in run_json("r", (), (), tokens=TokenTotals(n=3))


def test_several_runs_stand_beside_their_pairs(small_report: ReportData, tmp_path: Path) -> None:
    path = write_json(small_report, tmp_path / "report.json")
    shown = json.loads(path.read_text(encoding="utf-8"))
    assert [run["run"] for run in shown["runs"]] == [r.manifest.run for r in small_report.runs]
    comparison = small_report.comparison
    assert comparison is not None
    assert len(shown["comparison"]) == len(comparison.pairs) + len(comparison.by_stratum)
    assert shown["comparison"][0]["p_mcnemar"] == comparison.pairs[0].p_mcnemar
