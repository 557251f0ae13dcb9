"""Who filled in which sheet, and shares of what people said, with intervals over patients."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np

from overread.stats.bootstrap import cluster_codes
from overread.stats.cluster_wilson import SHARE
from overread.stats.few_clusters import cluster_interval
from overread.stats.intervals import wilson

__all__ = [
    "NO",
    "YES",
    "Share",
    "count_people",
    "name_sheets",
    "share_over_patients",
    "share_text",
]

YES: Final = frozenset({"yes", "y", "true", "1"})
NO: Final = frozenset({"no", "n", "false", "0"})
_SEED: Final = 20260219


@dataclass(frozen=True, slots=True, kw_only=True)
class Share:
    """A share with its interval over patients, 0 to 1; None where it is undefined."""

    count: int
    n: int
    value: float | None
    low: float | None
    high: float | None
    method: str


def count_people(n: int) -> str:
    """Count people in words.

    Examples
    --------
    >>> count_people(1), count_people(3)
    ('1 person', '3 people')
    """
    return f"{n} person" if n == 1 else f"{n} people"


def name_sheets(paths: Sequence[Path]) -> Mapping[Path, str]:
    """Name each sheet once, for the rows that name no reviewer.

    People fill in copies that keep the name of the sheet, each in a folder of their own: these are
    numbered, so that two people do not pass for one. No folder of a machine is told.

    Examples
    --------
    >>> list(name_sheets([Path("anna/sheet.csv"), Path("ben/sheet.csv"), Path("c.csv")]).values())
    ['sheet.csv (1)', 'sheet.csv (2)', 'c.csv']
    """
    distinct = list({path.resolve(): path for path in paths}.values())
    alike = Counter(path.name for path in distinct)
    seen: Counter[str] = Counter()
    names: dict[Path, str] = {}
    for path in distinct:
        seen[path.name] += 1
        number = f" ({seen[path.name]})" if alike[path.name] > 1 else ""
        names[path] = f"{path.name}{number}"
    return names


def share_over_patients(hits: Sequence[bool], patients: Sequence[str]) -> Share:
    """Give the share of hits, clustered by patient; Wilson's where each is another patient's.

    Examples
    --------
    >>> share_over_patients([True, False, True, True], list("abcd")).value
    0.75
    """
    if not hits:
        return Share(count=0, n=0, value=None, low=None, high=None, method="none")
    if len(set(patients)) == len(hits):
        found = wilson(sum(hits), len(hits))
    else:
        values, codes = np.array(hits, dtype=np.float64), cluster_codes(list(patients))
        rng = np.random.default_rng(_SEED)
        (found,) = cluster_interval(values, codes, ends=(SHARE,), rng=rng)
    return Share(
        count=sum(hits),
        n=len(hits),
        value=found.value,
        low=found.low,
        high=found.high,
        method=found.method,
    )


def share_text(share: Share) -> str:
    """Word a share for a card."""
    if share.value is None:
        return "none"
    between = (
        "no interval"
        if share.low is None or share.high is None
        else f"95 % {100 * share.low:.1f} to {100 * share.high:.1f}, {share.method}"
    )
    return f"{share.count} of {share.n}, {100 * share.value:.1f} % ({between})"
