"""What VLMEvalKit reads in a reply before it calls its judge.

Source: descriptions of the toolkit open-compass/VLMEvalKit (August 2026). The code itself was not
followed.

Described: a rule for letters near the end of the text, then an option's text as a part of the
reply; what neither reads goes to a judge model, up to three times, and then becomes a letter at
random. Without a key for the judge it is not read at all and counts as wrong. None of seven replies
without an answer was read as a letter; six good ones were left to the judge.

Our choice: the letter is a capital, as the options spell it, that stands alone and is the only such
letter; it counts where the reply has at most three words, or where it stands among the last three.
An option's text counts where it is the only one in the reply and no longer text holds it.

The environment variable that makes the toolkit read less when it is asked to say more is not
followed.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

from overread.records import Option
from overread.scoring.published.parser import Parser, letter
from overread.scoring.reading import Reading

__all__ = ["VLMEVALKIT", "VLMEVALKIT_RANDOM", "read_before_judge"]

_NEAR_THE_END: Final = 3
_MARKS = re.compile(r"[^\w\s]+")


def read_before_judge(text: str | None, options: tuple[Option, ...]) -> Reading:
    """Read a letter as the toolkit does without its judge.

    Examples
    --------
    >>> options = (Option(letter="A", text="Liver"), Option(letter="B", text="Left kidney"))
    >>> read_before_judge("The right option here is A", options).answer
    'A'
    >>> read_before_judge("A definitive diagnosis is not possible", options).answer is None
    True
    """
    told = text or ""
    words = _MARKS.sub(" ", told).split()
    alone = {each.letter for each in options} & set(words)
    if len(alone) == 1:
        (found,) = alone
        if len(words) <= _NEAR_THE_END or found in words[-_NEAR_THE_END:]:
            return letter(found, options, "script:letter")
    if not alone:
        folded = told.lower()
        texts = {each.letter: each.text.lower() for each in options if each.text}
        named = {each for each, wanted in texts.items() if wanted in folded}
        inner = {
            one for one in named for other in named if one != other and texts[one] in texts[other]
        }
        if len(named - inner) == 1:
            return letter((named - inner).pop(), options, "script:option-text")
    return letter(None, options, "script:to-the-judge")


VLMEVALKIT: Final = Parser(
    name="vlmevalkit",
    summary="the only capital near the end, else the only option's text; no judge",
    source="open-compass/VLMEvalKit, August 2026, without a judge's key, as described",
    silence="wrong",
    choice=read_before_judge,
)
VLMEVALKIT_RANDOM: Final = replace(
    VLMEVALKIT,
    name="vlmevalkit-random",
    summary="the same, and a letter at random for what its judge cannot read",
    source="open-compass/VLMEvalKit, August 2026, where the judge reads nothing, as described",
    silence="random option",
)
