from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from overread.audits.table.granularity import how_possible, nearest_counts


def codes(audit):
    return [each.finding.code for each in audit.flaws]


@pytest.mark.parametrize(
    ("value", "n", "how"),
    [
        ("24.5", 100, "none"),
        ("24.5", 200, "nearest"),
        ("49.0", 50, "none"),
        ("48.0", 50, "nearest"),
        ("66.7", 3, "nearest"),
        ("66.6", 3, "truncated"),
        ("66.8", 3, "none"),
        ("0.0", 7, "nearest"),
        ("100.0", 7, "nearest"),
        # A half is rounded up (12.5 -> 13), to even (12) or cut (12): with one decimal of 16 items
        # 1/16 = 6.25 prints as 6.2 or 6.3.
        ("6.2", 16, "nearest"),
        ("6.3", 16, "nearest"),
        ("6.4", 16, "none"),
    ],
)
def test_counts_that_print_so(value: str, n: int, how: str) -> None:
    assert how_possible(Fraction(value), 1, n, 100) == how


@given(st.integers(1, 400), st.data(), st.sampled_from([0, 1, 2]))
def test_every_real_share_is_possible_however_it_was_rounded(n, data, decimals) -> None:
    from decimal import ROUND_DOWN, ROUND_HALF_DOWN, ROUND_HALF_EVEN, ROUND_HALF_UP, Decimal

    count = data.draw(st.integers(0, n))
    step = Decimal(1).scaleb(-decimals)
    share = Decimal(100 * count) / Decimal(n)
    for rounding in (ROUND_HALF_UP, ROUND_HALF_EVEN, ROUND_HALF_DOWN):
        printed = Fraction(share.quantize(step, rounding=rounding))
        assert how_possible(printed, decimals, n, 100) == "nearest"
    cut = Fraction(share.quantize(step, rounding=ROUND_DOWN))
    assert how_possible(cut, decimals, n, 100) in ("nearest", "truncated")


@given(st.integers(1, 99), st.integers(0, 1000))
def test_what_is_impossible_is_no_share(n: int, tenths: int) -> None:
    value = Fraction(tenths, 10)
    distances = [abs(Fraction(100 * count, n) - value) for count in range(n + 1)]
    near = min(distances) <= Fraction(1, 20)
    assert (how_possible(value, 1, n, 100) == "nearest") == near


def test_nearest_counts_stay_within_all_items() -> None:
    assert nearest_counts(Fraction("24.5"), 100, 100) == (24, 25)
    assert nearest_counts(Fraction(100), 50, 100) == (50,)


# The validation cells of CT-Bench: 100 questions in three settings, 50 in the others; a 24.5 and a
# 49.0 are the cells of the test split (200 and 100 questions).
CT_BENCH = """model,test img2txt,test img2size,val img2txt,val img2size
A,24.5,31.0,24.5,32.0
B,27.5,49.0,27.0,49.0
C,33.0,28.0,36.0,30.0
"""
CT_BENCH_CLAIMS = """
[n.columns]
"test img2txt" = 200
"test img2size" = 100
"val img2txt" = 100
"val img2size" = 50
[[block]]
name = "test"
columns = ["test img2txt", "test img2size"]
[[block]]
name = "validation"
columns = ["val img2txt", "val img2size"]
"""


def test_cells_of_ct_bench_that_no_count_gives(audit) -> None:
    found = audit(CT_BENCH, CT_BENCH_CLAIMS)
    shares = [each.finding for each in found.flaws if each.finding.code == "impossible-share"]
    assert [finding.where for finding in shares] == [
        "A, val img2txt (line 2)",
        "B, val img2size (line 3)",
    ]
    assert "24 of 100 = 24.0 or 25 of 100 = 25.0" in shares[0].evidence
    assert "24 of 50 = 48.0 or 25 of 50 = 50.0" in shares[1].evidence
    check = next(each for each in found.checks if each.name.startswith("shares against"))
    assert (check.tried, check.off) == (12, 2)


