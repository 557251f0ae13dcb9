from __future__ import annotations

import pytest

# MedFL-Stress, arXiv 2605.09025: Dice over four simulated hospitals.
MEDFL = """method,global mean,worst hospital,disparity
FedAvg,0.8159,0.7309,0.0850
FedBN,0.8109,0.7656,0.0503
"""
CLAIMS = """
[[summary]]
mean = "global mean"
worst = "worst hospital"
gap = "disparity"
"""


def of(audit, code):
    return [each.finding for each in audit.flaws if each.finding.code == code]


def test_a_mean_that_equals_the_best_is_impossible_whatever_the_weights(audit) -> None:
    (finding,) = of(audit(MEDFL, CLAIMS), "summary-impossible")
    assert finding.where == "FedAvg (line 2)"
    assert "the mean 0.8159 equals best 0.8159 (worst 0.7309 + gap 0.0850)" in finding.evidence
    assert finding.evidence.endswith("the printed gap is mean minus worst")


def test_without_a_number_of_sites_it_says_how_many_it_takes(audit) -> None:
    (finding,) = of(audit(MEDFL, CLAIMS), "summary-tight")
    # (0.8159 - 0.8109) / 0.0503 = 9.94 %: at least 11 hospitals of equal weight.
    assert "at most 9.9 % of the weight" in finding.evidence
    assert "11 sites or more" in finding.effect


def test_four_sites_bound_both_means(audit) -> None:
    first, second = of(audit(MEDFL, CLAIMS + "sites = 4"), "summary-impossible")
    assert "the mean of 4 sites is at most 0.79465, printed 0.8159" in first.evidence
    assert "the mean of 4 sites is at most 0.803325, printed 0.8109" in second.evidence
    assert second.evidence.endswith("the printed gap is the mean of FedAvg minus this worst")


def test_headings_are_enough(audit) -> None:
    found = audit(MEDFL)
    assert len(of(found, "summary-impossible")) == 1
    (check,) = [each for each in found.checks if each.name.startswith("mean, best")]
    assert check.note.startswith("inferred from the headings")


# Four hospitals with .80, .85, .78, .70: mean .7825, gap .15.
@pytest.mark.parametrize("sites", ["", "sites = 4"])
def test_real_values_are_possible(audit, sites: str) -> None:
    table = "m,mean,best,worst,gap\na,0.7825,0.85,0.70,0.15\nb,0.7950,0.82,0.76,0.06\n"
    claims = f'[[summary]]\nmean="mean"\nbest="best"\nworst="worst"\ngap="gap"\n{sites}'
    assert audit(table, claims).flaws == ()


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ("0.78,0.85,0.70,0.10", "best 0.85 minus worst 0.70 is 0.15, the printed gap is 0.10"),
        ("0.90,0.85,0.70,0.15", "the mean 0.90 is above best 0.85"),
        ("0.60,0.85,0.70,0.15", "the mean 0.60 is below worst 0.70"),
        ("0.72,0.85,0.70,0.15", "the mean of 4 sites is at least 0.7375"),
        ("0.78,0.70,0.85,–", "worst 0.85 is above best 0.70"),
    ],
)
def test_contradictions(audit, row: str, words: str) -> None:
    claims = '[[summary]]\nmean="mean"\nbest="best"\nworst="worst"\ngap="gap"\nsites = 4\n'
    (finding,) = of(audit(f"m,mean,best,worst,gap\na,{row}\n", claims), "summary-impossible")
    assert words in finding.evidence


# ---------------------------------------------------------------- ranks


def test_a_rank_that_two_better_values_forbid(audit) -> None:
    # autoPET III, false positive volume, LMU FDG: three of its rows.
    table = (
        "algorithm,FPV\nfirst,1.7030 (1)\ntenth,0.5802 (2)\nbaseline,0.3659 (1)\nlast,3.3 (13)\n"
    )
    found = audit(table, 'scale = "other"')
    (finding,) = of(found, "rank-off")
    assert finding.where == "first, FPV (line 2)"
    assert "2 listed values are better, so its rank is 3 or more" in finding.evidence


def test_directions_are_found_out_or_claimed(audit) -> None:
    table = "m,acc,rank\na,90.0,1\nb,80.0,2\nc,70.0,4\nd,75.0,3\n"
    assert audit(table).flaws == ()
    wrong = audit(table, '[[rank]]\nvalue="acc"\nrank="rank"\nsmaller_is_better=true')
    assert len(of(wrong, "rank-off")) >= 2


def test_equal_values_may_share_a_rank_or_not(audit) -> None:
    for ranks in ("1,2,2,4", "1,2,3,4", "1,2.5,2.5,4", "1,3,2,4"):
        first, second, third, fourth = ranks.split(",")
        table = f"m,acc,rank\na,90.0,{first}\nb,80.0,{second}\nc,80.0,{third}\nd,7.0,{fourth}\n"
        assert of(audit(table), "rank-off") == []


def test_a_rank_column_finds_its_value(audit) -> None:
    table = "#,m,noise,score\n1,a,3.0,9.1\n2,b,9.5,8.4\n3,c,1.0,7.7\n4,d,5.5,7.9\n5,e,2.2,6.0\n"
    (finding,) = of(audit(table), "rank-off")
    assert finding.where in ("c, score (line 4)", "d, score (line 5)")


def test_means_of_ranks_in_brackets_are_totals(audit) -> None:
    table = (
        "m,x,y,overall rank\n"
        "a,0.9 (1),0.8 (2),1.5\n"
        "b,0.8 (2),0.9 (1),1.5\n"
        "c,0.7 (3),0.6 (4),3.5\n"
        "d,0.6 (4),0.7 (3),3.75\n"
        "e,0.5 (5),0.5 (5),6.0\n"
    )
    claims = '[[total]]\ncolumn="overall rank"\nparts=["x#rank","y#rank"]\nrule="mean"\n'
    off = of(audit(table, claims), "total-off")
    # Half a place may come of a tie whose rank was printed whole; a whole place cannot.
    assert [(each.where[0], each.severity) for each in off] == [("e", "error"), ("d", "warning")]
    assert "one tie" in off[1].evidence
