"""What became of questions without an answer in a probe: no reply, or one that is no answer."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Failures", "Silence"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Failures:
    """Questions to which no reply came: a failure is no answer, so their pairs take no part."""

    original: int
    """Without a reply as released."""
    changed: int
    """Without one when changed."""
    pairs: int
    """Without one in either, each counted once: so many pairs are left out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Silence:
    """Replies without an answer, over the pairs of an arm."""

    original: int
    """Without a readable answer as released."""
    changed: int
    """Without one when changed."""
    refused_original: int
    refused: int
    """Of `changed`, those where the reply declines or the host blocked it."""
    lost: int
    """Questions that were right as released and have no answer when changed."""
