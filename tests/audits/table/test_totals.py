from __future__ import annotations

import numpy as np
import pytest

from overread.audits.table.inferred_totals import pooling_weights
from overread.errors import UsageError


def of(audit, code):
    return [each.finding for each in audit.flaws if each.finding.code == code]


def check(audit, start):
    return next(each for each in audit.checks if each.name.startswith(start))


# BiomedCLIP trained with boxes, CT-Bench: 62.0 of 1,000 and 37.1 of 900 pool to 50.2, within
# rounding of the printed 50.3 (50.155 to 50.255 against 50.25 to 50.35).
def test_a_total_within_rounding_of_its_parts_is_right(audit) -> None:
    claims = """
[[total]]
column = "total"
parts = ["box", "no box"]
weights = [1000, 900]
"""
    found = audit("model,total,box,no box\ntrained,50.3,62.0,37.1\n", claims)
    assert of(found, "total-off") == []
    assert check(found, "total from").note == (
        "the weighted mean fits 1, the plain mean fits 0 of 1 row"
    )
    off = audit("model,total,box,no box\ntrained,50.4,62.0,37.1\n", claims)
    (finding,) = of(off, "total-off")
    assert "the weighted mean of its parts (62, 37.1) is 50.21" in finding.evidence


# The readers of CT-Bench: printed totals pool their printed halves, 55 and 45 cases.
def test_counts_of_parts_are_weights(audit) -> None:
    table = "reader,total,box,no box\nfirst,79.2,90.0,66.0\nsecond,81.5,90.5,70.5\n"
    claims = """
[n.columns]
box = 55
"no box" = 45
[[total]]
column = "total"
parts = ["box", "no box"]
"""
    found = audit(table, claims)
    assert of(found, "total-off") == []
    assert check(found, "total from").note.startswith("the weighted mean fits 2")
    # And none of the halves is a share of its cases.
    assert len(of(found, "impossible-share")) == 4


def test_the_rule_that_fits_most_rows_is_found_and_rows_that_differ_are_told(audit) -> None:
    rows = ["a,50.0,40.0,60.0", "b,55.0,50.0,60.0", "c,30.0,20.0,40.0", "d,36.0,20.0,40.0"]
    table = "model,score,x,y\n" + "\n".join(rows) + "\n"
    claims = '[[total]]\ncolumn="score"\nparts=["x","y"]\nweights=[1,4]\n'
    found = audit(table, claims)
    (finding,) = of(found, "total-off")
    assert finding.where == "d, score (line 5)"
    # Its own row is pooled: 0.2 × 20 + 0.8 × 40.
    assert "the plain mean of its parts (20, 40) is 30.00; the weighted mean, 36.00, does" in (
        finding.evidence
    )


def test_sums_follow_too(audit) -> None:
    table = "model,total,x,y\na,10,4,6\nb,12,5,7\nc,14,5,7\n"
    found = audit(table, '[[total]]\ncolumn="total"\nparts=["x","y"]\nrule="sum"\n')
    assert [each.where for each in of(found, "total-off")] == ["c, total (line 4)"]


def test_a_tolerance_is_kept(audit) -> None:
    claims = '[[total]]\ncolumn="m"\nparts=["x","y"]\nrule="mean"\n'
    table = "model,m,x,y\na,50.2,40.0,60.0\n"
    assert len(of(audit(table, claims), "total-off")) == 1
    assert of(audit(table, claims + "tolerance=0.1"), "total-off") == []


def test_missing_parts_leave_a_row_out(audit) -> None:
    claims = '[[total]]\ncolumn="m"\nparts=["x","y"]\nrule="mean"\n'
    found = audit("model,m,x,y\na,50.0,40.0,–\n", claims)
    assert check(found, "m from").tried == 0


def test_unknown_columns_are_refused(audit) -> None:
    with pytest.raises(UsageError, match=r"total.parts: expected one of the columns"):
        audit("model,m,x,y\na,1,2,3\n", '[[total]]\ncolumn="m"\nparts=["x","z"]\n')


# ---------------------------------------------------------------- nobody claims


def _pooled_table(weights, n_rows, wrong=()):
    rng = np.random.default_rng(20260219)
    lines = ["model,overall,a,b,c"]
    for row in range(n_rows):
        parts = np.round(rng.uniform(20, 80, size=3), 1)
        total = float(np.dot(parts, weights) / sum(weights)) + (3.0 if row in wrong else 0.0)
        lines.append(f"m{row},{total:.1f}," + ",".join(f"{part:.1f}" for part in parts))
    return "\n".join(lines) + "\n"


def test_weights_are_inferred_and_rows_that_differ_are_told(audit) -> None:
    found = audit(_pooled_table((200, 400, 190), 30, wrong=(4, 17)))
    flaws = of(found, "total-off")
    assert [each.where for each in flaws] == ["m4, overall (line 6)", "m17, overall (line 19)"]
    assert all("inferred: it fits 28 of 30 rows" in each.evidence for each in flaws)
    note = check(found, "overall from a, b, c").note
    weights = [float(word.rstrip(",")) for word in note.split("near ")[1].split(" fits")[0].split()]
    assert np.allclose(weights, [0.253, 0.506, 0.241], atol=0.01)


def test_a_plain_mean_is_inferred_before_weights(audit) -> None:
    found = audit(_pooled_table((1, 1, 1), 30))
    assert check(found, "overall from").note == "inferred: the plain mean fits 30 of 30 rows"


def test_unrelated_columns_are_no_total(audit) -> None:
    rng = np.random.default_rng(5)
    lines = [f"m{row}," + ",".join(f"{v:.1f}" for v in rng.uniform(20, 80, 4)) for row in range(40)]
    found = audit("model,overall,a,b,c\n" + "\n".join(lines) + "\n")
    assert found.flaws == ()
    assert not any(each.name.startswith("overall") for each in found.checks)


def test_inference_can_be_left_out(audit) -> None:
    found = audit(_pooled_table((200, 400, 190), 30, wrong=(4,)), "infer = false")
    assert found.flaws == ()


def test_an_average_row_is_tried_in_every_column(audit) -> None:
    table = "task,a,b,c\nx,10.0,20.0,30.0\ny,20.0,40.0,60.0\nAverage,15.0,30.0,46.0\n"
    found = audit(table)
    (finding,) = of(found, "total-off")
    assert finding.where == "Average, c (line 4)"
    assert "is 45.00 (inferred: it fits 2 of 3 columns)" in finding.evidence


def test_an_average_row_may_be_pooled_by_a_count_column(audit) -> None:
    table = "task,n,a,b,c\nx,100,10.0,20.0,30.0\ny,300,20.0,40.0,60.0\nOverall,400,17.5,35.0,50.0\n"
    (finding,) = of(audit(table), "total-off")
    assert finding.where == "Overall, c (line 4)"
    assert "the weighted mean of the other rows is 52.50" in finding.evidence


def test_pooling_weights_of_a_known_mixture() -> None:
    rng = np.random.default_rng(1)
    parts = rng.uniform(0, 100, size=(40, 4))
    true = np.array([0.2023, 0.2023, 0.4049, 0.1905])
    totals = parts @ true
    totals[[3, 30]] += [5, -4]
    weights = pooling_weights(parts, totals, np.full(40, 0.001))
    assert weights is not None
    assert np.allclose(weights, true, atol=1e-3)
    assert pooling_weights(parts, rng.uniform(0, 100, 40), np.full(40, 0.001)) is None
