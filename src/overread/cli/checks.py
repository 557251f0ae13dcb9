"""Checks of what was typed, before anything is opened or asked."""

from __future__ import annotations

import math

from overread.errors import UsageError, expected

__all__ = ["at_least"]


def at_least(argument: str, value: float | None, least: float) -> None:
    """Refuse a number below the least, an infinity and NaN; None is a value left out."""
    if value is not None and not least <= value < math.inf:
        raise UsageError(
            expected(
                argument,
                rule=f"a number of {least:g} or more",
                got=value,
                remedy="Leave it out for the default.",
            )
        )
