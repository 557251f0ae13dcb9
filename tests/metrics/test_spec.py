from __future__ import annotations

from dataclasses import FrozenInstanceError

import pytest

from overread.metrics.choice import ACCURACY


def test_a_contract_cannot_be_edited() -> None:
    with pytest.raises(FrozenInstanceError):
        ACCURACY.version = "2"  # type: ignore[misc]
