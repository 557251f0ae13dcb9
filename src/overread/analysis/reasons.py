"""Reasons of scores as they are counted: without what differs from item to item."""

from __future__ import annotations

import re

__all__ = ["plain_reason"]

_ITEM = re.compile(r"^item \S+: ")


def plain_reason(reason: str | None) -> str:
    """Take an item's name off the front of a reason, so that equal troubles count as one.

    Examples
    --------
    >>> plain_reason("item test/img2txt/box/7: expected a reply, got HTTP 500. Try again.")
    'expected a reply, got HTTP 500. Try again.'
    """
    return _ITEM.sub("", " ".join((reason or "no reason given").split()))
