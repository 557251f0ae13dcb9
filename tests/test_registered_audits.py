"""Audits that other packages add."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from importlib.metadata import EntryPoint
from types import ModuleType
from typing import Any

import pytest

from overread import registry
from overread.audits import duplicates
from overread.audits.replay_audit import ReplayAudit

OURS = ReplayAudit(name="ours", summary="nothing", look_at=lambda replay, release: ())
NAMESAKE = ReplayAudit(name="duplicates", summary="nothing", look_at=lambda replay, release: ())


@pytest.fixture(autouse=True)
def joined(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    module: Any = ModuleType("joined_audits")
    module.AUDIT = OURS
    module.NAMESAKE = NAMESAKE
    monkeypatch.setitem(sys.modules, "joined_audits", module)
    registry._audits.cache_clear()  # pyright: ignore[reportPrivateUsage]
    yield
    registry._audits.cache_clear()  # pyright: ignore[reportPrivateUsage]


def entries(monkeypatch: pytest.MonkeyPatch, *values: str) -> None:
    found = [EntryPoint(name="any", value=each, group="overread.audits") for each in values]
    monkeypatch.setattr("importlib.metadata.entry_points", lambda group: found)


@pytest.mark.parametrize("value", ["joined_audits", "joined_audits:AUDIT"])
def test_an_entry_point_may_name_the_module_or_the_audit(
    monkeypatch: pytest.MonkeyPatch, value: str
) -> None:
    entries(monkeypatch, value)
    assert registry.find_audit("ours") is OURS
    assert "ours" in registry.audit_names()


def test_a_built_in_audit_stands_before_its_namesake(monkeypatch: pytest.MonkeyPatch) -> None:
    entries(monkeypatch, "joined_audits:NAMESAKE")
    assert registry.find_audit("duplicates") is duplicates.AUDIT
