"""Replies that reject what a question takes for granted: "there is no fracture", "none is seen"."""

from __future__ import annotations

import re

__all__ = ["rejects_premise"]

_LOOKED_AT = 2000
_REJECTION = re.compile(
    r"\bthere (?:is|are|was|were) (?:no|not any)\b(?! (?:doubt|question|reason|way)\b)"
    r"|\bno (?:\w+ ){0,2}(?:evidence|signs?|indication|suggestion|trace) of\b"
    r"|\b(?:does|do|did)(?: not|n't) (?:show|contain|depict|demonstrate|reveal|display|include)\b"
    r"|\b(?:is|are|was|were)(?: not|n't) (?:\w+ )?(?:present|visible|shown|seen|depicted|"
    r"identified|demonstrated|there|in the (?:image|picture))\b"
    r"|\bnone (?:is|are|was|were|can be) (?:\w+ )?(?:seen|present|visible|shown|identified)\b"
    r"|\bI (?:do not|don't|cannot|can't) see (?:any|a|an|the|such)\b"
    r"|\b(?:premise|assumption) (?:\w+ ){0,5}(?:false|wrong|incorrect|mistaken|not true)\b"
    r"|\b(?:false|wrong|incorrect|mistaken) (?:premise|assumption)\b",
    re.I,
)


def rejects_premise(text: str) -> bool:
    """Tell whether a reply denies that what it was asked about is in the picture.

    Only the first 2,000 characters count. A finding that is denied beside an answer ("no effusion;
    the nodule is on the left") rejects as well: ask whether there is an answer first.

    Examples
    --------
    >>> rejects_premise("There is no fracture in this picture.")
    True
    >>> rejects_premise("There is no doubt that it is fractured.")
    False
    """
    return _REJECTION.search(text[:_LOOKED_AT]) is not None
