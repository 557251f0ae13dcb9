from __future__ import annotations

from pathlib import Path

import pytest

from overread.errors import UsageError
from overread.store import printed_table
from overread.store.printed_forms import MOST_COLUMNS
from overread.store.printed_number import read_number
from overread.store.printed_table import read_table


def _write(tmp_path: Path, text: str, name: str = "table.csv") -> Path:
    path = tmp_path / name
    path.write_bytes(text.encode())
    return path


def _codes(table: printed_table.PrintedTable) -> list[str]:
    return [finding.code for finding in table.findings]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("t.csv", "model,acc\nA,61.3\nB,0.50\n"),
        ("t.csv", "\ufeffmodel,acc\r\nA,61.3\r\nB,0.50\r\n"),
        ("t.tsv", "model\tacc\nA\t61.3\nB\t0.50\n"),
        ("t.csv", "model;acc\nA;61.3\nB;0.50\n"),
        ("t.txt", "| model | acc |\n|---|---:|\n| A | 61.3 |\n| B | 0.50 |\n"),
        ("t.md", "# Title\n\nmodel | acc\n:-- | --:\nA | 61.3\nB | 0.50\n\nAn end.\n"),
        ("t.json", '[{"model": "A", "acc": 61.3}, {"model": "B", "acc": 0.50}]'),
        ("t.json", '{"rows": [{"model": "A", "acc": 61.3}, {"model": "B", "acc": 0.50}]}'),
        ("t.json", '{"columns": ["model", "acc"], "rows": [["A", 61.3], ["B", 0.50]]}'),
        ("t.jsonl", '{"model": "A", "acc": 61.3}\n\n{"model": "B", "acc": 0.50}\n'),
    ],
)
def test_forms_are_one_table(tmp_path: Path, name: str, text: str) -> None:
    table = read_table(_write(tmp_path, text, name))
    assert table.columns == ("model", "acc")
    assert table.rows == (("A", "61.3"), ("B", "0.50"))
    assert table.number(1, 1).decimals == 2
    assert [number.value for number in table.numbers(1)] == [61.3, 0.5]
    assert table.findings == ()


def test_lines_are_those_of_the_file(tmp_path: Path) -> None:
    table = read_table(_write(tmp_path, 'model,acc\n"A\nlong",1\n\nB,2\n'))
    assert table.line_of_row == (2, 5)
    assert _codes(table) == ["blank-row"]
    assert "line 4" in table.findings[0].evidence
    pipes = read_table(_write(tmp_path, "x\n\n|a|b|\n|-|-|\n|1|2|\n", "t.md"))
    assert pipes.line_of_row == (5,)


def test_decimal_commas_are_found_out(tmp_path: Path) -> None:
    table = read_table(_write(tmp_path, "model;acc, %;n\nA;61,3;1.900\nB;0,50;950\n"))
    assert table.columns == ("model", "acc, %", "n")
    assert table.decimal == ","
    assert [number.value for number in table.numbers(1)] == [61.3, 0.5]
    assert [number.value for number in table.numbers(2)] == [1900, 950]
    assert table.findings == ()


def test_thousands_are_no_decimal_commas(tmp_path: Path) -> None:
    table = read_table(_write(tmp_path, "model;n\nA;1,900\n"))
    assert table.decimal == "."
    assert table.number(0, 1).value == 1900


def test_mixed_marks_are_told(tmp_path: Path) -> None:
    table = read_table(_write(tmp_path, "model;acc\nA;61,3\nB;62,4\nC;63.5\n"))
    assert table.decimal == ","
    assert _codes(table) == ["mixed-decimal-marks"]
    assert "'63.5'" in table.findings[0].evidence
    assert table.number(2, 1).value is None
    told = read_table(_write(tmp_path, "model;acc\nA;61,3\nB;62,4\nC;63.5\n"), decimal=".")
    assert told.number(2, 1).value == 63.5


def test_headings_are_made_unique(tmp_path: Path) -> None:
    table = read_table(_write(tmp_path, ",acc,**acc**,acc (2)\nA,1,2,3\n"))
    assert table.columns == ("column 1", "acc", "acc (2)", "acc (2) (2)")
    assert _codes(table) == ["duplicate-heading"]


def test_short_rows_are_filled_and_told(tmp_path: Path) -> None:
    table = read_table(_write(tmp_path, "model,a,b\nA,1\nB,1,2,,\n"))
    assert table.rows == (("A", "1", ""), ("B", "1", "2"))
    assert _codes(table) == ["short-row"]


def test_rows_that_would_shift_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"line 3: expected 2 cells.*decimal comma"):
        read_table(_write(tmp_path, "model,acc\nA,1\nB,61,3\n"))


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("t.csv", "", "an empty file"),
        ("t.csv", "\n\n", "an empty file"),
        ("t.csv", "model,acc\n\n", "a heading alone"),
        ("t.md", "no table here", "0 of them"),
        ("t.json", "[1, 2]", "an object with a value"),
        ("t.json", '[["a"], 3]', "an object with a value"),
        ("t.json", "{", "JSON rows"),
        ("t.json", "[" * 100_000, "JSON rows"),
        ("t.json", '"text"', "a list of rows"),
        ("t.json", "[]", "an empty file"),
        ("t.json", '[{"a": 1, "a": 2}]', "the name 'a' twice"),
        ("t.jsonl", '{"a": 1}\n{"a": ', "line 2"),
        ("t.csv", 'model,acc\n"' + "x" * 200_000 + '",1\n', "a row of cells"),
    ],
)
def test_what_is_no_table_is_refused(tmp_path: Path, name: str, text: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        read_table(_write(tmp_path, text, name))


def test_absent_and_huge_files_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UsageError, match="a file with a table"):
        read_table(tmp_path / "absent.csv")
    with pytest.raises(UsageError, match="a file with a table"):
        read_table(tmp_path)
    monkeypatch.setattr(printed_table, "LARGEST_FILE_BYTES", 4)
    with pytest.raises(UsageError, match="at most 4 bytes"):
        read_table(_write(tmp_path, "a,b\n1,2\n"))


