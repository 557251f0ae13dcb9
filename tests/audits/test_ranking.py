from __future__ import annotations

from dataclasses import replace
from typing import Any

from overread.audits.ranking import AUDIT
from overread.contracts.replay import Replay


def test_an_order_that_the_join_made(slipped: Replay, shipped: Any, make: Any):
    # Published 2/7 for Model M, by key 3/7: it overtakes a model at 0.35.
    other = make.published("jury_accuracy", "Other", 0.35)
    held = replace(
        slipped,
        published=(*slipped.published, other),
        matrix={item: {**row, "Other": 1.0} for item, row in slipped.matrix.items()},
    )
    (found,) = AUDIT.look(shipped(held))
    assert (found.code, found.count) == ("changed-order", 1)
    assert found.evidence == (
        "published: Other 35.00 % over Model M 28.57 %, joined by key: Model M 42.86 % over Other "
        "35.00 %"
    )


def test_an_order_that_stands(slipped: Replay, shipped: Any, make: Any):
    other = make.published("jury_accuracy", "Other", 0.6)
    held = replace(slipped, published=(*slipped.published, other))
    assert list(AUDIT.look(shipped(held))) == []
