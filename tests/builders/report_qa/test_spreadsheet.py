from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from overread.builders.report_qa.spreadsheet import decode_sheet, read_sheet

# No lone carriage return: Python's writer leaves it without quotes where lines end in "\n".
words = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0\r"), max_size=12)


@given(
    cells=st.lists(st.tuples(words, words), max_size=5),
    delimiter=st.sampled_from(",;\t"),
    end=st.sampled_from(["\n", "\r\n"]),
)
def test_what_a_spreadsheet_writes_is_read_back(cells, delimiter, end):
    text = io.StringIO(newline="")
    writer = csv.writer(text, delimiter=delimiter, lineterminator=end)
    writer.writerows([("case", "findings"), *cells])
    names, rows = read_sheet(text.getvalue())
    assert names == ("case", "findings")
    assert [tuple(row.cells.values()) for row in rows] == [
        (one.strip(), two.strip()) for one, two in cells if one.strip() or two.strip()
    ]
    assert all(row.is_whole for row in rows)


def test_a_row_may_be_short_and_a_long_one_is_not_whole():
    _, rows = read_sheet("a,b\n1\n1,2,\n1,2,3\n")
    assert [(row.where, dict(row.cells), row.is_whole) for row in rows] == [
        ("line 2", {"a": "1"}, True),
        ("line 3", {"a": "1", "b": "2"}, True),
        ("line 4", {"a": "1", "b": "2"}, False),
    ]


def test_an_empty_table_has_no_names():
    assert read_sheet("") == ((), ())


def test_quotes_that_never_end_are_an_error():
    with pytest.raises(csv.Error):
        read_sheet('a,b\n"1,2\n')


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-8-sig", "cp1252"])
def test_encodings(tmp_path: Path, encoding: str):
    text = "Größe"
    path = tmp_path / "t.csv"
    path.write_bytes((("\ufeff" if encoding == "utf-16-le" else "") + text).encode(encoding))
    assert decode_sheet(path, max_bytes=100)[0] == text
    with pytest.raises(ValueError, match="bytes"):
        decode_sheet(path, max_bytes=3)
