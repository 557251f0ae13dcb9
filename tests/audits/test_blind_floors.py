"""What can be scored without looking."""

from __future__ import annotations

from typing import Any

from overread.audits.blind_floors import AUDIT
from overread.records import PublishedValue


def found(release: Any) -> dict[str, Any]:
    return {one.code: one for one in AUDIT.look(release)}


def published(value: float, n: int | None, **stratum: str) -> PublishedValue:
    return PublishedValue(
        metric="accuracy", stratum=stratum, who="a model", kind="model", value=value, n=n,
        source="made up",
    )  # fmt: skip


def test_a_fair_exam_has_a_floor_and_no_leak(exam: Any, ask: Any) -> None:
    one = found(exam([ask(n, n % 4) for n in range(200)]))
    assert set(one) == {"blind-floor"}
    assert "chance is 25.0 %" in one["blind-floor"].evidence


def test_a_habit_of_letters_is_a_leak(exam: Any, ask: Any) -> None:
    one = found(exam([ask(n, 0 if n % 10 else 1) for n in range(200)]))
    assert "scores 90.0 % of 200 questions without a picture" in one["blind-leak"].evidence


def test_published_models_below_the_floor_are_named(exam: Any, ask: Any) -> None:
    rows = [ask(n, 0 if n % 2 else 1) for n in range(100)]
    numbers = [published(0.40, 100), published(0.70, 100), published(0.10, 100, kind="usual")]
    one = found(exam(rows, numbers=numbers))["published-below-blind"]
    assert one.count == 2
    assert one.evidence.startswith("2 of 3 published numbers")
    assert "a model 40.0 %, a model (usual) 10.0 %" in one.evidence


def test_numbers_of_another_exam_are_not_compared(exam: Any, ask: Any) -> None:
    rows = [ask(n, 0) for n in range(100)]
    numbers = [published(0.4, 1900), published(0.4, None)]
    assert "published-below-blind" not in found(exam(rows, numbers=numbers))
