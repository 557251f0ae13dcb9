from __future__ import annotations

import csv
import dataclasses
import io
import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import pytest

from overread.benchmarks.ct_spatialvqa import layout
from overread.builders.report_qa.audit import Audit, read_audit
from overread.builders.report_qa.audit_sheet import COLUMNS, draw_sheet, write_sheet
from overread.builders.report_qa.build import BuildOutcome, BuildRequest, build_report_qa
from overread.builders.report_qa.candidates import Candidate
from overread.builders.report_qa.labels import Labels
from overread.builders.report_qa.pairs import Pair
from overread.builders.report_qa.reports import Report
from overread.contracts import Query
from overread.errors import UsageError

KEPT = Labels(is_spatial=True, is_relevant=True, is_supported=True)
DROPPED = Labels(is_spatial=False, is_relevant=True, is_supported=True)


class Models(Protocol):
    def __call__(self, answer: Callable[[Query], Any]) -> str: ...


def candidate(patient: int, index: int, labels: Labels) -> Candidate:
    return Candidate(
        id=f"valid_{patient}_a_1.nii.gz::{index}",
        report=Report(case=f"valid_{patient}_a_1.nii.gz", findings="=1+1", impressions="-"),
        pair=Pair(question=f"Where is {index}?", answer="-left"),
        labels=labels,
        decision="kept" if labels == KEPT else "not-spatial",
        generate_step=None,
        validate_step="x",
    )


def many(n_patients: int) -> list[Candidate]:
    """Three kept pairs and one dropped one a patient."""
    return [
        candidate(patient, index, DROPPED if index == 3 else KEPT)
        for patient in range(n_patients)
        for index in range(4)
    ]


def filled(
    path: Path,
    candidates: list[Candidate],
    answers: dict[str, dict[str, str]],
    *,
    delimiter: str = ",",
) -> Path:
    """Write a sheet and fill in rows, as a person would in a spreadsheet."""
    write_sheet(path, candidates)
    rows = list(csv.DictReader(io.StringIO(path.read_text("utf-8-sig"))))
    for row in rows:
        row.update(answers.get(row["pair"], {}))
    text = io.StringIO()
    writer = csv.DictWriter(text, COLUMNS, delimiter=delimiter)
    writer.writeheader()
    writer.writerows(rows)
    path.write_text(text.getvalue(), "utf-8")
    return path


def audit_of(path: Path, candidates: list[Candidate]) -> Audit:
    return read_audit(path, candidates, np.random.default_rng(1))


def yes(**change: str) -> dict[str, str]:
    return {"is_spatial": "yes", "is_relevant": "Yes", "auditor": "A", **change}


def test_a_sheet_is_half_kept_half_dropped_and_one_pair_a_patient() -> None:
    drawn = draw_sheet(many(30), 20, np.random.default_rng(3))
    assert len(drawn) == 20
    assert Counter(each.is_kept for each in drawn) == {True: 10, False: 10}
    for kept in (True, False):
        patients = [each.patient for each in drawn if each.is_kept is kept]
        assert len(set(patients)) == len(patients)
    assert drawn == draw_sheet(many(30), 20, np.random.default_rng(3))
    assert drawn != draw_sheet(many(30), 20, np.random.default_rng(4))


def test_where_one_half_is_short_the_other_fills_up() -> None:
    assert len(draw_sheet(many(2), 7, np.random.default_rng(3))) == 7
    assert len(draw_sheet(many(2), 100, np.random.default_rng(3))) == 8
    only_kept = [each for each in many(5) if each.is_kept]
    assert len(draw_sheet(only_kept, 10, np.random.default_rng(3))) == 10


def test_a_sheet_shows_no_decision_and_starts_no_formula(tmp_path: Path) -> None:
    path = tmp_path / "sheet.csv"
    write_sheet(path, many(2))
    text = path.read_text("utf-8-sig")
    assert "not-spatial" not in text
    assert "kept" not in text
    rows = list(csv.DictReader(io.StringIO(text)))
    assert rows[0]["findings"] == "'=1+1"
    assert rows[0]["answer"] == "'-left"
    assert not any(cell.startswith(("=", "+", "-", "@")) for row in rows for cell in row.values())
    assert {row["is_spatial"] for row in rows} == {""}


def test_a_sheet_that_somebody_wrote_on_is_not_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "sheet.csv"
    write_sheet(path, many(2))
    write_sheet(path, many(3))  # nobody has: the same command again may write it anew
    assert path.read_text("utf-8-sig").count("\n") == 13
    filled(tmp_path / "mine.csv", many(2), {many(2)[0].id: {"note": "unsure"}})
    with pytest.raises(UsageError, match="--sheet"):
        write_sheet(tmp_path / "mine.csv", many(2))
    assert "unsure" in (tmp_path / "mine.csv").read_text("utf-8")


