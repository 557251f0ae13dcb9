"""Counts a release ships beside its probes: the radiologist's, and the pilot that hides boxes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from overread.benchmarks.medvigil import layout
from overread.benchmarks.medvigil.axes import TRAP, cell_of
from overread.benchmarks.medvigil.layout import Case, Probe
from overread.records import Finding, Severity

__all__ = [
    "ALL",
    "DecayStep",
    "ReaderCount",
    "decay_steps",
    "reader_counts",
    "reader_findings",
    "reader_rates",
]

ALL: Final = "ALL"
"""The tier of a row over all tiers."""
_HALF_DIGIT: Final = 0.05 + 1e-9
"""Percentages have one digit after the point; halves may be rounded either way."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReaderCount:
    """One row of the radiologist's counts."""

    kind: str
    tier: str
    n: int
    right: int
    """Of traps: those in which the safe option was taken."""
    percent: float | None
    """As printed: right answers or, of traps, those answered."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DecayStep:
    """One model at one step of the pilot; counts are worked out of the percentages."""

    model: str
    step: int
    n: int
    refused: int | None
    """None where no count of `n` gives the printed percentage."""
    switched: int | None
    refused_percent: float
    switched_percent: float
    stable_percent: float


def reader_counts(data: Path) -> tuple[ReaderCount, ...]:
    """Read the radiologist's counts; empty where the file is absent or unreadable.

    Of traps the column of right answers may hold those refused or those answered: its percentage,
    which the released script takes for those answered, decides.
    """
    found: list[ReaderCount] = []
    for row in layout.read_table(data, layout.CLINICIAN_FILE).rows:
        n, right = _whole(row.get("n_probes")), _whole(row.get("n_correct"))
        kind, tier = row.get("probe_kind", ""), row.get("risk_tier", "").upper()
        if n is None or right is None or not kind or not 0 <= right <= n:
            continue
        percent = _real(row.get("acc_or_sfr_pct"))
        if kind == TRAP and percent is not None and n:
            answered_if_refused = abs(100 * (n - right) / n - percent)
            if abs(100 * right / n - percent) < answered_if_refused:
                right = n - right
        found.append(ReaderCount(kind=kind, tier=tier, n=n, right=right, percent=percent))
    return tuple(found)


def reader_rates(counts: Sequence[ReaderCount]) -> dict[tuple[str, ...], float]:
    """Give the rates that the composite is made of, by cell; cells without a row are absent."""
    rates: dict[tuple[str, ...], float] = {}
    for one in counts:
        in_tier = one.kind == TRAP and one.tier in layout.TIERS
        if one.n and (in_tier or (one.kind != TRAP and one.tier == ALL)):
            rates[(cell_of(one.kind, one.tier),)] = one.right / one.n
    return rates


def decay_steps(data: Path) -> tuple[DecayStep, ...]:
    """Read the pilot's table; empty where it is absent or unreadable."""
    found: list[DecayStep] = []
    for row in layout.read_table(data, layout.DECAY_FILE).rows:
        n, step = _whole(row.get("n_cases")), _whole(row.get("step"))
        refused, switched, stable = (
            _real(row.get(name))
            for name in ("refusal_pct", "switch_from_s0_pct", "letter_stability_pct")
        )
        if not n or step is None or refused is None or switched is None or stable is None:
            continue
        found.append(
            DecayStep(
                model=row.get("model", ""),
                step=step,
                n=n,
                refused=_count(refused, n),
                switched=_count(switched, n),
                refused_percent=refused,
                switched_percent=switched,
                stable_percent=stable,
            )
        )
    return tuple(found)


def reader_findings(
    data: Path, probes: Mapping[str, Probe], cases: Mapping[str, Case]
) -> Iterator[Finding]:
    """Report counts that contradict each other or the release, and shares that are no counts."""
    counts = reader_counts(data)
    whole = {one.kind: one for one in counts if one.tier == ALL}
    asked = Counter(one.kind for one in probes.values())
    for kind, one in whole.items():
        parts = [each for each in counts if each.kind == kind and each.tier in layout.TIERS]
        sums = sum(each.n for each in parts), sum(each.right for each in parts)
        if parts and sums != (one.n, one.right):
            evidence = f"tiers add up to {sums[1]} of {sums[0]}, the row of all says {one.right} "
            yield _contradiction(f"{kind}, all tiers", f"{evidence}of {one.n}")
        if asked[kind] and one.n != asked[kind]:
            yield _contradiction(kind, f"{one.n} probes read, {asked[kind]} in the release")
    for one in counts:
        share = one.n - one.right if one.kind == TRAP else one.right
        if one.percent is None or not one.n:
            continue
        if abs(100 * share / one.n - one.percent) > _HALF_DIGIT:
            evidence = f"{share} of {one.n} is no {one.percent} %"
            yield _contradiction(f"{one.kind}, {one.tier}", evidence)
    for step in decay_steps(data):
        where = f"{layout.DECAY_FILE}: {step.model}, step {step.step}"
        if step.refused is None or step.switched is None:
            yield Finding(
                severity=Severity.ERROR,
                code="impossible-share",
                where=where,
                evidence=f"{step.refused_percent} % or {step.switched_percent} % is no count of "
                f"{step.n}",
                effect="no interval can be given",
            )


def _contradiction(where: str, evidence: str) -> Finding:
    return Finding(
        severity=Severity.WARNING,
        code="reader-counts",
        where=f"{layout.CLINICIAN_FILE}: {where}",
        evidence=evidence,
        effect="the radiologist's row is not that of these probes",
    )


def _count(percent: float, n: int) -> int | None:
    count = round(percent * n / 100)
    return count if abs(100 * count / n - percent) <= _HALF_DIGIT else None


def _whole(text: str | None) -> int | None:
    number = _real(text)
    return int(number) if number is not None and number == int(number) else None


def _real(text: str | None) -> float | None:
    try:
        number = float(text or "")
    except ValueError:
        return None
    return number if abs(number) < 1e9 else None
