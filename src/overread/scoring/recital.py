r"""Whether a reply only recites the options: "Image A: Image B: Image C: Image D:".

Small models send the options back, or go through them as answers one after the other, and stop
where the tokens end. Decided here, once, for all rules of the honest reader:

- A reply of option names and labels alone that states no answer chooses nothing when it names two
  options or more.
- Stated answers follow one another, and the last one wins ("Answer: A\nAnswer: B" is B): a change
  of mind needs no words. The same holds for a bare letter before a stated one: "A\n\nAnswer:\nB"
  is B, the only answer that calls itself one, and the last thing said.
- Three different answers without a word between them are no change of mind but a walk through the
  options, and no answer. The letter alone on the first line is the first of them, as the walk
  begins where the prompt's "Answer:" stood. With two options a walk and a change of mind look the
  same: the last one wins.
"""

from __future__ import annotations

import re
from collections import Counter

from overread.scoring.letters import Letters

__all__ = ["FEWEST_WALKED", "is_recital", "is_wordless"]

FEWEST_WALKED = 3
"""Different answers, without a word between them, that make a walk through the options."""

_LONGEST_LOOKED_AT = 20_000
_WORD = re.compile(r"[^\W\d_]+")
_BLANKED = re.compile(" ?□ ?")
_NAME_LEAD = r"\b(?:answer|option|choice|image|picture) \(?"
_LABELS = frozenset(
    {"answer", "option", "choice", "image", "picture", "letter", "selected", "selection"}
    | {"explanation", "boxed", "fbox", "text", "答え", "正解", "正答", "解答", "回答", "答案"}
)
_SAID_WITH_EACH = frozenset(
    {"final", "correct", "right", "best", "most", "likely", "match", "the", "my", "is", "so"}
)
"""Labels when they come with each answer; said once, they single an answer out."""


def is_wordless(prose: str, letters: Letters) -> bool:
    """Whether `prose` holds no words but the options' names and texts, and labels of answers."""
    said_with_each: Counter[str] = Counter()
    for word in _WORD.finditer(_without_texts(prose, letters)):
        folded = word[0].lower()
        if folded in _SAID_WITH_EACH:
            said_with_each[folded] += 1
        elif folded not in _LABELS and folded not in letters.spelt:
            return False
    return all(count >= FEWEST_WALKED for count in said_with_each.values())


def is_recital(prose: str, letters: Letters) -> bool:
    """Whether a reply without a stated answer names several options, and says nothing else.

    Of a very long reply the beginning decides.
    """
    head = prose[:_LONGEST_LOOKED_AT]
    return is_wordless(head, letters) and len(_named(_without_texts(head, letters), letters)) > 1


def _named(prose: str, letters: Letters) -> set[str]:
    """Give the letters named, line by line: "A" at the end of a line is no article."""
    called = re.compile(rf"{_NAME_LEAD}({'|'.join(map(re.escape, letters.spelt))})(?!\w)", re.I)
    return {
        letters.letter(found[1])
        for line in prose.split("\n")
        for pattern in (letters.patterns.token, called)
        for found in pattern.finditer(line)
    }


def _without_texts(prose: str, letters: Letters) -> str:
    """Blank the options' texts out, unless they are names themselves ("Image B").

    What stands for a text joins words as the text did, so that "a left kidney" keeps its article.
    """
    name = re.compile(rf"{_NAME_LEAD}(?:{'|'.join(map(re.escape, letters.spelt))})\)?", re.I)
    if all(name.fullmatch(text) for text in letters.texts.letter_of):
        return prose
    return _BLANKED.sub(" _ ", letters.texts.without(prose))
