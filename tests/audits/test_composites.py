"""Coins on composites, and rates that cancel."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from overread.audits.composites import AUDIT, composite_floor
from overread.benchmarks.medvigil import BENCHMARK
from overread.contracts import AlsoMetric, AnalysisPlan, RateFormula
from overread.records import Severity


def grounding(rates: Any) -> Any:
    only, masked = rates[("only",)], rates[("masked",)]
    return (np.clip(only - masked + 0.5, 0, 1) + masked) / 2


def harmonic(rates: Any) -> Any:
    one, two = rates[("plain",)], rates[("trap",)]
    return np.divide(2 * one * two, one + two, where=one + two > 0, out=np.full_like(one, np.nan))


@dataclass
class Composed:
    """An exam with one composite in its plan."""

    exam: Any
    formula: RateFormula

    def plan(self) -> AnalysisPlan:
        also = (AlsoMetric(metric="composite", pooled=self.formula),)
        return replace(self.exam.plan(), also=also)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.exam, name)


def by_kind(formula: Any) -> RateFormula:
    return RateFormula(by=("kind",), value=formula)


def test_a_coin_on_a_harmonic_mean() -> None:
    shares = {("plain",): {"A": 1.0, "B": 0.0}, ("trap",): {"A": 0.0, "B": 1.0}}
    found = composite_floor("composite", by_kind(harmonic), shares)
    assert found is not None
    assert found.letters == ("A", "B")
    # 2·p·(1−p): greatest at one half.
    assert found.coin == found.uniform == pytest.approx(0.5)
    assert found.best == pytest.approx(0.5, abs=1e-9)
    assert found.best_chances["A"] == pytest.approx(0.5, abs=1e-3)
    assert found.constant == 0.0


def test_letters_that_are_spread_leave_chance() -> None:
    even = dict.fromkeys("ABCDE", 0.2)
    found = composite_floor("composite", by_kind(harmonic), {("plain",): even, ("trap",): even})
    assert found is not None
    assert found.best == found.coin == found.constant == pytest.approx(0.2)


def test_one_letter_is_no_mixture() -> None:
    shares = {("plain",): {"A": 1.0, "B": 0.0}, ("trap",): {"A": 1.0, "B": 0.0}}
    assert composite_floor("composite", by_kind(harmonic), shares) is None


def test_a_rate_that_cancels_is_named(exam: Any, ask: Any) -> None:
    rows = [ask(n, 0, kind="only") for n in range(10)]
    rows += [ask(10 + n, 3, kind="masked") for n in range(10)]
    release: Any = Composed(exam(rows), by_kind(grounding))
    found = {one.code: one for one in AUDIT.look(release)}
    one = found["cancelled-rate"]
    assert one.severity is Severity.WARNING
    assert one.count == 10
    assert "masked cancels out of composite, which is (only + 50 %) × 0.5" in one.evidence
    assert "with every question right it is 75 %" in one.evidence
    assert "never below 25 %" in one.evidence


def test_a_formula_that_hears_all_its_rates_is_left_alone(exam: Any, ask: Any) -> None:
    rows = [ask(n, 0, kind="plain") for n in range(10)]
    rows += [ask(10 + n, 3, kind="trap") for n in range(10)]
    release: Any = Composed(exam(rows), by_kind(harmonic))
    assert [one.code for one in AUDIT.look(release)] == ["blind-composite"]


def test_a_plan_without_composites_is_left_alone(exam: Any, ask: Any) -> None:
    assert list(AUDIT.look(exam([ask(n, n % 4) for n in range(40)]))) == []


def test_medvigil(tmp_path: Path) -> None:
    BENCHMARK.synthesise(tmp_path, seed=4, size=60)
    found = {(one.code, one.where): one for one in AUDIT.look(BENCHMARK.open(tmp_path))}
    coin = found["blind-composite", "test, mcs"]
    assert coin.severity is Severity.ERROR
    assert "a fair coin between A and E has 50.0 %" in coin.evidence
    assert "(A 55.5 %, E 44.5 %) 50.465 %" in coin.evidence
    assert "a letter at random 23.3 %; always A 0.0 %" in coin.evidence
    assert "below the coin are 9 of 16 published models" in coin.evidence
    assert "below the best blind policy 10: HuatuoGPT-V 7B 50.4, LLaVA-Med 7B" in coin.evidence
    lost = found["cancelled-rate", "test, grounding"]
    assert "(roi_only + 50 %) × 0.5" in lost.evidence
    assert "11 of 11 printed rows lie on it" in lost.evidence
    assert "with every question right it is 90 %" in found["cancelled-rate", "test, mcs"].evidence
