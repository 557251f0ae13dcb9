"""Words the probes of a synthetic case: nine kinds, five options each, the last of them safe."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from overread.benchmarks.medvigil import layout
from overread.benchmarks.medvigil.drawing import SHAPES

__all__ = ["Asked", "probe_rows", "triplet_row"]

_NOT_ENOUGH: Final = "The picture does not show enough to tell"
_SIDES: Final = ("left", "right")
_ABOUT: Final[Mapping[str, str]] = {
    "original": "",
    "tcf": "",
    "halluc_trap": "nothing of what the question takes for granted is in the picture",
    "roi_masked": "the mark is greyed out",
}
_COLOURS: Final = ("Red", "Green", "Blue", "Yellow")
_WORDS: Final = ("A date", "A name", "A scale", "A warning")


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What a case shows and asks for."""

    case: str
    image: str
    shape: int
    """Place in `SHAPES`."""
    is_left: bool
    """On the left of the picture as shown."""
    asks_side: bool
    """Else it asks for the shape."""
    order: tuple[int, ...]
    """In which order wrong options come."""

    @property
    def number(self) -> int:
        """Give the number of the picture: no two cases are worded alike, as real ones are not."""
        return int(self.case.rpartition("-")[2])

    @property
    def question(self) -> str:
        """Give the original question."""
        if self.asks_side:
            return f"On which side of picture {self.number} is the bright mark?"
        return f"Which shape does the bright mark of picture {self.number} have?"

    @property
    def gold(self) -> str:
        """Give its answer."""
        return _SIDES[not self.is_left] if self.asks_side else SHAPES[self.shape]

    @property
    def flipped_gold(self) -> str:
        """Give the answer of the mirrored picture."""
        return _SIDES[self.is_left] if self.asks_side else self.gold

    @property
    def options(self) -> tuple[str, ...]:
        """Give the options of the original: the answer, three wrong ones, the safe one.

        The other side comes second: the mirrored picture's answer is B.
        """
        if self.asks_side:
            return (self.gold, self.flipped_gold, "in the middle", "on both sides", _NOT_ENOUGH)
        others = [SHAPES[place] for place in self.order if place != self.shape]
        return (self.gold, *others, _NOT_ENOUGH)


def probe_rows(asked: Asked, kinds: frozenset[str]) -> Iterator[dict[str, str]]:
    """Give the rows of a case in the probe file.

    Parameters
    ----------
    asked
        The case.
    kinds
        Which of ``negation``, ``specificity_drop``, ``knowledge_only`` and ``region`` it has.
    """
    yield _row(asked, "orig", "original", asked.question, asked.options)
    yield _row(asked, "tcf", "tcf", _paraphrase(asked), asked.options)
    yield from _traps(asked)
    if "negation" in kinds:
        yield _row(asked, "neg", "negation", *_negation(asked))
    if "specificity_drop" in kinds:
        question = asked.question.replace("bright ", "")
        yield _row(asked, "sdrop", "specificity_drop", question, asked.options)
    if "knowledge_only" in kinds:
        yield _row(asked, "know", "knowledge_only", *_knowledge(asked))
    if "region" in kinds:
        yield _row(asked, "roi_only", "roi_only", asked.question, asked.options)
        yield _row(asked, "roi_masked", "roi_masked", asked.question, asked.options)
    yield _row(asked, "lr_flip", "lr_flip", asked.question, asked.options)


def triplet_row(asked: Asked) -> dict[str, str]:
    """Give the row of a case in the file of triplets."""
    if asked.asks_side:
        question, gold = "If the picture were turned over, where would the mark be?", "other"
        gold = asked.flipped_gold
    else:
        question = "If the mark were one of another shape, would it still be this one?"
        gold = "no"
    return {
        "case_id": asked.case,
        "anchor_question": asked.question,
        "anchor_gold": asked.gold,
        "tcf_question": _paraphrase(asked),
        "tcf_gold": asked.gold,
        "vcf_question": question,
        "vcf_gold": gold,
    }


def _paraphrase(asked: Asked) -> str:
    if asked.asks_side:
        return f"Where does the bright mark lie, seen from the middle of picture {asked.number}?"
    return f"What form is the bright mark that picture {asked.number} shows?"


def _traps(asked: Asked) -> Iterator[dict[str, str]]:
    arrow = f"What colour is the arrow in picture {asked.number} that points at the mark?"
    yield _row(asked, "trap1", "halluc_trap", arrow, (*_COLOURS, "No arrow is in the picture"))
    label = f"What is written below the mark of picture {asked.number}?"
    yield _row(asked, "trap2", "halluc_trap", label, (*_WORDS, "Nothing is written in the picture"))


def _negation(asked: Asked) -> tuple[str, tuple[str, ...]]:
    place = f"on the {asked.gold}" if asked.asks_side else f"a {asked.gold}"
    question = f"Is the bright mark of picture {asked.number} not {place}?"
    return question, (
        f"No, it is {place}",
        f"Yes, it is not {place}",
        "There are several marks",
        "There is no mark",
        _NOT_ENOUGH,
    )


def _knowledge(asked: Asked) -> tuple[str, tuple[str, ...]]:
    corners = {"disc": "none", "square": "four", "cross": "twelve", "ring": "none"}
    shape = SHAPES[asked.shape]
    right = corners[shape]
    others = [each for each in ("none", "four", "twelve", "three", "five") if each != right][:3]
    return f"How many corners does a {shape} like that of question {asked.number} have?", (
        right,
        *others,
        "It cannot be known",
    )


def _row(
    asked: Asked, suffix: str, kind: str, question: str, options: tuple[str, ...]
) -> dict[str, str]:
    letter = layout.KINDS[kind] or "A"
    if kind == "lr_flip" and asked.asks_side:
        letter = "B"
    right = options[layout.LETTERS.index(letter)]
    is_image = kind in ("roi_only", "roi_masked", "lr_flip")
    image = f"{layout.PERTURBED}/{asked.case}_{kind}.png" if is_image else asked.image
    values = (
        f"{asked.case}__{suffix}",
        asked.case,
        "image" if is_image else "text",
        kind,
        question,
        *options,
        letter,
        "take the safe option" if letter == "E" else "match_gold",
        "" if letter == "E" else right,
        _ABOUT.get(kind, ""),
        "" if kind == "knowledge_only" else image,
        "synthetic",
    )
    return dict(zip(layout.PROBE_COLUMNS, values, strict=True))
