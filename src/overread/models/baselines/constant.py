"""Always the same answer: what an exam gives to a stopped clock."""

from __future__ import annotations

from overread.contracts import ModelOptions, Query
from overread.errors import UsageError, expected
from overread.models.baselines.base import Baseline, NothingToSayError
from overread.records import Option

__all__ = ["Constant"]

_LONGEST = 200


class Constant(Baseline):
    """The letter or the words after the colon (``constant:B``, ``constant:both lungs``).

    Without an argument it is A, and nothing where free text is asked for. Words answer a question
    with options where one option reads just so.

    Raises
    ------
    UsageError
        The argument is longer than 200 characters or not one printable line.
    """

    def __init__(self, argument: str, options: ModelOptions) -> None:
        text = argument.strip()
        if len(text) > _LONGEST or not text.isprintable():
            raise UsageError(
                expected(
                    "--model constant:ANSWER",
                    rule=f"a letter or one printable line of up to {_LONGEST} characters",
                    got=repr(argument),
                    remedy="Write for instance constant:B or constant:yes.",
                )
            )
        self._given = bool(text)
        self._is_letter = len(text) == 1 and "A" <= text.upper() <= "Z"
        text = text or "A"
        if len(text) == 1:
            text = text.upper()
        key = "letter" if self._is_letter or not self._given else "text"
        super().__init__(f"constant:{text}", settings={key: text})
        self._text = text

    def choose(self, query: Query, options: tuple[Option, ...]) -> str:
        """Give the letter. NothingToSayError where the question does not offer it."""
        letters = [option.letter for option in options]
        if self._text in letters:
            return self._text
        for option in options:
            if option.text is not None and option.text.strip().casefold() == self._text.casefold():
                return option.letter
        raise NothingToSayError(f"the question offers only {', '.join(letters)}")

    def say(self, query: Query) -> str:
        """Give the words. NothingToSayError where none were given."""
        if not self._given:
            raise NothingToSayError("no words were given: write for instance constant:yes")
        return self._text
