"""What a release holds before anyone is asked: counts, gaps, letter balance, blind floors."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from overread.analysis.blind_floor import BlindFloor, blind_floors
from overread.audits.blind_floors import leak_finding
from overread.audits.leakage import release_sides, shared_groups
from overread.contracts import Release, Selection
from overread.errors import listed
from overread.imaging.safe_path import without_root
from overread.records import Choice, Finding, Item, Reference, Severity

__all__ = ["CountRow", "ReleaseCheck", "SplitCheck", "as_released", "check_release"]


@dataclass(frozen=True, slots=True, kw_only=True)
class CountRow:
    """One cell of the exam: how many questions there are, and should be."""

    stratum: Mapping[str, str]
    n: int
    n_expected: int | None
    """None where a complete release has no such cell."""
    n_units: int
    """Distinct ones of what the release is counted in (`Card.unit`)."""
    n_patients: int
    letters: Mapping[str, int]
    """Right letter → how often, over questions of choice."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SplitCheck:
    """One split of the exam."""

    split: str
    unit: str
    """What `CountRow.n_units` counts: `Card.unit`."""
    rows: tuple[CountRow, ...]
    total: CountRow
    floors: tuple[BlindFloor, ...]
    by_name: tuple[CountRow, ...] = ()
    """Each task that is asked only where it is named (`Card.asked_by_name`), by ``task``; none of
    it is in the other counts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReleaseCheck:
    """All that `overread check` prints."""

    splits: tuple[SplitCheck, ...]
    findings: tuple[Finding, ...]

    @property
    def ok(self) -> bool:
        """Whether nothing of severity error was found."""
        return all(finding.severity is not Severity.ERROR for finding in self.findings)


def check_release(release: Release) -> ReleaseCheck:
    """Count every split of a release against what a complete one holds."""
    findings = list(release.findings(thorough=True))
    splits: list[SplitCheck] = []
    for split in release.card.splits:
        items = list(release.items(Selection(split=split)))
        references = {item.id: release.reference(item.id) for item in items}
        check = _split(release, split, items, references)
        splits.append(check)
        findings += _count_findings(check)
        leak = leak_finding(split, check.floors)
        findings += [] if leak is None else [leak]
    for one, other in combinations(release_sides(release), 2):
        findings += shared_groups(one, other)
    return ReleaseCheck(
        splits=tuple(splits), findings=tuple(as_released(each, release) for each in findings)
    )


def as_released(finding: Finding, release: Release) -> Finding:
    """Name files in a finding as the release does, not by where they lie on this machine."""
    where, evidence = (
        without_root(without_root(text, release.media_root), release.root)
        for text in (finding.where, finding.evidence)
    )
    return replace(finding, where=where, evidence=evidence)


def _split(
    release: Release, split: str, items: Sequence[Item], references: Mapping[str, Reference]
) -> SplitCheck:
    plan, unit = release.plan(), release.card.unit
    keys = plan.cells
    cells: dict[tuple[str, ...], list[Item]] = {}
    counts = [count for count in release.expected_counts() if count.split == split]
    # A release may state its total alone, where its cells are of our making.
    wanted = {
        tuple(count.stratum[key] for key in keys): count.n for count in counts if count.stratum
    }
    n_expected = sum(count.n for count in counts if bool(count.stratum) == bool(wanted))
    for cell in wanted:
        cells[cell] = []
    for item in items:
        cells.setdefault(tuple(item.strata[key] for key in keys), []).append(item)
    return SplitCheck(
        split=split,
        unit=unit,
        rows=tuple(
            _row(dict(zip(keys, cell, strict=True)), members, wanted.get(cell), references, unit)
            for cell, members in cells.items()
        ),
        total=_row({}, items, n_expected or None, references, unit),
        floors=blind_floors(
            items,
            references,
            plan.strata,
            cluster=plan.cluster,
            only=plan.headline_only,
            multi_label=plan.multi_label,
        )
        if items
        else (),
        by_name=tuple(_by_name(release, split)),
    )


def _by_name(release: Release, split: str) -> Iterator[CountRow]:
    """Count the tasks that are asked only where they are named, where there are any questions."""
    for task in release.card.asked_by_name:
        items = list(release.items(Selection(split=split, tasks=(task,))))
        if items:
            references = {item.id: release.reference(item.id) for item in items}
            yield _row({"task": task}, items, None, references, release.card.unit)


def _row(
    stratum: Mapping[str, str],
    items: Sequence[Item],
    n_expected: int | None,
    references: Mapping[str, Reference],
    unit: str,
) -> CountRow:
    answers = Counter(
        references[item.id].answer or "none"
        for item in items
        if isinstance(item.answer_space, Choice)
    )
    return CountRow(
        stratum=stratum,
        n=len(items),
        n_expected=n_expected,
        n_units=len({item.groups.get(unit, item.id) for item in items}),
        n_patients=len({item.groups["patient"] for item in items if "patient" in item.groups}),
        letters=dict(sorted(answers.items())),
    )


def _count_findings(check: SplitCheck) -> Iterator[Finding]:
    if check.total.n_expected is None:  # no complete release of this kind is known
        return
    by_cell = any(row.n_expected is not None for row in check.rows)
    rows = check.rows if by_cell else (check.total,)
    odd = [row for row in rows if row.n != (row.n_expected or 0)]
    if odd:
        told = [
            f"{'/'.join(row.stratum.values()) or 'total'}: {row.n} of {row.n_expected or 0}"
            for row in odd
        ]
        yield Finding(
            severity=Severity.WARNING,
            code="question-counts",
            where=check.split,
            evidence=f"{check.total.n} questions, a complete release has "
            f"{check.total.n_expected} ({listed(told, most=3)})",
            effect="totals are not those of the published exam; denominators are this release's",
            count=len(odd),
        )
