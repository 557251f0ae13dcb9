"""What the replies of a run give away about the wire: words or pictures that never arrived.

A server can drop the words of a question, or its pictures, and still answer; the score then says
nothing about the model. Counts of input tokens and equal replies show it afterwards.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from statistics import median
from typing import Final

from overread.records import Finding, Response, Severity, Status

__all__ = ["wire_findings"]

_OWN_RANGE: Final = re.compile(r"[0-9] stored\b")
"""In the window of a receipt: ``-2 to 658 stored``; ``as stored`` was changed by nobody."""
_FEWEST: Final = 10
"""Below this many replies equal counts are no surprise."""
_LEAST_PER_PICTURE: Final = 4
"""Input tokens that one more picture must cost; the leanest encoders in use take 16 and more."""


def wire_findings(responses: Iterable[Response]) -> tuple[Finding, ...]:
    """Look through the responses of one run.

    Parameters
    ----------
    responses
        The responses that count, one for each line of the plan.

    Returns
    -------
    tuple of Finding
        ``same-reply``, ``same-input``, ``pictures-not-counted``, ``cut-replies``, ``no-hu``, where
        seen.
    """
    replies = [response for response in responses if response.status is Status.OK]
    without_hu = tuple(_without_hu(replies))
    if len(replies) < _FEWEST:
        return without_hu
    return (
        *without_hu,
        *_same_reply(replies),
        *_same_input(replies),
        *_uncounted_pictures(replies),
        *_cut(replies),
    )


def _without_hu(replies: Sequence[Response]) -> Iterator[Finding]:
    """Find what was shown by its own range because its numbers are no HU: MR, 8-bit CT, a mask."""
    shown: dict[tuple[str, ...], str] = {}
    asked = 0
    for response in replies:
        odd = {r.sources: r.window for r in response.receipts if _OWN_RANGE.search(r.window)}
        asked += bool(odd)
        shown |= odd
    if shown:
        sources, window = next(iter(shown.items()))
        yield Finding(
            severity=Severity.WARNING,
            code="no-hu",
            where=", ".join(sources),
            evidence=f"{len(shown)} of what was sent holds no HU (no CT, or CT whose numbers were "
            f"changed) and was shown by its own range: {window}",
            effect=f"{asked} questions were asked about pictures that no HU window was applied to",
            remedy="Are these the volumes of the release, as downloaded?",
            count=len(shown),
        )


def _same_reply(replies: Sequence[Response]) -> Iterator[Finding]:
    texts = {response.text for response in replies}
    if len(texts) == 1 and any(len(text or "") > 40 for text in texts):
        yield Finding(
            severity=Severity.WARNING,
            code="same-reply",
            where=f"all {len(replies)} replies",
            evidence="every question got the same text, of more than a letter or a word",
            effect="the model answers without regard to what it is asked or shown, as a baseline "
            "of one sentence does, or neither has reached it",
            remedy="Of any other model look at one raw reply in the gallery, and at the server's "
            "chat template.",
            count=len(replies),
        )


def _same_input(replies: Sequence[Response]) -> Iterator[Finding]:
    counted = {response.tokens_in for response in replies if response.tokens_in is not None}
    n = sum(response.tokens_in is not None for response in replies)
    if len(counted) == 1 and n >= _FEWEST and len({r.item for r in replies}) >= _FEWEST:
        yield Finding(
            severity=Severity.WARNING,
            code="same-input",
            where=f"all {n} requests",
            evidence=f"the server counted {counted.pop()} input tokens for every question, "
            "however long",
            effect="the words of the questions may not have reached the model",
            remedy="Look at the server's chat template.",
            count=n,
        )


def _uncounted_pictures(replies: Sequence[Response]) -> Iterator[Finding]:
    tokens: dict[int, list[int]] = defaultdict(list)
    for response in replies:
        if response.tokens_in is not None and response.receipts:
            tokens[len(response.receipts)].append(response.tokens_in)
    if len(tokens) < 2:
        return
    fewest, most = min(tokens), max(tokens)
    gain = median(tokens[most]) - median(tokens[fewest])
    if gain < _LEAST_PER_PICTURE * (most - fewest):
        yield Finding(
            severity=Severity.WARNING,
            code="pictures-not-counted",
            where=f"{len(tokens[most])} requests with {most} pictures",
            evidence=f"the server counted {median(tokens[fewest]):g} input tokens with {fewest} "
            f"and {median(tokens[most]):g} with {most} pictures (medians)",
            effect="pictures were dropped on the way, or this server does not count them",
            remedy="See what the canary says.",
            count=len(tokens[most]),
        )


def _cut(replies: Sequence[Response]) -> Iterator[Finding]:
    ends = Counter(response.finish_reason for response in replies)
    count = ends["length"]
    if count > 0.01 * len(replies):
        yield Finding(
            severity=Severity.WARNING,
            code="cut-replies",
            where=f"{count} of {len(replies)} replies",
            evidence="they ended at the longest length allowed, perhaps before the answer",
            effect="a cut reply may hold no answer or an early one",
            remedy="Run again with a larger --max-tokens into another file.",
            count=count,
        )
