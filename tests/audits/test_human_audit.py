from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from overread.audits.human_audit import AUDIT
from overread.contracts.replay import AuditLabel, Replay
from overread.records import PublishedValue, Severity


def labels(*pairs: tuple[bool | None, bool | None]) -> tuple[AuditLabel, ...]:
    return tuple(
        AuditLabel(annotator="A", case="c", index=index, is_spatial=one, is_relevant=other)
        for index, (one, other) in enumerate(pairs)
    )


def test_what_people_said_is_counted(slipped: Replay, shipped: Any):
    said = labels(
        (True, True), (True, True), (False, True), (True, False), (False, False), (None, True)
    )
    (found,) = AUDIT.look(shipped(replace(slipped, audit=said)))
    assert (found.severity, found.code, found.count) == (Severity.INFO, "human-audit", 6)
    assert found.evidence == (
        "1 annotator answered 6 pairs: 2 spatial and relevant, 1 relevant but not spatial, 1 "
        "spatial but not relevant, 1 neither, 1 incomplete"
    )
    assert found.effect == (
        "that is 75.0 % of 8 questions, and 40.0 % of the complete ones are spatial and relevant"
    )


def test_where_people_and_validator_differ_is_counted(slipped: Replay, shipped: Any):
    one, *others = labels((True, True), (True, True), (False, True), (True, True))
    said = (replace(one, is_disputed=True), *others)
    (found,) = AUDIT.look(shipped(replace(slipped, audit=said)))
    assert found.effect.endswith("people and the validator differ on 25.00 % (1 of 4)")


def claims(share: float, agreement: float) -> tuple[PublishedValue, ...]:
    return tuple(
        PublishedValue(
            metric=metric, stratum={}, who="people", kind="reader", value=value, source="A paper"
        )
        for metric, value in (("audited_share", share), ("audit_agreement", agreement))
    )


# Two of eight pairs, one of the two good.
@pytest.mark.parametrize(("share", "agreement"), [(0.26, 0.1), (0.1, 0.51)])
def test_a_paper_that_says_more_is_told(
    slipped: Replay, shipped: Any, share: float, agreement: float
):
    said = labels((True, True), (False, True))
    (found,) = AUDIT.look(shipped(replace(slipped, audit=said, published=claims(share, agreement))))
    assert found.severity is Severity.WARNING
    assert found.effect.endswith(
        f"A paper: audited share {100 * share:.0f} % and audit agreement {100 * agreement:.0f} %"
    )


def test_a_paper_that_says_no_more_is_not_blamed(slipped: Replay, shipped: Any):
    said = labels((True, True), (False, True))
    (found,) = AUDIT.look(shipped(replace(slipped, audit=said, published=claims(0.25, 0.5))))
    assert found.severity is Severity.INFO


def test_no_audit_gives_nothing(slipped: Replay, shipped: Any):
    assert list(AUDIT.look(shipped(slipped))) == []
