"""How the values of a compared metric are written: shares in points of a hundred, others as is."""

from __future__ import annotations

from dataclasses import dataclass

from overread.analysis.compare import Comparison
from overread.analysis.compared_metric import SHARE_UNIT

__all__ = ["Scale", "scale_of"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Scale:
    """The unit that differences are told in."""

    unit: str
    """``points`` of per cent, ``mm``, ``ml``."""
    smaller_is_better: bool = False

    @property
    def is_share(self) -> bool:
        """Whether values are shares, written in per cent."""
        return self.unit == "points"

    @property
    def heading(self) -> str:
        """Over a column of values."""
        return "%" if self.is_share else self.unit

    def value(self, value: float | None) -> str:
        """Write a value."""
        if value is None:
            return "–"
        return f"{100 * value:.1f}" if self.is_share else f"{value:.4g}"

    def gap(self, value: float) -> str:
        """Write a difference with its sign."""
        return f"{100 * value:+.1f}" if self.is_share else f"{value:+.4g}"

    def size(self, value: float) -> str:
        """Write how large a difference is, with its unit: ``4.2 points``."""
        return f"{self.value(abs(value))} {self.unit}"

    def bounds(self, low: float | None, high: float | None) -> str:
        """Write an interval of a difference."""
        return "–" if low is None or high is None else f"{self.gap(low)} to {self.gap(high)}"

    def ahead(self, difference: float) -> bool:
        """Say whether a difference of the first less the second speaks for the first."""
        return difference <= 0 if self.smaller_is_better else difference >= 0


def scale_of(found: Comparison) -> Scale:
    """Give the scale of a comparison's metric."""
    unit = "points" if found.value_unit == SHARE_UNIT else found.value_unit
    return Scale(unit=unit, smaller_is_better=found.smaller_is_better)
