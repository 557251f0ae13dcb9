"""What MedEvalKit reads in a reply, without its judge model.

Source: descriptions of the toolkit (February 2026). The code itself was not followed.

Described: a letter, then an option's text, then the option whose text is most like the reply as a
string, the first one where nothing is alike. So there is always a letter: with the options (Liver,
Left kidney, Lung, Spleen) an empty reply is A and a refusal B. Yes-or-no questions: "Yes, a nodule
is noted" is wrong for yes, because "no" is inside "nodule".

Our choice: a letter counts in either case where it is the reply or opens it with a point, colon,
comma or bracket after it, or stands behind the first "answer is" or "answer:"; an option's text
counts where it is in the reply, of several the longest; likeness is that of Python's `difflib`, on
the first 2,000 characters in small letters. Yes or no is read where one of the two words is in the
reply and the other is not.

Described and not reached: the toolkit makes C of "Option B" under those options. The letter is not
read here either, but the likeness of `difflib` ends at B; how the toolkit comes to C is not
described.
"""

from __future__ import annotations

import re
from difflib import SequenceMatcher
from typing import Final

from overread.records import Option, Status
from overread.scoring.published.parser import Parser, letter
from overread.scoring.reading import Reading

__all__ = ["MEDEVALKIT", "read_medevalkit", "read_medevalkit_binary"]

_LONGEST_LIKENED: Final = 2000
_OPENING = re.compile(r"[\s(\[*\"']*([A-Za-z0-9])(?:[\s.:,)\]*\"']*$|[.:,)])")
_STATED = re.compile(r"\banswer(?: is|:)[\s(\[*\"']{0,4}([A-Za-z0-9])(?![A-Za-z0-9])", re.I)


def read_medevalkit(text: str | None, options: tuple[Option, ...]) -> Reading:
    """Read a letter as the toolkit does: there is always one.

    Examples
    --------
    >>> texts = ("Liver", "Left kidney", "Lung", "Spleen")
    >>> options = tuple(Option(letter=a, text=t) for a, t in zip("ABCD", texts))
    >>> [read_medevalkit(each, options).answer for each in ("", "I'm sorry, I cannot tell", "d")]
    ['A', 'B', 'D']
    """
    told = text or ""
    offered = {each.letter.lower() for each in options}
    stated = _OPENING.match(told) or _STATED.search(told)
    if stated and stated[1].lower() in offered:
        return letter(stated[1], options, "script:letter")
    folded = told.lower()
    named = [each for each in options if each.text and each.text.lower() in folded]
    if named:
        longest = max(named, key=lambda each: len(each.text or ""))
        return letter(longest.letter, options, "script:option-text")
    return letter(_most_alike(folded, options), options, "script:most-alike")


def read_medevalkit_binary(text: str | None) -> Reading:
    """Read yes or no as the toolkit does.

    Examples
    --------
    >>> read_medevalkit_binary("Yes, a nodule is noted").answer is None
    True
    """
    told = (text or "").lower()
    found = [each for each in ("yes", "no") if each in told]
    if len(found) == 1:
        return Reading(answer=found[0], status=Status.OK, rule="script:word-inside")
    return Reading(answer=None, status=Status.UNPARSED, rule="script:both-or-neither")


def _most_alike(folded: str, options: tuple[Option, ...]) -> str | None:
    """Give the option most like a text, the first of equals."""
    best, best_ratio = None, -1.0
    for each in options:
        wanted = (each.text or each.letter).lower()[:_LONGEST_LIKENED]
        ratio = SequenceMatcher(None, folded[:_LONGEST_LIKENED], wanted).ratio()
        if ratio > best_ratio:
            best, best_ratio = each.letter, ratio
    return best


MEDEVALKIT: Final = Parser(
    name="medevalkit",
    summary="a letter, else an option's text, else the option most like the reply",
    source="MedEvalKit, February 2026, without its judge, as described",
    silence="wrong",
    choice=read_medevalkit,
    binary=read_medevalkit_binary,
)
