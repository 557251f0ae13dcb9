"""The folder of a training: the model, its curve, its checkpoint, and who may write it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, cast

from overread.errors import UsageError, expected
from overread.models.clip.finetune.checkpoint import read_checkpoint, write_checkpoint, write_whole
from overread.models.clip.finetune.trainer import Trainer, Where
from overread.records import JsonValue
from overread.run.finetuning.curve import Curve
from overread.store.lock import WriterLock

__all__ = ["TrainingFolder"]

_STATE: Final = "training"
_CHECKPOINT: Final = "checkpoint.safetensors"
_MOST_NAMED: Final = 6


class TrainingFolder:
    """Where a training leaves what it makes.

    ::

        OUT/open_clip_config.json, open_clip_model.safetensors, …   the best epoch's model
        OUT/training/curve.csv, curve.json                          loss and exam by epoch
        OUT/training/checkpoint.safetensors                         to go on with

    Parameters
    ----------
    out
        The folder.
    facts
        What makes this training this training, down to the hash of the base's weights.
    condition
        The exam's condition that it learns from.
    """

    def __init__(self, out: Path, facts: Mapping[str, JsonValue], condition: str) -> None:
        self.path = out
        self._facts = dict(facts)
        self._condition = condition
        self._state = out / _STATE

    @contextmanager
    def held(self) -> Iterator[None]:
        """Make the folder and keep others from writing it.

        Raises
        ------
        UsageError
            It holds something else.
        StoreBusyError
            Another process trains into it.
        """
        if self.path.exists() and not self.path.is_dir():
            raise self._taken("a file")
        if not self._state.is_dir() and self.path.is_dir() and any(self.path.iterdir()):
            raise self._taken("a folder with other things in it")
        self._state.mkdir(parents=True, exist_ok=True)
        lock = WriterLock(self._state / _CHECKPOINT)
        try:
            yield
        finally:
            lock.release()

    def resume(self, trainer: Trainer) -> Curve:
        """Bring a trainer to where the folder's checkpoint is; give the curve up to there.

        Raises
        ------
        UsageError
            The checkpoint is of another training or another model, or is damaged.
        """
        path = self._state / _CHECKPOINT
        if not path.exists():
            return Curve(condition=self._condition)
        tensors, held = read_checkpoint(path)
        try:
            facts = cast("Mapping[str, JsonValue]", held["facts"])
            differ = [
                f"{key} ({_shown(facts.get(key))}, now {_shown(self._facts.get(key))})"
                for key in sorted({*facts, *self._facts})
                if facts.get(key) != self._facts.get(key)
            ]
            if differ:
                raise self._other(differ)
            curve = Curve.of_plain(self._condition, cast("Sequence[Any]", held["points"]))
            trainer.restore(tensors, Where(**cast("Mapping[str, Any]", held["where"])))
        except (KeyError, TypeError, AttributeError, ValueError) as problem:
            raise UsageError(
                expected(
                    str(path),
                    rule="the checkpoint of this training",
                    got=f"one that does not fit its model ({problem})",
                    remedy="Delete its folder to start anew, or choose another --out.",
                )
            ) from problem
        return curve

    def keep(self, trainer: Trainer, curve: Curve) -> None:
        """Write the checkpoint."""
        where = trainer.where
        held: dict[str, JsonValue] = {
            "facts": self._facts,
            "points": curve.plain(),
            "where": {
                "epoch": where.epoch,
                "step": where.step,
                "loss_sum": where.loss_sum,
                "n_pairs": where.n_pairs,
                "n_unreadable": where.n_unreadable,
            },
        }
        write_checkpoint(self._state / _CHECKPOINT, trainer.tensors(), held)

    def write_curve(self, curve: Curve) -> None:
        """Write the curve as CSV and as JSON."""
        write_whole(self._state / "curve.csv", curve.csv().encode())
        write_whole(self._state / "curve.json", curve.json(self._facts).encode())

    def _taken(self, what: str) -> UsageError:
        return UsageError(
            expected(
                "--out",
                rule="a new or empty folder, or the folder of the same training",
                got=f"{self.path}, {what}",
                remedy="Choose another.",
            )
        )

    def _other(self, differ: Sequence[str]) -> UsageError:
        more = len(differ) - _MOST_NAMED
        named = ", ".join(differ[:_MOST_NAMED]) + (f" and {more} more" if more > 0 else "")
        return UsageError(
            expected(
                "--out",
                rule="a new or empty folder, or the folder of the same training",
                got=f"{self.path}, which holds the checkpoint of another one",
                remedy=f"They differ in {named}: choose another --out.",
            )
        )


def _shown(value: JsonValue) -> str:
    text = "none" if value is None else str(value)
    return text if len(text) <= 40 else f"{text[:12]}…"
