from __future__ import annotations

import pytest

from overread.errors import UsageError


def codes(audit):
    return sorted(each.finding.code for each in audit.flaws)


def of(audit, code):
    return [each.finding for each in audit.flaws if each.finding.code == code]


def test_the_bad_table_of_bad_tables(audit) -> None:
    """Decimal commas, percent and fraction mixed, a blank row, ±, bold marks, a name twice."""
    table = (
        "model;acc, %;dice\n"
        "**A**;61,3 ± 1,2;0,82 ± 0,9\n"
        "A;62,4;0,81\n"
        "\n"
        "B;0,613;**0,83**\n"
        "C;58,2;0,80\n"
    )
    found = audit(table)
    assert codes(found) == ["blank-row", "duplicate-name", "mixed-scale", "spread-too-wide"]
    (scale,) = of(found, "mixed-scale")
    assert scale.evidence == "fractions among percentages: B (line 5): 0,613"
    (spread,) = of(found, "spread-too-wide")
    # Two values with the mean 0.815 spread most as 0.37 and 0.37 + ... : sqrt(2 × 0.815 × 0.185).
    assert "0.549 at most" in spread.evidence


def test_percentages_among_fractions(audit) -> None:
    found = audit("m,dice\na,0.812\nb,81.2%\nc,0.79\nd,77\ne,0.801\n")
    (finding,) = of(found, "mixed-scale")
    assert "percentages among fractions: b (line 3): 81.2%, d (line 5): 77" in finding.evidence
    # They leave the table: nothing else speaks of them.
    assert codes(found) == ["mixed-scale"]


def test_small_percentages_are_no_fractions(audit) -> None:
    assert codes(audit("m,acc\na,0.6\nb,61.3\nc,55.1\n")) == []


def test_shares_outside_their_range(audit) -> None:
    found = audit("m,accuracy\na,101.5\nb,61.3\nc,55.1\nd,-3.0\ne,50.0\n")
    assert len(of(found, "outside-range")) in (0, 2)
    claimed = audit("m,score\na,101.5\nb,61.3\nc,-3.0\n", 'scale = "percent"')
    assert [each.where for each in of(claimed, "outside-range")] == [
        "a, score (line 2)",
        "c, score (line 4)",
    ]
    assert of(audit("m,score\na,101.5\nb,61.3\n", 'scale = "other"'), "outside-range") == []


def test_names_twice_and_what_tells_them_apart(audit) -> None:
    table = "model,mode,acc\nA,direct,50.1\nA,oracle,61.2\nB,direct,40.0\n"
    (finding,) = of(audit(table), "duplicate-name")
    assert "Columns mode tell them apart" in finding.remedy
    assert of(audit(table, 'names = ["model", "mode"]'), "duplicate-name") == []


def test_cells_that_are_no_numbers_are_told(audit) -> None:
    (finding,) = of(audit("m,acc\na,50.1\nb,see text\nc,–\nd,44.0\n"), "unread-cell")
    assert finding.evidence == "1 cell cannot be read as a number: 'see text'"


def test_bold_that_is_not_best(audit) -> None:
    table = "m,x,y,z\na,**9.1**,8.0,7.0\nb,8.0,**9.0**,**7.7**\nc,7.0,7.5,7.9\n"
    (finding,) = of(audit(table), "bold-not-best")
    assert finding.where == "b, z (line 3)"
    assert "7.7 is bold and lies between 7.0 (a) and 7.9 (c)" in finding.evidence
    assert "bold is at an end in 2 of 3 columns" in finding.evidence
    best = table.replace("**7.7**", "7.7").replace("7.9", "**7.9**")
    assert of(audit(best), "bold-not-best") == []


@pytest.mark.parametrize("ties", ["**9.1**,8.0", "9.1,8.0"])
def test_ties_may_all_be_bold_or_one_of_them(audit, ties: str) -> None:
    table = f"m,x,y\na,**9.1**,**8.2**\nb,{ties}\nc,7.0,7.5\n"
    assert of(audit(table), "bold-not-best") == []


