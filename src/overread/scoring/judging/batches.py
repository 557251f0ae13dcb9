"""Which responses are graded together: the same ones in every start of a run."""

from __future__ import annotations

from collections.abc import Sequence

from overread.contracts import Graded

__all__ = ["fixed_batches"]


def fixed_batches(planned: Sequence[Graded | None], *, size: int) -> list[tuple[Graded, ...]]:
    """Cut a plan into batches whose make-up does not depend on what has been answered so far.

    Parameters
    ----------
    planned
        One entry a line of the plan, in its order; None where there is nothing to grade. An entry
        that is None now and graded later changes its own batch only.
    size
        How many lines make a batch.

    Returns
    -------
    list of tuple
        Batches of 1 to `size` responses of the same draw; those with nothing to grade are left out.

    Examples
    --------
    >>> one, two, three = (
    ...     Graded(item=name, draw=0, question="", reference="", prediction="") for name in "abc"
    ... )
    >>> [[each.item for each in batch] for batch in fixed_batches([one, None, two, three], size=2)]
    [['a'], ['b', 'c']]
    """
    batches: list[tuple[Graded, ...]] = []
    for start in range(0, len(planned), size):
        batch = tuple(each for each in planned[start : start + size] if each is not None)
        if batch:
            batches.append(batch)
    return batches
