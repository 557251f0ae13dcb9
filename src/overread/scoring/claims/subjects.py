"""How a normal thing is said to be: "heart size is normal", "the mediastinum is not widened"."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from overread.scoring.claims.claim import State
from overread.scoring.claims.scope import Span, clause_of, decide
from overread.scoring.facts.words import Word

__all__ = ["how_it_is"]

_FINE: Final = frozenset(
    ("normal", "clear", "unremarkable", "sharp", "intact", "natural", "preserved", "free",
     "normally", "open", "maintained", "ordinary")
)  # fmt: skip
_LARGE: Final = frozenset(("Cardiomegaly", "Enlarged Cardiomediastinum"))
_AMISS: Final[Mapping[str, frozenset[str]]] = {
    **dict.fromkeys(
        ("enlarged", "enlargement", "widened", "wide", "large", "prominent", "cardiomegalic",
         "increased", "increase", "dilated"),
        _LARGE,
    ),
    **dict.fromkeys(
        ("blunted", "blunting", "obscured", "obliterated", "closed"),
        frozenset(("Pleural Effusion",)),
    ),
    **dict.fromkeys(("hazy", "opacified"), frozenset(("Lung Opacity",))),
    **dict.fromkeys(("thickening", "thickened", "thick"), frozenset(("Pleural Other",))),
}  # fmt: skip
"""Word → the findings whose subject it describes."""
_HINTS: Final = frozenset(("blunted", "blunting", "obscured", "obliterated", "prominent", "closed"))
"""Of those amiss: what has more than one cause, and is no claim of a finding by itself."""
_FARTHEST: Final = 14


def how_it_is(
    words: Sequence[Word],
    span: Span,
    findings: Sequence[str],
    mentioned: Sequence[Span],
) -> tuple[tuple[str, ...], State, str] | None:
    """Give what the clause says of a subject: denied where it is fine, else as it says.

    Parameters
    ----------
    words, span
        A sentence and where the subject stands.
    findings
        That the subject is about.
    mentioned
        Findings of the sentence, which a word behind them describes instead.

    Returns
    -------
    tuple or None
        The findings claimed, their state and the deciding word; None where the clause does not say
        how the subject is.
    """
    begin, end = clause_of(words, span)
    if end == span.end and end < len(words) and words[end].text == ":":
        _, end = clause_of(words, Span(start=end + 1, end=end + 1))  # "Lungs: clear."
    stop = next((each.start for each in mentioned if each.start >= span.end), end)
    ahead = range(span.end, min(stop, span.end + _FARTHEST, end))
    behind = range(span.start - 1, max(begin, span.start - 8) - 1, -1)
    for place in (*ahead, *behind):
        text = words[place].text
        if place < span.start and words[place].text in (",", "and", "with"):
            return None
        amiss = tuple(each for each in findings if each in _AMISS.get(text, ()))
        if not amiss and (text not in _FINE or place < span.start - 4):
            continue
        at = Span(start=place, end=place + 1)
        state, rule = decide(words, at, (at,))
        if amiss:
            if state == "asserted":
                return amiss, ("hedged" if text in _HINTS else "asserted"), text
            return amiss, state, rule
        return tuple(findings), ("denied" if state == "asserted" else "hedged"), text
    return None