def test_cells_of_ct_bench_that_are_those_of_another_split(audit) -> None:
    found = audit(CT_BENCH, CT_BENCH_CLAIMS)
    (copied,) = [each for each in found.flaws if each.finding.code == "copied-cells"]
    assert copied.finding.severity == "error"
    assert "2 of 6 cells are equal to all digits" in copied.finding.evidence
    assert "2 cannot be in validation at all" in copied.finding.evidence
    assert set(copied.cells) == {(0, 1), (0, 3), (1, 2), (1, 4)}


def test_equal_cells_that_chance_gives_are_no_finding(audit) -> None:
    table = "model,test,val\nA,24.0,25.0\nB,31.0,31.0\nC,44.0,40.0\n"
    claims = (
        "n = 100\n[[block]]\nname='test'\ncolumns=['test']\n[[block]]\nname='val'\ncolumns=['val']"
    )
    assert codes(audit(table, claims)) == []


def test_runs_make_finer_shares(audit) -> None:
    table = "model,accuracy\nA,24.5\nB,30.0\n"
    assert codes(audit(table, "n = 100")) == ["impossible-share"]
    assert codes(audit(table, "[n]\nall = 100\nruns = 2")) == []


def test_fractions_are_counted_as_fractions(audit) -> None:
    table = "model,accuracy\nA,0.245\nB,0.30\nC,0.412\n"
    found = audit(table, "n = 100")
    assert [each.finding.where for each in found.flaws] == [
        "A, accuracy (line 2)",
        "C, accuracy (line 4)",
    ]


def test_counts_come_from_a_column_a_row_a_cell_or_the_table(audit) -> None:
    table = "model,cases,accuracy\nA,100,24.5\nB,200,24.5\nC,100,24.5 (n=200)\n"
    assert codes(audit(table, '[n]\ncolumn = "cases"')) == ["impossible-share"]
    assert codes(audit(table, "[n]\nall = 200\nrows = { B = 100 }")) == ["impossible-share"]
    cells = '[n]\nall = 200\n[[n.cells]]\nrow = "A"\ncolumn = "accuracy"\nn = 50'
    assert [each.finding.where for each in audit(table, cells).flaws] == ["A, accuracy (line 2)"]


def test_many_items_allow_every_cell_and_that_is_said(audit) -> None:
    found = audit("model,accuracy\nA,24.5\nB,30.1\n", "n = 5000")
    check = next(each for each in found.checks if each.name.startswith("shares against"))
    assert (check.tried, check.off) == (0, 0)
    assert "2 further cells" in check.note


def test_truncation_is_told_apart_from_rounding(audit) -> None:
    cut = audit("model,accuracy\nA,66.6\nB,33.3\n", "n = 3")
    assert [(each.finding.code, each.finding.severity) for each in cut.flaws] == [
        ("truncated-shares", "info")
    ]
    mixed = audit("model,accuracy\nA,66.6\nB,66.7\n", "n = 3")
    assert [each.finding.severity for each in mixed.flaws] == ["warning"]
    assert codes(audit("model,accuracy\nA,66.6\n", 'n = 3\nrounding = "truncated"')) == []


def test_a_count_beside_its_share(audit) -> None:
    found = audit("model,accuracy\nA,28.4 (540/1900)\nB,28.4 (530/1900)\n")
    assert [each.finding.where for each in found.flaws] == ["B, accuracy (line 3)"]
    assert "530 of 1900 is 27.89" in found.flaws[0].finding.evidence


def test_many_flaws_of_a_column_become_one(audit) -> None:
    rows = "".join(f"m{n},{n}.5\n" for n in range(20))
    found = audit(f"model,accuracy\n{rows}", "n = 100")
    (only,) = found.flaws
    assert only.finding.count == 20
    assert only.finding.evidence.endswith("and 14 more")
    assert len(only.cells) == 20


def test_a_claim_that_most_cells_break_is_doubted(audit) -> None:
    # Text-only and reshuffled accuracies of UCSF-PDGM-VQA, said to be of 2,387 questions.
    found = audit("m,accuracy\na,47.73\nb,40.55\nc,59.14\nd,66.04\n", "n = 2387")
    check = next(each for each in found.checks if each.name.startswith("shares against"))
    assert check.off * 2 > check.tried == 4
    assert "another number of items stands behind them" in check.note
