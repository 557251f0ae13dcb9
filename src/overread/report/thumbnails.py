"""Small inline pictures for the gallery: each distinct picture once, however often it is shown.

A thumbnail is for people; what a model was sent is told by the receipts.
"""

from __future__ import annotations

import base64
import io
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Literal, TypeAlias

from overread.contracts import Picture, Renderer
from overread.errors import ImageError, UnsafePathError
from overread.records import Media, Receipt
from overread.report.previews import MOST_PREVIEWS, in_order_of_trying

__all__ = ["LEFT_OUT", "Role", "Shelf", "Thumbnail", "make_shelf"]

Role: TypeAlias = Literal["single", "slice", "mosaic", "option", "preview"]
"""What a picture is in its item; decides how large it is kept."""

_SIDE_PX: dict[Role, int] = {
    "single": 384,
    "slice": 224,
    "mosaic": 640,
    "option": 256,
    "preview": 640,
}
_MANY_PICTURES = 4000
"""Above this many pictures thumbnails shrink to 3/4, so that the page still opens at once: the
1,900 questions of a whole CT-Bench exam show about 8,000 pictures."""
LEFT_OUT = "not among the volumes shown in this report"
"""The problem of a volume that was not tried, for enough others are shown."""
_QUALITY = 72
_THREADS = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Thumbnail:
    """A small picture as the page holds it."""

    data: str
    """WebP, base64."""
    width: int
    height: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Shelf:
    """All thumbnails of a page, and where the pictures of each medium are among them."""

    thumbnails: tuple[Thumbnail, ...]
    places: dict[tuple[Media, Role], tuple[int, ...]]
    """Indices into `thumbnails`, in the order of the rendered pictures."""
    problems: dict[tuple[Media, Role], str]
    """Why a medium has no picture."""
    hashes: dict[tuple[Media, Role], tuple[tuple[tuple[str, ...], str], ...]]
    """Files behind each rendered picture, and the SHA-256 of the picture as it would be sent."""


_Prepared: TypeAlias = tuple[str, Thumbnail, Receipt]
"""Which thumbnail it is, the thumbnail, and what a receipt would say of the whole picture."""


def make_shelf(
    wanted: Iterable[tuple[Media, Role]],
    render: Renderer,
    *,
    most_previews: int = MOST_PREVIEWS,
) -> Shelf:
    """Render media and keep each distinct picture once, small.

    Parameters
    ----------
    wanted
        The media of a page in the order in which they are shown, repeats included.
    render
        Turns media into pictures; called from two threads.
    most_previews
        How many previews of volumes to show. Others are not read; those that cannot be shown do
        not count.

    Returns
    -------
    Shelf
        A medium that cannot be rendered is under `problems` and stops nothing.
    """
    distinct = list(dict.fromkeys(wanted))
    n_pictures = sum(len(media.paths) for media, _ in distinct)
    scale = 0.75 if n_pictures > _MANY_PICTURES else 1.0

    made: dict[str, Thumbnail] = {}  # two threads may make one twice, which is harmless

    def prepare(entry: tuple[Media, Role]) -> list[_Prepared] | str:
        media, role = entry
        side_px = round(_SIDE_PX[role] * scale)
        found: list[_Prepared] = []
        try:
            for picture in render(media):
                key = f"{picture.receipt.sha256}@{side_px}"
                if key not in made:
                    made[key] = _shrink(picture, side_px)
                found.append((key, made[key], picture.receipt))
        except (ImageError, UnsafePathError) as error:
            return str(error)
        return found

    plain = [entry for entry in distinct if entry[1] != "preview"]
    with ThreadPoolExecutor(_THREADS) as pool:
        prepared = dict(zip(plain, pool.map(prepare, plain), strict=True))
    prepared |= _previews([m for m, role in distinct if role == "preview"], prepare, most_previews)
    return _arrange(distinct, [prepared[entry] for entry in distinct])


def _previews(
    volumes: Sequence[Media],
    prepare: Callable[[tuple[Media, Role]], list[_Prepared] | str],
    most: int,
) -> dict[tuple[Media, Role], list[_Prepared] | str]:
    """Prepare volumes one by one until enough are shown: each takes memory and seconds."""
    found: dict[tuple[Media, Role], list[_Prepared] | str] = {}
    n_shown = 0
    for media in in_order_of_trying(volumes, most=most):
        entry: tuple[Media, Role] = (media, "preview")
        found[entry] = prepare(entry) if n_shown < most else LEFT_OUT
        n_shown += not isinstance(found[entry], str)
    return found


def _arrange(
    distinct: Sequence[tuple[Media, Role]],
    prepared: Iterable[list[_Prepared] | str],
) -> Shelf:
    index: dict[str, int] = {}
    thumbnails: list[Thumbnail] = []
    places: dict[tuple[Media, Role], tuple[int, ...]] = {}
    problems: dict[tuple[Media, Role], str] = {}
    hashes: dict[tuple[Media, Role], tuple[tuple[tuple[str, ...], str], ...]] = {}
    for entry, pictures in zip(distinct, prepared, strict=True):
        if isinstance(pictures, str):
            problems[entry] = pictures
            continue
        where: list[int] = []
        for key, thumbnail, _ in pictures:
            if key not in index:
                index[key] = len(thumbnails)
                thumbnails.append(thumbnail)
            where.append(index[key])
        places[entry] = tuple(where)
        hashes[entry] = tuple((receipt.sources, receipt.sha256) for *_, receipt in pictures)
    return Shelf(thumbnails=tuple(thumbnails), places=places, problems=problems, hashes=hashes)


def _shrink(picture: Picture, side_px: int) -> Thumbnail:
    from PIL import Image, UnidentifiedImageError  # heavy: not before a report is written

    try:
        with Image.open(io.BytesIO(picture.data)) as opened:
            small = opened.convert("L" if opened.mode in {"1", "L"} else "RGB")
    except (UnidentifiedImageError, OSError, ValueError, SyntaxError) as error:
        raise ImageError(f"{', '.join(picture.receipt.sources)}: {error}") from error
    small.thumbnail((side_px, side_px), Image.Resampling.LANCZOS)
    buffer = io.BytesIO()
    small.save(buffer, "WEBP", quality=_QUALITY, method=2)
    return Thumbnail(
        data=base64.b64encode(buffer.getvalue()).decode("ascii"),
        width=small.width,
        height=small.height,
    )
