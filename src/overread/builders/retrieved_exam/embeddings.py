"""Lesions as vectors: what a picture looks like and what a description says."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from overread.builders.retrieved_exam.neighbours import unit_length
from overread.errors import UsageError, expected

__all__ = ["Embedder", "Embeddings", "Seen"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """What an embedder gets of one lesion."""

    lesion_idx: int
    boxed: Path
    """Its key slice with the box drawn, as PNG."""
    plain: Path
    """The same without the box."""
    description: str
    spacing_mm: tuple[float, float] | None


class Embedder(Protocol):
    """Turns lesions into vectors."""

    @property
    def label(self) -> str:
        """Name and version, for the card."""
        ...

    def embed(
        self, lesions: Sequence[Seen], *, on_progress: Callable[[int], None]
    ) -> tuple[NDArray[np.floating], NDArray[np.floating]]:
        """Give pictures and texts as tables, a row a lesion; widths may differ."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Embeddings:
    """Picture and description of every lesion in one space: cosines are means of both cosines."""

    vectors: NDArray[np.float32]
    """Shape (n, width), rows of length 1."""
    label: str

    @classmethod
    def join(
        cls,
        pictures: NDArray[np.floating],
        texts: NDArray[np.floating],
        *,
        label: str,
        numbers: Sequence[int],
        picture_weight: float,
    ) -> Embeddings:
        """Put pictures and texts side by side.

        Parameters
        ----------
        pictures, texts
            Shape (n, width of its own).
        label
            Of the embedder.
        numbers
            The lesions' numbers, a row each, for messages.
        picture_weight
            0 to 1: how much the picture's cosine counts; the text's counts for the rest.

        Raises
        ------
        UsageError
            A table has another number of rows, numbers that are not finite, or zeros only.
        """
        parts: list[NDArray[np.float32]] = []
        weights = (picture_weight, 1 - picture_weight)
        for name, table, weight in zip(
            ("pictures", "texts"), (pictures, texts), weights, strict=True
        ):
            what = f"embeddings of {name} ({label})"
            if len(table) != len(numbers):
                raise UsageError(
                    expected(
                        what,
                        rule=f"{len(numbers)} rows, one for every lesion",
                        got=f"{len(table)}",
                        remedy="Compute them for this lesion set.",
                    )
                )
            _check_finite(table, numbers, what=what)
            rows = unit_length(table, what=what)
            if weight > 0 and len(rows) and not rows.any():
                raise UsageError(
                    expected(
                        what,
                        rule="numbers that tell lesions apart",
                        got="zeros for all of them",
                        remedy="Choose another --embedding, or another --picture-weight.",
                    )
                )
            parts.append(rows * np.float32(np.sqrt(weight)))
        return cls(vectors=unit_length(np.concatenate(parts, axis=1), what=label), label=label)

    def nearest_first(self, row: int) -> list[int]:
        """List all other rows, the nearest first."""
        similarity = self.vectors @ self.vectors[row]
        order = np.lexsort((np.arange(len(similarity)), -similarity))
        return [int(other) for other in order if other != row]

    def similarity(self, row: int, other: int) -> float:
        """Give the cosine of two rows."""
        return float(self.vectors[row] @ self.vectors[other])


def _check_finite(table: NDArray[np.floating], numbers: Sequence[int], *, what: str) -> None:
    """Refuse NaN and infinity by the lesion: a row counts among those asked about only."""
    # A row of a table that is none, of one dimension or three, counts by all that it holds.
    broken = [
        number for number, row in zip(numbers, table, strict=True) if not np.isfinite(row).all()
    ]
    if broken:
        raise UsageError(
            expected(
                what,
                rule="finite numbers",
                got=f"NaN or infinity for {len(broken)} of {len(numbers)} lesions, such as "
                f"{broken[0]}",
                remedy="Compute the embeddings again, or choose another --embedding.",
            )
        )
