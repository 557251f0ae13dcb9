"""Audit: columns whose numbers rest on different questions for different models."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping

import numpy as np

from overread.audits.joined import join_all
from overread.audits.replay_audit import ReplayAudit
from overread.audits.wording import counted
from overread.contracts import Audit, Release
from overread.contracts.replay import Replay
from overread.metrics.text.pairs import comparable
from overread.records import Finding, Severity

__all__ = ["AUDIT"]


def _look(replay: Replay, release: Release) -> Iterator[Finding]:
    n = len(replay.questions)
    counts: defaultdict[str, defaultdict[str, dict[str, int]]] = defaultdict(
        lambda: defaultdict(dict)
    )
    for one in replay.published:
        if one.n is not None and not one.stratum and one.kind == "model":
            counts[one.source][one.metric][one.who] = one.n
    for source, by_metric in counts.items():
        seen: list[Mapping[str, int]] = []
        for by_model in by_metric.values():
            short = {who: count for who, count in by_model.items() if count != n}
            if not short or by_model in seen:
                continue
            seen.append(by_model)
            yield Finding(
                severity=Severity.WARNING,
                code="unequal-denominators",
                where=f"{source}: {', '.join(m for m, v in by_metric.items() if v == by_model)}",
                evidence=f"of {n:,} questions "
                + ", ".join(f"{count:,} count for {who}" for who, count in short.items()),
                effect="models are compared over different questions, and what a model did not "
                "answer is left out, not counted as not right",
                remedy="Fix the denominator by the questions.",
                count=len(short),
            )
    yield from _blank_means(replay)
    yield from _empty_answers(replay)


def _blank_means(replay: Replay) -> Iterator[Finding]:
    blank: defaultdict[str, int] = defaultdict(int)
    for row in replay.matrix.values():
        for model, mean in row.items():
            blank[model] += mean is None
    found = {replay.title_of.get(model, model): n for model, n in blank.items() if n}
    if found:
        yield Finding(
            severity=Severity.WARNING,
            code="missing-means",
            where="matrix of mean votes",
            evidence=", ".join(f"{who}: {n}" for who, n in found.items()) + " cells are empty",
            effect="the jury's total leaves them out, the rows by category count them as wrong",
            count=sum(found.values()),
        )


def _empty_answers(replay: Replay) -> Iterator[Finding]:
    for model, one in join_all(replay).predictions.items():
        rows = one.predictions.rows
        kept = comparable([row.prediction or "" for row in rows], [row.answer for row in rows])
        n = int(np.count_nonzero(~kept))
        if n:
            yield Finding(
                severity=Severity.WARNING,
                code="empty-answers-dropped",
                where=one.predictions.file,
                evidence=f"{counted(n, 'answer')} of {len(rows):,} are empty",
                effect="BLEU, ROUGE, METEOR and cosine leave them out: "
                f"{replay.title_of.get(model, model)} is better off for having said nothing",
                remedy="Count an empty answer as sharing no word with its reference.",
                count=n,
            )


AUDIT: Audit = ReplayAudit(
    name="denominators",
    summary="models compared over different questions; empty answers that vanish",
    look_at=_look,
)
