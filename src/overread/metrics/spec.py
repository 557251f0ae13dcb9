"""What is true of a metric, said once: shared tests and reports read it from here."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

__all__ = ["MetricSpec"]


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricSpec:
    """A metric's contract. A change that can move a number raises `version`."""

    name: str
    version: str
    title: str
    """For a table's heading."""
    direction: Literal["up", "down", "none"]
    """Whether more is better, less is better, or neither."""
    low: float
    high: float
    """Range of the value, both ends reachable."""
    unit: str
    properties: frozenset[str]
    """Facts that hold for every input and are tested for each metric that claims them:
    ``order invariant``, ``relabelling invariant``, ``monotone in right answers``,
    ``lowered by silence``, ``blind to silence``, ``blind to right answers``, ``deaf to case``,
    ``symmetric``, ``best for identical texts``."""
    undefined: str
    """When there is no value: the function then returns None, never 0."""
