"""What a sentence says about lesions: the record that reading gives and comparing takes."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Lesion", "LesionFacts", "Size"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Size:
    """How large a lesion is said to be, in mm."""

    axes_mm: tuple[float, ...]
    """Diameters as stated, the longest first; of a range or a bound its ends."""
    low_mm: float
    high_mm: float | None
    """Where the longest diameter lies: both equal for a plain number, 5 to 10 for "5-10 mm", 0 to
    10 for "less than 1 cm"; None where there is no upper bound."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Lesion:
    """What is said about one lesion. What was not said, or not read, is empty."""

    present: bool = True
    """False where the sentence says that there is none: "no nodule in the left lung"."""
    types: frozenset[str] = frozenset()
    """Names of `terms/types.toml`, the narrowest that were said."""
    regions: frozenset[str] = frozenset()
    """Body parts: chest, abdomen, pelvis, neck, head, limb; those of the organs included."""
    organs: frozenset[str] = frozenset()
    """Organs of `terms/places.toml`; those of the sites included."""
    sites: frozenset[str] = frozenset()
    """Parts of an organ: ``upper lobe``, ``segment 7``, ``pancreatic head``."""
    sides: frozenset[str] = frozenset()
    """left, right, midline; both sides are left and right."""
    size: Size | None = None
    attributes: frozenset[tuple[str, str]] = frozenset()
    """(kind, value) of `terms/attributes.toml`."""
    denied: frozenset[tuple[str, str]] = frozenset()
    """Attributes said to be absent: "without calcification"."""

    @property
    def is_empty(self) -> bool:
        """Whether nothing at all was read."""
        return not (self.types or self.regions or self.sites or self.sides or self.attributes) and (
            not (self.organs or self.denied) and self.size is None
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class LesionFacts:
    """What a sentence says, lesion by lesion in its order; or why it could not be read."""

    lesions: tuple[Lesion, ...] = ()
    unreadable: str | None = None
    """``empty``, ``not in English (German?)``, ``names no fact of a lesion``."""
    unread_sizes: tuple[str, ...] = ()
    """Lengths written in a way that is not read, as in "1 . 5 cm": no size was made of them."""
    reader_failed: bool = False
    """Whether the text is unreadable through no fault of its own: the model that was to read it
    gave no reply, or none of the form asked for."""

    @property
    def present(self) -> tuple[Lesion, ...]:
        """The lesions that are there."""
        return tuple(lesion for lesion in self.lesions if lesion.present)
