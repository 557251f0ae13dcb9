"""Descriptions that see no picture: what a caption task gives to one sentence for all lesions.

What a sentence is worth is said by the scorer of the headline, so that a floor and a model's score
are of one kind. All policies write what people have written of other lesions: two learn from the
exam's other patients, one from the release's training part, as ``baselines:majority`` does.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from overread.analysis.blind_exam import number_labels, unit_of
from overread.analysis.blind_floor import BlindFloor
from overread.analysis.blind_luck import REFUSE
from overread.analysis.blind_policies import N_FOLDS
from overread.analysis.strata import group_rows
from overread.contracts import Scorer
from overread.models.baselines.typical import typical_text
from overread.records import Item, Reference, Response, Status

__all__ = ["DRAWN", "ONE_FOR_ALL", "TAUGHT", "description_floors"]

ONE_FOR_ALL: Final = "one description for all, learned from other patients"
DRAWN: Final = "another patient's description"
TAUGHT: Final = "the most typical description of the training part"
_SEED: Final = 20260219
_DRAWS: Final = 4
"""Descriptions drawn for each lesion."""
_CANDIDATES: Final = 30
"""Descriptions among which the one for all is chosen, besides the most typical one."""
_TRIED: Final = 60
"""Lesions of other patients that it is chosen on."""


def description_floors(
    items: Sequence[Item],
    references: Mapping[str, Reference],
    scorer: Scorer,
    strata: Sequence[Sequence[str]],
    *,
    cluster: str | None,
    multi_label: Collection[str],
    taught: Sequence[str],
) -> tuple[BlindFloor, ...]:
    """Score blind policies over every stratum of a caption task.

    Parameters
    ----------
    items
        Items that ask for a description.
    references
        Item id → reference. An item without a usable one earns nobody anything.
    scorer
        Of the headline; a reply without a value earns 0.
    strata, cluster, multi_label
        As in `blind_floor.blind_floors`.
    taught
        Descriptions of the release's training part; none where it has no such part.

    Returns
    -------
    tuple of BlindFloor
        All policies of a stratum together, the best first. What is learned from other patients of
        the exam is left out where fewer than two folds of patients have a description; where
        nothing was taught either, there is no floor.

    Notes
    -----
    `BlindFloor.chance` is what a description drawn from other patients earns; where there are none,
    what silence earns: 0. A policy that writes the same whatever the lesion cannot be carried by
    luck: `chance_best_high` is its own value.
    """
    worth = _Worth(items, references, scorer)
    silence = np.zeros(len(items))
    credits_of = _from_other_patients(items, references, worth, cluster)
    chance = credits_of.get(DRAWN, silence)
    if (typical := typical_text(taught)) is not None:
        credits_of[TAUGHT] = worth([[typical]] * len(items))
    if not (credits_of and items):
        return ()
    credits_of[REFUSE] = silence
    ids = [item.id for item in items]
    found: list[BlindFloor] = []
    for keys in strata:
        groups = group_rows([item.strata for item in items], keys, multi_label=multi_label)
        for stratum, rows in groups:
            floors = [
                _floor(stratum, policy, [ids[row] for row in rows], credit[rows],
                       chance=float(chance[rows].mean()))
                for policy, credit in credits_of.items()
            ]  # fmt: skip
            found += sorted(floors, key=lambda floor: -floor.value)
    return tuple(found)


def _from_other_patients(
    items: Sequence[Item],
    references: Mapping[str, Reference],
    worth: _Worth,
    cluster: str | None,
) -> dict[str, NDArray[np.float64]]:
    """Credit each item, (n,), by policies that learn from other patients of the exam."""
    texts = [_usable(references.get(item.id)) for item in items]
    units = number_labels(unit_of(item, cluster) for item in items)
    lesions = number_labels(item.groups.get("lesion", item.id) for item in items)
    folds = units % N_FOLDS
    # A lesion counts once in learning and drawing, however often it is asked about.
    described = [row for row in np.unique(lesions, return_index=True)[1] if texts[row] is not None]
    if len({int(folds[row]) for row in described}) < 2:
        return {}
    rng = np.random.default_rng(_SEED)
    learned = {
        fold: _learn([row for row in described if folds[row] != fold], texts, worth, rng)
        for fold in sorted(set(folds.tolist()))
    }
    drawn = [
        [row for row in rng.choice(described, size=8 * _DRAWS) if units[row] != unit][:_DRAWS]
        for unit in units[np.unique(lesions, return_index=True)[1]]
    ]
    return {
        ONE_FOR_ALL: worth([[learned[int(fold)]] for fold in folds]),
        DRAWN: worth([[texts[row] for row in drawn[lesion]] for lesion in lesions]),
    }


def _learn(
    rows: Sequence[int],
    texts: Sequence[str | None],
    worth: _Worth,
    rng: np.random.Generator,
) -> str | None:
    """Find the description that earns most on these rows, among some of theirs."""
    written = [text for row in rows if (text := texts[row]) is not None]
    some = rng.permutation(written)[:_CANDIDATES].tolist()
    candidates = list(dict.fromkeys([typical_text(written) or "", *some]))
    tried = rng.permutation(rows)[:_TRIED].tolist()
    return max(candidates, key=lambda text: worth.on(tried, text))


def _usable(reference: Reference | None) -> str | None:
    if reference is None or reference.problem is not None:
        return None
    return reference.answer or None


class _Worth:
    """What sentences earn on items, each pair of sentence and reference scored once."""

    def __init__(
        self, items: Sequence[Item], references: Mapping[str, Reference], scorer: Scorer
    ) -> None:
        self._items, self._references, self._scorer = items, references, scorer
        self._known: dict[tuple[str, str], float] = {}

    def __call__(self, sentences: Sequence[Sequence[str | None]]) -> NDArray[np.float64]:
        """Give the mean worth of some sentences for each item, (n,); 0 where there are none."""
        means = [
            float(np.mean([self._one(item, text) for text in texts])) if texts else 0.0
            for item, texts in zip(self._items, sentences, strict=True)
        ]
        return np.array(means, dtype=np.float64)

    def on(self, rows: Sequence[int], text: str) -> float:
        """Give the mean worth of one sentence on some items."""
        return round(float(np.mean([self._one(self._items[row], text) for row in rows])), 9)

    def _one(self, item: Item, text: str | None) -> float:
        reference = self._references.get(item.id)
        if text is None or reference is None:
            return 0.0
        # A lesion is the same with its box and without.
        key = text, item.groups.get("lesion", item.id)
        if key not in self._known:
            response = Response(run="", item=item.id, status=Status.OK, text=text, request_hash="")
            rows = self._scorer.score(item, reference, response)
            values = Counter({row.metric: row.value for row in rows if row.value is not None})
            self._known[key] = float(values[self._scorer.metric])
        return self._known[key]


def _floor(
    stratum: Mapping[str, str],
    policy: str,
    ids: Sequence[str],
    credit: NDArray[np.float64],
    *,
    chance: float,
) -> BlindFloor:
    value = float(credit.mean())
    return BlindFloor(
        stratum=stratum,
        policy=policy,
        value=value,
        n=len(ids),
        low=None,
        high=None,
        chance=chance,
        chance_best_high=value,
        credit=dict(zip(ids, credit.tolist(), strict=True)),
    )
