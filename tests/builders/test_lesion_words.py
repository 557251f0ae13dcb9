from __future__ import annotations

from overread.benchmarks.ct_bench.layout import COARSE_TYPES
from overread.builders.lesion_words import NOUNS, SetLesion, description, size_text
from overread.models.baselines.words import sizes_mm
from overread.records import Box


def lesion(coarse_type: int, diameters_mm: tuple[float, float] | None) -> SetLesion:
    return SetLesion(
        lesion_idx=1,
        split="test",
        coarse_type=coarse_type,
        picture="a",
        box=Box(x_min=10.2, y_min=20, x_max=60.6, y_max=43.8),
        diameters_mm=diameters_mm,
    )


def test_every_coarse_type_has_a_noun() -> None:
    assert NOUNS.keys() == COARSE_TYPES.keys()


def test_millimetres_are_told_where_they_are_known() -> None:
    told = lesion(4, (31.26, 18.0))
    assert size_text(told) == "31.3 x 18.0 mm"
    assert sizes_mm(description(told)) == (31.3, 18.0)
    assert told.long_side == 31.26


def test_a_box_is_never_called_millimetres() -> None:
    told = lesion(2, None)
    assert description(told) == "An abdominal lesion, box of 50 x 24 pixels."
    assert sizes_mm(description(told)) == ()
    assert told.long_side == 60.6 - 10.2


def test_an_unknown_type_is_just_a_lesion() -> None:
    assert description(lesion(-1, (9.0, 7.0))) == "A lesion, 9.0 x 7.0 mm."
