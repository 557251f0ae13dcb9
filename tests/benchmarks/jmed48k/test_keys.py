"""What the answer's field may hold."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from overread.benchmarks.jmed48k.keys import plain_label, read_key


@pytest.mark.parametrize(
    ("raw", "labels", "answers"),
    [
        (["c"], "abcde", (("c",),)),
        (["Ｃ", "Ｅ"], "abcde", (("c", "e"),)),
        (["ce"], "abcde", (("c", "e"),)),
        ("c, e", "abcde", (("c", "e"),)),
        (["①", "③"], "12345", (("1", "3"),)),
        ([2], "12345", (("2",),)),
        (["1または3"], "12345", (("1",), ("3",))),
        (["a/c"], "abcde", (("a",), ("c",))),
        ([["a", "b"], ["a", "c"]], "abcde", (("a", "b"), ("a", "c"))),
        (["10"], ["1", "2", "10"], (("10",),)),
        (["6", "0", "0"], "", (("600",),)),
        (["1,200"], "", (("1,200",),)),
        (["0.5"], "", (("0.5",),)),
        (["x"], "abcde", (("x",),)),
        ([], "abcde", ()),
        (None, "abcde", ()),
        ([None, ""], "abcde", ()),
        ({"a": 1}, "abcde", ()),
        ([True], "abcde", ()),
    ],
)
def test_answers_are_taken_apart(raw, labels, answers):
    key = read_key(raw, list(labels))
    assert key.answers == answers
    assert not key.is_deleted


@pytest.mark.parametrize(
    "raw", [["採点除外"], "削除", ["問題として不適切"], ["解なし"], ["正解なし"], "deleted"]
)
def test_words_for_deleted_questions(raw):
    key = read_key(raw, list("abcde"))
    assert key.is_deleted
    assert key.answers == ()


def test_labels_are_narrow_and_small():
    assert [plain_label(each) for each in ("Ａ．", "②", "(b)", " ｅ ", 3)] == list("a2be3")


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=12),
    lambda inner: st.lists(inner, max_size=4),
    max_leaves=8,
)


@given(_JSON, st.lists(st.sampled_from("abc123"), max_size=5))
def test_anything_is_read(raw, labels):
    key = read_key(raw, labels)
    assert all(row and all(row) for row in key.answers)
