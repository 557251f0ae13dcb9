from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from overread.audits.table.audit import audit_table
from overread.audits.table.claims import Claims, Equation
from overread.audits.table.read_claims import read_claims
from overread.errors import UsageError
from overread.store.printed_table import PrintedTable


def of(audit, code):
    return [each.finding for each in audit.flaws if each.finding.code == code]


MEDFL = "method,mean,worst,gap\nFedAvg,0.8159,0.7309,0.0850\nFedBN,0.8109,0.7656,0.0503\n"


def _equation(text: str) -> str:
    return f'infer = false\n[[equation]]\nsays = "it"\nequation = """{text}"""\n'


# What the abstract says of these rows: the gap closed by 41 %, the worst up by 3.5 points, the
# mean down by "less than half a point" (it is 0.50).
@pytest.mark.parametrize(
    "text",
    [
        "'0.41' = 1 - {FedBN | gap} / {FedAvg | gap}",
        "'3.5' = 100 * ({FedBN | worst} - {FedAvg | worst})",
        "'0.50' = 100 * ({FedAvg | mean} - {FedBN | mean})",
        "{gap} = {gap}",
        "max({mean}, {worst}) = {mean}",
        "min({mean}, {worst}) = {worst}",
        "mean({mean}, {mean}) = {mean}",
        "sum({mean}, {mean}) = 2 * {mean}",
        "abs({worst} - {mean}) = {mean} - {worst}",
        "-{gap} + {gap} = 0",
    ],
)
def test_true_statements(audit, text: str) -> None:
    assert audit(MEDFL, _equation(text)).flaws == ()


@pytest.mark.parametrize(
    ("text", "n"),
    [
        ("'0.45' = 1 - {FedBN | gap} / {FedAvg | gap}", 1),
        ("'3.6' = 100 * ({FedBN | worst} - {FedAvg | worst})", 1),
        ("{mean} - {worst} = {gap}", 1),  # FedBN: 0.0453, not 0.0503
        ("{mean} = {worst}", 2),
    ],
)
def test_false_statements(audit, text: str, n: int) -> None:
    found = audit(MEDFL, _equation(text))
    assert len(of(found, "equation-off")) == n
    assert found.checks[-1].off == n


