"""What a lesion table lets us say about a lesion: its coarse type and its size, nothing more."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from overread.records import Box

__all__ = ["NOUNS", "SetLesion", "description", "size_text"]

NOUNS: Mapping[int, str] = {
    1: "bone lesion",
    2: "abdominal lesion",
    3: "mediastinal lesion",
    4: "liver lesion",
    5: "lung lesion",
    6: "kidney lesion",
    7: "soft tissue lesion",
    8: "pelvic lesion",
    -1: "lesion",
}
"""Coarse type → what we call it. `Abdominal` is DeepLesion's abdomen but for liver and kidney."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SetLesion:
    """A lesion of the release: what it is, how large, and on which picture."""

    lesion_idx: int
    split: str
    coarse_type: int
    picture: str
    """DeepLesion's name of its key slice without ending: two lesions on one slice share it."""
    box: Box
    """On its picture, in pixels."""
    diameters_mm: tuple[float, float] | None
    """Long, then short; None where the table gives none in mm."""

    @property
    def long_side(self) -> float:
        """Its longer diameter in mm, or the longer side of its box in pixels."""
        if self.diameters_mm is not None:
            return self.diameters_mm[0]
        return max(self.box.x_max - self.box.x_min, self.box.y_max - self.box.y_min)


def size_text(lesion: SetLesion) -> str:
    """Tell a size, longer side first: diameters in mm, else the box, which is a little larger.

    Examples
    --------
    >>> size_text(SetLesion(lesion_idx=1, split="test", coarse_type=5, picture="a",
    ...     box=Box(x_min=10, y_min=10, x_max=32, y_max=48), diameters_mm=None))
    'box of 38 x 22 pixels'
    """
    if lesion.diameters_mm is not None:
        return f"{lesion.diameters_mm[0]:.1f} x {lesion.diameters_mm[1]:.1f} mm"
    box = lesion.box
    short, long = sorted((round(box.x_max - box.x_min), round(box.y_max - box.y_min)))
    return f"box of {long} x {short} pixels"


def description(lesion: SetLesion) -> str:
    """Describe a lesion by its coarse type and its size.

    Examples
    --------
    >>> description(SetLesion(lesion_idx=1, split="test", coarse_type=2, picture="a",
    ...     box=Box(x_min=10, y_min=10, x_max=32, y_max=48), diameters_mm=(23.04, 15)))
    'An abdominal lesion, 23.0 x 15.0 mm.'
    """
    noun = NOUNS[lesion.coarse_type]
    article = "An" if noun[0] in "aeiou" else "A"
    return f"{article} {noun}, {size_text(lesion)}."
