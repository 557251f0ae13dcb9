from __future__ import annotations

from overread.metrics.lesion_volume import CLEAN_NEGATIVE, VOLUME_BIAS, clean_negative
from overread.metrics.overlap import Overlap


def test_a_clean_study_is_kept_clean_or_not() -> None:
    assert clean_negative(Overlap(0, 0, 0)) == CLEAN_NEGATIVE.high
    assert clean_negative(Overlap(0, 9, 0)) == CLEAN_NEGATIVE.low


def test_a_study_with_a_lesion_cannot_be_kept_clean() -> None:
    assert clean_negative(Overlap(4, 0, 0)) is None
    assert clean_negative(Overlap(4, 4, 4)) is None


def test_finding_nothing_is_the_lowest_bias() -> None:
    assert VOLUME_BIAS.low == (0 - 5) / 5
