"""Many runs in one order, with groups of those that cannot be told apart."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

__all__ = ["Standing", "letter", "standings", "undistinguished"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """One run among others."""

    label: str
    value: float
    """Over the questions that all runs were asked, where there are any; else over its own."""
    n: int
    groups: tuple[int, ...]
    """Numbers, from 0, of the groups it belongs to; two runs that share none are told apart."""


def standings(
    values: Mapping[str, tuple[float, int]],
    apart: Collection[frozenset[str]],
    *,
    smaller_is_better: bool = False,
) -> tuple[Standing, ...]:
    """Order runs by their value, the best first, and group them.

    Parameters
    ----------
    values
        Run → value and number of questions.
    apart
        Pairs of runs that are told apart.
    smaller_is_better
        Whether the smallest value stands first.

    Returns
    -------
    tuple
        Runs of equal value stand in the order given.
    """
    sign = 1 if smaller_is_better else -1
    ordered = sorted(values, key=lambda label: sign * values[label][0])
    groups = undistinguished(ordered, apart)
    return tuple(
        Standing(
            label=label,
            value=values[label][0],
            n=values[label][1],
            groups=tuple(number for number, group in enumerate(groups) if label in group),
        )
        for label in ordered
    )


def undistinguished(
    labels: Sequence[str], apart: Collection[frozenset[str]]
) -> tuple[tuple[str, ...], ...]:
    """Find the largest groups of runs of which no two are told apart.

    Parameters
    ----------
    labels
        Runs in order.
    apart
        Pairs that are told apart.

    Returns
    -------
    tuple of groups
        Each as large as can be, its runs in order, groups in the order of their first runs. A run
        may be in several: to be told apart is not passed on from one run to the next.

    Notes
    -----
    The groups are those of a compact letter display: H.-P. Piepho, J. Comput. Graph. Stat. 13
    (2004) 456, doi:10.1198/1061860043515, by inserting one pair after the other and absorbing.

    Examples
    --------
    >>> undistinguished(["a", "b", "c"], {frozenset("ac")})
    (('a', 'b'), ('b', 'c'))
    """
    groups: set[frozenset[str]] = {frozenset(labels)}
    for one, two in _pairs(labels):
        if frozenset((one, two)) in apart:
            parted = [group for group in groups if one in group and two in group]
            kept = groups - set(parted)
            halves = {group - {name} for group in parted for name in (one, two)}
            groups = _absorbed(kept | halves)
    place = {label: number for number, label in enumerate(labels)}
    found = [tuple(sorted(group, key=place.__getitem__)) for group in groups if group]
    return tuple(sorted(found, key=lambda group: [place[label] for label in group]))


def letter(number: int) -> str:
    """Name a group: 0 is ``a``, 25 ``z``, 26 ``aa``."""
    name = ""
    number += 1
    while number:
        number, rest = divmod(number - 1, 26)
        name = chr(ord("a") + rest) + name
    return name


def _pairs(labels: Sequence[str]) -> Iterable[tuple[str, str]]:
    return ((one, two) for place, one in enumerate(labels) for two in labels[place + 1 :])


def _absorbed(groups: Collection[frozenset[str]]) -> set[frozenset[str]]:
    """Leave out groups that lie within another."""
    return {group for group in groups if not any(group < other for other in groups)}