def test_cells_without_a_number_are_not_tried(audit) -> None:
    found = audit("m,x,y\na,1,–\nb,2,2\n", _equation("{x} = {y}"))
    assert found.checks[-1].tried == 1
    zero = audit("m,x,y\na,1,0\n", _equation("{x} / {y} = 1"))
    assert "a divisor can be 0" in zero.checks[-1].note


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{gap}", "'='"),
        ("{gap} = {nothing}", "one of the columns"),
        ("{gap} = {Nobody | gap}", "the name of one row"),
        ("{gap} = 1 +", "its end"),
        ("{gap} = os(1)", "one of min, max, mean, sum, abs"),
        ("{gap} = 1 1", "an end"),
        ("{gap} = 'x'", "a printed number in quotes"),
        ("{gap} = __import__", "a cell, a number or a sign"),
        ("{gap} = " + "(" * 200 + "1" + ")" * 200, "brackets within each other"),
        ("{gap} = " + "-" * 200 + "1", "brackets within each other"),
        ("{gap} = " + "1+" * 2000, "characters"),
    ],
)
def test_what_is_no_equation_is_refused(audit, text: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        audit(MEDFL, _equation(text))


@given(st.text(alphabet="{}|'x1 +-*/()=,.minax", max_size=40))
def test_any_text_is_an_equation_or_refused(text: str) -> None:
    table = PrintedTable(columns=("m", "x"), rows=(("a", "1"), ("b", "2")), line_of_row=(2, 3))
    claims = Claims(equations=(Equation(says="it", equation=text),))
    try:
        audit_table(table, claims, label="t")
    except UsageError:
        return


# ---------------------------------------------------------------- differences


def test_improvements_are_inferred_and_tried(audit) -> None:
    table = "m,base,ours,gain\na,50.0,55.0,5.0\nb,40.0,48.0,8.0\nc,61.0,66.0,6.0\nd,30.0,31.5,1.5\n"
    found = audit(table)
    (finding,) = of(found, "difference-off")
    assert finding.where == "c, gain (line 4)"
    assert "printed 6.0; ours minus base is 5.0 (inferred: it fits 3 of 4)" in finding.evidence


def test_relative_improvements(audit) -> None:
    table = "m,base,ours,improvement\na,50.0,55.0,10.0\nb,40.0,48.0,20.0\nc,60.0,66.0,11.0\n"
    (finding,) = of(audit(table), "difference-off")
    assert "ours minus base, in percent of base is 10.0" in finding.evidence


def test_a_row_of_differences(audit) -> None:
    table = "m,x,y,z\nbase,50.0,40.0,61.0\nours,55.0,48.0,66.0\nΔ,5.0,8.0,4.0\n"
    (finding,) = of(audit(table), "difference-off")
    assert finding.where == "Δ, z (line 4)"


# ---------------------------------------------------------------- counts


COUNTS = """
[[union]]
what = "CT volumes"
parts = {{ training = 8334, test = 991 }}
distinct = {distinct}
"""


def test_counts_that_imply_overlap(audit) -> None:
    # DeepTumorVQA: 8,334 training and 991 test volumes, 9,257 distinct ids.
    (finding,) = of(audit(MEDFL, COUNTS.format(distinct=9257)), "implied-overlap")
    assert finding.count == 68
    assert "8,334 training + 991 test = 9,325, and 9,257 are distinct: 68" in finding.evidence
    assert of(audit(MEDFL, COUNTS.format(distinct=9325)), "implied-overlap") == []
    assert len(of(audit(MEDFL, COUNTS.format(distinct=9400)), "counts-off")) == 1
    assert len(of(audit(MEDFL, COUNTS.format(distinct=8000)), "counts-off")) == 1


def test_rows_that_a_text_counts(audit) -> None:
    claims = '[[row_count]]\nstated = 3\nsource = "the README"\nwhere = { mode = "direct" }\n'
    table = "m,mode,acc\na,direct,50.0\nb,direct,40.0\nc,oracle,61.0\n"
    (finding,) = of(audit(table, claims), "row-count")
    assert finding.evidence == "2 rows are there, 3 by the README"
    assert of(audit(table.replace("oracle", "Direct"), claims), "row-count") == []


# ---------------------------------------------------------------- the file of claims


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("totals = 3", "keys of table"),
        ("n = 0", "a whole number of 1 or more"),
        ("n = true", "a table"),
        ("[n]\nal = 3", "keys of all"),
        ("[n.columns]\nx = 'many'", "a whole number"),
        ("[n.columns]\nx = 0", "1 or more"),
        ("[[n.cells]]\nrow='a'\nn=3", "a text"),
        ("[[total]]\ncolumn='x'\nparts=['y']", "two or more parts"),
        ("[[total]]\ncolumn='x'\nparts=['y','z']\nweights=[1]", "a weight of 0 or more"),
        ("[[total]]\ncolumn='x'\nparts=['y','z']\nweights=[0,0]", "a weight above 0"),
        ("[[total]]\ncolumn='x'\nparts=['y','z']\nweights=[inf,1]", "a finite number"),
        ("[[total]]\ncolumn='x'\nparts=['y','z']\nrule='median'", "one of pooled, mean, sum"),
        ("[[summary]]\nmean='x'", "two or more of mean"),
        ("[[summary]]\nmean='x'\ngap='y'\nsites=1.5", "a whole number"),
        ("[[rank]]\nrank='x'", "a text"),
        ("[[rank]]\nvalue='x'\nsmaller_is_better='yes'", "true or false"),
        ("[[union]]\nparts={a=1}\ndistinct=1", "two or more counts"),
        ("[[interval]]\nvalue='x'\nlow='y'", "both low and high"),
        ("[[interval]]\nvalue='x'\nlevel=95", "a coverage between 0 and 1"),
        ("scale = 'shares'", "one of percent, fraction, other"),
        ("names = 'x'", "a list"),
        ("names = [1]", "a list of texts"),
        ("[total]\ncolumn='x'", "a list"),
        ("infer = 1", "true or false"),
        ("rounding = 'up'", "one of nearest, truncated"),
        ("x = ", "a TOML file"),
        ("x = [" * 3000, "a TOML file"),
    ],
)
def test_claims_misspelt_are_refused(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "claims.toml"
    path.write_text(text)
    with pytest.raises(UsageError, match=message):
        read_claims(path)


def test_claims_that_are_absent_or_huge_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="a TOML file of claims"):
        read_claims(tmp_path / "absent.toml")
    path = tmp_path / "claims.toml"
    path.write_bytes(b"#" * (2**20 + 1))
    with pytest.raises(UsageError, match="more than"):
        read_claims(path)
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(UsageError, match="a TOML file of claims"):
        read_claims(path)


@pytest.mark.parametrize(
    "claims",
    [
        "[n.columns]\nnothing = 3",
        "[n.rows]\nnobody = 3",
        "ignore_rows = ['nobody']",
        "names = ['nothing']",
        "[scale]\nnothing = 'percent'",
        "[[n.cells]]\nrow='nobody'\ncolumn='mean'\nn=3",
    ],
)
def test_claims_about_what_is_not_there_are_refused(audit, claims: str) -> None:
    with pytest.raises(UsageError):
        audit(MEDFL, claims)


def test_ignored_rows_and_columns_are_not_looked_at(audit) -> None:
    claims = "n = 100\nignore_rows = ['b']\nignore_columns = ['y']\n"
    assert audit("m,accuracy,y\na,24.0,24.5\nb,24.5,24.5\n", claims).flaws == ()
