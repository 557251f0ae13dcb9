"""Percentages and fractions in one table: the mix is told once, each cell is read on its scale."""

from __future__ import annotations

import pytest

from overread.records import Severity


def of(audit, code):
    return [each.finding for each in audit.flaws if each.finding.code == code]


def test_a_fraction_with_one_more_digit(audit) -> None:
    found = audit("model,accuracy\nA,0.62\nB,58.1\nC,61.4\nD,70.2\n")
    (finding,) = of(found, "mixed-scale")
    # 0.62 % is a score as well, of a model that answers next to nothing.
    assert finding.severity == Severity.WARNING
    assert finding.evidence == "fractions among percentages, as it seems: A (line 2): 0.62"


def test_the_number_of_items_makes_it_sure_and_no_share_impossible(audit) -> None:
    table = "model,accuracy\nA,0.62\nB,58.0\nC,61.0\nD,0.70\n"
    found = audit(table, "n = 100")
    # 62, 58, 61 and 70 of 100; 0.62 % of 100 would be no whole count.
    assert [(each.finding.code, each.finding.severity) for each in found.flaws] == [
        ("mixed-scale", Severity.ERROR)
    ]
    wrong = audit(table.replace("0.70", "0.705"), "n = 100")
    (share,) = of(wrong, "impossible-share")
    assert "70 of 100 = 0.700 or 71 of 100 = 0.710" in share.evidence


@pytest.mark.parametrize("heading", ["dice", "accuracy"])
def test_half_and_half(audit, heading: str) -> None:
    found = audit(f"model,{heading}\nA,0.812\nB,81.2\nC,0.793\nD,79\n")
    (finding,) = of(found, "mixed-scale")
    assert finding.count == 2


def test_low_percentages_with_as_many_digits_are_no_fractions(audit) -> None:
    rows = "A,0.3\nB,0.4\nC,0.9\nD,26.5\nE,0.2\n"
    assert audit(f"model,accuracy\n{rows}", "n = 1000").flaws == ()


def test_the_best_of_columns_is_one_of_them(audit) -> None:
    rows = "".join(
        f"m{k},{50 + 1.7 * k:.1f},{60 + 0.9 * k:.1f},{60 + 0.9 * k:.1f}\n" for k in range(8)
    )
    found = audit(f"model,part a,part b,best\n{rows}")
    assert of(found, "repeated-column") == of(found, "repeated-value") == []


def test_several_columns_are_told_of_once(audit) -> None:
    found = audit("model,accuracy,F1\nA,0.62,61.2\nB,58.1,58.3\nC,61.4,0.66\nD,70.2,64.0\n")
    (finding,) = of(found, "mixed-scale")
    assert finding.where == "columns accuracy, F1"
    assert "A, accuracy (line 2): 0.62, C, F1 (line 4): 0.66" in finding.evidence


def test_one_measure_on_two_scales_is_no_error(audit) -> None:
    found = audit("model,acc A,acc B\nA,62.0,0.58\nB,58.0,0.61\nC,61.0,0.66\n")
    (finding,) = of(found, "mixed-scale")
    assert finding.severity == Severity.INFO
    assert finding.evidence == "in percent: acc A; as fractions: acc B"
    assert audit("model,acc,dice\nA,62.0,0.58\nB,58.0,0.61\nC,61.0,0.66\n").flaws == ()


def test_relations_hold_across_scales(audit) -> None:
    rows = "A,1,90.1\nB,2,0.802\nC,3,70.3\nD,4,60.4\n"
    claims = '[[rank]]\nvalue = "accuracy"\nrank = "rank"\nsmaller_is_better = false\n'
    assert of(audit(f"model,rank,accuracy\n{rows}", claims), "rank-off") == []
    swapped = rows.replace("0.802", "0.602")
    (finding,) = of(audit(f"model,rank,accuracy\n{swapped}", claims), "rank-off")
    assert "rank 2 for 60.2" in finding.evidence


def test_a_value_and_its_interval_on_two_scales(audit) -> None:
    rows = "A,71.2,70.1,72.3\nB,4.3,3.0,5.9\nC,0.9516,86.71,98.34\nD,50.0,48.8,51.2\n"
    (finding,) = of(audit(f"model,accuracy,low,high\n{rows}"), "value-outside-interval")
    assert "a hundred times it does" in finding.evidence


# ---------------------------------------------------------------- counts that are no shares


def test_pairs_of_counts_are_not_compared_as_digits(audit) -> None:
    # 45 of 60 and 30 of 40 are both 0.75, and not one number printed twice.
    assert audit("model,test,validation\nA,45/60,30/40\nB,40/60,28/40\nC,41/60,27/40\n").flaws == ()


def test_a_pair_of_counts_and_its_percentage_agree_or_not(audit) -> None:
    table = "model,test\nA,45/60 (75.0 %)\nB,40/60 (66.7%)\nC,41/60 (66.7 %)\nD,48 of 60 (80 %)\n"
    (finding,) = [each.finding for each in audit(table).flaws]
    assert finding.code == "count-off"
    assert finding.evidence == "41 of 60 is 68.33, printed 41/60 (66.7 %)"


def test_n_and_percent_in_one_cell(audit) -> None:
    table = 'model,"test, n (%)"\nA,45 (75.0)\nB,40 (66.7)\nC,41 (66.7)\n'
    assert audit(table).flaws == ()
    (finding,) = of(audit(table, "n = 60"), "count-off")
    assert finding.evidence == "41 of 60 is 68.33, printed 41 (66.7)"


@pytest.mark.parametrize(
    "heading", ["TP", "cases", "false positives", "patients (test)", "correct", "weeks of training"]
)
def test_whole_numbers_below_such_a_heading_are_counts(audit, heading: str) -> None:
    # 41 % of 60 items is no count of them; 41 cases are.
    table = f"model,{heading},accuracy\nA,45,75.0\nB,40,66.7\nC,41,68.3\n"
    assert of(audit(table, "n = 60"), "impossible-share") == []


def test_whole_percentages_are_still_shares(audit) -> None:
    found = audit("model,box,no box\nA,62,40\nB,49,36\nC,54,38\n", "n = 50")
    (finding,) = of(found, "impossible-share")
    assert finding.where == "B, box (line 3)"
