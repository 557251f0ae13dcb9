"""The rows by category: a pair counts in each of its categories."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from overread.audits.category_labels import misspelt_labels
from overread.audits.joined import Joined
from overread.audits.reproduce.cells import Draft
from overread.audits.reproduce.samples import MeanSample
from overread.audits.reproduce.vote_cells import FROM_MATRIX, jury_verdicts, told_by_matrix
from overread.audits.shipped import GradedModel, models_of
from overread.contracts.replay import Replay

__all__ = ["category_cells", "places_by_category"]

_METRIC = "category_performance"


def category_cells(replay: Replay, joined: Joined) -> Iterator[Draft]:
    """Recompute the jury's accuracy by category, column by column.

    The released numbers are the share of the category's pairs whose mean of votes, in the released
    matrix, is at least a half; a pair without a mean counts as wrong. Corrected, the jury is joined
    by key and a pair that a judge has no record of leaves the denominator.

    Parameters
    ----------
    replay
        What the release ships.
    joined
        The same, joined with its questions.
    """
    for category, places in places_by_category(replay).items():
        for model, title in models_of(replay):
            graded = joined.graded[model] if joined.has_all_votes(model) else None
            yield _cell(replay, category, places, model, title, graded)


def places_by_category(replay: Replay) -> dict[str, list[int]]:
    """Give the places of the questions of each category, misspelt labels under their right name.

    Categories come in the order of the published rows, others after them.
    """
    listed = [
        one.stratum["category"]
        for one in replay.published
        if one.metric == _METRIC and "category" in one.stratum
    ]
    used = [label for one in replay.questions for label in one.labels]
    slips = misspelt_labels(used, known=listed)
    found: dict[str, list[int]] = {name: [] for name in dict.fromkeys(listed)}
    for place, one in enumerate(replay.questions):
        for label in dict.fromkeys(slips.get(label, (label, 0))[0] for label in one.labels):
            found.setdefault(label, []).append(place)
    return found


def _cell(
    replay: Replay,
    category: str,
    places: Sequence[int],
    model: str,
    title: str,
    graded: GradedModel | None,
) -> Draft:
    means = [replay.matrix.get(replay.questions[place].item, {}).get(model) for place in places]
    n_blank = sum(mean is None for mean in means)
    known = n_blank < len(means)
    faults: list[str] = []
    if not known:
        faults.append("no column in the matrix")
    elif graded is None:
        faults.append(FROM_MATRIX)
    else:
        faults += ["joined by row number"] if graded.is_slipped else []
        faults += told_by_matrix(graded.judges)
    if known and n_blank:
        faults.append(f"{n_blank} without a mean count as wrong")
    return Draft(
        model=model,
        title=title,
        metric=_METRIC,
        stratum=(("category", category),),
        column=category,
        unit="share",
        recomputed=sum(m is not None and m >= 0.5 for m in means) / len(means) if known else None,
        n_recomputed=len(means) if known else None,
        sample=_sample(jury_verdicts(graded), places, len(replay.questions)) if graded else None,
        faults=tuple(faults),
    )


def _sample(jury: Mapping[int, bool], places: Sequence[int], n: int) -> MeanSample:
    values, counts = np.zeros(n), np.zeros(n, dtype=np.bool_)
    for place in places:
        if place in jury:
            values[place], counts[place] = jury[place], True
    return MeanSample(values=values, counts=counts)
