"""A training's state in one file: tensors and a few facts, written whole or not at all."""

from __future__ import annotations

import contextlib
import importlib
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

from overread.errors import UsageError, expected
from overread.records import JsonValue

__all__ = ["read_checkpoint", "write_checkpoint", "write_weights", "write_whole"]

_KEY = "overread"


def write_checkpoint(
    path: Path, tensors: Mapping[str, Any], facts: Mapping[str, JsonValue]
) -> None:
    """Write tensors and facts as one safetensors file; facts go into its header as JSON."""
    _write(path, tensors, {_KEY: json.dumps(facts, ensure_ascii=False, sort_keys=True)})


def write_weights(path: Path, tensors: Mapping[str, Any]) -> None:
    """Write tensors as a safetensors file that any library opens: same values, same bytes."""
    _write(path, tensors, {"format": "pt"})


def _write(path: Path, tensors: Mapping[str, Any], metadata: Mapping[str, str]) -> None:
    # One key of metadata, no more: the library writes several in an order that changes.
    library = importlib.import_module("safetensors.torch")
    # Copies: two names of one tensor, or a view of a larger one, are refused by the format.
    plain = {name: tensor.detach().cpu().clone().contiguous() for name, tensor in tensors.items()}
    write_whole(path, library.save(plain, metadata=metadata))


def write_whole(path: Path, data: bytes) -> None:
    """Write a file so that its name never stands for half of it.

    It is written beside its place, brought to the disk, and then given its name: whoever kills the
    process leaves the file as it was, or the new one.
    """
    beside = path.with_name(f"{path.name}.part")
    try:
        with beside.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        beside.replace(path)
    except OSError:
        with contextlib.suppress(OSError):
            beside.unlink(missing_ok=True)
        raise


def read_checkpoint(path: Path) -> tuple[dict[str, Any], Mapping[str, JsonValue]]:
    """Read what `write_checkpoint` wrote. The format holds tensors and text alone, nothing to run.

    Raises
    ------
    UsageError
        The file is damaged, or no checkpoint of ours.
    """
    library = importlib.import_module("safetensors")
    try:
        with library.safe_open(str(path), framework="pt") as file:
            facts: object = json.loads((file.metadata() or {})[_KEY])
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
        if not isinstance(facts, dict):
            raise ValueError("no facts")
    # The library raises an exception of its own, straight below Exception.
    except Exception as problem:
        raise UsageError(
            expected(
                str(path),
                rule="the checkpoint of a training",
                got=f"a file that cannot be read as one ({problem})",
                remedy="Delete its folder to start anew, or choose another --out.",
            )
        ) from problem
    return tensors, cast("Mapping[str, JsonValue]", facts)
