"""Texts as vectors of their word pieces, by RoBERTa-large (extra ``torch``), for BERTScore.

The weights are looked for in this order, and nothing is fetched from a network unless it is named:

1. the folder or the name on the Hugging Face hub given, or that ``OVERREAD_ROBERTA`` holds;
2. what the hub's client has on this computer already.

Source of the model: Liu et al., "RoBERTa", arXiv 1907.11692. Of its 24 layers the 17th is read, as
the package ``bert-score`` does for English; each text is put after a blank, as there.
"""

from __future__ import annotations

import importlib
import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from overread.embedding.libraries import import_sentence_transformers
from overread.errors import MissingExtraError, UsageError, expected
from overread.metrics.text.bert_score import PieceVectors

__all__ = ["HUB_NAME", "MODEL_VARIABLE", "PieceModel", "open_piece_model"]

HUB_NAME = "FacebookAI/roberta-large"
MODEL_VARIABLE = "OVERREAD_ROBERTA"
"""Environment variable with a folder of weights or a name on the hub."""

_LAYER = 17
_BATCH = 32
_MARK_POSITIONS = 2
"""Positions that RoBERTa counts in its limit and cannot use."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PieceModel:
    """A loaded model. It runs on the CPU, so that one computer gives the same digits each time."""

    name: str
    """Where the weights come from: a folder's name, or a name on the hub."""
    layer: int
    """Whose output is the vectors; 0 are the pieces before the first layer."""
    most_pieces: int
    """What lies behind so many pieces of a text, marks included, is not read."""
    _torch: Any = field(repr=False)
    _tokeniser: Any = field(repr=False)
    _network: Any = field(repr=False)

    def embed(self, texts: Sequence[str]) -> list[PieceVectors]:
        """Give the pieces of each text, each distinct text computed once.

        A piece's vector moves in its last digits with the texts beside it, because a batch is
        padded to its longest one.
        """
        distinct = sorted(set(texts), key=lambda text: (-len(text), text))
        found: dict[str, PieceVectors] = {}
        for start in range(0, len(distinct), _BATCH):
            batch = distinct[start : start + _BATCH]
            found |= zip(batch, self._embed(batch), strict=True)
        return [found[text] for text in texts]

    def _embed(self, texts: Sequence[str]) -> list[PieceVectors]:
        inputs = self._tokeniser(
            [f" {text.strip()}" for text in texts],
            padding=True,
            truncation=True,
            max_length=self.most_pieces,
            return_tensors="pt",
        )
        ids, mask = inputs["input_ids"], inputs["attention_mask"]
        with self._torch.inference_mode():
            layers = self._network(
                input_ids=ids, attention_mask=mask, output_hidden_states=True
            ).hidden_states
        states = np.asarray(layers[self.layer].numpy(), dtype=np.float32)
        marks = [self._tokeniser.cls_token_id, self._tokeniser.sep_token_id]
        pieces: list[PieceVectors] = []
        for vectors, number, shown in zip(states, ids.numpy(), mask.numpy(), strict=True):
            kept = shown.astype(np.bool_)
            lengths = np.linalg.norm(vectors[kept], axis=1, keepdims=True)
            pieces.append(
                PieceVectors(vectors=vectors[kept] / lengths, weighs=~np.isin(number[kept], marks))
            )
        return pieces


def open_piece_model(source: str | None = None) -> PieceModel:
    """Load the model, once in a process.

    Parameters
    ----------
    source
        A folder of weights or a name on the hub, which is fetched when this computer has it not;
        None looks for what is here (see above).

    Raises
    ------
    MissingExtraError
        torch or transformers is not installed.
    UsageError
        There are no weights, or they cannot be read; the message says how to get them.
    """
    return _open(source or os.environ.get(MODEL_VARIABLE) or None)


@cache
def _open(named: str | None) -> PieceModel:
    try:
        import_sentence_transformers()  # imports transformers, whatever torchvision is beside it
    except MissingExtraError as problem:
        raise MissingExtraError("BERTScore", extra="torch") from problem
    torch, library = importlib.import_module("torch"), importlib.import_module("transformers")
    target = named or HUB_NAME
    library.utils.logging.disable_progress_bar()  # over whatever the command line shows
    try:
        tokeniser = library.AutoTokenizer.from_pretrained(target, local_files_only=not named)
        network = library.AutoModel.from_pretrained(target, local_files_only=not named)
    except (OSError, ValueError, RuntimeError, KeyError) as problem:
        raise UsageError(
            expected(
                "BERTScore",
                rule="the weights of roberta-large",
                got=f"none that can be read in {target}",
                remedy=f"Name their folder, or {HUB_NAME} to fetch them, in {MODEL_VARIABLE}.",
            )
        ) from problem
    network.eval()
    room = int(network.config.max_position_embeddings) - _MARK_POSITIONS
    return PieceModel(
        name=Path(target).name if Path(target).is_dir() else target,
        layer=min(_LAYER, int(network.config.num_hidden_layers)),
        most_pieces=min(int(tokeniser.model_max_length), room),
        _torch=torch,
        _tokeniser=tokeniser,
        _network=network,
    )
