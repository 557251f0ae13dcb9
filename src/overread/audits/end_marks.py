"""Audit: marks of a model's own language left in its answers."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

import numpy as np

from overread.audits.joined import join_all
from overread.audits.replay_audit import ReplayAudit
from overread.contracts import Audit, Release
from overread.contracts.replay import Replay
from overread.metrics.text.rouge import rouge
from overread.records import Finding, Severity

__all__ = ["AUDIT"]

_MARK: Final = re.compile(
    r"(?:</s>|<s>|<eos>|<bos>|<pad>|<unk>|<\|[^|>\s]{1,40}\|>|<end_of_turn>|\[/?INST\]|#{3,})",
    re.IGNORECASE,
)
_FEWEST: Final = 0.001
"""Share of a model's answers from which marks are a habit, not an accident."""


def _look(replay: Replay, release: Release) -> Iterator[Finding]:
    for model, one in join_all(replay).predictions.items():
        rows = [(row.prediction or "", row.answer) for row in one.predictions.rows]
        marked = [(said, answer) for said, answer in rows if _MARK.search(said)]
        if len(marked) <= _FEWEST * len(rows):
            continue
        marks = sorted({mark for said, _ in marked for mark in _MARK.findall(said)})
        title = replay.title_of.get(model, model)
        yield Finding(
            severity=Severity.WARNING,
            code="end-marks",
            where=one.predictions.file,
            evidence=f"{len(marked):,} of {len(rows):,} answers end in marks of the model's own: "
            + ", ".join(marks[:4]),
            effect=f"they count as words{_effect(rows, title)}",
            remedy="Strip them before scoring.",
            count=len(marked),
        )


def _effect(rows: list[tuple[str, str]], title: str) -> str:
    """Say what ROUGE-L is with the marks and without them, over the answers that have words."""
    pairs = [(said, _MARK.sub(" ", said), answer) for said, answer in rows if answer.strip()]
    pairs = [each for each in pairs if each[1].strip()]
    if not pairs:
        return ""
    said, bare, answers = zip(*pairs, strict=True)
    before, after = (float(np.mean(rouge(each, answers).rouge_l)) for each in (said, bare))
    return f": ROUGE-L of {title} is {before:.3f} with them, {after:.3f} without"


AUDIT: Audit = ReplayAudit(
    name="end-marks",
    summary="marks of a model's own language left in its answers",
    look_at=_look,
)
