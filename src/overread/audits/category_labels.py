"""Labels that mean the same: which spelling is the label, and which ones are slips of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from difflib import SequenceMatcher
from typing import Final

__all__ = ["misspelt_labels"]

_RARE: Final = 0.02
"""A slip is at most this share as frequent as the label that it stands for."""
_ALIKE: Final = 0.85


def misspelt_labels(
    labels: Iterable[str], *, known: Iterable[str] = ()
) -> Mapping[str, tuple[str, int]]:
    """Find rare labels that are another one misspelt: slip → (label, how often).

    Parameters
    ----------
    labels
        Every use of a label, one entry each.
    known
        Labels that are right by another source, such as the rows of a published table.

    Notes
    -----
    A slip is a label that is not known, and is another one's beginning or end, or alike to it in
    85 % of its letters (case and spaces apart); the other one is known, or at least 50 times as
    frequent.

    Examples
    --------
    >>> misspelt_labels(["left lung"] * 100 + ["left lnug", "heart"])
    {'left lnug': ('left lung', 1)}
    """
    counts = Counter(labels)
    right = set(known)
    found: dict[str, tuple[str, int]] = {}
    for label, count in counts.items():
        others = [
            other
            for other in {**counts, **dict.fromkeys(right)}
            if label not in right
            and label != other
            and (other in right or count <= _RARE * counts[other])
            and _is_slip(label, other)
        ]
        if others:
            found[label] = max(others, key=lambda other: (other in right, counts[other])), count
    return found


def _is_slip(label: str, other: str) -> bool:
    one, two = ("".join(text.casefold().split()) for text in (label, other))
    if not one:
        return False
    part = two.startswith(one) or two.endswith(one)
    return part or SequenceMatcher(None, one, two, autojunk=False).ratio() >= _ALIKE
