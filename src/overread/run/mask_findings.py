"""What the geometry doctor saw of a run's masks, as findings: said once for all cases."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Final

from overread.records import Finding, Score, Severity
from overread.scoring.masks.doubts import MaskDoubts, doubts_in

__all__ = ["mask_findings"]

_SHOWN: Final = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class _Kind:
    """One thing that may be wrong with masks, and what is said of it."""

    code: str
    severity: Severity
    effect: str
    remedy: str


_KINDS: Final = {
    "grid": _Kind(
        code="grid",
        severity=Severity.ERROR,
        effect="not scored in the honest profile, and still in its denominator: voxels of one "
        "index lie in two places",
        remedy="Write masks on the grid of the volume they are made of.",
    ),
    "turned": _Kind(
        code="turned-mask",
        severity=Severity.WARNING,
        effect="the mask may have been written in another orientation; it is scored as stored",
        remedy="Look at the pictures; mend what writes the masks.",
    ),
    "unnamed": _Kind(
        code="unnamed-labels",
        severity=Severity.WARNING,
        effect="the release does not name these labels: they count as background",
        remedy="Number labels as the release does.",
    ),
    "resampled": _Kind(
        code="grid",
        severity=Severity.WARNING,
        effect="these masks lay on another grid than their references",
        remedy="Write masks on the grid of the volume they are made of.",
    ),
}


def mask_findings(scores: Iterable[Score], n: int) -> Iterator[Finding]:
    """Gather what the rows of the honest profile say of grids, turns and labels.

    Parameters
    ----------
    scores
        Of one run.
    n
        Questions of the plan.

    Yields
    ------
    Finding
        One for each kind, with the number of masks it is about and the first of them.
    """
    found: dict[str, dict[tuple[str, int], str]] = {kind: {} for kind in _KINDS}
    for score in scores:
        # Labels have the reasons of their case.
        if score.profile == "honest" and score.target is None and score.reason is not None:
            for kind, words in _told(doubts_in(score.reason)):
                found[kind].setdefault((score.item, score.draw), words)
    for kind, cases in found.items():
        if cases:
            told = _KINDS[kind]
            yield Finding(
                severity=told.severity,
                code=told.code,
                where=f"{len(cases)} of {n} questions",
                evidence=_examples(cases),
                effect=told.effect,
                remedy=told.remedy,
                count=len(cases),
            )


def _told(doubts: MaskDoubts) -> Iterator[tuple[str, str]]:
    for kind in _KINDS:
        words: str | None = getattr(doubts, kind)
        if words is not None:
            yield kind, words


def _examples(cases: dict[tuple[str, int], str]) -> str:
    """Name the first case of each sentence, and with how many it is shared."""
    alike: dict[str, list[str]] = {}
    for (item, _), words in cases.items():
        alike.setdefault(words.rstrip("."), []).append(item)
    shown = [
        f"{items[0]}{f' and {len(items) - 1} more' if len(items) > 1 else ''}: {words}"
        for words, items in islice(alike.items(), _SHOWN)
    ]
    n_left = sum(len(items) for items in islice(alike.values(), _SHOWN, None))
    return "; ".join(shown) + (f"; and {n_left} more" if n_left else "")
