"""Breaking rows down by strata, the same way everywhere."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

__all__ = ["group_rows"]


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
