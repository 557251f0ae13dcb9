"""The frame of an audit that looks at what a release ships for replay."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from overread.audits.shipped import replay_of
from overread.contracts import Release
from overread.contracts.replay import Replay
from overread.records import Finding

__all__ = ["ReplayAudit"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplayAudit:
    """An audit of released predictions, votes and tables; other releases it leaves alone."""

    name: str
    summary: str
    look_at: Callable[[Replay, Release], Iterable[Finding]]

    def look(self, release: Release) -> Iterable[Finding]:
        """Report what is found; nothing for a release that ships nothing."""
        replay = replay_of(release)
        return () if replay is None else self.look_at(replay, release)
