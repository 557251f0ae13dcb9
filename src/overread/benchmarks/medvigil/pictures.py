"""The pictures of probes: where they lie, their size, and how to make one that is not there.

A picture whose region is greyed out, one of the region alone and a mirrored one can be made from
the original and the box. Where the release lacks such a file (it may not pass credentialed pictures
on), the probe shows the original with that change in its recipe.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Final

from overread.benchmarks.medvigil.layout import Case, Probe, picture_path
from overread.benchmarks.medvigil.regions import GREY, REMADE, region_px
from overread.errors import ImageError, UnsafePathError
from overread.imaging.bounds import check_file
from overread.imaging.header import read_header
from overread.imaging.safe_path import resolve_inside
from overread.records import Box, Effect, Media, Recipe

__all__ = ["PictureResolver"]

_EFFECTS: Final = {
    "roi_masked": Effect(name="roi-mask", parameters=(("grey", GREY), ("share", 1.0))),
    "roi_only": Effect(name="roi-only", parameters=(("grey", GREY),)),
    "lr_flip": Effect(name="mirror"),
}
"""Kind of probe → what makes its picture from the original."""


class PictureResolver:
    """Finds the pictures of probes under one folder."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._size = cache(self._read_size)

    def media(
        self,
        probe: Probe,
        case: Case,
        box: tuple[float, ...] | None,
        *,
        max_side_px: int | None,
    ) -> tuple[Media, ...]:
        """Give what a probe shows; nothing where it names no picture.

        An original carries its box in pixels, undrawn: what is done to a region is done there.
        """
        path = picture_path(probe.image)
        if path is None:
            return ()
        recipe = Recipe(max_side_px=max_side_px, draw_boxes=False)
        original = picture_path(case.image)
        boxes = () if probe.kind in REMADE else self._boxes(path, box, probe.kind)
        if probe.kind in REMADE and original is not None and not self.has(path):
            boxes = self._boxes(original, box, probe.kind)
            if self.has(original) and (boxes or probe.kind == "lr_flip"):
                changed = Recipe(
                    max_side_px=max_side_px, draw_boxes=False, effects=(_EFFECTS[probe.kind],)
                )
                return (Media(paths=(original,), recipe=changed, boxes=boxes),)
            boxes = ()
        return (Media(paths=(path,), recipe=recipe, boxes=boxes),)

    def is_made_here(self, probe: Probe, case: Case, box: tuple[float, ...] | None) -> bool:
        """Say whether a probe shows its original with a change instead of a released picture."""
        media = self.media(probe, case, box, max_side_px=None)
        return any(each.recipe.effects for each in media)

    def has(self, path: str) -> bool:
        """Say whether a picture lies there."""
        try:
            return resolve_inside(self.root, path).is_file()
        except UnsafePathError:
            return False

    def _boxes(self, path: str, box: tuple[float, ...] | None, kind: str) -> tuple[Box, ...]:
        size = None if box is None else self._size(path)
        corners = None if size is None else region_px(box, *size)
        if corners is None:
            return ()
        x0, y0, x1, y1 = corners
        # The release's grey rectangle holds its last row and column, its kept region does not.
        less = 1 if kind == "roi_only" else 0
        return (Box(x_min=x0, y_min=y0, x_max=x1 - less, y_max=y1 - less),)

    def _read_size(self, path: str) -> tuple[int, int] | None:
        """Read width and height from the head of a picture; None where that cannot be done.

        None as well where it is to be turned before it is shown: a box says nothing of that.
        """
        try:
            file = resolve_inside(self.root, path)
            check_file(file)
            header = read_header(file.read_bytes(), file)
        except (OSError, ImageError, UnsafePathError):
            return None
        return (header.width, header.height) if header.upright else None
