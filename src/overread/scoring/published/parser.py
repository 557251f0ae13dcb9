"""What a published way of reading replies is, as an object to replay stored replies with."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeAlias

from overread.records import Choice, Item, MultiChoice, Number, Option, Status, Text
from overread.scoring.multi_choice_scorer import SetReader
from overread.scoring.number_answer import NumberReader
from overread.scoring.reading import Reader, Reading

__all__ = [
    "BinaryReader",
    "ParsedKind",
    "Parser",
    "Silence",
    "kind_of",
    "letter",
    "read_for",
]

Silence: TypeAlias = Literal["wrong", "random option"]
"""What becomes of a reply in which a parser reads nothing: not right, or a letter at random."""

ParsedKind: TypeAlias = Literal["choice", "several", "number", "yes-no"]
"""What a question asks for, as far as parsers go."""

BinaryReader: TypeAlias = Callable[[str | None], Reading]
"""Reads ``yes`` or ``no`` in a reply; it never raises."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Parser:
    """A published way of reading replies. What it cannot read has None for a reader."""

    name: str
    """As typed and shown: ``lmms-eval``."""
    summary: str
    """How it reads, in one line."""
    source: str
    """Whose behaviour it is, and where that is described."""
    silence: Silence
    """What becomes of a reply in which it reads nothing."""
    choice: Reader | None = None
    several: SetReader | None = None
    number: NumberReader | None = None
    binary: BinaryReader | None = None

    def reads(self, kind: ParsedKind) -> bool:
        """Say whether it reads answers of a kind."""
        readers = {
            "choice": self.choice,
            "several": self.several,
            "number": self.number,
            "yes-no": self.binary,
        }
        return readers[kind] is not None


def kind_of(item: Item) -> ParsedKind | None:
    """Say which kind of answer an item asks for; None for what no parser here reads."""
    space = item.answer_space
    if isinstance(space, Choice):
        return "choice" if space.options else None
    if isinstance(space, MultiChoice):
        return "several" if space.options else None
    if isinstance(space, Number):
        return "number"
    if isinstance(space, Text) and {each.lower() for each in space.classes} == {"yes", "no"}:
        return "yes-no"
    return None


def read_for(parser: Parser, item: Item, text: str | None) -> Reading | None:
    """Read a reply to an item; None where the parser does not read such answers."""
    space = item.answer_space
    if isinstance(space, Choice) and parser.choice is not None:
        return parser.choice(text, space.options)
    if isinstance(space, MultiChoice) and parser.several is not None:
        return parser.several(text, space.options, space.count)
    if isinstance(space, Number) and parser.number is not None:
        return parser.number(text)
    if isinstance(space, Text) and parser.binary is not None and kind_of(item) == "yes-no":
        return parser.binary(text)
    return None


def letter(found: str | None, options: tuple[Option, ...], rule: str) -> Reading:
    """Make the reading of a letter, spelt as the options spell it; no answer where there is none.

    `found` may be a letter in another case than the options have; a letter not on offer is none.
    """
    spelt = {option.letter.lower(): option.letter for option in reversed(options)}
    answer = spelt.get(found.lower()) if found else None
    status = Status.UNPARSED if answer is None else Status.OK
    return Reading(answer=answer, status=status, rule=rule)
