"""What a synthetic case shows: findings with a place each, drawn so that no answer is the rule.

Places are drawn from decks, not one by one: over a release each side, lobe, depth and zone comes up
as often as the others, so that a reader who never looks stays at chance.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Generic, Literal, TypeAlias, TypeVar

import numpy as np

__all__ = [
    "LOBED_KINDS",
    "SIDED_KINDS",
    "SMALLEST_RELEASE",
    "Case",
    "Side",
    "Sign",
    "draw_cases",
]

Side: TypeAlias = Literal["right", "left"]
Lobe: TypeAlias = Literal["upper", "middle", "lower"]
T = TypeVar("T")

SMALLEST_RELEASE: Final = 6
"""Cases below which the planted faults would meet each other."""

LOBED_KINDS: Final = ("nodule", "mass", "consolidation", "ground-glass opacity", "bulla")
"""Findings that lie in one lobe."""
SIDED_KINDS: Final = ("pleural effusion", "pneumothorax")
"""Findings of one side or both."""
_Place: TypeAlias = tuple[Side, Lobe]
_RIGHT: Final[tuple[_Place, ...]] = (("right", "upper"), ("right", "middle"), ("right", "lower"))
_LEFT: Final[tuple[_Place, ...]] = (("left", "upper"), ("left", "lower"))
_LOBES: Final = (*_RIGHT * 2, *_LEFT * 3)
"""As many on the left as on the right, which has a lobe more."""
_BOTH: Final[tuple[Side, Side]] = ("right", "left")
_SIDES: Final[tuple[tuple[Side, ...], ...]] = (("right",), ("left",), _BOTH)
_SIZES_MM: Final = {
    "nodule": (14, 22),
    "mass": (36, 46),
    "consolidation": (46, 60),
    "ground-glass opacity": (46, 60),
    "bulla": (30, 44),
}
_SCANS: Final = "abcdefgh"
_PATIENT_SIZES: Final = (1, 1, 2, 1, 3, 1, 1, 2)
"""Scans of one patient after another: in the release, 1,601 cases have 1,300 patients."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sign:
    """One finding and where it lies."""

    kind: str
    sides: tuple[Side, ...]
    lobe: Lobe | None = None
    """None for what lies in the pleural space."""
    depth: Literal["anterior", "posterior"] | None = None
    zone: Literal["central", "peripheral"] | None = None
    size_mm: int | None = None
    count: int = 1

    @property
    def side(self) -> str:
        """The side in words: ``right``, ``left``, ``both``."""
        return self.sides[0] if len(self.sides) == 1 else "both"


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One scan of one patient."""

    patient: int
    scan: str
    signs: tuple[Sign, ...]
    pericardial_effusion: bool
    contrast: bool

    @property
    def name(self) -> str:
        """The case's id: ``valid_1_a_1.nii.gz``."""
        return f"valid_{self.patient}_{self.scan}_1.nii.gz"


def draw_cases(size: int, rng: np.random.Generator) -> tuple[Case, ...]:
    """Draw `size` cases: each has one or two findings in a lobe and often one of the pleura."""
    kinds = _Deck(LOBED_KINDS, rng)
    lobes = _Deck(_LOBES, rng)
    depths: _Deck[Literal["anterior", "posterior"]] = _Deck(("anterior", "posterior"), rng)
    zones: _Deck[Literal["central", "peripheral"]] = _Deck(("central", "peripheral"), rng)
    counts = _Deck((1, 1, 2, 3), rng)
    sided = _Deck((*SIDED_KINDS, None), rng)
    sides: _Deck[tuple[Side, ...]] = _Deck((*_SIDES, _BOTH), rng)
    fluid, contrast = _Deck((True, False), rng), _Deck((True, False), rng)
    numbers = (int(number) for number in rng.permutation(900) + 1)

    def lobed(taken: Sequence[Sign]) -> Sign:
        # A second finding is of another kind, in another lobe: a question names one of them only.
        kind = kinds.draw_other({sign.kind for sign in taken})
        side, lobe = lobes.draw_other({(sign.sides[0], sign.lobe) for sign in taken})
        low, high = _SIZES_MM[kind]
        return Sign(
            kind=kind,
            sides=(side,),
            lobe=lobe,
            # The middle lobe lies in front, the lower ones behind.
            depth=depths.draw()
            if lobe == "upper"
            else ("anterior" if lobe == "middle" else "posterior"),
            zone=zones.draw(),
            size_mm=int(rng.integers(low, high + 1)),
            count=counts.draw() if kind == "nodule" else 1,
        )

    cases: list[Case] = []
    for patient, scan in _scans(size, numbers):
        signs = [lobed(())]
        if rng.uniform() < 0.5:
            signs.append(lobed(signs))
        if (kind := sided.draw()) is not None:
            # Fluid would hide what lies behind, air would take the place of what lies in front.
            hidden = "posterior" if kind == "pleural effusion" else "anterior"
            full = {sign.sides[0] for sign in signs if sign.depth == hidden}
            free: list[Side] = [side for side in _BOTH if side not in full]
            if free:
                taken = {one for one in _SIDES if not set(one) <= set(free)}
                signs.append(Sign(kind=kind, sides=sides.draw_other(taken)))
        cases.append(
            Case(
                patient=patient,
                scan=scan,
                signs=tuple(signs),
                pericardial_effusion=fluid.draw(),
                contrast=contrast.draw(),
            )
        )
    return tuple(sorted(cases, key=lambda case: case.name))


def _scans(size: int, numbers: Iterator[int]) -> Iterator[tuple[int, str]]:
    made = 0
    while True:
        for scans in _PATIENT_SIZES:
            patient = next(numbers, None) or 1000 + made  # beyond 900 patients: numbers go on
            for scan in _SCANS[:scans]:
                if made == size:
                    return
                made += 1
                yield patient, scan


class _Deck(Generic[T]):
    """Gives each of some values equally often, in an order that cannot be foreseen."""

    def __init__(self, values: Sequence[T], rng: np.random.Generator) -> None:
        self._values = values
        self._rng = rng
        self._left: list[T] = []

    def draw(self) -> T:
        """Give the next value."""
        if not self._left:
            self._left = [self._values[place] for place in self._rng.permutation(len(self._values))]
        return self._left.pop()

    def draw_other(self, taken: Collection[object]) -> T:
        """Give the next value that is not taken; the others keep their turn."""
        passed: list[T] = []
        while (value := self.draw()) in taken:
            passed.append(value)
        self._left += reversed(passed)
        return value
