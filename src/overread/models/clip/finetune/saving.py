"""Saves a trained scorer as a folder that ``--model clip:FOLDER`` opens."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

from overread.errors import UsageError, expected
from overread.models.clip.finetune.base import CONFIG_FILE, Base
from overread.models.clip.finetune.checkpoint import write_weights, write_whole

__all__ = ["WEIGHTS_FILE", "save_model", "save_model_frame"]

WEIGHTS_FILE: Final = "open_clip_model.safetensors"


def save_model_frame(base: Base, folder: Path) -> None:
    """Write all of a model but its weights: the configuration and the files of its tokenizer.

    Raises
    ------
    UsageError
        Its tokenizer cannot be saved, so that the folder would be read with another one.
    """
    text = json.dumps(base.config, ensure_ascii=False, indent=2)
    write_whole(folder / CONFIG_FILE, f"{text}\n".encode())
    tokenizer = base.scorer.tokenize
    kind = type(tokenizer).__name__
    if kind == "HFTokenizer":
        tokenizer.save_pretrained(str(folder))  # type: ignore[attr-defined]
    elif kind != "SimpleTokenizer":
        raise UsageError(
            expected(
                "--base",
                rule="a model whose tokenizer can be saved with it",
                got=f"{base.scorer.name}, which has a {kind}",
                remedy="Take it in its form for the Hugging Face hub: hf-hub:OWNER/NAME.",
            )
        )


def save_model(network: Any, folder: Path) -> None:
    """Write the weights, whole or not at all."""
    write_weights(folder / WEIGHTS_FILE, network.state_dict())
