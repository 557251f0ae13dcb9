from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from overread.analysis.ranking.reading import Columns, ReadCases, read_cases
from overread.errors import UsageError
from overread.store.printed_table import read_table


@pytest.fixture
def read(tmp_path: Path):
    def reading(text: str, columns: Columns | None = None, *, name: str = "t.csv") -> ReadCases:
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return read_cases(read_table(path), columns or Columns(), name=name)

    return reading


def test_a_long_table(read) -> None:
    # B has no row for case 2: a missing value.
    found = read("algorithm,case,value\nA,1,0.9\nB,1,0.8\nA,2,0.7\n")
    (table,) = found.tables
    assert (table.methods, table.cases) == (("A", "B"), ("1", "2"))
    values = table.values["value"]
    assert values[0].tolist() == [0.9, 0.8]
    assert values[1, 0] == 0.7
    assert np.isnan(values[1, 1])
    assert table.n_missing == {"value": 1}
    assert {finding.code for finding in found.findings} == {"no-patients", "missing-values"}


def test_a_wide_table(read) -> None:
    found = read(
        "case,patient,centre,A,B\n1,p,x,0.9,–\n2,p,y,0.7,0.6\n", Columns(stratum=("centre",))
    )
    (table,) = found.tables
    assert found.is_wide
    assert table.methods == ("A", "B")
    assert (table.patients, table.strata) == (("p", "p"), ("x", "y"))
    assert np.isnan(table.values["value"][0, 1])


def test_decimal_commas_bold_marks_spreads_and_blank_rows(read) -> None:
    text = (
        "| method | case | dsc |\n| --- | --- | --- |\n| **A** | 1 | **0,91 ± 0,02** |\n"
        "|  |  |  |\n| B | 1 | 0,85* |\n| A | 2 | 0,7 |\n| B | 2 | n/a |\n"
    )
    (table,) = read(text, Columns(value=("dsc",)), name="t.md").tables
    assert table.methods == ("A", "B")
    assert table.values["dsc"][0].tolist() == [0.91, 0.85]
    assert np.isnan(table.values["dsc"][1, 1])


def test_metrics_by_column_and_by_name(read) -> None:
    by_column = read(
        "method,case,DSC,FPV\nA,1,0.9,3\nB,1,0.8,1\n", Columns(value=("DSC", "FPV"))
    ).tables[0]
    by_name = read(
        "method,case,metric,value\nA,1,DSC,0.9\nB,1,DSC,0.8\nA,1,FPV,3\nB,1,FPV,1\n"
    ).tables[0]
    for table in (by_column, by_name):
        assert {name: each.tolist() for name, each in table.values.items()} == {
            "DSC": [[0.9, 0.8]],
            "FPV": [[3, 1]],
        }


def test_tasks_and_the_index_column_of_other_programs(read) -> None:
    text = '"","task","alg_name","value","case"\n"1","one","A",0.9,1\n"2","one","B",0.8,1\n'
    found = read(text + '"3","two","A",0.1,1\n"4","two","B",0.2,1\n')
    assert [table.task for table in found.tables] == ["one", "two"]
    assert found.tables[1].values["value"].tolist() == [[0.1, 0.2]]


def test_without_cases_a_value_stands_for_many(read) -> None:
    found = read("method,stratum,value\nA,x,0.9\nB,x,0.8\nA,y,0.7\nB,y,0.6\n")
    (table,) = found.tables
    assert table.is_aggregated
    assert table.strata == table.cases == ("x", "y")


def test_one_case_id_may_stand_in_two_strata(read) -> None:
    (table,) = read("method,case,stratum,value\nA,1,x,1\nB,1,x,2\nA,1,y,3\nB,1,y,4\n").tables
    assert table.cases == ("1", "1")
    assert table.values["value"].tolist() == [[1, 2], [3, 4]]


@pytest.mark.parametrize(
    ("text", "columns", "message"),
    [
        (
            "method,case,value\nA,1,0.9\nB,1,0.8\nA,1,0.7\n",
            Columns(),
            r"line 4: expected one value of method 'A' for case '1'.*first stands in line 2",
        ),
        (
            "method,case,value\nA,1,high\nB,1,0.8\n",
            Columns(),
            "line 2, value: expected a number.*'high'",
        ),
        ("method,case,value\nA,1,inf\nB,1,0.8\n", Columns(), "expected a number"),
        ("method,case,value\nA,1,90%\nB,1,0.8\n", Columns(), "percent sign.*in line 2.*in line 3"),
        ("method,case,value\nA,1,1\nA,2,2\n", Columns(), "two methods or more, got 1: A"),
        ("method,case,value\n,1,1\nA,2,2\n", Columns(), "line 2: expected a method, got an empty"),
        (
            "method,case,dsc\nA,1,1\nB,1,2\n",
            Columns(),
            "a column 'value', or one named with --value",
        ),
        ("who,what,dsc\nA,1,1\nB,1,2\n", Columns(), "a column that names the method"),
        ("method,case,value\nA,1,1\nB,1,2\n", Columns(patient="who"), "--patient: expected one of"),
        (
            "method,case,patient,value\nA,1,p,1\nB,1,q,2\n",
            Columns(),
            "one patient for case '1', got 'p' and 'q'",
        ),
        ("method,case,patient,value\nA,1,p,1\nB,2,,2\n", Columns(), "line 3: expected a patient"),
        ("case,A,B,note\n1,1,2,fine\n", Columns(), "--ignore COLUMN"),
        (
            "method,case,metric,a,b\nA,1,m,1,2\nB,1,m,1,2\n",
            Columns(value=("a", "b")),
            "one column where another names the metric",
        ),
    ],
)
def test_what_cannot_be_sorted_is_refused(read, text: str, columns: Columns, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        read(text, columns)


def test_duplicated_method_names_with_marks_are_one_method(read) -> None:
    with pytest.raises(UsageError, match="one value of method 'A' for case '1'"):
        read("method,case,value\n**A**,1,0.9\nA,1,0.8\nB,1,0.7\n")


def test_a_metric_without_any_value_is_said_and_not_ranked_by(read) -> None:
    found = read("method,case,metric,value\nA,1,x,1\nB,1,x,2\nA,1,y,\nB,1,y,-\n")
    assert found.metrics == ("x",)
    assert "no value of y" in [finding.evidence for finding in found.findings]
