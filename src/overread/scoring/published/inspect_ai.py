"""What inspect_ai reads in a reply to a choice question.

Source: descriptions of UKGovernmentBEIS/inspect_ai, version 0.3.285. The code itself was not
followed.

Described: its own prompt asks for a line ``ANSWER: X``; the last such line is read, then a looser
pattern; a bare letter is none, nor is a letter in wrappers (``$B$``); an answer corrected in the
middle of a line loses to an earlier line. What is not read is incorrect, and an empty reply, called
*no answer* since September 2026, is made 0 inside accuracy.

Our choice: a line counts where nothing but marks follows the letter; the looser pattern takes the
last ``ANSWER:`` anywhere whose letter stands alone. Case does not matter in either.
"""

from __future__ import annotations

import re
from typing import Final

from overread.records import Option
from overread.scoring.published.parser import Parser, letter
from overread.scoring.reading import Reading

__all__ = ["INSPECT_AI", "read_answer_line"]

_LINE = re.compile(r"^[ \t]{0,8}ANSWER[ \t]{0,8}:[ \t]{0,8}([A-Z0-9])[ \t.,;)]{0,8}$", re.I | re.M)
_LOOSE = re.compile(r"ANSWER\s{0,8}:\s{0,8}([A-Z0-9])(?![A-Z0-9])", re.I)


def read_answer_line(text: str | None, options: tuple[Option, ...]) -> Reading:
    r"""Read a letter as the harness does.

    Examples
    --------
    >>> options = tuple(Option(letter=each) for each in "ABCD")
    >>> read_answer_line("It is the kidney.\nANSWER: B", options).answer
    'B'
    >>> read_answer_line("B", options).answer is None
    True
    """
    told = text or ""
    for pattern, rule in ((_LINE, "script:answer-line"), (_LOOSE, "script:answer-anywhere")):
        found = pattern.findall(told)
        if found:
            return letter(found[-1], options, rule)
    return letter(None, options, "script:no-answer-line")


INSPECT_AI: Final = Parser(
    name="inspect-ai",
    summary="the last line 'ANSWER: X', else the last 'ANSWER: X' anywhere",
    source="UKGovernmentBEIS/inspect_ai 0.3.285, as described",
    silence="wrong",
    choice=read_answer_line,
)
