"""The options in another order under the same letters: each keeps its role, not its letter.

The order is drawn from all orders with the same chance, the old one among them: only so a habit of
letters is right exactly as often as chance has it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final, cast

import numpy as np

from overread.contracts import Neighbours, NotApplicable, Parameters, Perturbation, Scene
from overread.imaging.item_pictures import with_options
from overread.records import Item, MultiChoice, Reference

__all__ = ["PERTURBATION"]

_NAMES_OTHERS: Final = re.compile(
    r"\b(?:options?|choices?|answers?)\s+(?:[A-K]|[1-9])\b"
    r"|\b[A-K]\s*(?:,|and|or|&)\s*[A-K]\b"
    r"|\b(?:both|neither|either)\s+[A-K]\b"
)
_REFERS_UP: Final = re.compile(
    r"\b(?:all|any|both|each|either|neither|none|some|two|three|more than one)\s+(?:of\s+)?"
    r"(?:the\s+)?above\b|\bthe above\b|\babove (?:options|answers|choices)\b|以上|上記",
    re.IGNORECASE,
)


class _ShuffledOptions:
    """Moves the options; the reference moves with them."""

    name = "shuffled-options"
    summary = "the options come in another order; letters stay in place, the answer moves"
    if_it_falls = "right answers rest on the place or the letter of an option"
    if_it_stays = "nothing here shows a habit of places or letters"

    def draw(self, item: Item, scene: Scene, seed: int) -> Parameters | NotApplicable:
        """Draw an order of the letters; what is last and means "those above" stays last."""
        options = item.options
        if len(options) < 2:
            return NotApplicable(
                reason="it offers no options" if not options else "it offers one option"
            )
        texts = [option.text or "" for option in options]
        if any(map(_NAMES_OTHERS.search, texts)):
            return NotApplicable(reason="an option names another one by its letter")
        pinned = [place for place, text in enumerate(texts) if _REFERS_UP.search(text)]
        last = list(range(len(options) - len(pinned), len(options)))
        if pinned != last:
            return NotApplicable(reason="an option that means those above it is not the last")
        free = [option.letter for option in options[: len(options) - len(pinned)]]
        kept = [option.letter for option in options[len(options) - len(pinned) :]]
        order = np.random.default_rng(seed).permutation(len(free)).tolist()
        return {"order": [*(free[place] for place in order), *kept]}

    def apply(self, item: Item, parameters: Parameters, others: Neighbours) -> Item:
        """Give each letter the content of the letter drawn for its place."""
        by_letter = {option.letter: option for option in item.options}
        options = tuple(
            replace(by_letter[source], letter=option.letter)
            for option, source in zip(item.options, _order(parameters), strict=True)
        )
        return replace(item, answer_space=with_options(item.answer_space, options))

    def move(self, reference: Reference, item: Item, parameters: Parameters) -> Reference:
        """Let the answer follow its option."""
        if reference.answer is None:
            return reference
        letters = [option.letter for option in item.options]
        moved = dict(zip(_order(parameters), letters, strict=True))
        several = isinstance(item.answer_space, MultiChoice)
        if reference.answer in moved:
            answer = moved[reference.answer]
        elif several and all(letter in moved for letter in reference.answer):
            answer = "".join(sorted(moved[letter] for letter in reference.answer))
        else:  # no letter of this question: `problem` says so already
            return reference
        return replace(reference, answer=answer)


def _order(parameters: Parameters) -> Sequence[str]:
    return cast("Sequence[str]", parameters["order"])


PERTURBATION: Final[Perturbation] = _ShuffledOptions()
