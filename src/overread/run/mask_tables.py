"""Scored masks as tables for other programs: CSV and Parquet, a row a case, label and metric."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

from overread.analysis.mask_results import MaskResults

if TYPE_CHECKING:
    import polars as pl

__all__ = ["write_mask_tables"]

_LONG: Final = "scores"
_WIDE: Final = "labels"


def write_mask_tables(results: MaskResults, out: Path) -> tuple[Path, ...]:
    """Write two tables, each as CSV and as Parquet.

    ``scores`` is long: a value a row, with its status and reason. ``labels`` is wide: a row a case
    and label (without a label: the case), a column a metric.

    Parameters
    ----------
    results
        What was scored.
    out
        A folder; made when absent. Files of an earlier run are replaced.

    Returns
    -------
    tuple of Path
        The files.
    """
    out.mkdir(parents=True, exist_ok=True)
    written: list[Path] = []
    for name, frame in ((_LONG, _scores(results)), (_WIDE, _labels(results))):
        for suffix in ("csv", "parquet"):
            path = out / f"{name}.{suffix}"
            part = path.with_name(f".{path.name}.part")
            if suffix == "csv":
                frame.write_csv(part)
            else:
                frame.write_parquet(part)
            part.replace(path)
            written.append(path)
    return tuple(written)


def _scores(results: MaskResults) -> pl.DataFrame:
    import polars as pl

    return pl.DataFrame(
        [
            (
                score.item,
                score.target,
                score.metric,
                score.metric_version,
                score.unit,
                score.value,
                score.status.value,
                score.reason,
                score.answer,
            )
            for score in results.scores
        ],
        schema={
            "case": pl.String,
            "label": pl.String,
            "metric": pl.String,
            "metric_version": pl.String,
            "unit": pl.String,
            "value": pl.Float64,
            "status": pl.String,
            "reason": pl.String,
            "fate": pl.String,
        },
        orient="row",
    )


def _labels(results: MaskResults) -> pl.DataFrame:
    import polars as pl

    return pl.DataFrame(
        [
            (
                row.case,
                row.label,
                row.status.value,
                row.fate,
                row.reason,
                *(row.values.get(metric) for metric in results.metrics),
            )
            for row in results.rows
        ],
        schema={
            "case": pl.String,
            "label": pl.String,
            "status": pl.String,
            "fate": pl.String,
            "reason": pl.String,
            **dict.fromkeys(results.metrics, pl.Float64),
        },
        orient="row",
    )
