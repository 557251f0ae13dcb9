"""The curve of a training: loss and exam after each epoch, as numbers, CSV and JSON."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Self, cast

from overread.records import JsonValue

__all__ = ["Curve", "CurvePoint", "ExamShare"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ExamShare:
    """How a model does on the validation questions of one condition; values are shares."""

    n: int
    n_answered: int
    accuracy: float | None
    """Right, of all `n`: what is not answered is not right."""
    low: float | None
    high: float | None
    """Bounds of a 95 % interval, clustered by patient."""
    chance: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class CurvePoint:
    """The state after one epoch; epoch 0 is the base before any training."""

    epoch: int
    loss: float | None
    """Mean over the epoch's pairs; None before training."""
    n_pairs: int
    n_unreadable: int
    exam: Mapping[str, ExamShare]
    """By condition (``box``, ``no-box``) and ``all``, in the order of the alphabet; empty where
    nothing was asked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Curve:
    """All epochs so far.

    The best epoch is the trained one with the highest accuracy on validation questions of the
    condition that it learns from; of equals the earlier. It is chosen with hindsight: on the
    validation questions its score errs on the high side, on the test questions it does not.
    """

    condition: str
    points: tuple[CurvePoint, ...] = ()

    def with_point(self, point: CurvePoint) -> Curve:
        """Give the curve with one more epoch."""
        return Curve(condition=self.condition, points=(*self.points, point))

    @property
    def best(self) -> CurvePoint | None:
        """The best epoch, None before one was both trained and asked."""
        asked = [p for p in self.points if p.epoch and self.accuracy(p) is not None]
        return max(asked, key=lambda p: (self.accuracy(p) or 0.0, -p.epoch), default=None)

    @property
    def base_was_better(self) -> bool:
        """Whether no epoch beat the base on the condition that it learnt from."""
        before = next((self.accuracy(p) for p in self.points if not p.epoch), None)
        after = self.accuracy(self.best) if self.best else None
        return before is not None and after is not None and after <= before

    def accuracy(self, point: CurvePoint) -> float | None:
        """Give a point's accuracy on the condition that the training learns from."""
        share = point.exam.get(self.condition)
        return share.accuracy if share else None

    def csv(self) -> str:
        """Give it as CSV: a line an epoch, shares from 0 to 1, empty where nothing was asked."""
        conditions = list(dict.fromkeys(c for point in self.points for c in point.exam))
        parts = ("n", "answered", "accuracy", "low", "high")
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        names = [f"{c}_{part}" for c in conditions for part in parts]
        writer.writerow(["epoch", "loss", "pairs", "unreadable", *names, "best"])
        best = self.best
        for point in self.points:
            row: list[object] = [point.epoch, _shown(point.loss), point.n_pairs, point.n_unreadable]
            for condition in conditions:
                row += _cells(point.exam.get(condition))
            writer.writerow([*row, int(point is best)])
        return text.getvalue()

    def json(self, facts: Mapping[str, JsonValue]) -> str:
        """Give it as JSON, with what the training was."""
        best = self.best
        whole = {
            **facts,
            "condition": self.condition,
            "best_epoch": best.epoch if best else None,
            "points": self.plain(),
        }
        return json.dumps(whole, ensure_ascii=False, allow_nan=False, indent=2) + "\n"

    def plain(self) -> list[JsonValue]:
        """Give the points as JSON values."""
        return cast("list[JsonValue]", [asdict(point) for point in self.points])

    @classmethod
    def of_plain(cls, condition: str, points: Iterable[Any]) -> Self:
        """Read what `plain` gave. KeyError, TypeError or AttributeError for anything else."""
        return cls(condition=condition, points=tuple(_point(each) for each in points))


def _point(plain: Mapping[str, Any]) -> CurvePoint:
    exam = {name: ExamShare(**share) for name, share in sorted(plain["exam"].items())}
    return CurvePoint(**{**plain, "exam": exam})


def _cells(share: ExamShare | None) -> Sequence[object]:
    if share is None:
        return [""] * 5
    shown = (_shown(value) for value in (share.accuracy, share.low, share.high))
    return [share.n, share.n_answered, *shown]


def _shown(value: float | None) -> str:
    return "" if value is None else f"{value:.6f}"
