from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from overread.models.baselines.words import sizes_mm, terms


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("23 x 15 mm", (23.0, 15.0)),
        ("2.3 cm × 1.5 cm", (23.0, 15.0)),
        ("A 7 mm nodule", (7.0,)),
        ("In 3 places, 12mm by 9mm", (12.0, 9.0)),
        ("segment 4", ()),
        ("", ()),
        ("1.2 cm x 8 mm", (12.0, 8.0)),
    ],
)
def test_sizes_are_read_in_mm(text, expected):
    assert sizes_mm(text) == pytest.approx(expected)


def test_terms_are_words_and_pairs_without_numbers():
    assert terms("Ill-defined 12 mm node.") == {
        "ill-defined",
        "mm",
        "node",
        "ill-defined mm",
        "mm node",
    }
    assert terms("") == frozenset()


@given(st.text(max_size=300))
def test_any_text_can_be_read(text):
    assert all(size >= 0 for size in sizes_mm(text))
    assert all(term == term.lower() for term in terms(text))
