"""How a scorer is trained; the defaults are those of CT-Bench's script."""

from __future__ import annotations

import math
from dataclasses import dataclass

from overread.errors import UsageError, expected

__all__ = ["TrainingSettings"]


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainingSettings:
    """What of the optimiser can be chosen.

    Defaults as in the public script of arXiv 2602.14879 (``training/fine_tune.py``): Adam, 5e-5,
    batches of 64, two epochs, a constant rate.

    Raises
    ------
    UsageError
        A value is out of its range.
    """

    epochs: int = 2
    batch_size: int = 64
    """Pairs in a batch, 2 or more: a pair is told apart from the others in its batch."""
    learning_rate: float = 5e-5
    seed: int = 0
    """Of the order of pairs, of dropout, and of random weights."""

    def __post_init__(self) -> None:
        _at_least("--epochs", self.epochs, 1)
        _at_least("--batch-size", self.batch_size, 2)
        _at_least("--seed", self.seed, 0)
        if not 0 < self.learning_rate < math.inf:
            raise UsageError(
                expected(
                    "--learning-rate",
                    rule="a number above 0",
                    got=self.learning_rate,
                    remedy="Leave it out for 5e-5.",
                )
            )


def _at_least(argument: str, value: int, least: int) -> None:
    if value < least:
        raise UsageError(
            expected(
                argument,
                rule=f"a whole number of {least} or more",
                got=value,
                remedy="Leave it out for the default.",
            )
        )
