"""What a test gives back."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["TestResult"]


@dataclass(frozen=True, slots=True, kw_only=True)
class TestResult:
    """A p-value, or the reason why there is none."""

    p_value: float | None
    method: str
    reason: str | None = None


# The name would make pytest collect the class wherever a test module imports it.
TestResult.__test__ = False  # pyright: ignore[reportAttributeAccessIssue]
