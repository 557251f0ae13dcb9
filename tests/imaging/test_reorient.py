from __future__ import annotations

import numpy as np
import pytest
from nibabel.orientations import apply_orientation, axcodes2ornt, ornt_transform

from overread.errors import UsageError
from overread.imaging.reorient import AXES_CODES, check_axes, reorient, turn_of

STORED = np.arange(2 * 3 * 4).reshape(2, 3, 4)


def test_there_are_48_ways_to_lie() -> None:
    assert len(set(AXES_CODES)) == len(AXES_CODES) == 48
    assert {"RAS", "LPS", "SPL", "PIL", "ASR"} <= set(AXES_CODES)


@pytest.mark.parametrize("stored", AXES_CODES)
def test_every_turn_is_that_of_nibabel_and_can_be_turned_back(stored: str) -> None:
    for wanted in AXES_CODES:
        turned = reorient(STORED, stored, wanted)
        turn = ornt_transform(axcodes2ornt(tuple(stored)), axcodes2ornt(tuple(wanted)))
        assert np.array_equal(turned, apply_orientation(STORED, turn))
        assert np.array_equal(reorient(turned, wanted, stored), STORED)


def test_a_turn_copies_nothing() -> None:
    turned = reorient(STORED, "RAS", "SPL")
    assert np.shares_memory(turned, STORED)
    assert turned.shape == (4, 3, 2)
    # The first shown voxel is the lowest, most anterior and most right one.
    assert turned[0, 0, 0] == STORED[1, 2, 0]


def test_a_turn_says_what_it_does() -> None:
    assert turn_of("LPS", "LPS") == ((0, 1, 2), (False, False, False))
    assert turn_of("LPS", "SAR") == ((2, 1, 0), (False, True, True))


@pytest.mark.parametrize("code", ["", "LP", "LPSS", "LRS", "lps", "XYZ", "LPP"])
def test_other_codes_are_refused(code: str) -> None:
    with pytest.raises(UsageError, match="three letters, one each of L or R, P or A, S or I"):
        check_axes(code)
    with pytest.raises(UsageError):
        reorient(STORED, "RAS", code)
