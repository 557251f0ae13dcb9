"""Imports torch and open_clip, or says which extra to install."""

from __future__ import annotations

import importlib
import re
import sys
from typing import Any

from overread.errors import MissingExtraError

__all__ = ["import_libraries"]

_MOST_TRIES = 12
_ABSENT_OPERATOR = re.compile(r"operator torchvision::(\w+) does not exist")
_OPERATORS: list[Any] = []
"""Keeps what was declared alive: torch forgets a library that is collected."""


def import_libraries() -> tuple[Any, Any]:
    """Import the libraries.

    open_clip imports torchvision, of which scoring needs the picture transforms alone, and these
    are plain Python. A torchvision whose compiled operators were built for another torch (the
    usual wheel beside a CPU build) stops at its import for want of an operator; then the operators
    are declared without a body, and whoever calls one gets torch's own error.

    Returns
    -------
    tuple
        The modules ``torch`` and ``open_clip``.

    Raises
    ------
    MissingExtraError
        One of them is not installed.
    """
    try:
        torch = importlib.import_module("torch")
        for _ in range(_MOST_TRIES):
            try:
                return torch, importlib.import_module("open_clip")
            except RuntimeError as problem:
                absent = _ABSENT_OPERATOR.search(str(problem))
                if absent is None:
                    raise
                _declare(torch, absent[1])
        return torch, importlib.import_module("open_clip")
    except ImportError as problem:
        raise MissingExtraError("image-text scorers", extra="torch") from problem


def _declare(torch: Any, operator: str) -> None:
    """Declare an operator of torchvision, and forget the modules whose import it stopped."""
    library = torch.library.Library("torchvision", "FRAGMENT")
    library.define(f"{operator}(Tensor dets, Tensor scores, float iou_threshold) -> Tensor")
    _OPERATORS.append(library)
    for name in [*sys.modules]:
        if name.partition(".")[0] in ("torchvision", "open_clip", "timm"):
            del sys.modules[name]
