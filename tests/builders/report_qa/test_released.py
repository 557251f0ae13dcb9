"""The released candidates, filtered by a validator that answers as the released file says.

CT-SpatialVQA's own judgments were not released; that a pair stands in the filtered file is all
that is known of them. 9,077 of 14,744 pairs and 1,601 of 1,607 cases stay (the paper, and the
files counted).
"""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

import pytest

from overread.benchmarks.ct_spatialvqa import layout
from overread.builders.report_qa.build import BuildRequest, build_report_qa
from overread.contracts import Query

pytestmark = pytest.mark.data

RELEASE = Path(os.environ.get("OVERREAD_DATA") or "no such folder") / "ct_spatialvqa"
_LISTED = re.compile(r"^\d+\. Q: (.*)\n   A: (.*)$", re.MULTILINE)


class Models(Protocol):
    def __call__(self, answer: Callable[[Query], Any]) -> str: ...


@pytest.fixture(scope="module", autouse=True)
def _needs_data(released_data: Path) -> None:
    if not RELEASE.is_dir():
        pytest.skip(f"no release at {RELEASE}")


def held(name: str) -> dict[str, Any]:
    return json.loads((RELEASE / name).read_text("utf-8"))


def kept_pairs() -> set[tuple[str, str, str]]:
    return {
        (case, pair["question"], pair["answer"])
        for case, entry in held(layout.QUESTIONS_FILE).items()
        for pair in entry["qa_pairs"]
    }


@pytest.mark.slow
def test_the_released_filter_gives_exactly_the_released_pairs(
    tmp_path: Path, models: Models
) -> None:
    kept, generated = kept_pairs(), held(layout.CANDIDATES_FILE)

    def write(query: Query) -> str:
        return json.dumps(generated[query.item.groups["case"]]["qa_pairs"])

    def check(query: Query) -> str:
        case = query.item.groups["case"]
        listed = _LISTED.findall(query.item.question)
        labels = [
            {"index": n, "is_spatial": (case, *pair) in kept, "is_relevant": True}
            for n, pair in enumerate(listed, start=1)
        ]
        return f"```json\n{json.dumps(labels)}\n```"

    request = BuildRequest(
        reports=RELEASE / layout.REPORTS_FILE,
        out=tmp_path / "exam",
        profile="published",
        generator=models(write),
        validator=models(check),
    )
    report = build_report_qa(request, on_progress=lambda *_: None).report
    assert (report.reports, report.candidates, report.kept) == (1607, 14744, 9077)
    assert (report.cases, report.patients) == (1601, 1300)
    assert report.dropped == {"not-spatial": 14744 - 9077}
    assert (report.refused, report.reports_without_pairs) == ({}, 0)
    built = json.loads((request.out / layout.QUESTIONS_FILE).read_text("utf-8"))
    assert built == held(layout.QUESTIONS_FILE)
    again = json.loads((request.out / layout.CANDIDATES_FILE).read_text("utf-8"))
    assert {case: entry["qa_pairs"] for case, entry in again.items()} == {
        case: entry["qa_pairs"] for case, entry in generated.items()
    }
    # Row by row too, in the order of the table of reports instead of the release's.
    assert sorted(rows(request.out), key=case_of) == sorted(rows(RELEASE), key=case_of)


def rows(root: Path) -> list[dict[str, str]]:
    with (root / layout.ROWS_FILE).open(encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def case_of(row: dict[str, str]) -> str:
    return row["case_id"]


def test_released_candidates_go_through_the_honest_filter_too(
    tmp_path: Path, models: Models
) -> None:
    kept = kept_pairs()

    def check(query: Query) -> str:
        text = query.item.prompt[-1].text or ""
        pairs = json.loads(text.rpartition("\n")[2])["pairs"]
        case = query.item.groups["case"]
        return json.dumps(
            [
                {
                    "id": pair["id"],
                    "is_spatial": (case, pair["question"], pair["answer"]) in kept,
                    "is_relevant": True,
                    "is_supported": True,
                }
                for pair in pairs
            ]
        )

    request = BuildRequest(
        reports=RELEASE / layout.REPORTS_FILE,
        out=tmp_path / "exam",
        candidates=RELEASE / layout.CANDIDATES_FILE,
        validator=models(check),
        limit=100,
    )
    report = build_report_qa(request, on_progress=lambda *_: None).report
    assert report.reports == 100
    released = held(layout.QUESTIONS_FILE)
    built = json.loads((request.out / layout.QUESTIONS_FILE).read_text("utf-8"))
    # In the order of the candidates' file, which is that of the release.
    assert list(built) == [
        case for case in list(held(layout.CANDIDATES_FILE))[:100] if case in released
    ]
    # Of a report that stands at several cases each pair is labelled once, and the released labels
    # differ there: at valid_1112_a_3 a pair stays that at its twins was dropped.
    reports = held(layout.REPORTS_FILE)
    texts = Counter(json.dumps(report) for report in reports.values())
    own = [case for case in built if texts[json.dumps(reports[case])] == 1]
    assert len(own) > 80
    assert all(built[case] == released[case] for case in own)
    assert report.kept + sum(report.dropped.values()) == report.candidates
