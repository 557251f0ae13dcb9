"""The longest option: the classic trick of the student who has not read the book."""

from __future__ import annotations

from overread.contracts import ModelOptions, Query
from overread.models.baselines.base import Baseline
from overread.records import Option

__all__ = ["Longest"]


class Longest(Baseline):
    """The option with the most characters; the first of equally long ones.

    Where all options are pictures none has a text, all are equally long, and it is the first.
    """

    def __init__(self, argument: str, options: ModelOptions) -> None:
        super().__init__("longest", settings={"unit": "characters"})

    def choose(self, query: Query, options: tuple[Option, ...]) -> str:
        """Give the letter of the longest option."""
        return max(options, key=lambda option: len((option.text or "").strip())).letter
