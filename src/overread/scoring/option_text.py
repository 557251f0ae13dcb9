"""Which options a text names by their own words."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import lru_cache

from overread.records import Option
from overread.scoring.denial import is_denied, is_hypothetical
from overread.scoring.reply_text import normalise, plain

__all__ = ["Named", "OptionTexts", "option_texts"]

_END_MARKS = " .,:;!?\"'()[]{}<>"
# A Latin, Greek or Cyrillic word must end where an option's text ends; Chinese and Japanese do
# not part words, so there a neighbour says nothing.
_JOINS = r"0-9A-Za-z_\u00C0-\u024F\u0370-\u1FFF"
_YES_OR_NO = frozenset({"yes", "no"})
_NEITHER = frozenset({"maybe", "uncertain", "unknown", "indeterminate", "equivocal"})
_TIMES = re.compile(r"(?<=\d) ?[×✕x] ?(?=\d)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Named:
    """Letters of the options named in a text, apart from those only denied or supposed."""

    affirmed: frozenset[str]
    denied: frozenset[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class OptionTexts:
    """The texts of a question's options, ready to be looked for."""

    letter_of: dict[str, str] = field(hash=False)
    """Folded text → letter, for texts that one option alone has."""
    pattern: re.Pattern[str] | None
    """Any of the texts as whole words, the longest first."""
    yes_or_no: bool
    """Whether the options answer a yes-or-no question."""

    def equal(self, text: str) -> str | None:
        """Give the letter of the option whose text this is, marks around it aside."""
        return self.letter_of.get(_fold(text))

    def at_start(self, text: str) -> str | None:
        """Give the letter of the option whose text opens `text` as whole words."""
        match = self.pattern.match(_even(text).lstrip(_END_MARKS)) if self.pattern else None
        return self.letter_of.get(_fold(match[0])) if match else None

    def without(self, text: str) -> str:
        """Blank the options' texts out, so that no letter is found inside one ("B cell")."""
        return self.pattern.sub("□", _even(text)) if self.pattern else text

    def named(self, text: str) -> Named:
        """Find the options named in `text` by their whole words.

        A shorter text inside a longer option's text ("kidney" in "left kidney") is not named.
        """
        affirmed: set[str] = set()
        denied: set[str] = set()
        text = _even(text)
        for match in self.pattern.finditer(text) if self.pattern else ():
            letter = self.letter_of.get(_fold(match[0]))
            if letter is None or letter in affirmed:
                continue
            rejected = is_denied(text, *match.span()) or is_hypothetical(text, *match.span())
            (denied if rejected else affirmed).add(letter)
            if len(affirmed) > 1:
                break
        return Named(affirmed=frozenset(affirmed), denied=frozenset(denied - affirmed))


@lru_cache(maxsize=512)
def option_texts(options: tuple[Option, ...]) -> OptionTexts:
    """Prepare the texts of options; a text that two options share names neither."""
    letters: dict[str, list[str]] = {}
    written: set[str] = set()
    for option in options:
        text = _squeeze(plain(normalise(option.text or "")))
        if text and not (len(text) == 1 and text.isascii() and text.isalpha()):
            letters.setdefault(text.lower(), []).append(option.letter)
            written.add(text)
    letter_of = {text: found[0] for text, found in letters.items() if len(found) == 1}
    yes_or_no = letter_of.keys() >= _YES_OR_NO and letter_of.keys() <= _YES_OR_NO | _NEITHER
    longest_first = sorted((text for text in written if text.lower() in letter_of), key=_length)
    if not longest_first:
        return OptionTexts(letter_of=letter_of, pattern=None, yes_or_no=False)
    any_text = "|".join(re.escape(text).replace(r"\ ", r"\s") for text in longest_first)
    pattern = re.compile(rf"(?<![{_JOINS}])(?<!\d\.)(?:{any_text})(?![{_JOINS}]|\.\d)", re.I)
    return OptionTexts(letter_of=letter_of, pattern=pattern, yes_or_no=yes_or_no)


def _even(text: str) -> str:
    """Write sizes one way: ``22 × 15`` and ``22x15``."""
    return _TIMES.sub(" x ", text)


def _squeeze(text: str) -> str:
    return " ".join(_even(text).split()).strip(_END_MARKS)


def _fold(text: str) -> str:
    """Bring a text to the form in which two are compared."""
    return _squeeze(text).lower()


def _length(text: str) -> tuple[int, str]:
    """Sort the longest first, and always the same way."""
    return -len(text), text
