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


def prediction_place(predictions: Path, benchmark: str, *, release: Path) -> Path:
    """Give the run file beside the predictions: ``answers.BENCHMARK.sqlite``.

    Nothing is written into a release: for predictions that lie in it the run file lies in
    ``runs``, under their whole name from the release on, ``runs/team-curves.BENCHMARK.sqlite``.
    """
    from overread.models.masks.target import folder_of

    if _is_pattern(predictions):
        predictions = folder_of(predictions)
    # "." has no name of its own.
    folder = predictions if predictions.name.strip(".") else predictions.resolve()
    name = folder.name if folder.is_dir() else folder.stem
    place = folder.with_name(f"{name}.{benchmark}.sqlite")
    # Of what stands beside the release's folder itself nothing is in the release.
    if not place.resolve().parent.is_relative_to(release.resolve()):
        return place
    above = folder.resolve().relative_to(release.resolve()).parent.parts
    return Path("runs", f"{'-'.join((*above, name))}.{benchmark}.sqlite")


def _is_pattern(predictions: Path) -> bool:
    return "{" in str(predictions) and not predictions.exists()
