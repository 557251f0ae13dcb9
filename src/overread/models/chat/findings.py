"""What a chat server does otherwise than the run file says, worded for readers of the result."""

from __future__ import annotations

from collections.abc import Sequence

from overread.records import Finding, Severity

__all__ = ["renamed_tokens", "unlisted_model", "unseeded"]

_MOST_NAMED = 8
_LONGEST_NAME = 60


def unseeded(seed: int, *, server: str) -> Finding:
    """Say that no seed was sent, though the run's settings hold one."""
    return Finding(
        severity=Severity.WARNING,
        code="seed-not-taken",
        where=server,
        evidence=f"the server refuses a seed: {seed} stands in the run's settings, none was sent",
        effect="the same run may get other answers another time, and draws of a question differ "
        "by chance alone",
        remedy="Tell it where results are given; take more draws to see how much answers vary.",
    )


def renamed_tokens(field: str, *, server: str) -> Finding:
    """Say that the length of replies is limited under another name."""
    return Finding(
        severity=Severity.INFO,
        code="max-tokens-renamed",
        where=server,
        evidence=f"the server takes the limit of a reply's length as {field} only",
        effect="such servers may count what a model thinks before it answers: a low limit leaves "
        "no answer",
        remedy="Look at how many replies were cut off; raise --max-tokens if there are any.",
    )


def unlisted_model(name: str, listed: Sequence[str], *, server: str) -> Finding:
    """Say that a server answered under a name that it does not have."""
    shown = ", ".join(_short(one) for one in listed[:_MOST_NAMED])
    more = f" and {len(listed) - _MOST_NAMED} more" if len(listed) > _MOST_NAMED else ""
    return Finding(
        severity=Severity.WARNING,
        code="model-not-listed",
        where=server,
        evidence=f"the server answers to {name!r}, and lists {shown}{more}",
        effect="another model than the one named may have answered",
        remedy="Compare the name with what the server has loaded.",
    )


def _short(name: str) -> str:
    name = " ".join(name.split())
    return name if len(name) <= _LONGEST_NAME else f"{name[:_LONGEST_NAME]}…"
