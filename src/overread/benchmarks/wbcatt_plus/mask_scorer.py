"""Scores component masks as the authors' notebook does: one confusion matrix over all pictures."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np

from overread.benchmarks.wbcatt_plus.layout import COMPONENTS
from overread.errors import ImageError, UnsafePathError
from overread.imaging.safe_path import resolve_inside, without_root
from overread.metrics.overlap import OVERLAP_VOXELS, PREDICTION_VOXELS, REFERENCE_VOXELS
from overread.records import Item, Mask, Profile, Reference, Response, Score, Status
from overread.scoring.masks.pair import ReferenceMaskError, open_pair
from overread.scoring.masks.rows import mask_row, predicted_file, reason_of
from overread.scoring.rows import Outcome, check_records, undefined

__all__ = ["ConfusionScorer"]

_CLASSES: Final = {0: "background", **COMPONENTS}
_SPECS: Final = (REFERENCE_VOXELS, PREDICTION_VOXELS, OVERLAP_VOXELS)


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfusionScorer:
    """Counts the pixels of every class, background among them: a `contracts.CaseScorer`.

    A pixel of a value above 5 in a prediction is no class's: torchmetrics would stop there (our
    choice). The notebook knows no missing mask; here such a picture has no row with a value, and
    leaves the sums.
    """

    root: Path
    profile: Profile = "published"
    metric: str = OVERLAP_VOXELS.name

    def takes(self, item: Item) -> bool:
        """Say whether an item asks for a mask."""
        return isinstance(item.answer_space, Mask)

    def score(self, item: Item, reference: Reference, response: Response) -> Iterator[Score]:
        """Score one mask. UsageError where the records do not belong together."""
        check_records(item, reference, response, space=Mask)
        if reference.problem is not None or reference.path is None:
            yield from self._rows(item, response, undefined(reference.problem or "no mask"))
            return
        if response.status is not Status.OK:
            outcome = Outcome(value=None, status=response.status, reason=response.reason)
            yield from self._rows(item, response, outcome)
            return
        try:
            path = predicted_file(response)
            pair = open_pair(resolve_inside(self.root, reference.path), path, tuple(_CLASSES))
            pair.check()
        except (ReferenceMaskError, UnsafePathError) as error:
            yield from self._rows(item, response, undefined(without_root(str(error), self.root)))
            return
        except ImageError as error:
            reason = reason_of(error, Path(response.path or "."))
            outcome = Outcome(value=None, status=Status.UNPARSED, reason=reason)
            yield from self._rows(item, response, outcome)
            return
        true, drawn = pair.reference.array, pair.prediction.array
        for label, name in _CLASSES.items():
            mine, theirs = true == label, drawn == label
            counts = (mine, theirs, mine & theirs)
            for spec, mask in zip(_SPECS, counts, strict=True):
                value = float(np.count_nonzero(mask))
                outcome = Outcome(value=value, status=Status.OK, reason=None)
                yield mask_row(
                    item, response, outcome, spec=spec, profile=self.profile, target=name
                )

    def failed(self, item: Item, response: Response, reason: str) -> Iterator[Score]:
        """Give the rows of a picture whose scoring broke."""
        outcome = Outcome(value=None, status=Status.FAILED, reason=reason)
        yield from self._rows(item, response, outcome)

    def _rows(self, item: Item, response: Response, outcome: Outcome) -> Iterator[Score]:
        for name in _CLASSES.values():
            for spec in _SPECS:
                yield mask_row(
                    item, response, outcome, spec=spec, profile=self.profile, target=name
                )
