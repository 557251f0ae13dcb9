"""Which options a text names by their own words.

Plain string search, not a pattern per question: an exam has thousands of different option texts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache

from overread.records import Option
from overread.scoring.denial import is_denied, is_hypothetical
from overread.scoring.reply_text import normalise, plain

__all__ = ["JOINS", "Named", "OptionTexts", "option_texts"]

JOINS = r"0-9A-Za-z_\u00C0-\u024F\u0370-\u1FFF"
"""Characters that carry a word on. Chinese and Japanese ones do not: words stand unparted there."""

_END_MARKS = " .,:;!?\"'()[]{}<>"
_JOINING = re.compile(f"[{JOINS}]")
_INSIDE_NUMBER = re.compile(r"\d\.$"), re.compile(r"\.\d")
_YES_OR_NO = frozenset({"yes", "no"})
_NEITHER = frozenset({"maybe", "uncertain", "unknown", "indeterminate", "equivocal"})
_TIMES = re.compile(r"(?<=\d) ?[×✕x] ?(?=\d)")
_LINE_ENDS = str.maketrans("\n\t", "  ")


@dataclass(frozen=True, slots=True, kw_only=True)
class Named:
    """Letters of the options named in a text, apart from those only denied or supposed."""

    affirmed: frozenset[str]
    denied: frozenset[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class OptionTexts:
    """The texts of a question's options, ready to be looked for."""

    letter_of: dict[str, str] = field(hash=False)
    """Folded text → letter, for texts that one option alone has, the longest first."""
    yes_or_no: bool
    """Whether the options answer a yes-or-no question."""

    def equal(self, text: str) -> str | None:
        """Give the letter of the option whose text this is, marks around it aside."""
        return self.letter_of.get(_squeeze(_lower(_even(text))))

    def at_start(self, text: str) -> str | None:
        """Give the letter of the option whose text opens `text` as whole words."""
        folded = _lower(_even(text)).translate(_LINE_ENDS).lstrip(_END_MARKS)
        for wanted, letter in self.letter_of.items():
            if folded.startswith(wanted) and _is_whole(folded, 0, len(wanted)):
                return letter
        return None

    def without(self, text: str) -> str:
        """Blank the options' texts out, so that no letter is found inside one ("B cell")."""
        text = _even(text)
        pieces: list[str] = []
        position = 0
        for start, end, _ in self._places(text):
            pieces += (text[position:start], "□")
            position = end
        return "".join([*pieces, text[position:]])

    def named(self, text: str) -> Named:
        """Find the options named in `text` by their whole words.

        A shorter text inside a longer option's text ("kidney" in "left kidney") is not named.
        """
        affirmed: set[str] = set()
        denied: set[str] = set()
        text = _even(text)
        for start, end, letter in self._places(text):
            if letter in affirmed:
                continue
            rejected = is_denied(text, start, end) or is_hypothetical(text, start, end)
            (denied if rejected else affirmed).add(letter)
            if len(affirmed) > 1:
                break
        return Named(affirmed=frozenset(affirmed), denied=frozenset(denied - affirmed))

    def _places(self, text: str) -> Iterator[tuple[int, int, str]]:
        """Give where options are named, in order; of two that overlap the first, then longest."""
        folded = _lower(text).translate(_LINE_ENDS)
        places = sorted(
            (start, -len(wanted), letter)
            for wanted, letter in self.letter_of.items()
            for start in _occurrences(folded, wanted)
        )
        free_from = 0
        for start, minus_length, letter in places:
            if start >= free_from:
                free_from = start - minus_length
                yield start, free_from, letter


@lru_cache(maxsize=512)
def option_texts(options: tuple[Option, ...]) -> OptionTexts:
    """Prepare the texts of options; a text that two options share names neither."""
    letters: dict[str, list[str]] = {}
    for option in options:
        text = _squeeze(_lower(_even(plain(normalise(option.text or "")))))
        if text and not (len(text) == 1 and text.isascii() and text.isalpha()):
            letters.setdefault(text, []).append(option.letter)
    alone = sorted((text for text, found in letters.items() if len(found) == 1), key=_length)
    letter_of = {text: letters[text][0] for text in alone}
    yes_or_no = letter_of.keys() >= _YES_OR_NO and letter_of.keys() <= _YES_OR_NO | _NEITHER
    return OptionTexts(letter_of=letter_of, yes_or_no=yes_or_no)


def _occurrences(text: str, wanted: str) -> Iterator[int]:
    start = text.find(wanted)
    while start >= 0:
        if _is_whole(text, start, start + len(wanted)):
            yield start
        start = text.find(wanted, start + 1)


def _is_whole(text: str, start: int, end: int) -> bool:
    """Whether no word and no number goes on over the edges of ``text[start:end]``."""
    joined_before = start > 0 and _JOINING.match(text, start) and _JOINING.match(text, start - 1)
    joined_after = _JOINING.match(text, end - 1) and _JOINING.match(text, end)
    number_before, number_after = _INSIDE_NUMBER
    return not (
        joined_before
        or joined_after
        or (start > 1 and number_before.match(text, start - 2, start))
        or number_after.match(text, end)
    )


def _even(text: str) -> str:
    """Write sizes one way: ``22 × 15`` and ``22x15``."""
    return _TIMES.sub(" x ", text)


def _lower(text: str) -> str:
    """Lower a text without changing its length, as the small form of "İ" would."""
    lowered = text.lower()
    if len(lowered) == len(text):
        return lowered
    return "".join(small if len(small := each.lower()) == 1 else each for each in text)


def _squeeze(text: str) -> str:
    return " ".join(text.split()).strip(_END_MARKS)


def _length(text: str) -> tuple[int, str]:
    """Sort the longest first, and always the same way."""
    return -len(text), text
