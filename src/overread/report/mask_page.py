"""The page about scored masks, as one HTML file that opens offline."""

from __future__ import annotations

from pathlib import Path

from overread.analysis.mask_results import MaskResults
from overread.imaging.label_map import read_label_map
from overread.report.masks.page import MOST_PICTURES, write_sides
from overread.report.masks.sides import MaskSide
from overread.report.masks.worst import MaskReader
from overread.report.wording import count, moment

__all__ = ["write_mask_page"]


def write_mask_page(
    results: MaskResults,
    out: Path,
    *,
    read: MaskReader = read_label_map,
    most_pictures: int = MOST_PICTURES,
) -> Path:
    """Write ``index.html`` into a folder, which is made if it is not there.

    Parameters
    ----------
    results
        What to show. Pictures are made of the files its cases name; a case whose files cannot be
        read is shown without.
    out
        The folder; an ``index.html`` in it is replaced once the new one is whole.
    read
        Reads the reference and the prediction of a case, and gives values as `results.labels`
        names them. Where a folder holds one file a label, it puts them together.
    most_pictures
        For how many of the worst rows to draw pictures.

    Returns
    -------
    Path
        The file written.
    """
    out.mkdir(parents=True, exist_ok=True)
    n_cases, n_labels = len(results.cases), len(results.labels)
    subtitle = [
        *([results.subject] if results.subject else []),
        f"{count(n_cases)} case{'' if n_cases == 1 else 's'}",
        f"{count(n_labels)} label{'' if n_labels == 1 else 's'}",
        *([f"written {moment(results.created)}"] if results.created else []),
    ]
    return write_sides(
        [MaskSide(label="", colour=0, results=results)],
        out / "index.html",
        title=results.title,
        subtitle=subtitle,
        read=read,
        most_pictures=most_pictures,
        extra={"command": results.command},
    )
