"""Breaking rows down by strata, the same way everywhere."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Mapping, Sequence
from itertools import product
from math import prod

import numpy as np
from numpy.typing import NDArray

from overread.contracts import LABEL_SEPARATOR

__all__ = ["group_rows", "is_within", "label_shares", "stratum_generator"]


def group_rows(
    strata: Sequence[Mapping[str, str]], keys: Sequence[str], *, multi_label: Collection[str] = ()
) -> list[tuple[dict[str, str], NDArray[np.int64]]]:
    """Gather the rows of each stratum.

    Parameters
    ----------
    strata
        (n,) what each row belongs to: key → value.
    keys
        The keys to break down by; none is the total.
    multi_label
        Those of them under which a row may have several values, parted by `LABEL_SEPARATOR`: it
        is then in the stratum of each of them.

    Returns
    -------
    list of (stratum, rows)
        In order of first appearance. A row that lacks one of the keys is in no stratum, and so is
        one without any label. Without rows there is no stratum.

    Examples
    --------
    >>> group_rows([{"box": "with"}, {"box": "without"}, {"box": "with"}], ["box"])
    [({'box': 'with'}, array([0, 2])), ({'box': 'without'}, array([1]))]
    """
    groups: dict[tuple[str, ...], list[int]] = {}
    for row, stratum in enumerate(strata):
        if all(key in stratum for key in keys):
            for values in product(*(_values(stratum, key, multi_label) for key in keys)):
                groups.setdefault(values, []).append(row)
    return [
        (dict(zip(keys, values, strict=True)), np.array(rows, dtype=np.int64))
        for values, rows in groups.items()
    ]


def label_shares(
    strata: Sequence[Mapping[str, str]], keys: Sequence[str], *, multi_label: Collection[str]
) -> NDArray[np.float64]:
    """Give what a row weighs in each of its strata when its weight of 1 is shared among them.

    Returns
    -------
    NDArray
        (n,) 1 over the number of strata that `group_rows` puts the row in; 0 where it is in none.

    Examples
    --------
    >>> label_shares([{"kind": "a; b"}, {"kind": "a"}, {}], ["kind"], multi_label=["kind"])
    array([0.5, 1. , 0. ])
    """
    counts = [
        prod(len(_values(stratum, key, multi_label)) for key in keys)
        if all(key in stratum for key in keys)
        else 0
        for stratum in strata
    ]
    return np.array([1 / n if n else 0.0 for n in counts], dtype=np.float64)


def is_within(stratum: Mapping[str, str], only: Mapping[str, Collection[str]]) -> bool:
    """Tell whether an item has, for every key of `only`, one of the values named there.

    Examples
    --------
    >>> is_within({"form": "side"}, {"form": ("side", "lobe")}), is_within({}, {"form": ("side",)})
    (True, False)
    """
    return all(stratum.get(key) in values for key, values in only.items())


def _values(stratum: Mapping[str, str], key: str, multi_label: Collection[str]) -> tuple[str, ...]:
    if key not in multi_label:
        return (stratum[key],)
    labels = (label.strip() for label in stratum[key].split(LABEL_SEPARATOR))
    return tuple(dict.fromkeys(label for label in labels if label))


def stratum_generator(seed: int, stratum: Mapping[str, str], *who: str) -> np.random.Generator:
    """Seed a generator by stratum and by who is estimated.

    So an interval does not depend on which other strata or runs are asked for.
    """
    text = json.dumps([dict(stratum), *who], sort_keys=True)
    digest = hashlib.sha256(text.encode()).digest()
    return np.random.default_rng([seed, int.from_bytes(digest[:8], "big")])
