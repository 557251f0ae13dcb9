from __future__ import annotations

from dataclasses import replace
from typing import Any

from overread.audits.two_sources import AUDIT
from overread.contracts.replay import Replay


def test_a_number_cut_off_instead_of_rounded(slipped: Replay, shipped: Any, make: Any):
    rows = (
        make.published("bleu", "RadFM", 16.45),
        make.published("bleu", "RadFM", 16.457095166271824, source="summary.json"),
        make.published("bleu", "M3D", 1.08),
        make.published("bleu", "M3D", 1.075053407972095, source="summary.json"),
    )
    (found,) = AUDIT.look(shipped(replace(slipped, published=rows)))
    assert (found.code, found.count) == ("two-sources", 1)
    assert found.evidence == "bleu of RadFM is 16.45 in one place and 16.4571 in summary.json"


def test_a_share_is_shown_in_per_cent(slipped: Replay, shipped: Any, make: Any):
    rows = (
        make.published("jury_accuracy", "M", 0.3151),
        make.published("jury_accuracy", "M", 0.31486173845984355, source="jury.json"),
    )
    (found,) = AUDIT.look(shipped(replace(slipped, published=rows)))
    assert found.evidence == "jury_accuracy of M is 31.51 in one place and 31.4862 in jury.json"


def test_rounded_numbers_give_nothing(slipped: Replay, shipped: Any):
    assert list(AUDIT.look(shipped(slipped))) == []
