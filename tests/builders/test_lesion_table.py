from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from overread.benchmarks.ct_bench.layout import DEEPLESION_COLUMNS
from overread.builders.lesion_table import read_lesion_table, split_name
from overread.errors import ReleaseError
from overread.records import Box, Window

# A row as DL_info.csv writes them: numbers in quoted cells, a series with a leading zero.
ROW = (
    '000001_01_01_109.png,1,1,01,109,"233.5, 95.0, 234.8, 106.9, 229.9, 101.2, 237.6, 101.6",'
    '"226.1, 90.0, 241.2, 111.9","12.0, 8.0","0.44, 0.28, 0.37",3,0,"103, 115",'
    '"0.5, 0.5, 5.0","512, 512","-175, 275",F,62.0,3\r\n'
)
HEADER = ",".join(DEEPLESION_COLUMNS) + "\r\n"


def test_a_row_of_deeplesion_is_read(tmp_path: Path) -> None:
    path = tmp_path / "DL_info.csv"
    path.write_bytes((HEADER + ROW).encode())
    (lesion,) = read_lesion_table(path).lesions
    assert (lesion.stem, lesion.patient, lesion.series, lesion.key_slice) == (
        "000001_01_01_109",
        "000001",
        "000001_01_01",
        109,
    )
    assert lesion.box == Box(x_min=226.1, y_min=90.0, x_max=241.2, y_max=111.9)
    assert not lesion.box_is_share
    assert lesion.coarse_type == 3
    assert lesion.diameters_mm == (6.0, 4.0)  # 12 and 8 pixels of half a millimetre
    assert lesion.window == Window(low_hu=-175, high_hu=275)
    assert lesion.stated_split == "test"
    assert lesion.cells["Series_ID"] == "01"
    assert lesion.where == "DL_info.csv, line 2"


def test_columns_are_found_by_name(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text(
        'coarse_lesion_type,Note, FILE_NAME,Bounding_boxes\n5,"two\nlines",000007_01_02_003.png,'
        '"1,2,30,40"\n'
    )
    (lesion,) = read_lesion_table(path).lesions
    assert (lesion.coarse_type, lesion.key_slice) == (5, 3)
    assert (lesion.diameters_mm, lesion.window, lesion.stated_split) == (None, None, None)


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        ("000001_01_01_109.png", "../../x.png", "File_name"),
        ("226.1, 90.0, 241.2, 111.9", "226.1, 90.0, 241.2", "Bounding_boxes"),
        ("226.1, 90.0, 241.2, 111.9", "241.2, 90.0, 226.1, 111.9", "Bounding_boxes"),
        ("226.1, 90.0, 241.2, 111.9", "nan, 90.0, 241.2, 111.9", "Bounding_boxes"),
        (",3,0,", ",9,0,", "Coarse_lesion_type"),
        (",3,0,", ",,0,", "Coarse_lesion_type"),
        (",3,0,", ",3,1,", "possibly noisy"),
    ],
)
def test_an_unusable_row_is_left_out_aloud(tmp_path: Path, old: str, new: str, fault: str) -> None:
    path = tmp_path / "t.csv"
    assert old in ROW
    path.write_text(HEADER + ROW + ROW.replace(old, new, 1) * 2)
    table = read_lesion_table(path)
    assert len(table.lesions) == 1
    (finding,) = table.findings
    assert (finding.code, finding.count, finding.where) == ("lesion-left-out", 2, "t.csv, line 3")
    assert fault in finding.evidence
    path.write_text(HEADER + ROW.replace(old, new, 1) * 2)
    with pytest.raises(ReleaseError, match=rf"at least one lesion .*{fault}.* \(lines: 2\)"):
        read_lesion_table(path)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("12.0, 8.0", "", "Lesion_diameters_Pixel_ is empty"),
        ("12.0, 8.0", "12.0, 0", "Lesion_diameters_Pixel_ is not 2 numbers above 0"),
        ("0.5, 0.5, 5.0", "0.5, 0.9, 5.0", "its pixels are not square"),
        ("0.5, 0.5, 5.0", "unknown", "Spacing_mm_px_ is not 3 numbers above 0"),
    ],
)
def test_a_size_is_never_made_up(tmp_path: Path, old: str, new: str, said: str) -> None:
    path = tmp_path / "t.csv"
    path.write_text(HEADER + ROW.replace(old, new, 1))
    table = read_lesion_table(path)
    assert table.lesions[0].diameters_mm is None
    (finding,) = table.findings
    assert (finding.code, finding.evidence) == ("size-in-pixels", said)


def test_a_table_that_is_none_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    with pytest.raises(ReleaseError, match="a lesion table"):
        read_lesion_table(path)
    path.write_text("a,b\n1,2\n")
    with pytest.raises(ReleaseError, match="none named File_name, Bounding_boxes, Coarse"):
        read_lesion_table(path)
    path.write_text(HEADER)
    with pytest.raises(ReleaseError, match="at least one lesion"):
        read_lesion_table(path)


def test_another_encoding_is_read_and_said(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes((HEADER + ROW.replace(",F,", ",weiß,")).encode("cp1252"))
    table = read_lesion_table(path)
    assert [finding.code for finding in table.findings] == ["mixed-encoding"]
    assert table.lesions[0].cells["Patient_gender"] == "weiß"


def test_splits_have_names() -> None:
    assert [split_name(code) for code in ("1", "2", "3.0", "0", "", None)] == [
        "train",
        "validation",
        "test",
        None,
        None,
        None,
    ]


@settings(max_examples=150, deadline=None)
@given(body=st.text(max_size=300))
def test_any_table_is_read_or_refused(tmp_path_factory: pytest.TempPathFactory, body: str) -> None:
    path = tmp_path_factory.getbasetemp() / "fuzz.csv"
    path.write_text(HEADER + ROW + body, encoding="utf-8", errors="surrogatepass", newline="")
    try:
        table = read_lesion_table(path)
    except ReleaseError:
        return
    assert table.lesions
