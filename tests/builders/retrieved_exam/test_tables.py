from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from overread.benchmarks.ct_bench import layout
from overread.builders.retrieved_exam.lesions import read_lesion_set
from overread.errors import ReleaseError


@pytest.fixture
def rows(make_row):
    return [
        make_row(
            lesion_idx=str(i),
            description=f"A nodule of {i + 5} mm in the left lung.",
            patient=i,
            split=("train", "val", "test")[i % 3],
        )
        for i in range(1, 10)
    ]


def _random_bytes(raw: bytes) -> bytes:
    return np.random.default_rng(4).bytes(len(raw))


def _without_header(raw: bytes) -> bytes:
    return raw.split(b"\n", 1)[1]


def _cut_in_a_row(raw: bytes) -> bytes:
    return raw[: raw.index(b"A nodule of 11") + 5]


def _cut_in_quotes(raw: bytes) -> bytes:
    return raw.replace(b"A nodule of 11", b'"A nodule of 11')


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        (_random_bytes, r"Metadata\.csv (has no column lesion_idx|cannot be read)"),
        (_without_header, r"Metadata\.csv has no column lesion_idx; its first row is '1, A nodule"),
        (_cut_in_a_row, r"Metadata\.csv is cut off: its last row has 2 of 4 cells"),
        (_cut_in_quotes, r"Metadata\.csv cannot be read to its end"),
        (lambda raw: b"", r"Metadata\.csv has no column lesion_idx"),
    ],
)
def test_no_exam_is_drawn_from_a_broken_list(
    write_set, rows, damage: Callable[[bytes], bytes], said: str
) -> None:
    root = write_set(rows)
    path = root / layout.METADATA_FILE
    path.write_bytes(damage(path.read_bytes()))
    with pytest.raises(ReleaseError, match=said):
        read_lesion_set(root, seed=1)


def test_lesions_that_only_the_merged_table_knows_are_said(write_set, rows) -> None:
    root = write_set(rows)
    path = root / layout.METADATA_FILE
    path.write_text("".join(path.read_text().splitlines(keepends=True)[:7]))
    found = read_lesion_set(root, seed=1)
    (finding,) = found.findings
    assert (finding.code, finding.where, finding.count) == ("lesion-not-listed", "lesion 7", 3)
    assert "has 6 rows" in finding.evidence
    path.unlink()
    without = read_lesion_set(root, seed=1)
    said = next(one for one in without.findings if one.code == "lesions-of-merged-table")
    assert "the 9 rows of the merged table" in said.evidence


def test_a_repeated_id_is_told_of_once_and_as_it_is(write_set, rows, make_row) -> None:
    twice = make_row(lesion_idx="3", description="A liver cyst.", patient=90)
    found = read_lesion_set(write_set([*rows, twice]), seed=1)
    assert [(one.code, one.evidence) for one in found.findings] == [
        ("lesion-left-out", "its id stands twice in a table")
    ]


def test_a_split_that_is_none_is_named_and_moves_nobody_into_the_test(
    write_set, rows, make_row
) -> None:
    strange = [
        make_row(lesion_idx=str(i), description="A cyst.", patient=i, split=split)
        for i, split in ((20, "banana"), (21, "banana"), (22, ""))
    ]
    found = read_lesion_set(write_set([*rows, *strange]), seed=1)
    splits = {one.lesion_idx: one.split for one in found.lesions}
    assert [splits[i] for i in (20, 21, 22)] == ["train"] * 3
    assert [splits[i] for i in (1, 2, 3)] == ["validation", "test", "train"]
    nothing, banana = found.findings
    assert nothing.evidence == "no split is stated"
    assert banana.evidence == "the split is stated as 'banana', none of train, validation, test"
    assert (banana.severity.value, banana.count) == ("warning", 2)


def test_a_set_whose_splits_are_all_unknown_says_that_they_were_drawn(write_set, make_row) -> None:
    fruit = [
        make_row(lesion_idx=str(i), description="A cyst.", patient=i, split="banana")
        for i in range(1, 9)
    ]
    (finding,) = read_lesion_set(write_set(fruit), seed=1).findings
    assert (finding.code, finding.count) == ("split-unknown", 8)
    assert finding.effect == "the splits were drawn anew, by patient"
