"""What changes an item before it is asked: drawn once, frozen, and repeated from the record."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol, TypeAlias, runtime_checkable

from overread.contracts.models import Renderer
from overread.records import Item, JsonValue, Media, Reference

__all__ = [
    "Dosed",
    "Neighbours",
    "NotApplicable",
    "Parameters",
    "Perturbation",
    "Rewording",
    "Scene",
    "StoredUnit",
]

Parameters: TypeAlias = Mapping[str, JsonValue]
"""What was drawn, as JSON: enough to repeat the change without drawing again."""

StoredUnit: TypeAlias = Literal["display", "hu", "raw"]
"""What the numbers of a picture's file are: grey values to be shown, HU, or without a scale."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NotApplicable:
    """Why a change means nothing to an item, which is then left out of the pairs, and counted."""

    reason: str


class Neighbours:
    """The items asked beside one: all that the selection names, whatever its limit.

    Parameters
    ----------
    items
        In release order.
    """

    __slots__ = ("_alike", "_by_id")

    def __init__(self, items: Iterable[Item]) -> None:
        self._by_id = {item.id: item for item in items}
        self._alike: dict[tuple[str, str], list[Item]] = {}
        for item in self._by_id.values():
            self._alike.setdefault((item.task, item.condition), []).append(item)

    def __getitem__(self, item_id: str) -> Item:
        return self._by_id[item_id]

    def __iter__(self) -> Iterator[Item]:
        return iter(self._by_id.values())

    def __len__(self) -> int:
        return len(self._by_id)

    def alike(self, item: Item) -> Sequence[Item]:
        """Give the items of its task and condition in release order, itself among them."""
        return self._alike.get((item.task, item.condition), ())


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """What may be looked at beside the item when its parameters are drawn."""

    others: Neighbours
    unit_of: Callable[[Media], StoredUnit]
    """Looks into the file behind a medium. ImageError where it cannot be read."""
    render: Renderer
    """Shows a medium as a model will see it: for its size, or to find a dose by its likeness."""


class Perturbation(Protocol):
    """One kind of change: draw, then apply to the item, then move the answer with it.

    Pixels are changed by an `Effect` in the recipe of the item's media (`imaging.effects`), so
    that the change enters request hashes and receipts; words, options and pictures are changed in
    the item itself. The prompt is not worded here: that is the release's own (`Rewording`).
    """

    @property
    def name(self) -> str:
        """As typed: ``no-image``, ``mirror``."""
        ...

    @property
    def summary(self) -> str:
        """What it does to an item, in one line."""
        ...

    @property
    def if_it_falls(self) -> str:
        """What a fall of the score under it says, as the end of a sentence."""
        ...

    @property
    def if_it_stays(self) -> str:
        """What it says when no fall can be seen."""
        ...

    def draw(self, item: Item, scene: Scene, seed: int) -> Parameters | NotApplicable:
        """Draw the parameters for one item.

        `seed` is this item's own, made of the run's seed, the kind of change and the item's id.
        Same seed, same parameters, in whatever order items come.
        """
        ...

    def apply(self, item: Item, parameters: Parameters, others: Neighbours) -> Item:
        """Give the changed item, under the same id; reads no file.

        Media are replaced in the prompt as well (`imaging.item_pictures`); changed words are not
        put into it.
        """
        ...

    def move(self, reference: Reference, item: Item, parameters: Parameters) -> Reference:
        """Give the answer of the changed item; the same where the change does not move it.

        `item` is the unchanged one.
        """
        ...


@runtime_checkable
class Dosed(Protocol):
    """A perturbation in several doses; by itself it is one of them."""

    @property
    def levels(self) -> tuple[str, ...]:
        """What may stand after ``@`` in its name, weakest dose first: ``blur@3``.

        A level may say how it is meant after a hyphen: ``3-published`` with all that the released
        code does to the picture, ``3-ssim`` by likeness to the picture instead of by parameter.
        """
        ...

    def at(self, level: str) -> Perturbation:
        """Give the perturbation of one dose, whose name is ``NAME@LEVEL``. UsageError for none."""
        ...


@runtime_checkable
class Rewording(Protocol):
    """A release that words the prompt of an item anew after a part of it was changed."""

    def reword(self, item: Item) -> Item:
        """Give the item with a prompt that says what its question, options and media say now.

        An item that nothing was changed in comes back equal. Where the question is empty, the
        options are asked about by themselves.
        """
        ...
