"""Guesses: what an exam gives to a coin with as many sides as there are options or answers."""

from __future__ import annotations

import hashlib

import numpy as np

from overread.contracts import ModelOptions, Query
from overread.models.baselines.base import Baseline, NothingToSayError
from overread.records import Option, Text
from overread.scoring.spatial.forms import question_classes

__all__ = ["Chance"]


class Chance(Baseline):
    """One letter at random, every option equally likely.

    Where free text is asked for, one of the answers that the question leaves open: yes or no, left
    or right or both. A question whose answers cannot be listed ("where is it?") has no chance.

    The draw depends on the seed, the item's id and the number of the draw only, so neither order
    nor selection of the items changes an answer.
    """

    def __init__(self, argument: str, options: ModelOptions) -> None:
        super().__init__("chance", settings={"seed": options.seed})
        self._seed = options.seed

    def choose(self, query: Query, options: tuple[Option, ...]) -> str:
        """Draw one of the options."""
        return options[self._draw(query, len(options))].letter

    def say(self, query: Query) -> str:
        """Draw one of the answers that the question leaves open."""
        space = query.item.answer_space
        stated = space.classes if isinstance(space, Text) else ()
        classes = stated or question_classes(query.item.question)
        if not classes:
            raise NothingToSayError("the answers to this question cannot be listed")
        return classes[self._draw(query, len(classes))]

    def _draw(self, query: Query, n: int) -> int:
        key = f"{self._seed}\x00{query.item.id}\x00{query.draw}".encode()
        generator = np.random.default_rng(int.from_bytes(hashlib.sha256(key).digest()))
        return int(generator.integers(n))
