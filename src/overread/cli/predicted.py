"""Files of predictions as models: which adapter reads them, and where their run file lies."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from overread.errors import UsageError, expected

__all__ = ["prediction_model", "prediction_place"]

_MASKS: Final = (".nii", ".nii.gz", ".mha", ".mhd")
_OF_A_SCRIPT: Final = "output_data.json"
"""In a folder: it is the answers of a script, and no folder of masks."""


def prediction_model(predictions: Path) -> str:
    """Give ``--model`` for a file of answers, a folder of masks, or a pattern of their names.

    Raises
    ------
    UsageError
        It is one mask: masks are joined to cases by folder.
    """
    if predictions.is_file() and predictions.name.lower().endswith(_MASKS):
        raise UsageError(
            expected(
                "--predictions",
                rule="a folder of masks, or a file of answers",
                got=f"{predictions}, one mask",
                remedy=f"Name its folder: --predictions {predictions.parent}.",
            )
        )
    is_folder = predictions.is_dir() and not (predictions / _OF_A_SCRIPT).exists()
    kind = "masks" if is_folder or _is_pattern(predictions) else "predictions"
    return f"{kind}:{predictions}"


def prediction_place(predictions: Path, benchmark: str) -> Path:
    """Give the run file beside the predictions: ``answers.BENCHMARK.sqlite``."""
    if _is_pattern(predictions):
        parts = predictions.parts
        predictions = Path(*parts[: next(n for n, part in enumerate(parts) if "{" in part)])
    if not predictions.is_dir():
        return predictions.with_name(f"{predictions.stem}.{benchmark}.sqlite")
    # "." has no name of its own.
    folder = predictions if predictions.name.strip(".") else predictions.resolve()
    return folder.with_name(f"{folder.name}.{benchmark}.sqlite")


def _is_pattern(predictions: Path) -> bool:
    return "{" in str(predictions) and not predictions.exists()
