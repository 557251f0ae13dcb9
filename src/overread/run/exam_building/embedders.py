"""Opens an embedder by the word typed after ``--embedding``."""

from __future__ import annotations

from typing import Final

from overread.builders.retrieved_exam.built_in_embedding import BuiltInEmbedder
from overread.builders.retrieved_exam.embeddings import Embedder
from overread.errors import UsageError, expected

__all__ = ["open_embedder"]

_BUILT_IN: Final = "built-in"


def open_embedder(word: str) -> Embedder:
    """Open an embedder.

    Parameters
    ----------
    word
        ``built-in``, ``clip:TARGET``, or a ``.npz`` file.

    Raises
    ------
    UsageError
        There is no such embedder, or it cannot be opened.
    MissingExtraError
        ``clip:`` without the extra torch.
    """
    if word == _BUILT_IN:
        return BuiltInEmbedder()
    raise UsageError(
        expected(
            "--embedding",
            rule="built-in, clip:TARGET or a .npz file",
            got=repr(word),
            remedy="Leave it out for the built-in one.",
        )
    )
