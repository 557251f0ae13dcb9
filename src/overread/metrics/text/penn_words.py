"""Texts parted into words as NLTK's ``word_tokenize`` parts them, without its data files.

`word_tokenize` first cuts a text into sentences with the trained Punkt model, which is a download
of its own, and then each sentence into words by the rules of the Penn Treebank, which come with
NLTK. Sentences matter to one thing only: the full stop at the end of each is a word of its own,
where the one after an abbreviation stays on its word. So a text of one sentence has the very words
of `word_tokenize`, and a text of several has them too wherever the sentences end where Punkt says.

Here a sentence ends at a full stop, question mark or exclamation mark before white space, but not
after a single letter or one of a few abbreviations, unless a word follows that usually begins a
sentence. Punkt knows some 150 abbreviations, of addresses and companies for the most part, and has
seen which words are written with a capital: after an abbreviation, a single letter or a bare number
(``1. Nodule``) in the middle of a text the two can differ by one full stop. Of 3,351 texts on CT,
2,760 of them of several sentences, one differed (``CT.`` at a sentence's end).

Source: Kiss and Strunk, "Unsupervised Multilingual Sentence Boundary Detection", 2006,
doi:10.1162/coli.2006.32.4.485; NLTK 3.10 (`nltk.tokenize`).
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["penn_words", "sentences"]

_END = re.compile(r"[.?!]+[\"')\]}»”’]*(?=\s)")
_ABBREVIATIONS = frozenset({"ct", "dr", "ft", "mg", "mr", "mrs", "prof", "st", "vs"})
"""Those of Punkt's English model that a description of a lesion may hold."""
_STARTERS = frozenset(
    {
        *("the", "this", "these", "there", "they", "it", "in", "both", "some", "many", "most"),
        *("however", "but", "although", "while", "since", "when", "if", "so", "under", "among"),
    }
)
"""Words that begin a sentence even after an abbreviation."""
_WORD = re.compile(r"[\w.]+$")
_NEXT = re.compile(r"\s+\W*(\w*)")
_LONGEST_WORD = 40
"""Characters looked back over for the word before a full stop: no abbreviation is longer."""


def sentences(text: str) -> list[str]:
    """Cut a text into sentences, in order and without the blanks between them.

    Examples
    --------
    >>> sentences("A nodule (vs. a scar) of 1.5 cm. It is smooth.")
    ['A nodule (vs. a scar) of 1.5 cm.', 'It is smooth.']
    """
    return [part for part in (each.strip() for each in _cut(text)) if part]


def penn_words(text: str) -> list[str]:
    """Part a text into words and punctuation; case is kept.

    Examples
    --------
    >>> penn_words("Cyst, 1.5 cm, in the liver. It's smooth.")
    ['Cyst', ',', '1.5', 'cm', ',', 'in', 'the', 'liver', '.', 'It', "'s", 'smooth', '.']
    """
    tokenise = _tokenise()
    return [word for sentence in sentences(text) for word in tokenise(sentence)]


@cache
def _tokenise() -> Callable[[str], list[str]]:
    # Imported when needed: not every run asks for a measure of text.
    module = importlib.import_module("nltk.tokenize.destructive")
    return cast("Callable[[str], list[str]]", module.NLTKWordTokenizer().tokenize)


def _cut(text: str) -> Iterator[str]:
    start = 0
    for mark in _END.finditer(text):
        if _ends_sentence(text, mark):
            yield text[start : mark.end()]
            start = mark.end()
    yield text[start:]


def _ends_sentence(text: str, mark: re.Match[str]) -> bool:
    if mark[0][0] != ".":
        return True
    before = _WORD.search(text[max(0, mark.start() - _LONGEST_WORD) : mark.start()])
    word = before[0].casefold() if before else ""
    following = _NEXT.match(text, mark.end())
    after = following[1] if following else ""
    if mark[0].startswith(".."):  # an ellipsis ends one where a capital follows
        return after[:1].isupper()
    if word in _ABBREVIATIONS or (len(word) == 1 and word.isalpha()):
        return after.casefold() in _STARTERS and after[:1].isupper()
    return not (word.isdecimal() and after[:1].islower())
