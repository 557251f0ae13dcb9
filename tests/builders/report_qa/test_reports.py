from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from overread.builders.report_qa.reports import Columns, Report, ReportTable, read_reports
from overread.errors import ReleaseError, UsageError

HEAD = "case,findings,impressions\n"


def read(path: Path, text: str | bytes, columns: Columns | None = None) -> ReportTable:
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return read_reports(path, columns or Columns())


def test_a_csv_is_read_by_the_names_of_its_columns(tmp_path: Path) -> None:
    table = read(
        tmp_path / "r.csv",
        "\ufeffAge,Impressions_EN,FINDINGS_EN,VolumeName\n"
        '61,"One, two.","Line one\nline two",a.nii.gz\n',
    )
    assert table.reports == (
        Report(case="a.nii.gz", findings="Line one\nline two", impressions="One, two."),
    )
    assert (table.findings, table.n_rows) == ((), 1)


def test_columns_of_other_names_can_be_named(tmp_path: Path) -> None:
    columns = Columns(case="Akte", findings="Befund", impressions="Urteil")
    table = read(tmp_path / "r.csv", "Akte,Befund,Urteil\nx,links,ok\n", columns)
    assert table.reports == (Report(case="x", findings="links", impressions="ok"),)


@pytest.mark.parametrize(
    ("text", "columns", "message"),
    [
        ("a,b\n1,2\n", Columns(), "--case-column.*a, b"),
        ("case,text\n1,2\n", Columns(), "--findings-column"),
        (HEAD + "a,b,c\n", Columns(findings="Befund"), "--findings-column.*Befund"),
        (HEAD + "a,b,c\n", Columns(impressions="Urteil"), "--impressions-column"),
    ],
)
def test_an_absent_column_is_named(
    tmp_path: Path, text: str, columns: Columns, message: str
) -> None:
    with pytest.raises(UsageError, match=message):
        read(tmp_path / "r.csv", text, columns)


def test_the_released_json_is_read(tmp_path: Path) -> None:
    held = {"valid_1_a_1.nii.gz": {"Findings_EN": "A cyst.", "Impressions_EN": ""}}
    table = read(tmp_path / "r.json", json.dumps(held))
    assert table.reports == (Report(case="valid_1_a_1.nii.gz", findings="A cyst.", impressions=""),)


def test_a_list_of_rows_is_read(tmp_path: Path) -> None:
    rows = [{"file_name": "a", "findings": "A cyst."}, "no row", {"file_name": "b"}]
    table = read(tmp_path / "r.json", json.dumps(rows))
    assert [one.case for one in table.reports] == ["a"]
    assert {one.evidence: one.count for one in table.findings} == {
        "it names no case": 1,
        "it has no findings": 1,
    }


def test_what_cannot_be_asked_about_is_left_out_aloud(tmp_path: Path) -> None:
    rows = [
        "a.nii.gz,Right lung nodule.,",
        "b.nii.gz,,An impression alone.",
        "c.nii.gz,nan,",
        "../../etc/passwd,Left.,",
        "a/b,Left.,",
        ",Left.,",
        "a.nii.gz,Another text.,",
        f"d.nii.gz,{'x' * 60_001},",
    ]
    table = read(tmp_path / "r.csv", HEAD + "\n".join(rows) + "\n")
    assert [one.case for one in table.reports] == ["a.nii.gz"]
    assert {(one.code, one.evidence): one.count for one in table.findings} == {
        ("report-without-findings", "it has no findings"): 2,
        ("report-left-out", "its case is no plain file name"): 2,
        ("report-left-out", "it names no case"): 1,
        ("report-left-out", "its case stands there twice"): 1,
        ("report-left-out", "it is longer than 60,000 characters"): 1,
    }


def test_a_table_without_any_usable_report_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ReleaseError, match=r"it has no findings \(2 rows\)"):
        read(tmp_path / "r.csv", HEAD + "a,,\nb,,\n")


@pytest.mark.parametrize(
    "text",
    [b'case,findings\n"never ends', b"{", b"[" * 100_000, b'{"a": NaN', b"\0", b""],
)
def test_what_is_no_table_is_refused_in_words(tmp_path: Path, text: bytes) -> None:
    with pytest.raises((ReleaseError, UsageError), match="expected"):
        read(tmp_path / "r.csv", text)


def test_a_missing_file_is_refused_in_words(tmp_path: Path) -> None:
    with pytest.raises(ReleaseError, match="table of reports"):
        read_reports(tmp_path / "none.csv", Columns())


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_spreadsheet_may_save_it_as_it_likes(
    tmp_path: Path, encoding: str, delimiter: str, end: str
) -> None:
    text = delimiter.join(["case", '"findings"', "impressions"]) + end
    text += delimiter.join(["a", '"One, two; three\tfour"', "Größe"]) + end + delimiter * 2 + end
    table = read(tmp_path / "r.csv", text.encode(encoding))
    (report,) = table.reports
    assert (report.findings, report.impressions) == ("One, two; three\tfour", "Größe")
    assert table.findings == ()


def test_a_first_line_that_names_the_delimiter_is_heeded(tmp_path: Path) -> None:
    table = read(tmp_path / "r.csv", "sep=;\r\ncase;findings\r\na;left, above\r\n")
    assert table.reports[0].findings == "left, above"


def test_a_report_that_its_commas_parted_is_not_asked_about(tmp_path: Path) -> None:
    table = read(tmp_path / "r.csv", HEAD + "a,A nodule, in the left lung, and more.\nb,Right.,\n")
    assert [report.case for report in table.reports] == ["b"]
    (found,) = table.findings
    assert (found.code, found.where, found.count) == ("report-left-out", "a", 1)
    assert "more cells than the table has columns" in found.evidence


def test_windows_1252_is_read_and_said(tmp_path: Path) -> None:
    table = read(tmp_path / "r.csv", (HEAD + "a,Größe,\n").encode("cp1252"))
    assert table.reports[0].findings == "Größe"
    assert [one.code for one in table.findings] == ["mixed-encoding"]


@given(st.binary(max_size=200))
def test_no_bytes_bring_it_down(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    path = tmp_path_factory.getbasetemp() / "any.csv"
    try:
        table = read(path, data)
    except (ReleaseError, UsageError):
        return
    assert all(one.case and one.findings for one in table.reports)
