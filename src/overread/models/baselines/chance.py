"""Guesses: what an exam gives to a coin with as many sides as there are options."""

from __future__ import annotations

import hashlib

import numpy as np

from overread.contracts import ModelOptions, Query
from overread.models.baselines.base import Baseline
from overread.records import Option

__all__ = ["Chance"]


class Chance(Baseline):
    """One letter at random, every option equally likely.

    The draw depends on the seed, the item's id and the number of the draw only, so neither order
    nor selection of the items changes an answer.
    """

    def __init__(self, argument: str, options: ModelOptions) -> None:
        super().__init__("chance", settings={"seed": options.seed})
        self._seed = options.seed

    def choose(self, query: Query, options: tuple[Option, ...]) -> str:
        """Draw one of the options."""
        key = f"{self._seed}\x00{query.item.id}\x00{query.draw}".encode()
        generator = np.random.default_rng(int.from_bytes(hashlib.sha256(key).digest()))
        return options[int(generator.integers(len(options)))].letter
