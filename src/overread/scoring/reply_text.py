"""Plain text from a raw reply: look-alike letters, thinking and markup taken away.

Every step is linear in the length of the reply: replies are hostile, and may be megabytes.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache

from overread.scoring.reading import Rule

__all__ = ["normalise", "plain", "strip_thinking"]

_INVISIBLE = (*range(0x200B, 0x2010), *range(0x202A, 0x202F), *range(0x2060, 0x2065), 0xFEFF, 0xAD)
_ENCLOSED = (
    range(0xFF01, 0xFF5F),  # full-width forms
    range(0x2460, 0x24EA),  # circled and parenthesised letters and digits
    range(0x1D400, 0x1D7FF + 1),  # mathematical letters
    range(0x1F110, 0x1F14A),  # parenthesised and squared letters
)
_NEGATIVE_LETTERS = (0x1F150, 0x1F170)  # white on black: they have no compatibility form
_QUOTES = {"“": '"', "”": '"', "„": '"', "«": '"', "»": '"', "‘": "'", "’": "'", "‚": "'"}

_NAMES = "(?:think|thinking|thought|thoughts|reasoning|scratchpad)"
_TAG = re.compile(
    rf"(?P<open><{_NAMES}>|\[think\]|◁think▷|<unused94>)"
    rf"|(?P<close></{_NAMES}>|\[/think\]|◁/think▷|<unused95>)",
    re.IGNORECASE,
)
_CHANNEL = "<|channel|>"
_FINAL_CHANNEL = "<|channel|>final<|message|>"
_MARKUP = str.maketrans(dict.fromkeys("*`$", ""))
_LATEX_DELIMITER = re.compile(r"\\[()\[\]]")
_BLANKS = re.compile(r"[^\S\n]+")
_NEWLINES = re.compile(r"\n(?: ?\n)+")


@cache
def _look_alikes() -> dict[int, str]:
    """Full-width, circled, squared and mathematical letters and digits, to plain ones.

    Not Unicode's whole compatibility form: normalising a reply of a million combining marks
    takes time that grows with the square of their number.
    """
    table = dict.fromkeys(_INVISIBLE, "")
    for codes in _ENCLOSED:
        for code in codes:
            table[code] = unicodedata.normalize("NFKC", chr(code))
    for first in _NEGATIVE_LETTERS:
        for offset in range(26):
            table[first + offset] = chr(ord("A") + offset)
    table |= {ord(quote): straight for quote, straight in _QUOTES.items()}
    table[0x3000] = " "
    table[0xFE0F] = ""  # asks for the coloured form of the letter before it
    return table


def normalise(text: str) -> str:
    """Turn look-alike letters, digits, quotes and blanks into plain ones."""
    if not text.isascii():
        text = text.translate(_look_alikes())
    return text.replace("\r\n", "\n").replace("\r", "\n")


def strip_thinking(text: str) -> tuple[str, Rule | None]:
    """Take a model's thinking away.

    Returns
    -------
    tuple
        What is left, and `Rule.UNCLOSED_THINKING` when the reply ends inside its thinking: then
        nothing is left, because what stands there is no answer yet. A closing mark without an
        opening one ends thinking that the chat template opened.
    """
    if _CHANNEL in text:
        _, final, text = text.rpartition(_FINAL_CHANNEL)
        if not final:
            return "", Rule.UNCLOSED_THINKING
    kept: list[str] = []
    position = 0
    inside = False
    for tag in _TAG.finditer(text):
        closes = tag.lastgroup == "close"
        if closes and not inside:
            kept.clear()
        elif not closes and not inside:
            kept.append(text[position : tag.start()])
        if closes or not inside:
            position = tag.end()
        inside = not closes
    if inside:
        return "", Rule.UNCLOSED_THINKING
    kept.append(text[position:])
    return "".join(kept), None


def plain(text: str) -> str:
    """Take markup away and squeeze blanks; lines stay lines."""
    text = _LATEX_DELIMITER.sub("", text.translate(_MARKUP)).replace("__", "")
    return _NEWLINES.sub("\n\n", _BLANKS.sub(" ", text)).strip()
