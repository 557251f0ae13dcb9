"""A normal organ, an exception and the picture's own sides do not change the lesion's place."""

from __future__ import annotations

import pytest

from overread.scoring.facts.reader import read_facts


@pytest.mark.parametrize(
    ("text", "organ", "sides"),
    [
        ("Mass in the right kidney with normal left kidney", "kidney", {"right"}),
        ("Cyst in the left kidney, the right kidney is normal.", "kidney", {"left"}),
        ("Cyst in the left kidney, liver and spleen are normal", "kidney", {"left"}),
        (
            "Nodule in the right upper lobe of the lung and the heart is normal in size",
            "lung",
            {"right"},
        ),
        ("Left kidney is normal apart from a cyst", "kidney", {"left"}),
        ("Lymph node in the left axilla with a normal fatty hilum", "axilla", {"left"}),
        ("No lesion in the liver other than a cyst in segment 2", "liver", set()),
        ("No mass in the liver besides a small cyst", "liver", set()),
        ("Mass on the right side of the image in the liver", "liver", set()),
        ("Nodule in the left lung (viewer's right)", "lung", {"left"}),
        ("Nodule in the right lung, image left", "lung", {"right"}),
        ("Lesion of the left lung, previously seen in the right lung", "lung", {"left"}),
        ("Nodule previously seen in the right lung, 8 mm", "lung", {"right"}),
    ],
)
def test_the_lesion_keeps_its_place(text: str, organ: str, sides: set[str]) -> None:
    (lesion,) = read_facts(text).lesions
    assert (lesion.present, lesion.organs, lesion.sides) == (True, {organ}, sides)


def test_what_an_exception_denies_is_not_the_lesion() -> None:
    (lesion,) = read_facts("No mass in the liver besides a small cyst").lesions
    assert lesion.types == {"cyst"}
