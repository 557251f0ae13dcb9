"""What reading a reply yields: an answer or the named reason why there is none."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

from overread.records import Option, Status

__all__ = ["Reader", "Reading", "Rule", "no_answer"]


class Rule(StrEnum):
    """The rule of the honest reader that fired; stored with every score."""

    # An answer was read.
    JSON_FIELD = "json-field"
    """The answer's field of a JSON object, whole, cut off or slightly broken."""
    ANSWER_TAG = "answer-tag"
    """``<answer>B</answer>``."""
    BOXED = "boxed"
    r"""``\boxed{B}`` or ``[[B]]``."""
    ANSWER_PHRASE = "answer-phrase"
    """``ANSWER: B``, "the correct option is B", "I would choose B"."""
    VERDICT = "verdict"
    """"Option B is correct"."""
    FIRST_LETTER = "first-letter"
    """The reply is a letter, or opens with one set apart from what follows."""
    LAST_LINE = "last-line"
    """The last line is a letter alone, or a letter with its own option's text."""
    LETTER_MENTION = "letter-mention"
    """Exactly one letter is mentioned as an option and not denied."""
    OPTION_TEXT = "option-text"
    """Exactly one option's text is named and not denied."""

    # No answer was read.
    EMPTY = "empty"
    """There is no text."""
    UNCLOSED_THINKING = "unclosed-thinking"
    """The reply ends inside its own thinking."""
    ONLY_THINKING = "only-thinking"
    """Nothing follows the thinking."""
    SEVERAL_LETTERS = "several-letters"
    """More than one letter is answered."""
    SEVERAL_OPTIONS = "several-options"
    """More than one option's text is named."""
    OFF_LIST = "off-list"
    """The letter or text answered is not on offer."""
    NONE_OF_THE_OPTIONS = "none-of-the-options"
    """The reply says that no option is right."""
    CONTRADICTION = "contradiction"
    """The letter comes with another option's text."""
    PLACEHOLDER = "placeholder"
    """The answer's field holds the form's own placeholder, or nothing."""
    REFUSAL = "refusal"
    """The reply declines to answer."""
    ABSTENTION = "abstention"
    """The reply says that it does not know or cannot tell."""
    DENIED = "denied"
    """Options are named, and all of them are denied."""
    NOTHING_NAMED = "nothing-named"
    """No option can be recognised."""

    # A release's own script.
    SCRIPT_FIELD = "script:selected_option"
    """The published script found its field and the field names an option."""
    SCRIPT_NO_TEXT = "script:no-text"
    """There is no text, not even an empty one: the published script breaks off and goes on."""
    SCRIPT_NOT_JSON = "script:not-json"
    """The published script could not parse the reply."""
    SCRIPT_NO_FIELD = "script:no-field"
    """It parsed, and there is no such field."""
    SCRIPT_OFF_LIST = "script:off-list"
    """It parsed, and the field names no option."""


_DECLINES = frozenset({Rule.REFUSAL, Rule.ABSTENTION})


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What was read in one reply."""

    answer: str | None
    """A letter of the options, spelt as the options spell it; None when there is no answer."""
    status: Status
    """`OK` exactly when there is an answer; else `UNPARSED`, `REFUSED`, or `FAILED` where a
    published script breaks off."""
    rule: str
    """The rule that fired: a `Rule` for the readers of this package."""


Reader: TypeAlias = Callable[[str | None, tuple[Option, ...]], Reading]
"""Reads a reply against the options on offer. It never raises, whatever the reply holds, and
never answers with a letter that is not on offer."""


def no_answer(rule: Rule) -> Reading:
    """Make the reading of a reply without an answer; declining has a status of its own."""
    status = Status.REFUSED if rule in _DECLINES else Status.UNPARSED
    return Reading(answer=None, status=status, rule=rule)
