"""Replies that decline, where the score says only that no answer could be read.

A form can be kept and hold a refusal: ``{"selected_option": null, "explanation": "I cannot answer
without an image."}``. Scores are not moved by this; a probe tells what became of answers.
"""

from __future__ import annotations

import re
from typing import Final

from overread.records import Status
from overread.scoring.refusals import declines
from overread.store.run_store import RunStore

__all__ = ["declined_replies"]

_SAYS_SO: Final = re.compile(
    r"\b(?:I|we) (?:\w+ ){0,2}(?:refuse|decline)\b|^\W*(?:refus(?:ed?|al)|declined?)\W*$",
    re.IGNORECASE,
)
_LOOKED_AT: Final = 4_000


def declined_replies(store: RunStore, metric: str) -> frozenset[tuple[str, int]]:
    """Find the replies without a readable answer that decline.

    Parameters
    ----------
    store
        A scored run.
    metric
        Whose scores say which replies have no answer, under the honest profile.

    Returns
    -------
    frozenset
        Item and draw.
    """
    unread = {
        (score.item, score.draw)
        for score in store.scores()
        if score.metric == metric
        and score.profile == "honest"
        and score.target is None
        and score.status is Status.UNPARSED
    }
    if not unread:
        return frozenset()
    return frozenset(
        (response.item, response.draw)
        for response in store.responses()
        if (response.item, response.draw) in unread
        and response.text
        and (declines(response.text) is not None or _SAYS_SO.search(response.text[:_LOOKED_AT]))
    )
