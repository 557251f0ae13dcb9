"""What MedVIGIL's released runner reads in a reply.

Source: the rules of ``scripts/bench_run_baseline.py`` in the public code hq0709/MedVIGIL.

Seen there, on the reply in capitals: a leading letter after an optional bracket or star; else the
first letter followed by a point or a closing bracket; else the first letter that stands alone, so
that the article "a" is option A, which is the right letter of every text probe; else nothing, which
is wrong. Rows that came with an error are dropped from the denominator.

Our choice: a leading letter is one that no word carries on (else "Cannot" were C by the first
rule), and so is the letter of the second rule; where a question offers other letters than A to E,
those are looked for.
"""

from __future__ import annotations

import re
from typing import Final

from overread.records import Option
from overread.scoring.published.parser import Parser, letter
from overread.scoring.reading import Reading

__all__ = ["MEDVIGIL", "read_medvigil"]


def read_medvigil(text: str | None, options: tuple[Option, ...]) -> Reading:
    """Read a letter as the released runner does.

    Examples
    --------
    >>> options = tuple(Option(letter=each) for each in "ABCDE")
    >>> read_medvigil("The answer is D.", options).answer
    'D'
    >>> read_medvigil("I cannot see a fracture here", options).answer
    'A'
    """
    told = (text or "").upper()
    offered = {option.letter.upper() for option in options}
    lead = re.match(r"\s*[(\[*]*(\w)(?!\w)", told)
    if lead and lead[1] in offered:
        return letter(lead[1], options, "script:leading-letter")
    for pattern, rule in (
        (r"(?<!\w)(\w)[.)]", "script:letter-with-mark"),
        (r"(?<!\w)(\w)(?!\w)", "script:stands-alone"),
    ):
        found = next((each for each in re.findall(pattern, told) if each in offered), None)
        if found is not None:
            return letter(found, options, rule)
    return letter(None, options, "script:no-letter")


MEDVIGIL: Final = Parser(
    name="medvigil",
    summary="a leading letter, else the first with a point or bracket, else the first alone",
    source="hq0709/MedVIGIL, scripts/bench_run_baseline.py",
    silence="wrong",
    choice=read_medvigil,
)
