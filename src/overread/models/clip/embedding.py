"""Pictures and texts as an image-text scorer sees them, for whoever looks for likeness."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from overread.errors import ImageError
from overread.imaging.render import PictureRenderer
from overread.models.clip.loading import Scorer, load
from overread.models.clip.tensors import picture_tensor
from overread.records import Media

__all__ = ["ClipEmbedding"]

_BATCH: Final = 32


class ClipEmbedding:
    """An image-text scorer that gives features instead of answers.

    Parameters
    ----------
    target
        As after ``clip:`` in ``--model``.

    Raises
    ------
    MissingExtraError
        torch or open_clip is not installed.
    UsageError
        The target names nothing that can be loaded, such as weights of another model.
    """

    def __init__(self, target: str) -> None:
        self._scorer: Scorer = load(target)

    @property
    def label(self) -> str:
        """Name and hash of the weights."""
        return f"clip:{self._scorer.name} (weights {self._scorer.weights_sha256[:12]})"

    def pictures(
        self, paths: Sequence[Path], *, on_progress: Callable[[int], None]
    ) -> NDArray[np.float32]:
        """Encode picture files: shape (n, width), rows of length 1; zeros for an unusable one."""
        rows: list[NDArray[np.float32] | None] = []
        for some in _batches(paths):
            tensors = [self._tensor(path) for path in some]
            usable = [tensor for tensor in tensors if tensor is not None]
            encoded = iter(self._encode_pictures(usable) if usable else ())
            rows.extend(None if tensor is None else next(encoded) for tensor in tensors)
            on_progress(len(rows))
        width = next((len(row) for row in rows if row is not None), 1)
        blank = np.zeros(width, dtype=np.float32)
        return np.stack([blank if row is None else row for row in rows])

    def texts(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Encode texts: shape (n, width), rows of length 1; each distinct one once."""
        distinct = list(dict.fromkeys(texts))
        rows: list[NDArray[np.float32]] = []
        for some in _batches(distinct):
            tokens = self._scorer.tokenize(
                list(some), context_length=self._scorer.context_length
            ).to(self._scorer.device)
            with self._scorer.torch.inference_mode():
                rows.extend(_arrays(self._scorer.network.encode_text(tokens, normalize=True)))
        place = {text: row for row, text in enumerate(distinct)}
        return np.stack(rows)[[place[text] for text in texts]]

    def _tensor(self, path: Path) -> Any:
        try:
            (picture,) = PictureRenderer(path.parent)(Media(paths=(path.name,)))
            return picture_tensor(picture, self._scorer.preprocess)
        except ImageError:
            return None

    def _encode_pictures(self, tensors: Sequence[Any]) -> NDArray[np.float32]:
        batch = self._scorer.torch.stack(list(tensors)).to(self._scorer.device)
        with self._scorer.torch.inference_mode():
            return _arrays(self._scorer.network.encode_image(batch, normalize=True))


def _arrays(tensor: Any) -> NDArray[np.float32]:
    return np.asarray(tensor.float().cpu().numpy(), dtype=np.float32)


def _batches(some: Sequence[Any]) -> Iterator[Sequence[Any]]:
    for start in range(0, len(some), _BATCH):
        yield some[start : start + _BATCH]
