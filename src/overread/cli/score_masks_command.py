"""`overread score-masks`: two masks or two folders of masks, compared without any benchmark."""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal, cast

from overread.analysis.empty_masks import LedgerRow, ledger_of_labels, mask_ledger
from overread.analysis.mask_results import MaskResults
from overread.cli.mask_tables import (
    labels_table,
    ledger_table,
    lesions_table,
    masks_json,
    one_sided_sentences,
    worst_table,
)
from overread.cli.output import findings_table, notice, print_json, progress_bar, safe, show
from overread.cli.typed import typed_command
from overread.errors import StoreFullError, UsageError, expected
from overread.metrics.components import Connectivity
from overread.metrics.lesion_matching import LesionRule
from overread.records import Severity
from overread.run.case_scoring import WORKERS
from overread.run.mask_labels import read_label_names
from overread.run.mask_overview import is_compared
from overread.run.mask_scoring import MaskTask, mask_reader, score_mask_folders
from overread.scoring.masks.measures import MaskMeasures

__all__ = ["score_masks_command"]

_LEDGER = ("dice", "hd95_mm")


def score_masks_command(
    reference: Path,
    prediction: Path,
    /,
    *,
    labels: str | None = None,
    tolerance: tuple[float, ...] = (3.0,),
    lesions: bool = False,
    match: str = "any-overlap",
    connectivity: Literal[4, 6, 8, 18, 26] = 18,
    centreline: bool = False,
    surface: bool = True,
    spacing: str | None = None,
    resample: Literal["nearest"] | None = None,
    pattern: str | None = None,
    structures: bool = False,
    image: Path | None = None,
    workers: int = WORKERS,
    out: Path | None = None,
    json: bool = False,
) -> int:
    """Compare masks with reference masks: overlap, surfaces, volumes, lesions.

    Before any number is given the grids are compared: a mask of another size, spacing, origin or
    direction is not scored unless --resample says how, and where another orientation would fit far
    better it is named. Exit status 1 when a case could not be scored.

    Parameters
    ----------
    reference
        A mask file (NIfTI, MetaImage, index PNG), a folder of them, or a folder with one mask file
        a structure.
    prediction
        Likewise.
    labels
        Names of labels: 1=liver,2=spleen, or a JSON or TOML file such as nnU-Net's dataset.json.
        Labels that are not named are not scored. Without it all are.
    tolerance
        Of surface Dice, in mm; can be given several times.
    lesions
        Count lesions (connected components) found, missed and invented.
    match
        When two components are one lesion: any-overlap, centre, or iou:0.5.
    connectivity
        Neighbours that belong together: 6, 18 or 26 in volumes, 4 or 8 in pictures.
    centreline
        Centreline Dice, for vessels.
    surface
        Surface distances and surface Dice.
    spacing
        Distance of voxel centres in mm along the axes of the array: X,Y,Z. It is taken for true
        whatever the files say.
    resample
        Bring predictions on another grid onto the reference's by the nearest voxel.
    pattern
        How predictions are named: '{case}_pred.nii.gz'. Two patterns, parted by a comma, are of
        references and of predictions. Without it names are compared.
    structures
        Folders hold a mask file a structure, named after it, instead of a file a case.
    image
        The scan, or a folder of scans, to draw contours on.
    workers
        Processes that score cases.
    out
        A folder for a page (index.html) and tables (CSV and Parquet).
    json
        Print JSON for machines.
    """
    task = MaskTask(
        reference=reference,
        prediction=prediction,
        labels=None if labels is None else read_label_names(labels),
        image=image,
        pattern=pattern,
        structures=structures,
        spacing_mm=None if spacing is None else _spacing(spacing),
        on_mismatch=resample or "refuse",
        measures=MaskMeasures(
            surface=surface,
            tolerances_mm=tuple(dict.fromkeys(_tolerance(each) for each in tolerance)),
            lesions=_rule(match) if lesions else None,
            connectivity=cast("Connectivity", connectivity),
            skeleton=centreline,
        ),
        workers=_workers(workers),
    )
    _check_out(out)
    with progress_bar("score-masks", quiet=json) as on_progress:
        results = score_mask_folders(
            task,
            command=typed_command(sys.argv[1:]),
            created=datetime.now(UTC).isoformat(timespec="seconds"),
            on_progress=on_progress,
        )
    ledger = ledger_of_labels(
        mask_ledger(results.scores, metrics=[name for name in _LEDGER if name in results.metrics])
    )
    # Shown first: a full disk must not cost what was scored.
    if json:
        print_json(masks_json(results, ledger))
    else:
        _show(results, ledger)
    if out is not None:
        for path in _write(results, out):
            if not json:
                notice(f"Wrote {path}")
    elif image is not None:
        notice("--image is for the pictures of the page: without --out nothing is drawn.")
    bad = any(finding.severity is Severity.ERROR for finding in results.findings)
    return 1 if bad else 0


def _show(results: MaskResults, ledger: Sequence[LedgerRow]) -> None:
    if results.findings:
        show(findings_table(results.findings, title="Before any score"))
    if not is_compared(results):
        notice(f"{results.subject}: no case could be compared.")
        return
    show(labels_table(results))
    for sentence in one_sided_sentences(results):
        show(safe(sentence))
    for table in (lesions_table(results), ledger_table(ledger), worst_table(results)):
        if table is not None:
            show(table)


def _write(results: MaskResults, out: Path) -> list[Path]:
    from overread.report.mask_page import write_mask_page
    from overread.run.mask_tables import write_mask_tables

    try:
        written = [*write_mask_tables(results, out)]
        return [*written, write_mask_page(results, out, read=mask_reader(results.labels))]
    except OSError as error:
        raise StoreFullError(
            expected(
                "--out",
                rule=f"a folder that takes the page and its tables: {out}",
                got=error.strerror or str(error),
                remedy="Make room, or name another folder; what is above was not all written.",
            )
        ) from error


def _check_out(out: Path | None) -> None:
    if out is not None and out.exists() and not out.is_dir():
        raise UsageError(
            expected("--out", rule="a folder", got=f"{out}, a file", remedy="Name another one.")
        )


def _tolerance(value: float) -> float:
    if not (math.isfinite(value) and value >= 0):
        raise UsageError(
            expected("--tolerance", rule="mm of 0 or more", got=value, remedy="Write 2 or 0.5.")
        )
    return value


def _workers(value: int) -> int:
    if value < 1:
        raise UsageError(
            expected("--workers", rule="1 or more processes", got=value, remedy="Write 2.")
        )
    return value


def _spacing(text: str) -> tuple[float, ...]:
    try:
        found = tuple(float(each) for each in text.replace("x", ",").split(","))
    except ValueError:
        found = ()
    if len(found) not in (2, 3) or not all(math.isfinite(one) and one > 0 for one in found):
        raise UsageError(
            expected(
                "--spacing",
                rule="three numbers of mm above 0 (two for pictures), parted by commas",
                got=repr(text),
                remedy="Write --spacing 0.8,0.8,2.5.",
            )
        )
    return found


def _rule(text: str) -> LesionRule:
    if text == "any-overlap":
        return "any overlap"
    if text == "centre":
        return "centre"
    name, _, threshold = text.partition(":")
    try:
        value = float(threshold)
    except ValueError:
        value = math.nan
    if name != "iou" or not 0 <= value < 1:
        raise UsageError(
            expected(
                "--match",
                rule="any-overlap, centre, or iou: with a number from 0 to below 1",
                got=repr(text),
                remedy="Write --match iou:0.5.",
            )
        )
    return ("iou", value)
