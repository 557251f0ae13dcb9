"""Everything that a release ships, joined once for all audits that look at it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from overread.audits.recovered_votes import complete_models, judges_of
from overread.audits.shipped import (
    GradedModel,
    JoinedPredictions,
    grade_models,
    join_predictions,
)
from overread.contracts.replay import Replay

__all__ = ["Joined", "join_all"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Joined:
    """Predictions and votes with their questions."""

    predictions: Mapping[str, JoinedPredictions]
    """By model."""
    graded: Mapping[str, GradedModel]
    """By model, with votes recovered from the matrix where a judge's file is missing."""
    judges: tuple[str, ...]

    def has_all_votes(self, model: str) -> bool:
        """Tell whether every judge's votes on a model are known, from one file each."""
        graded = self.graded.get(model)
        return graded is not None and sorted(f.judge for f in graded.judges) == sorted(self.judges)


def join_all(replay: Replay) -> Joined:
    """Join what a release ships; the last one asked for is kept, for audits come one by one."""
    if not _last or _last[0][0] is not replay:
        predictions = join_predictions(replay)
        joined = Joined(
            predictions=predictions,
            graded=complete_models(replay, grade_models(replay, predictions)),
            judges=judges_of(replay),
        )
        _last[:] = [(replay, joined)]
    return _last[0][1]


_last: list[tuple[Replay, Joined]] = []
