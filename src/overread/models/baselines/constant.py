"""Always the same letter: what an exam gives to a stopped clock."""

from __future__ import annotations

from overread.contracts import ModelOptions, Query
from overread.errors import UsageError, expected
from overread.models.baselines.base import Baseline, NothingToSayError
from overread.records import Option

__all__ = ["Constant"]


class Constant(Baseline):
    """The letter after the colon, or A without one.

    Raises
    ------
    UsageError
        The argument is no single letter of A to Z.
    """

    def __init__(self, argument: str, options: ModelOptions) -> None:
        letter = argument.strip().upper() or "A"
        if len(letter) != 1 or not "A" <= letter <= "Z":
            raise UsageError(
                expected(
                    "--model constant:LETTER",
                    rule="one letter of A to Z",
                    got=repr(argument),
                    remedy="Write for instance constant:B.",
                )
            )
        super().__init__(f"constant:{letter}", settings={"letter": letter})
        self._letter = letter

    def choose(self, query: Query, options: tuple[Option, ...]) -> str:
        """Give the letter. NothingToSayError where the question does not offer it."""
        letters = [option.letter for option in options]
        if self._letter not in letters:
            raise NothingToSayError(f"the question offers only {', '.join(letters)}")
        return self._letter
