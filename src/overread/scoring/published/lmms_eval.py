r"""What two shared readers of lmms-eval make of a reply to a choice question.

Source: descriptions of the harness EvolvingLMMs-Lab/lmms-eval, version 0.7.3: what its readers did
with realistic replies. The code itself was not followed.

Described of the older one (MMMU's, in many task modules): it looks for a capital letter in brackets
or between blanks, so that the article of "A definitive diagnosis…" is A; it draws a letter at
random for an empty reply, for ``\boxed{B}`` and for a small "b". Described of the newer one: it
finds what is stated as an answer, but takes "CT" for C and the article "A" for A where nothing is
stated.

Our choice, older one: marks at both ends go; bracketed letters come first, then letters between
blanks, then letters before a point, then, in a reply of more than five words, options' texts; of
several the last wins. Our choice, newer one: a stated answer is one in a box, a tag, or after
"answer is" or "answer:", and the last wins; then a reply that is nothing but a letter of either
case; then the first capital on offer that no small letter carries on; else nothing, which is wrong.
"Capital" means a letter as the question's options spell it.
"""

from __future__ import annotations

import re
from typing import Final

from overread.records import Option
from overread.scoring.published.parser import Parser, letter
from overread.scoring.reading import Reading

__all__ = ["LMMS_EVAL", "LMMS_EVAL_MCQ", "read_mcq_extract", "read_mmmu"]

_ENDS: Final = " \t\n.,:;!?'\""
_FEWEST_WORDS: Final = 6
_STATED = re.compile(
    r"(?:\\boxed\s?\{|<answer>|\banswer\b(?:\s(?:is|would be))?\s?[:=]?)\s{0,4}"
    r"(?:(?:option|choice)\s)?[\s(\[*\"']{0,4}(?P<letter>[A-Za-z0-9])(?![A-Za-z0-9])",
    re.I,
)


def read_mmmu(text: str | None, options: tuple[Option, ...]) -> Reading:
    """Read a letter as the older reader does; nothing read means a letter at random.

    Examples
    --------
    >>> options = tuple(Option(letter=each) for each in "ABCD")
    >>> read_mmmu("A definitive diagnosis cannot be made", options).answer
    'A'
    >>> read_mmmu("b", options).answer is None
    True
    """
    told = f" {(text or '').strip(_ENDS)} "
    for form, rule in (
        ("({})", "script:bracketed"),
        (" {} ", "script:between-blanks"),
        ("{}.", "script:before-point"),
    ):
        last = _last({each.letter: told.rfind(form.format(each.letter)) for each in options})
        if last is not None:
            return letter(last, options, rule)
    if len(told.split()) >= _FEWEST_WORDS:
        folded = told.lower()
        named = {each.letter: folded.rfind(each.text.lower()) for each in options if each.text}
        if (last := _last(named)) is not None:
            return letter(last, options, "script:option-text")
    return letter(None, options, "script:nothing")


def read_mcq_extract(text: str | None, options: tuple[Option, ...]) -> Reading:
    r"""Read a letter as the newer reader does.

    Examples
    --------
    >>> options = tuple(Option(letter=each) for each in "ABCD")
    >>> replies = (r"\boxed{B}", "The CT is unclear", "b")
    >>> [read_mcq_extract(each, options).answer for each in replies]
    ['B', 'C', 'B']
    """
    told = text or ""
    offered = {each.letter.lower() for each in options}
    stated = [each["letter"] for each in _STATED.finditer(told)]
    stated = [each for each in stated if each.lower() in offered]
    if stated:
        return letter(stated[-1], options, "script:stated")
    bare = told.strip(f"{_ENDS}()[]*")
    if bare.lower() in offered:
        return letter(bare, options, "script:letter-alone")
    spelt = {each.letter for each in options}
    for found in re.finditer(r"(?<![A-Za-z0-9])[A-Za-z0-9](?![a-z])", told):
        if found[0] in spelt:
            return letter(found[0], options, "script:capital")
    return letter(None, options, "script:nothing")


def _last(place_of: dict[str, int]) -> str | None:
    """Give the letter that stands furthest down; None where none stands anywhere."""
    found = {place: each for each, place in place_of.items() if place >= 0}
    return found[max(found)] if found else None


LMMS_EVAL: Final = Parser(
    name="lmms-eval",
    summary="a capital in brackets, between blanks or before a point; the last one wins",
    source="EvolvingLMMs-Lab/lmms-eval 0.7.3, the reader of MMMU and many others, as described",
    silence="random option",
    choice=read_mmmu,
)
LMMS_EVAL_MCQ: Final = Parser(
    name="lmms-eval-mcq",
    summary="a stated answer, else a bare letter, else the first capital, of words too",
    source="EvolvingLMMs-Lab/lmms-eval 0.7.3, its newer shared reader, as described",
    silence="wrong",
    choice=read_mcq_extract,
)
