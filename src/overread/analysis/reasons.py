"""Reasons of scores as they are counted: without what differs from item to item."""

from __future__ import annotations

import re
from typing import Final

__all__ = ["NOT_SHOWN", "is_not_shown", "plain_reason", "reason_name"]

NOT_SHOWN: Final = "could not be shown: "
"""Begins the reason of a question that no model was asked: a file of it cannot be read, or the
release gives no options. Asking again helps only once that is mended."""

_ITEM = re.compile(r"^item \S+: ")
_FILE = re.compile(rf"^(?P<start>{NOT_SHOWN})(?P<name>.+?): (?=expected )")


def is_not_shown(reason: str | None) -> bool:
    """Tell whether a reason says that the model was not asked at all.

    Examples
    --------
    >>> is_not_shown("could not be shown: a.nii.gz: expected one volume, got 4. Split it.")
    True
    >>> is_not_shown("HTTP 500")
    False
    """
    return (reason or "").startswith(NOT_SHOWN)


def plain_reason(reason: str | None) -> str:
    """Take the name of the item or the file out of a reason, so that equal troubles count as one.

    Examples
    --------
    >>> plain_reason("item test/img2txt/box/7: expected a reply, got HTTP 500. Try again.")
    'expected a reply, got HTTP 500. Try again.'
    >>> plain_reason("could not be shown: a.nii.gz: expected one volume, got 4. Split it.")
    'could not be shown: expected one volume, got 4. Split it.'
    """
    return _FILE.sub(r"\g<start>", _ITEM.sub("", _one_line(reason)))


def reason_name(reason: str | None) -> str | None:
    """Give the file that a reason names, None where it names none.

    Examples
    --------
    >>> reason_name("could not be shown: a.nii.gz: expected one volume, got 4. Split it.")
    'a.nii.gz'
    """
    match = _FILE.match(_one_line(reason))
    return match["name"] if match else None


def _one_line(reason: str | None) -> str:
    return " ".join((reason or "no reason given").split())
