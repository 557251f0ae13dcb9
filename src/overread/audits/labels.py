"""Audit: category labels that are misspelt, absent, or count one question several times."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import numpy as np

from overread.audits.category_labels import misspelt_labels
from overread.audits.joined import join_all
from overread.audits.replay_audit import ReplayAudit
from overread.audits.reproduce.category_cells import places_by_category
from overread.audits.reproduce.vote_cells import jury_verdicts
from overread.audits.wording import counted
from overread.contracts import Audit, Release
from overread.contracts.replay import Replay
from overread.records import Finding, Severity

__all__ = ["AUDIT"]


def _look(replay: Replay, release: Release) -> Iterator[Finding]:
    counts = Counter(label for one in replay.questions for label in one.labels)
    if not counts:
        return
    known = [one.stratum["category"] for one in replay.published if "category" in one.stratum]
    used = [label for one in replay.questions for label in one.labels]
    for label, (right, n) in misspelt_labels(used, known=known).items():
        yield Finding(
            severity=Severity.WARNING,
            code="misspelt-category",
            where=f"'{label}'",
            evidence=f"{counted(n, 'question')} carry it; it stands for '{right}' "
            f"({counts[right]:,} questions)",
            effect="a count by the exact label misses them",
            count=n,
        )
    yield _counts(counts)
    yield from _several(replay)


def _counts(counts: Counter[str]) -> Finding:
    return Finding(
        severity=Severity.INFO,
        code="category-counts",
        where="category labels",
        evidence="; ".join(f"{label} {n:,}" for label, n in counts.most_common()),
        count=sum(counts.values()),
    )


def _several(replay: Replay) -> Iterator[Finding]:
    n_labels = Counter(len(set(one.labels)) for one in replay.questions)
    if n_labels[0]:
        yield Finding(
            severity=Severity.INFO,
            code="no-category",
            where="category labels",
            evidence=f"{counted(n_labels[0], 'question')} carry no label",
            effect="they are in the total and in no category",
            count=n_labels[0],
        )
    several = sum(n for labels, n in n_labels.items() if labels > 1)
    if several:
        spread = ", ".join(f"{n:,} with {labels}" for labels, n in sorted(n_labels.items()))
        yield Finding(
            severity=Severity.WARNING,
            code="several-labels",
            where="category labels",
            evidence=f"{several:,} of {len(replay.questions):,} questions carry several labels: "
            f"{spread}",
            effect="they count in each of their categories, so that categories are no independent "
            f"samples{_gap(replay)}",
            remedy="Share a question's weight among its labels, or compare categories in pairs.",
            count=several,
        )


def _gap(replay: Replay) -> str:
    """Say how far the plain mean of the category rows is from the total."""
    joined = join_all(replay)
    places = [set(each) for each in places_by_category(replay).values() if each]
    worst, text = 0.0, ""
    for model, graded in joined.graded.items():
        if not joined.has_all_votes(model):
            continue
        jury = jury_verdicts(graded)
        rows = [[jury[place] for place in each if place in jury] for each in places]
        means = [float(np.mean(row)) for row in rows if row]
        if not means or not jury:
            continue
        total, mean = float(np.mean(list(jury.values()))), float(np.mean(means))
        if abs(mean - total) > worst:
            worst = abs(mean - total)
            text = (
                f", and their mean is not the total ({graded.title}: {100 * mean:.1f} % against "
                f"{100 * total:.1f} %)"
            )
    return text


AUDIT: Audit = ReplayAudit(
    name="labels",
    summary="category labels that are misspelt, absent, or several for one question",
    look_at=_look,
)
