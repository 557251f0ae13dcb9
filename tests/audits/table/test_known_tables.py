"""Faults of published tables, each found from the table and the claims that ship with overread."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from overread.audits.table.audit import TableAudit, audit_table
from overread.audits.table.claims import Claims
from overread.audits.table.read_claims import read_claims
from overread.store.printed_table import read_table

TABLES = Path(__file__).parents[3] / "examples" / "tables"


def _audit(table: Path, claims: Path | None) -> TableAudit:
    known = Claims() if claims is None else read_claims(claims)
    return audit_table(read_table(table), known, label=table.name)


def _flaws(audit: TableAudit, *codes: str) -> dict[str, str]:
    return {
        each.finding.where: each.finding.evidence
        for each in audit.flaws
        if each.finding.code in codes
    }


def _check(audit: TableAudit, name: str):
    return next(each for each in audit.checks if each.name.startswith(name))


def test_autopet_3() -> None:
    audit = _audit(TABLES / "autopet3.csv", TABLES / "autopet3.toml")
    totals = _flaws(audit, "total-off")
    # Of 19 rows the overall ranks do not follow from the printed positions in rows 1, 2 and 15.
    assert set(totals) == {
        "place 1, FPV overall rank (line 2)",
        "place 2, FNV overall rank (line 3)",
        "place 15, DSC overall rank (line 17)",
        "place 15, FNV overall rank (line 17)",
        "place 15, FPV overall rank (line 17)",
    }
    assert (
        "printed 12; the plain mean of its parts (1, 9, 23, 11) is 11.00"
        in totals["place 1, FPV overall rank (line 2)"]
    )
    assert (
        "printed 5.125; the plain mean of its parts (3, 2, 8, 7) is 5.000: half a place"
        in totals["place 2, FNV overall rank (line 3)"]
    )
    # All 19 scores follow from the printed overall ranks.
    score = _check(audit, "mean position from")
    assert (score.tried, score.off) == (19, 0)
    assert score.note == "the weighted mean fits 19, the plain mean fits 0 of 19 rows"
    ranks = _flaws(audit, "rank-off")
    assert set(ranks) == {"place 1, FPV LMU FDG (line 2)", "place 15, FPV LMU FDG (line 17)"}
    assert (
        "2 listed values are better, so its rank is 3 or more"
        in ranks["place 1, FPV LMU FDG (line 2)"]
    )
    # One number in two subsets of a row.
    assert "924.3099" in _flaws(audit, "repeated-value")["columns FPV LMU FDG and FPV UKT PSMA"]


def test_autopet_3_without_claims() -> None:
    audit = _audit(TABLES / "autopet3.csv", None)
    with_claims = _audit(TABLES / "autopet3.csv", TABLES / "autopet3.toml")
    codes = ("total-off", "rank-off", "repeated-value")
    assert set(_flaws(audit, *codes)) == set(_flaws(with_claims, *codes))
    assert all("inferred" in text for text in _flaws(audit, "total-off").values())


def test_medfl_stress() -> None:
    audit = _audit(TABLES / "medfl-stress.csv", TABLES / "medfl-stress.toml")
    assert {each.finding.code for each in audit.flaws} == {"summary-impossible"}
    rows = _flaws(audit, "summary-impossible")
    assert "at most 0.79465, printed 0.8159" in rows["FedAvg (line 2)"]
    assert "at most 0.803325, printed 0.8109" in rows["FedBN (line 3)"]
    assert "mean of FedAvg minus this worst" in rows["FedBN (line 3)"]
    # What the abstract says of the rows does follow from them.
    assert _check(audit, "FedBN closes").off == _check(audit, "the worst hospital").off == 0
    assert _check(audit, "FedBN closes").tried == _check(audit, "the worst hospital").tried == 1


DATA = Path(os.environ["OVERREAD_DATA"]) if "OVERREAD_DATA" in os.environ else None
needs_data = pytest.mark.skipif(
    DATA is None or not (DATA / "deeptumorvqa").is_dir(),
    reason="OVERREAD_DATA names no folder with deeptumorvqa",
)


@pytest.mark.data
@needs_data
@pytest.mark.parametrize("claims", [None, TABLES / "deeptumorvqa.toml"])
def test_deeptumorvqa(claims: Path | None) -> None:
    assert DATA is not None
    audit = _audit(DATA / "deeptumorvqa" / "leaderboard.csv", claims)
    totals = _flaws(audit, "total-off")
    assert set(totals) == {
        "Senior radiologist, overall (line 2)",
        "Junior radiologist, overall (line 3)",
    }
    check = _check(audit, "overall from recog, meas, visr, medr")
    # All 36 rows of models follow, within the rounding of five printed numbers.
    assert (check.tried, check.off) == (38, 2)
    if claims is None:
        return
    assert (
        "the weighted mean of its parts (70, 40, 64, 44) is 56.55; the plain mean, 54.50, does"
        in totals["Senior radiologist, overall (line 2)"]
    )
    assert (
        "printed 45.0; the weighted mean of its parts (46.7, 37.8, 49.3, 44) is 45.44"
        in totals["Junior radiologist, overall (line 3)"]
    )
    (rows,) = _flaws(audit, "row-count").values()
    assert rows == "29 rows are there, 31 by the README"
    (overlap,) = [each.finding for each in audit.flaws if each.finding.code == "implied-overlap"]
    assert overlap.count == 68


@pytest.mark.data
@needs_data
def test_deeptumorvqa_free_form() -> None:
    assert DATA is not None
    path = DATA / "deeptumorvqa" / "leaderboard_freeform.csv"
    found = _audit(path, None)
    assert found.flaws == ()
    check = _check(found, "overall from recog, meas, visr, medr")
    assert (check.tried, check.off) == (24, 0)
