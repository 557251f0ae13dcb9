"""Pictures as the tensors that a network takes, kept within a bound of memory."""

from __future__ import annotations

import io
import threading
from collections.abc import Callable, Hashable
from typing import Any

from PIL import Image

from overread.contracts import Picture
from overread.errors import ImageError, expected

__all__ = ["KeptTensors", "picture_tensor"]


def picture_tensor(picture: Picture, preprocess: Callable[[Any], Any]) -> Any:
    """Decode a rendered picture and prepare it as the model wants it.

    Returns
    -------
    Tensor
        Shape (channels, rows, columns).

    Raises
    ------
    ImageError
        It cannot be decoded.
    """
    try:
        with Image.open(io.BytesIO(picture.data)) as image:
            return preprocess(image.convert("RGB"))
    # A file sent as stored was checked for being whole, and never decoded before.
    except (OSError, ValueError, SyntaxError) as problem:
        raise ImageError(
            expected(
                ", ".join(picture.receipt.sources) or "picture",
                rule="a PNG or JPEG that can be decoded",
                got=problem,
                remedy="Copy the file again.",
            )
        ) from problem


class KeptTensors:
    """Remembers tensors by a key until their bytes reach a bound; later ones are made each time.

    What is kept first stays: with everything asked for once an epoch, in any order, dropping the
    oldest would keep nothing that is needed next. One may be asked from several threads.

    Parameters
    ----------
    most_bytes
        The bound; 0 keeps nothing.
    """

    def __init__(self, *, most_bytes: int) -> None:
        self._most_bytes = most_bytes
        self._bytes = 0
        self._kept: dict[Hashable, Any] = {}
        self._lock = threading.Lock()

    def get(self, key: Hashable, make: Callable[[], Any]) -> Any:
        """Give the tensor of a key, made now where it is not kept."""
        kept = self._kept.get(key)
        if kept is not None:
            return kept
        made = make()
        size = made.element_size() * made.nelement() if self._most_bytes else 1
        with self._lock:
            if key not in self._kept and self._bytes + size <= self._most_bytes:
                self._kept[key] = made
                self._bytes += size
        return made
