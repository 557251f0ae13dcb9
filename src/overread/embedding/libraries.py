"""Imports sentence-transformers, or says which extra to install."""

from __future__ import annotations

import importlib
import re
import sys
from typing import Any

from overread.errors import MissingExtraError

__all__ = ["import_sentence_transformers"]

_MOST_TRIES = 12
_ABSENT_OPERATOR = re.compile(r"operator torchvision::(\w+) does not exist")
_OPERATORS: list[Any] = []
"""Keeps what was declared alive: torch forgets a library that is collected."""


def import_sentence_transformers() -> Any:
    """Import the library.

    It imports torchvision where that is installed, though sentences need nothing of it. A
    torchvision whose compiled operators were built for another torch (the usual wheel beside a CPU
    build) would stop it, so torchvision is tried first and what it misses is declared without a
    body: whoever calls such an operator gets torch's own error.

    Raises
    ------
    MissingExtraError
        torch or sentence-transformers is not installed.
    """
    try:
        torch = importlib.import_module("torch")
        _try_torchvision(torch)
        return importlib.import_module("sentence_transformers")
    except ImportError as problem:
        raise MissingExtraError("cosine of sentence embeddings", extra="torch") from problem


def _try_torchvision(torch: Any) -> None:
    for _ in range(_MOST_TRIES):
        try:
            importlib.import_module("torchvision")
        except ImportError:
            return  # not installed, and not needed
        except RuntimeError as problem:
            absent = _ABSENT_OPERATOR.search(str(problem))
            if absent is None:
                return  # another trouble: whoever does need it will meet it
            _declare(torch, absent[1])
        else:
            return


def _declare(torch: Any, operator: str) -> None:
    library = torch.library.Library("torchvision", "FRAGMENT")
    library.define(f"{operator}(Tensor dets, Tensor scores, float iou_threshold) -> Tensor")
    _OPERATORS.append(library)
    for name in [*sys.modules]:
        if name.partition(".")[0] == "torchvision":
            del sys.modules[name]
