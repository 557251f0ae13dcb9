"""What changes an item before it is asked: drawn once, frozen, and repeated from the record."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeAlias, runtime_checkable

from overread.records import Item, JsonValue, Reference

__all__ = [
    "NotApplicable",
    "Parameters",
    "Perturbation",
    "Rewording",
]

Parameters: TypeAlias = Mapping[str, JsonValue]
"""What was drawn, as JSON: enough to repeat the change without drawing again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NotApplicable:
    """Why a change means nothing to an item, which is then left out of the pairs, and counted."""

    reason: str


class Perturbation(Protocol):
    """One kind of change: draw, then apply to the item, then move the answer with it.

    Pixels are changed by an `Effect` in the recipe of the item's media, so that the change enters
    request hashes and receipts; words, options and pictures are changed in the item itself. The
    prompt is not worded here: that is the release's own (`Rewording`).
    """

    @property
    def name(self) -> str:
        """As typed: ``no-image``, ``mirror``."""
        ...

    @property
    def summary(self) -> str:
        """What it does to an item, in one line."""
        ...

    def draw(self, item: Item, others: Sequence[Item], seed: int) -> Parameters | NotApplicable:
        """Draw the parameters for one item.

        `others` are the items asked beside it, from which another patient's picture may come.
        `seed` is this item's own, made of the run's seed and the item's id. Same seed, same
        parameters, in whatever order items come.
        """
        ...

    def apply(self, item: Item, parameters: Parameters, others: Sequence[Item]) -> Item:
        """Give the changed item, under the same id and with its old prompt."""
        ...

    def move(self, reference: Reference, item: Item, parameters: Parameters) -> Reference:
        """Give the answer of the changed item; the same where the change does not move it.

        `item` is the unchanged one.
        """
        ...


@runtime_checkable
class Rewording(Protocol):
    """A release that words the prompt of an item anew after a part of it was changed."""

    def reword(self, item: Item) -> Item:
        """Give the item with a prompt that says what its question, options and media say now."""
        ...
