"""Breaking rows down by strata, the same way everywhere."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

__all__ = ["group_rows", "stratum_generator"]


def group_rows(
    strata: Sequence[Mapping[str, str]], keys: Sequence[str]
) -> list[tuple[dict[str, str], NDArray[np.int64]]]:
    """Gather the rows of each stratum.

    Parameters
    ----------
    strata
        (n,) what each row belongs to: key → value.
    keys
        The keys to break down by; none is the total.

    Returns
    -------
    list of (stratum, rows)
        In order of first appearance. A row that lacks one of the keys is in no stratum. Without
        rows there is no stratum.

    Examples
    --------
    >>> group_rows([{"box": "with"}, {"box": "without"}, {"box": "with"}], ["box"])
    [({'box': 'with'}, array([0, 2])), ({'box': 'without'}, array([1]))]
    """
    groups: dict[tuple[str, ...], list[int]] = {}
    for row, stratum in enumerate(strata):
        if all(key in stratum for key in keys):
            groups.setdefault(tuple(stratum[key] for key in keys), []).append(row)
    return [
        (dict(zip(keys, values, strict=True)), np.array(rows, dtype=np.int64))
        for values, rows in groups.items()
    ]


def stratum_generator(seed: int, stratum: Mapping[str, str], *who: str) -> np.random.Generator:
    """Seed a generator by stratum and by who is estimated.

    So an interval does not depend on which other strata or runs are asked for.
    """
    text = json.dumps([dict(stratum), *who], sort_keys=True)
    digest = hashlib.sha256(text.encode()).digest()
    return np.random.default_rng([seed, int.from_bytes(digest[:8], "big")])
