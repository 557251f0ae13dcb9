"""The report of runs whose answers are masks, as one HTML file."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from overread.imaging.label_map import read_label_map
from overread.records import Manifest, Severity
from overread.report.data import ReportData, run_labels
from overread.report.masks.card import mask_card, mask_settings, setting_axis
from overread.report.masks.page import MOST_PICTURES, write_sides
from overread.report.masks.scales import metric_title
from overread.report.masks.sides import MaskSide, unit_of
from overread.report.pairs import Pairs, pairs
from overread.report.wording import command_text, count, folder_name, moment, settings_text

__all__ = ["mask_sides", "write_run_page"]

_MOST_SETTINGS: Final = 60
_SEVERITIES: Final = (Severity.ERROR, Severity.WARNING, Severity.INFO)


def mask_sides(data: ReportData) -> list[MaskSide]:
    """Give the masks of each run; empty where any run of the report asked for something else."""
    labels = run_labels(data.runs)
    found = [
        MaskSide(label=labels[run.manifest.run], colour=number % 8, results=run.masks)
        for number, run in enumerate(data.runs)
        if run.masks is not None
    ]
    return found if len(found) == len(data.runs) else []


def write_run_page(data: ReportData, path: Path, *, most_pictures: int = MOST_PICTURES) -> Path:
    """Write the page; every run of the report must have masks (`mask_sides`)."""
    sides = mask_sides(data)
    n_cases = max(len(side.results.cases) for side in sides)
    n_runs = len(sides)
    settings = mask_settings(data)
    findings = [*data.findings, *(finding for run in data.runs for finding in run.findings)]
    return write_sides(
        sides,
        path,
        title=data.title,
        subtitle=[
            *([data.card.title] if data.card.title != data.title else []),
            f"protocol {data.card.protocol_version}",
            sides[0].label if n_runs == 1 else f"{n_runs} runs",
            f"{count(n_cases)} case{'' if n_cases == 1 else 's'}",
            f"written {moment(data.created)}",
        ],
        read=read_label_map,
        most_pictures=most_pictures,
        extra={
            "card": mask_card(data),
            "settings": settings if len(settings) <= _MOST_SETTINGS else (),
            "setting_axis": setting_axis(data),
            "headline": metric_title(data.plan.headline, unit_of(sides, data.plan.headline)),
            # Differences are written in hundredths, which only shares have.
            "pairs": pairs(data) if unit_of(sides, data.plan.headline) == "share" else None,
            "findings": sorted(
                dict.fromkeys(findings), key=lambda one: _SEVERITIES.index(one.severity)
            ),
            "pair_notes": _in_cases(pairs(data)),
            "notes": data.notes,
            "manifests": [
                {"label": label, "facts": _facts(run.manifest)}
                for label, run in zip(run_labels(data.runs).values(), data.runs, strict=True)
            ],
        },
    )


def _in_cases(found: Pairs | None) -> list[str]:
    """Word the notes of a comparison for cases: it counts them as questions."""
    notes = found.notes if found is not None else ()
    return [re.sub(r"(?<=\d )question(?=s?\b)", "case", note) for note in notes]


def _facts(manifest: Manifest) -> list[tuple[str, str]]:
    model = manifest.model
    revision = f", revision {model.revision}" if model.revision else ""
    return [
        ("Command", command_text(manifest)),
        ("Run", manifest.run),
        ("Started", moment(manifest.created)),
        ("Benchmark", f"{manifest.benchmark}, protocol {manifest.protocol_version}"),
        (
            "Release",
            f"{folder_name(manifest.release_root)}, fingerprint {manifest.release_fingerprint}",
        ),
        ("Model", f"{model.label}{revision}"),
        ("Settings", settings_text(model.settings)),
        ("Selection", settings_text(manifest.selection)),
        ("Seed", str(manifest.seed)),
        ("Software", ", ".join(f"{name} {one}" for name, one in manifest.software.items())),
    ]
