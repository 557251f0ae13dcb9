"""Opens an embedder by the word typed after ``--embedding``."""

from __future__ import annotations

import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

from overread.builders.retrieved_exam.built_in_embedding import BuiltInEmbedder
from overread.builders.retrieved_exam.embeddings import Embedder, Seen
from overread.errors import UsageError, expected
from overread.store.hashes import file_sha256

if TYPE_CHECKING:
    from overread.models.clip.embedding import ClipEmbedding

__all__ = ["BUILT_IN", "open_embedder"]

BUILT_IN: Final = "built-in"
_CLIP: Final = "clip:"
_SUFFIX: Final = ".npz"
_ARRAYS: Final = ("lesion_idx", "pictures", "texts")


def open_embedder(word: str) -> Embedder:
    """Open an embedder.

    Parameters
    ----------
    word
        ``built-in``; ``clip:TARGET``, as after ``--model``; or a ``.npz`` file with the arrays
        ``lesion_idx`` (n,), ``pictures`` and ``texts`` (n, width), made by any model.

    Raises
    ------
    UsageError
        There is no such embedder, or it cannot be opened.
    MissingExtraError
        ``clip:`` without the extra torch.
    """
    if word == BUILT_IN:
        return BuiltInEmbedder()
    if word.startswith(_CLIP):
        from overread.models.clip.embedding import ClipEmbedding

        try:
            return _ClipEmbedder(ClipEmbedding(word.removeprefix(_CLIP)))
        except UsageError as error:
            # A target is worded as --model's, which nobody has typed here.
            raise UsageError(str(error).replace("--model", "--embedding", 1)) from error
    path = Path(word)
    if path.suffix == _SUFFIX and path.is_file():
        return _FileEmbedder(path)
    raise UsageError(
        expected(
            "--embedding",
            rule="built-in, clip:TARGET or a .npz file that is there",
            got=repr(word),
            remedy="Leave it out for the built-in one.",
        )
    )


class _ClipEmbedder:
    """An image-text scorer: boxed pictures and descriptions."""

    def __init__(self, scorer: ClipEmbedding) -> None:
        self._scorer = scorer
        self.label = scorer.label

    def embed(
        self, lesions: Sequence[Seen], *, on_progress: Callable[[int], None]
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        pictures = self._scorer.pictures([one.boxed for one in lesions], on_progress=on_progress)
        return pictures, self._scorer.texts([one.description for one in lesions])


class _FileEmbedder:
    """Embeddings that were computed elsewhere, joined by ``lesion_idx``, never by row."""

    def __init__(self, path: Path) -> None:
        try:
            with path.open("rb") as file, np.load(file, allow_pickle=False) as held:
                absent = [name for name in _ARRAYS if name not in held]
                if absent:
                    raise ValueError(f"no array {', '.join(absent)}")
                index, self._pictures, self._texts = (held[name] for name in _ARRAYS)
        except (OSError, ValueError, zipfile.BadZipFile, EOFError) as error:
            raise _unusable(path, error) from error
        tables = (self._pictures, self._texts)
        if index.ndim != 1 or any(len(one) != len(index) or one.ndim != 2 for one in tables):
            raise _unusable(path, f"shapes {', '.join(str(a.shape) for a in (index, *tables))}")
        if any(one.dtype.kind not in "fiu" for one in (index, *tables)):
            raise _unusable(path, "arrays that are no numbers")
        if (index != np.floor(index)).any():
            raise _unusable(path, "a lesion_idx that is no whole number")
        self._row = {int(number): row for row, number in enumerate(index.tolist())}
        if len(self._row) != len(index):
            raise _unusable(path, "a lesion_idx twice")
        self._path = path
        self.label = f"{path.name} (sha256 {file_sha256(path)[:12]})"

    def embed(
        self, lesions: Sequence[Seen], *, on_progress: Callable[[int], None]
    ) -> tuple[NDArray[np.floating], NDArray[np.floating]]:
        lacking = [one.lesion_idx for one in lesions if one.lesion_idx not in self._row]
        if lacking:
            raise _unusable(
                self._path,
                f"none for {len(lacking)} of {len(lesions)} lesions, such as {lacking[0]}",
            )
        rows = [self._row[one.lesion_idx] for one in lesions]
        broken = [
            one.lesion_idx
            for one, row in zip(lesions, rows, strict=True)
            if not (np.isfinite(self._pictures[row]).all() and np.isfinite(self._texts[row]).all())
        ]
        if broken:
            raise _unusable(
                self._path,
                f"NaN or infinity for {len(broken)} of {len(lesions)} lesions, such as {broken[0]}",
            )
        for name, table in (("pictures", self._pictures), ("texts", self._texts)):
            blank = [
                one.lesion_idx
                for one, row in zip(lesions, rows, strict=True)
                if not table[row].any()
            ]
            if blank:
                raise _unusable(
                    self._path,
                    f"{name} of zeros, which are like nothing, for {len(blank)} of {len(lesions)} "
                    f"lesions, such as {blank[0]}",
                )
        on_progress(len(rows))
        return self._pictures[rows], self._texts[rows]


def _unusable(path: Path, got: object) -> UsageError:
    return UsageError(
        expected(
            f"--embedding {path}",
            rule="lesion_idx (n,), pictures and texts (n, width) of this lesion set",
            got=got,
            remedy="Write it with numpy.savez.",
        )
    )
