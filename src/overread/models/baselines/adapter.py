"""Opens a built-in reader by its word: ``chance``, ``constant:B``, ``radiomics``."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from overread.errors import UsageError, expected

if TYPE_CHECKING:
    from overread.contracts import Model, ModelOptions

__all__ = ["ADAPTER", "BaselinesAdapter"]

_PACKAGE = "overread.models.baselines"
_READERS: Mapping[str, tuple[str, str]] = {
    "chance": ("chance", "Chance"),
    "constant": ("constant", "Constant"),
    "majority": ("majority", "Majority"),
    "longest": ("longest", "Longest"),
    "text-only": ("text_only", "TextOnly"),
    "radiomics": ("radiomics.reader", "Radiomics"),
    "empty-mask": ("mask_readers", "EmptyMask"),
    "threshold": ("mask_readers", "Threshold"),
}
"""Word → module and class. A module costs its import (numpy, scipy) only when it is opened."""
_WITH_ARGUMENT = ("constant", "threshold")


@dataclass(frozen=True, slots=True, kw_only=True)
class BaselinesAdapter:
    """The built-in readers, also reached by their bare words (``--model chance``)."""

    name: str = "baselines"
    summary: str = (
        "built-in readers: five that see no picture, radiomics that sees only them, two masks"
    )
    examples: tuple[str, ...] = tuple(_READERS)

    def open(self, target: str, options: ModelOptions) -> Model:
        """Open a built-in reader.

        Parameters
        ----------
        target
            One of the examples; ``constant`` takes a letter or words after a colon, ``threshold`` a
            number.
        options
            Only the seed is used, and only by ``chance``.

        Raises
        ------
        UsageError
            There is no such reader, or its argument cannot be understood.

        Examples
        --------
        >>> from overread.contracts import ModelOptions
        >>> ADAPTER.open("constant:B", ModelOptions()).identity.label
        'baselines:constant:B'
        """
        word, _, argument = target.partition(":")
        if word not in _READERS:
            raise UsageError(
                expected(
                    "--model",
                    rule="a built-in reader of " + ", ".join(_READERS),
                    got=repr(target),
                    remedy="Write for instance --model chance.",
                )
            )
        if argument and word not in _WITH_ARGUMENT:
            raise UsageError(
                expected(
                    "--model",
                    rule=f"'{word}' without an argument",
                    got=repr(target),
                    remedy="Only these take one: constant:B, constant:yes, threshold:150.",
                )
            )
        module, reader = _READERS[word]
        make = getattr(importlib.import_module(f"{_PACKAGE}.{module}"), reader)
        return cast("Model", make(argument, options))


ADAPTER = BaselinesAdapter()