def test_an_underlined_second_best_that_is_better(audit) -> None:
    table = (
        "m,x,y,z\na,**9.1**,<u>8.0</u>,7.0\nb,<u>8.0</u>,**9.0**,**7.7**\nc,7.0,7.5,<u>7.9</u>\n"
    )
    (finding,) = of(audit(table), "bold-not-best")
    assert "7.9 (c, underlined)" in finding.evidence


@pytest.mark.parametrize("form", ["blank", "title", "word"])
def test_each_block_of_rows_has_its_best(audit, form: str) -> None:
    gap = {"blank": "\n", "title": "Tuned,,,\n", "word": ""}[form]
    word = {"word": ("zero", "tuned")}.get(form, ("", ""))
    rows = (
        f"a,{word[0]},**6.1**,5.0\nb,{word[0]},5.5,**5.2**\n{gap}"
        f"c,{word[1]},**9.1**,8.0\nd,{word[1]},8.5,{{}}\ne,{word[1]},7.0,8.4\n"
    )
    right = audit("m,setting,x,y\n" + rows.format("**8.5**"))
    assert of(right, "bold-not-best") == []
    (finding,) = of(audit("m,setting,x,y\n" + rows.format("**8.2**")), "bold-not-best")
    assert finding.where.startswith("d, y")


def test_bold_rows_and_unclear_bold_are_left_alone(audit) -> None:
    # Bold marks our own row, or what is significant.
    assert (
        of(audit("m,x,y\na,9.1,8.0\n**ours**,**8.0**,**7.7**\nc,7.0,7.5\n"), "bold-not-best") == []
    )
    table = "m,x,y\na,**9.1**,8.0\nb,**8.0**,**9.0**\nc,7.0,**8.5**\nd,9.3,9.4\n"
    assert of(audit(table), "bold-not-best") == []


def test_a_table_without_numbers_is_refused(audit) -> None:
    with pytest.raises(UsageError, match="not one cell"):
        audit("a,b\nx,y\n")


# ---------------------------------------------------------------- copies


ROWS = [
    "a,61.3,44.2,50.7,71.9",
    "b,58.8,47.5,52.3,66.1",
    "c,49.6,39.9,61.0,70.4",
    "d,55.5,41.3,57.8,63.2",
    "e,52.7,50.1,48.4,68.8",
]


def test_rows_of_two_methods_with_the_same_numbers(audit) -> None:
    table = "m,w,x,y,z\n" + "\n".join([*ROWS, "f,58.8,47.5,52.3,66.1"]) + "\n"
    (finding,) = of(audit(table), "repeated-row")
    assert "b (line 3) and f (line 7)" in finding.where
    assert of(audit("m,w,x,y,z\n" + "\n".join(ROWS) + "\n"), "repeated-row") == []


def test_a_long_number_twice_in_a_row(audit) -> None:
    # autoPET III prints 924.3099 ml in two subsets of one row.
    table = (
        "m,lmu,ukt\na,1.7030,5.3053\nb,4.9373,3.1085\nc,3.3616,5.2173\nd,924.3099,924.3099\n"
        "e,1.9526,3.8848\nf,1.9500,12.4480\n"
    )
    (finding,) = of(audit(table, 'scale = "other"'), "repeated-value")
    assert "d (line 5): 924.3099 in both" in finding.evidence


def test_short_numbers_meet_by_chance(audit) -> None:
    assert codes(audit("m,x,y\na,61,61\nb,58,44\nc,49,50\nd,40,39\n")) == []


def test_a_column_that_is_another(audit) -> None:
    lines = [f"m{n},{v:.2f},{v:.2f},{v + 7.31:.2f}" for n, v in enumerate((61.32, 48.85, 55.17))]
    (finding,) = of(audit("m,x,y,z\n" + "\n".join(lines) + "\n"), "repeated-column")
    assert finding.where == "columns x and y"