def test_too_many_columns_are_refused(tmp_path: Path) -> None:
    header = ",".join(f"c{n}" for n in range(MOST_COLUMNS + 1))
    with pytest.raises(UsageError, match="columns and"):
        read_table(_write(tmp_path, f"{header}\n1\n"))


def test_second_markdown_table_is_chosen_by_number(tmp_path: Path) -> None:
    path = _write(tmp_path, "|a|b|\n|-|-|\n|1|2|\n\n|c|d|\n|-|-|\n|3|4 \\| 5|\n", "t.md")
    first = read_table(path)
    assert first.columns == ("a", "b")
    assert _codes(first) == ["several-tables"]
    assert read_table(path, table=2).rows == (("3", "4 | 5"),)
    with pytest.raises(UsageError, match="at least 3 pipe tables"):
        read_table(path, table=3)


def test_other_encodings_are_read(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes("model,acc\nMüller,61.3±1\n".encode("cp1252"))
    table = read_table(path)
    assert table.rows == (("Müller", "61.3±1"),)
    assert _codes(table) == ["not-utf-8"]
    path.write_bytes("model,acc\nMüller,61.3±1\n".encode("utf-16"))
    assert read_table(path).rows == (("Müller", "61.3±1"),)


def test_columns_are_found_by_name(tmp_path: Path) -> None:
    table = read_table(_write(tmp_path, "Model,acc\nA,1\n"))
    assert table.column("model") == 0
    with pytest.raises(UsageError, match=r"--case: expected one of the columns 'Model', 'acc'"):
        table.column("case", argument="--case")


def test_json_cells_keep_their_form(tmp_path: Path) -> None:
    table = read_table(
        _write(tmp_path, '[{"m": "A", "x": null, "y": true, "z": [1, "b"], "w": NaN}]', "t.json")
    )
    assert table.rows == (("A", "", "true", '["1", "b"]', "NaN"),)


LATEX = "\\begin{tabular}{lr}\nModel & acc \\\\\nA & 62.0 \\\\\nB & 61.0 \\\\\n\\end{tabular}\n"


@pytest.mark.parametrize(
    ("name", "data", "got", "remedy"),
    [
        ("t.tex", LATEX.encode(), "LaTeX", "in the place of &"),
        (
            "t.csv",
            b"Model & acc \\\\\nA & 62.0 \\\\\nB & 61.0 \\\\\n",
            "LaTeX",
            "in the place of &",
        ),
        ("t.csv", bytes(range(256)) * 20, "bytes that are no text", "CSV"),
        ("t.json", bytes(range(256)) * 20, "bytes that are no text", "CSV"),
        ("t.xlsx", b"PK\x03\x04" + bytes(60), "an Office or ZIP file", "Save the sheet as CSV"),
        ("t.csv", b"%PDF-1.7\nA,1\n", "a PDF", "CSV"),
        ("t.html", b"<!DOCTYPE html>\n<table><tr><td>1</td></tr></table>\n", "HTML", "CSV"),
    ],
)
def test_other_forms_are_refused_with_what_to_do(
    tmp_path: Path, name: str, data: bytes, got: str, remedy: str
) -> None:
    path = tmp_path / name
    path.write_bytes(data)
    with pytest.raises(UsageError, match=got) as told:
        read_table(path)
    assert remedy in str(told.value)


def test_text_beside_a_table_may_speak_of_latex(tmp_path: Path) -> None:
    text = "Made from \\begin{tabular}.\n\n|m|acc|\n|-|-|\n|A|61.3|\n"
    assert read_table(_write(tmp_path, text, "t.md")).rows == (("A", "61.3"),)
    # LaTeX within cells is a matter of markup.
    bold = read_table(_write(tmp_path, "m;acc\nA;\\textbf{61.3}\nR&D;$50.0$\n"))
    assert [number.value for number in bold.numbers(1)] == [61.3, 50.0]


@pytest.mark.parametrize(
    ("cell", "value", "counts", "ends"),
    [
        ("45/60 (75.0 %)", 75.0, (45, 60), (None, None)),
        ("45 of 60 (75%)", 75.0, (45, 60), (None, None)),
        ("45/60 = 0.75", 0.75, (45, 60), (None, None)),
        ("**45/60** (75.0 %) [62.8, 84.2]", 75.0, (45, 60), (62.8, 84.2)),
        ("45/60 [62.8, 84.2]", 75.0, (45, 60), (62.8, 84.2)),
        ("45/60 [0.628, 0.842]", 0.75, (45, 60), (0.628, 0.842)),
        ("[62.8, 84.2]", None, (None, None), (62.8, 84.2)),
        ("62.8–84.2", None, (None, None), (62.8, 84.2)),
        ("70/60 (75 %)", None, (None, None), (None, None)),
        ("3/4/5", None, (None, None), (None, None)),
    ],
)
def test_pairs_of_counts_and_mere_intervals(
    cell: str,
    value: float | None,
    counts: tuple[int | None, int | None],
    ends: tuple[float | None, float | None],
) -> None:
    number = read_number(cell)
    assert number.value == value
    assert (number.count, number.n) == counts
    assert (number.low, number.high) == ends
