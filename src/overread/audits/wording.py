"""Words for findings: counts and shares."""

from __future__ import annotations

__all__ = ["counted", "share"]


def counted(n: int, noun: str, rest: str = "") -> str:
    """Give a count with its noun, and with what follows the noun.

    Examples
    --------
    >>> counted(1, "row"), counted(9077, "row"), counted(2, "row", "of a file")
    ('1 row', '9,077 rows', '2 rows of a file')
    """
    return f"{n:,} {noun}{'' if n == 1 else 's'} {rest}".rstrip()


def share(part: float, whole: float) -> str:
    """Give a share in per cent with its counts.

    Examples
    --------
    >>> share(2774, 9074)
    '30.57 % (2,774 of 9,074)'
    """
    return f"{100 * part / whole:.2f} % ({part:,} of {whole:,})" if whole else "undefined (0 of 0)"
