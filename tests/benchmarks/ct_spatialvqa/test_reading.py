from __future__ import annotations

import math

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from overread.benchmarks.ct_spatialvqa import reading
from overread.benchmarks.ct_spatialvqa.reading import (
    RepeatedKey,
    entries_of,
    read_csv,
    read_json,
    read_json_lines,
    read_text,
    text_of,
)
from overread.errors import ReleaseError


def put(root, name, data):
    (root / name).write_bytes(data if isinstance(data, bytes) else data.encode())


def test_a_byte_order_mark_is_no_text(tmp_path):
    put(tmp_path, "a", b"\xef\xbb\xbf{}")
    assert read_text(tmp_path, "a") == "{}"


@pytest.mark.parametrize("data", [b"\xff\xfe", b"[1, 2", b"", b"[" * 100_000, b"1" * 5000, b"{]"])
def test_what_is_no_json_is_refused_in_words(tmp_path, data):
    put(tmp_path, "a.json", data)
    with pytest.raises(ReleaseError, match=r"a\.json: expected .+, got .+\. Download"):
        read_json(tmp_path, "a.json")


@pytest.mark.parametrize("name", ["absent.json", "../outside.json", "/etc/hostname", "folder"])
def test_what_cannot_be_read_is_refused_in_words(tmp_path, name):
    root = tmp_path / "release"
    (root / "folder").mkdir(parents=True)
    put(tmp_path, "outside.json", "{}")
    with pytest.raises(ReleaseError, match=": expected "):
        read_json(root, name)


def test_a_link_out_of_the_release_is_not_followed(tmp_path):
    root = tmp_path / "release"
    root.mkdir()
    put(tmp_path, "secret", "{}")
    (root / "a.json").symlink_to(tmp_path / "secret")
    with pytest.raises(ReleaseError, match="a link that leads out of the folder"):
        read_json(root, "a.json")


def test_a_huge_file_is_not_read(tmp_path, monkeypatch):
    monkeypatch.setattr(reading, "_MAX_FILE_BYTES", 10)
    put(tmp_path, "a.json", "[1, 2, 3, 4, 5]")
    with pytest.raises(ReleaseError, match="at most 10 bytes, got 15"):
        read_json(tmp_path, "a.json")


def test_nan_is_a_number_and_no_text(tmp_path):
    put(tmp_path, "a.json", '{"answer": NaN, "other": -Infinity}')
    fields = entries_of(read_json(tmp_path, "a.json"))
    assert math.isnan(fields["answer"])  # type: ignore[arg-type]
    assert text_of(fields["answer"]) is None


def test_a_key_that_stands_twice_keeps_both_values(tmp_path):
    put(tmp_path, "a.json", '{"a": 1, "b": {"x": 1, "x": 2}, "a": 3}')
    document = entries_of(read_json(tmp_path, "a.json"))
    assert document["a"] == RepeatedKey((1, 3))
    assert document["b"] == {"x": RepeatedKey((1, 2))}


def test_lines_are_read_one_by_one(tmp_path):
    # U+2028 and U+0085 may stand in a JSON text as they are; they end no line.
    put(tmp_path, "a.jsonl", '{"a": "x\u2028y\u0085z"}\n\n  \r\n{broken\n[1]\n' + "[" * 100_000)
    lines = list(read_json_lines(tmp_path, "a.jsonl"))
    assert lines == [(1, {"a": "x\u2028y\u0085z"}), (4, None), (5, [1]), (6, None)]


def test_a_ragged_table_lacks_its_last_cells(tmp_path):
    put(tmp_path, "a.csv", "id,m,n\r\nx,0.33,\r\ny\r\nz,1,2,3,4\r\n")
    assert read_csv(tmp_path, "a.csv") == (
        {"id": "x", "m": "0.33", "n": ""},
        {"id": "y"},
        {"id": "z", "m": "1", "n": "2"},
    )


def test_a_cell_may_be_long(tmp_path):
    put(tmp_path, "a.csv", "id\n" + "x" * 200_000)  # the csv module stops at 131,072 by itself
    assert len(read_csv(tmp_path, "a.csv")[0]["id"]) == 200_000


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)
@given(data=st.binary() | st.text().map(str.encode))
def test_no_bytes_raise_anything_else(tmp_path, data):
    put(tmp_path, "a", data)
    for read in (read_json, read_csv, lambda *a: list(read_json_lines(*a))):
        try:
            read(tmp_path, "a")
        except ReleaseError as error:
            assert ": expected " in str(error)  # noqa: PT017 - anything else is a failure