@pytest.mark.parametrize("delimiter", [",", ";"])
def test_error_rates_come_with_intervals(tmp_path: Path, delimiter: str) -> None:
    candidates = many(20)
    # One kept and one dropped pair of each of ten patients; people disagree on two and one.
    answers = {
        f"valid_{p}_a_1.nii.gz::0": yes(is_relevant="no" if p < 2 else "y") for p in range(10)
    }
    answers |= {
        f"valid_{p}_a_1.nii.gz::3": yes(is_spatial="1" if p == 10 else "0") for p in range(10, 20)
    }
    audit = audit_of(
        filled(tmp_path / "s.csv", candidates, answers, delimiter=delimiter), candidates
    )
    assert (audit.n_pairs, audit.n_open, audit.n_contested) == (20, 60, 0)
    # Wilson's interval of 2 in 10 by hand: centre 0.2 shifted to 0.283, half width 0.227.
    kept = audit.wrongly_kept
    assert (kept.count, kept.n, kept.value, kept.method) == (2, 10, 0.2, "wilson")
    assert kept.low == pytest.approx(0.0567, abs=1e-4)
    assert kept.high == pytest.approx(0.5098, abs=1e-4)
    assert (audit.wrongly_dropped.count, audit.wrongly_dropped.n) == (1, 10)
    # 60 kept and 20 dropped candidates: (60 × 8/10 + 20 × 10/10) / 80 agree on relevance.
    relevance = audit.agreement["is_relevant"]
    assert (relevance.count, relevance.n) == (18, 20)
    assert relevance.value == pytest.approx(0.85)
    assert relevance.low is not None
    assert audit.agreement["is_spatial"].value == pytest.approx((60 + 20 * 0.9) / 80)
    # Nobody filled in is_supported.
    supported = audit.agreement["is_supported"]
    assert (supported.n, supported.value, supported.reason) == (0, None, "no such pair")


@pytest.mark.parametrize("encoding", ["utf-8-sig", "cp1252", "utf-16"])
@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_a_sheet_comes_back_from_any_spreadsheet(
    tmp_path: Path, encoding: str, delimiter: str
) -> None:
    candidates = many(2)
    first = candidates[0]
    pair = dataclasses.replace(first.pair, answer="“Größe” – links; vorn,\noben")
    candidates = [dataclasses.replace(first, pair=pair), *candidates[1:]]
    sheet = tmp_path / "out.csv"
    write_sheet(sheet, candidates)
    rows = list(csv.DictReader(io.StringIO(sheet.read_text("utf-8-sig"), newline="")))
    rows[0] |= {"is_spatial": "TRUE", "is_relevant": "FALSE", "auditor": "Ä"}
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, COLUMNS, delimiter=delimiter, lineterminator="\r\n")
    writer.writeheader()
    writer.writerows(rows)
    (tmp_path / "back.csv").write_bytes(text.getvalue().encode(encoding))
    audit = audit_of(tmp_path / "back.csv", candidates)
    assert dict(audit.verdicts) == {candidates[0].id: False}
    assert (audit.n_open, audit.auditors, audit.findings) == (len(candidates) - 1, ("Ä",), ())


def test_pairs_of_one_patient_are_not_taken_for_independent(tmp_path: Path) -> None:
    candidates = many(3)
    answers = {
        each.id: yes(is_spatial="no" if each.patient == "valid_0" else "yes")
        for each in candidates
        if each.is_kept
    }
    rate = audit_of(filled(tmp_path / "s.csv", candidates, answers), candidates).wrongly_kept
    assert (rate.count, rate.n) == (3, 9)
    assert rate.method != "wilson"


def test_rows_that_cannot_be_used_are_said(tmp_path: Path) -> None:
    candidates = many(3)
    ids = [each.id for each in candidates]
    answers = {
        ids[0]: yes(),
        ids[1]: yes(is_relevant=""),
        ids[2]: yes(is_spatial="perhaps"),
        ids[3]: yes(question="Another question?"),
        ids[4]: yes(pair="valid_99_a_1.nii.gz::0"),
        ids[5]: yes(answer="left"),
    }
    audit = audit_of(filled(tmp_path / "s.csv", candidates, answers), candidates)
    assert audit.n_pairs == 1
    assert {one.evidence: one.count for one in audit.findings} == {
        "is_spatial or is_relevant is left empty": 1,
        "a label is neither yes nor no": 1,
        "its question or answer is not that of its pair": 2,
        "its pair is none of this build": 1,
    }


