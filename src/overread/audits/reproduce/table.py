"""`overread reproduce`: a published table from the files that its release ships."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

import numpy as np

from overread.audits.joined import join_all
from overread.audits.reproduce.category_cells import category_cells
from overread.audits.reproduce.cells import Cell, Draft, Reproduction, agrees
from overread.audits.reproduce.published_values import PublishedTable
from overread.audits.reproduce.rebuilt import rebuilt
from overread.audits.reproduce.samples import intervals_of
from overread.audits.reproduce.text_cells import text_cells
from overread.audits.reproduce.vote_cells import vote_cells
from overread.audits.shipped import replay_of
from overread.contracts import Rebuildable, Release
from overread.errors import UsageError, expected
from overread.records import Finding
from overread.stats.bootstrap import cluster_codes
from overread.stats.intervals import Interval

__all__ = ["reproduce"]

_SEED: Final = 20260219


def _say_nothing(_: str) -> None:
    return None


def reproduce(
    release: Release,
    *,
    findings: Sequence[Finding] = (),
    on_progress: Callable[[str], None] = _say_nothing,
) -> Reproduction:
    """Rebuild the published table of a release from what it ships.

    Parameters
    ----------
    release
        One that ships predictions, votes or tables (`contracts.Replayable`), or that computes cells
        itself (`contracts.Rebuildable`).
    findings
        What audits of the release found, to stand beside the cells.
    on_progress
        Is told what is being computed, a few words at a time.

    Returns
    -------
    Reproduction
        A cell for every model and column that was published or can be computed.

    Raises
    ------
    UsageError
        The release ships nothing to rebuild a table from.
    """
    own: list[Cell] = []
    if isinstance(release, Rebuildable):
        on_progress("computing cells again")
        own = [rebuilt(one) for one in release.rebuild()]
    replay = replay_of(release)
    if own and (replay is None or not (replay.votes or replay.matrix)):
        return Reproduction(benchmark=release.card.name, cells=tuple(own), findings=tuple(findings))
    if replay is None or not (replay.predictions or replay.votes or replay.matrix):
        raise UsageError(
            expected(
                str(release.root),
                rule="a release that ships predictions, votes or tables",
                got=f"one of {release.card.name} without any",
                remedy="Download the release's result files too; 'overread check' lists what is "
                "there.",
            )
        )
    on_progress("joining predictions and votes")
    joined = join_all(replay)
    drafts = [
        *vote_cells(replay, joined),
        *text_cells(replay, joined.predictions, on_progress=on_progress),
        *category_cells(replay, joined),
    ]
    on_progress("intervals")
    clusters = cluster_codes([one.patient for one in replay.questions])
    intervals = intervals_of(
        [one.sample for one in drafts], clusters, rng=np.random.default_rng(_SEED)
    )
    published = PublishedTable(replay.published)
    cells = [_cell(draft, at, published) for draft, at in zip(drafts, intervals, strict=True)]
    return Reproduction(
        benchmark=release.card.name,
        cells=(*own, *(one for one in cells if one is not None)),
        findings=tuple(findings),
    )


def _cell(draft: Draft, interval: Interval | None, published: PublishedTable) -> Cell | None:
    """Put the three numbers of a cell together; None where there is none of them."""
    value = published.find(draft.metric, draft.title, draft.stratum)
    corrected = interval.value if interval else None
    if value is None and draft.recomputed is None and corrected is None:
        return None
    faults = list(draft.faults)
    differs = False
    if value is not None and draft.recomputed is not None:
        within = max(0.5 * 10.0 ** -published.digits(value), draft.tolerance)
        differs = not agrees(value.value, draft.recomputed, within=within)
        if differs:
            faults.insert(0, "not what the files give")
    n = draft.n_recomputed
    return Cell(
        row=draft.title,
        column=draft.column,
        unit=draft.unit,
        published=value.value if value else None,
        source=value.source if value else None,
        recomputed=draft.recomputed,
        corrected=corrected,
        low=interval.low if interval else None,
        high=interval.high if interval else None,
        n_published=value.n if value and value.n is not None else n,
        n_corrected=draft.sample.n if draft.sample and corrected is not None else None,
        differs=differs,
        fault="; ".join(faults) or None,
    )
