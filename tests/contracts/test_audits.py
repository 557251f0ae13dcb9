"""What every audit must do, held against each registered one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from overread import registry
from overread.benchmarks import _template
from overread.contracts import AnalysisPlan, Card, ExpectedCount, Selection, Training
from overread.contracts.replay import Replay
from overread.records import Finding, Item, PublishedValue


@dataclass
class Empty:
    """A release that ships nothing at all, not even a question."""

    root: Path
    card: Card = field(default_factory=lambda: _template.BENCHMARK.card)

    @property
    def media_root(self) -> Path:
        return self.root

    def items(self, selection: Selection) -> Iterator[Item]:
        return iter(())

    def training(self, selection: Selection) -> Training:
        return Training()

    def published(self) -> Sequence[PublishedValue]:
        return ()

    def expected_counts(self) -> Sequence[ExpectedCount]:
        return ()

    def findings(self, *, thorough: bool = False) -> Sequence[Finding]:
        return ()

    def plan(self) -> AnalysisPlan:
        return AnalysisPlan(strata=((),), cells=("split",), cluster="patient")

    def replay(self) -> Replay:
        return Replay(questions=())


@pytest.mark.parametrize("name", registry.audit_names())
def test_an_audit_describes_itself(name: str):
    audit = registry.find_audit(name)
    assert audit.name == name
    assert audit.summary
    assert "\n" not in audit.summary


@pytest.mark.parametrize("name", registry.audit_names())
def test_an_audit_finds_nothing_in_nothing(name: str, tmp_path: Path):
    assert list(registry.find_audit(name).look(Empty(tmp_path))) == []  # type: ignore[arg-type]


@pytest.mark.parametrize("name", registry.audit_names())
def test_an_audit_leaves_alone_what_it_cannot_look_at(name: str, tmp_path: Path):
    _template.BENCHMARK.synthesise(tmp_path / "release", seed=1, size=4)
    release = _template.BENCHMARK.open(tmp_path / "release")
    found = list(registry.find_audit(name).look(release))
    assert all(isinstance(one, Finding) for one in found)
