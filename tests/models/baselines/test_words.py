from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from overread.models.baselines.words import StatedSize, stated_size, terms


@pytest.mark.parametrize(
    ("text", "unit", "lengths"),
    [
        ("23 x 15 mm", "mm", (23.0, 15.0)),
        ("2.3 cm × 1.5 cm", "mm", (23.0, 15.0)),
        ("A 7 mm nodule", "mm", (7.0,)),
        ("In 3 places, 12mm by 9mm", "mm", (12.0, 9.0)),
        ("1.2 cm x 8 mm", "mm", (12.0, 8.0)),
        ("box of 84 x 72 pixels", "px", (84.0, 72.0)),
        ("1 pixel", "px", (1.0,)),
        ("5 mm x 3 pixels, that is 9 px", "px", (9.0,)),
    ],
)
def test_sizes_are_read_with_their_unit(text, unit, lengths):
    assert stated_size(text) == StatedSize(unit=unit, lengths=pytest.approx(lengths))


@pytest.mark.parametrize("text", ["segment 4", "4 x 5", "", "12 months", "5 mmol"])
def test_numbers_without_a_unit_are_no_size(text):
    assert stated_size(text) is None


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
    size = stated_size(text)
    assert size is None or min(size.lengths) >= 0
    assert all(term == term.lower() for term in terms(text))
