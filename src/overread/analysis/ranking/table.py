"""The values to rank: methods by cases, for each metric, with patients and strata where known."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from overread.errors import UsageError, expected

__all__ = ["CaseTable", "RankedMetric"]


@dataclass(frozen=True, slots=True, kw_only=True)
class RankedMetric:
    """A metric, its direction, and what its ranks weigh among those of others."""

    name: str
    larger_is_better: bool
    weight: float = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseTable:
    """The values of one task.

    Raises
    ------
    UsageError
        Fewer than two methods or no case; shapes disagree; a value is infinite.
    """

    task: str = ""
    """Empty where the table names none."""
    methods: tuple[str, ...]
    cases: tuple[str, ...]
    values: Mapping[str, NDArray[np.float64]]
    """Metric → (cases, methods); NaN where there is no value."""
    patients: tuple[str, ...] | None = None
    """The patient of each case, or what else is drawn whole; None where the table names none."""
    unit: str = "patient"
    """What `patients` are: ``image`` in a benchmark of pictures that name no patient."""
    strata: tuple[str, ...] | None = None
    """The stratum of each case (centre, tracer); None where all belong together."""
    is_aggregated: bool = False
    """Whether a value stands for many cases already, so that nothing can be resampled."""

    def __post_init__(self) -> None:
        shape = (len(self.cases), len(self.methods))
        beside = [self.patients or self.cases, self.strata or self.cases]
        if (
            shape[0] < 1
            or shape[1] < 2
            or not self.values
            or any(table.shape != shape for table in self.values.values())
            or any(len(each) != shape[0] for each in beside)
        ):
            shapes = {name: table.shape for name, table in self.values.items()}
            raise UsageError(
                expected(
                    self.task or "the table",
                    rule="one case or more of two methods or more, with a value each",
                    got=f"{shape[0]} cases of {shape[1]} methods, values of shape {shapes}",
                    remedy="A ranking needs somebody to compare with.",
                )
            )
        for name, table in self.values.items():
            if bool(np.isinf(table).any()):
                raise UsageError(
                    expected(
                        name,
                        rule="finite values",
                        got="an infinite one",
                        remedy="Leave the cell empty and choose a policy with --missing.",
                    )
                )

    @property
    def n_missing(self) -> dict[str, int]:
        """Metric → values that some methods lack in a case while others have one."""
        counts: dict[str, int] = {}
        for name, table in self.values.items():
            absent = np.isnan(table)
            counts[name] = int((absent & ~absent.all(axis=1, keepdims=True)).sum())
        return counts

    @property
    def n_undefined(self) -> dict[str, int]:
        """Metric → cases in which no method has a value, such as a Dice of an empty reference."""
        return {name: int(np.isnan(t).all(axis=1).sum()) for name, t in self.values.items()}

    def tolerance(self, metric: str) -> float:
        """Differences of values up to this are the rounding of sums: a billionth of what is usual.

        The scale is the median of the absolute values other than 0, which one outlier cannot move.
        """
        sizes = np.abs(self.values[metric])
        sizes = sizes[sizes > 0]  # NaN is not
        return 1e-9 * float(np.median(sizes)) if sizes.size else 1e-9

    def with_methods(self, kept: tuple[int, ...]) -> CaseTable:
        """Take some of the methods; a case without any value left stays, and counts nowhere."""
        return CaseTable(
            task=self.task,
            methods=tuple(self.methods[each] for each in kept),
            cases=self.cases,
            values={name: table[:, list(kept)] for name, table in self.values.items()},
            patients=self.patients,
            unit=self.unit,
            strata=self.strata,
            is_aggregated=self.is_aggregated,
        )

    def without_stratum(self, stratum: str) -> CaseTable:
        """Leave out the cases of one stratum."""
        strata = self.strata or ()
        kept = [row for row, name in enumerate(strata) if name != stratum]
        return CaseTable(
            task=self.task,
            methods=self.methods,
            cases=tuple(self.cases[row] for row in kept),
            values={name: table[kept] for name, table in self.values.items()},
            patients=None if self.patients is None else tuple(self.patients[row] for row in kept),
            unit=self.unit,
            strata=tuple(strata[row] for row in kept),
            is_aggregated=self.is_aggregated,
        )