def test_two_people_who_differ_change_nothing(tmp_path: Path) -> None:
    candidates = many(3)
    path = filled(tmp_path / "s.csv", candidates, {each.id: yes() for each in candidates[:2]})
    rows = list(csv.DictReader(io.StringIO(path.read_text("utf-8"))))
    rows += [{**rows[0], "is_spatial": "no", "auditor": "B"}, {**rows[1], "auditor": "B"}]
    text = io.StringIO()
    writer = csv.DictWriter(text, COLUMNS)
    writer.writeheader()
    writer.writerows(rows)
    path.write_text(text.getvalue())
    audit = audit_of(path, candidates)
    assert (audit.n_pairs, audit.n_contested, audit.n_by_two) == (1, 1, 2)
    assert audit.auditors == ("A", "B")
    assert list(audit.verdicts) == [candidates[1].id]


@pytest.mark.parametrize(
    "text", ["", "pair,question\n1,2\n", ",".join(COLUMNS) + "\n", '"', "\0", "a;b\n"]
)
def test_what_is_no_filled_in_sheet_is_refused_in_words(tmp_path: Path, text: str) -> None:
    path = tmp_path / "s.csv"
    path.write_text(text)
    with pytest.raises(UsageError, match="--audited"):
        audit_of(path, many(2))


def test_an_absent_sheet_is_refused_in_words(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="--audited"):
        audit_of(tmp_path / "none.csv", many(2))


# ---------------------------------------------------------------- in a build


def build(request: BuildRequest) -> BuildOutcome:
    return build_report_qa(request, on_progress=lambda phase, progress: None)


@pytest.mark.parametrize("profile", ["honest", "published"])
def test_people_overrule_the_validator_honestly_and_are_only_counted_as_published(
    tmp_path: Path,
    table: Path,
    models: Models,
    scripts: dict[str, Callable[[Query], str]],
    profile: str,
) -> None:
    def write(query: Query) -> str:
        return (
            '[{"question": "Where?", "answer": "Left"}, {"question": "Which?", "answer": "Both"}]'
        )

    def check(query: Query) -> str:
        return '[{"is_spatial": true, "is_relevant": true}, {"is_spatial": false}]'

    honest = profile == "honest"
    request = BuildRequest(
        reports=table,
        out=tmp_path / "exam",
        profile="honest" if honest else "published",
        generator=models(scripts["write"] if honest else write),
        validator=models(scripts["check"] if honest else check),
        sheet=tmp_path / "sheet.csv",
    )
    outcome = build(request)
    assert outcome.n_on_sheet == outcome.report.candidates
    assert outcome.report.audit is None
    sheet = tmp_path / "sheet.csv"
    rows = list(csv.DictReader(io.StringIO(sheet.read_text("utf-8-sig"))))
    # A person would drop the first pair of the first case and keep its last one.
    first = [row for row in rows if row["case"] == "valid_1_a_1.nii.gz"]
    first[0] |= yes(is_spatial="no")
    first[-1] |= yes()
    text = io.StringIO()
    writer = csv.DictWriter(text, COLUMNS)
    writer.writeheader()
    writer.writerows(rows)
    sheet.write_text(text.getvalue(), "utf-8")
    again = build(dataclasses.replace(request, sheet=None, audited=sheet))
    assert again.n_asked == 0
    audit = again.report.audit
    assert audit is not None
    assert (audit.wrongly_kept.count, audit.wrongly_dropped.count) == (1, 1)
    held = json.loads((request.out / layout.QUESTIONS_FILE).read_text("utf-8"))
    asked = [pair["question"] for pair in held["valid_1_a_1.nii.gz"]["qa_pairs"]]
    if honest:
        assert asked == ["Where is finding 1?", "Where is finding 2?"]
        assert again.report.dropped == {"audit": 1}
        assert (outcome.report.put_back, again.report.put_back) == (0, 1)
        assert "People looked at 2" in (request.out / layout.BUILT_MARK).read_text("utf-8")
    else:
        assert asked == ["Where?"]
        assert again.report.dropped == outcome.report.dropped == {"not-spatial": 3}
    markdown = (request.out / "build/report.md").read_text("utf-8")
    assert "| kept, and people would drop it | 100.0 %" in markdown


def test_a_sheet_that_is_there_is_refused_before_anything_is_asked(
    tmp_path: Path, table: Path, models: Models, scripts: dict[str, Callable[[Query], str]]
) -> None:
    sheet = tmp_path / "sheet.csv"
    sheet.write_text("somebody's work")
    request = BuildRequest(
        reports=table,
        out=tmp_path / "exam",
        generator=models(scripts["write"]),
        validator=models(scripts["check"]),
        sheet=sheet,
    )
    with pytest.raises(UsageError, match="--sheet"):
        build(request)
    assert not request.out.exists()
    assert sheet.read_text() == "somebody's work"
