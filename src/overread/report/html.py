"""The report as one HTML file that opens offline.

Every text is escaped: Jinja2 escapes what the template prints, and the gallery's data travels as
JSON that cannot end its block. The page's content policy allows its own script and style by their
hashes and pictures from data URLs, and nothing else: no request can leave.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from overread.contracts import Renderer
from overread.records import Severity
from overread.report.clinical_errors import error_groups, errors_title
from overread.report.contrast import contrast
from overread.report.data import ReportData, asks_for_text, run_labels
from overread.report.fates import fates, kinds_shown
from overread.report.floors import floors
from overread.report.forest import forest_groups
from overread.report.gallery import gallery_payload, json_block, thumbnail_blocks
from overread.report.judges import judges, panels_of
from overread.report.letters import matrices
from overread.report.marks import SHARE_AXIS
from overread.report.masks.page import MOST_PICTURES
from overread.report.masks.run_page import mask_sides, write_run_page
from overread.report.metric_names import is_graded, metric_label
from overread.report.page import asset, content_policy, environment, write_whole
from overread.report.pairs import pairs
from overread.report.pictures import preview_counts, stock_shelf, with_changed_pictures
from overread.report.readings import read_forms
from overread.report.scorecard import card_notes, score_card, shown_columns
from overread.report.sent import sent
from overread.report.sentence import limits, sentences
from overread.report.sources import published_sources
from overread.report.spread import spreads
from overread.report.text_metrics import text_metrics
from overread.report.thumbnails import Shelf
from overread.report.wording import (
    MISSING,
    command_text,
    count,
    folder_name,
    moment,
    sentence,
    settings_text,
    stratum_label,
)

__all__ = ["write_html", "write_page"]

_SEVERITIES = (Severity.ERROR, Severity.WARNING, Severity.INFO)


def write_html(data: ReportData, out_dir: Path, render: Renderer) -> Path:
    """Write ``index.html`` into a folder, which is made if it is not there.

    Parameters
    ----------
    data
        What to report.
    out_dir
        The folder; an ``index.html`` in it is replaced once the new one is whole.
    render
        Turns the gallery's media into pictures. A medium that raises ImageError or
        UnsafePathError is shown as the reason why it has no picture.

    Returns
    -------
    Path
        The file written.

    Notes
    -----
    Where a picture is no longer the one that was sent, the page says so in the gallery and in its
    findings (`with_changed_pictures`).
    """
    shelf = stock_shelf(data, render)
    return write_page(with_changed_pictures(data, shelf), out_dir, shelf)


def write_page(
    data: ReportData, out_dir: Path, shelf: Shelf, *, most_pictures: int = MOST_PICTURES
) -> Path:
    """Do as `write_html` does, with pictures that were rendered already (`stock_shelf`).

    Of runs of masks `most_pictures` of the worst cases are drawn.
    """
    out_dir.mkdir(parents=True, exist_ok=True)
    if mask_sides(data):
        return write_run_page(data, out_dir / "index.html", most_pictures=most_pictures)
    payload = gallery_payload(data, shelf)
    script, style = asset("report.js"), asset("report.css")
    template = environment().get_template("report.html.j2")
    page = template.render(
        **_sections(data),
        payload=payload,
        previews=preview_counts(shelf),
        gallery_json=json_block(payload),
        thumbnail_blocks=list(thumbnail_blocks(shelf)),
        script=script,
        style=style,
        policy=content_policy(script=script, style=style),
    )
    return write_whole(out_dir / "index.html", page)


def _sections(data: ReportData) -> dict[str, Any]:
    """Gather what the template prints, section by section."""
    findings = [("release", finding) for finding in data.findings]
    labels = run_labels(data.runs)
    fated = fates(data)
    card, groups, sources = score_card(data), forest_groups(data), published_sources(data)
    for run in data.runs:
        findings += [(labels[run.manifest.run], finding) for finding in run.findings]
    findings.sort(key=lambda pair: _SEVERITIES.index(pair[1].severity))
    return {
        "data": data,
        "labels": labels,
        "sentences": sentences(data),
        "limits": limits(data),
        "card": card,
        "headline": metric_label(data.plan.headline),
        "card_notes": card_notes(data),
        "any_differs": any(row.published_x for group in groups for row in group.rows),
        "axis": SHARE_AXIS,
        "groups": groups,
        "row_kinds": {row.kind for group in groups for row in group.rows},
        "contrast": contrast(data),
        "graded": is_graded(data.plan.headline),
        "error_groups": error_groups(data),
        "errors_title": errors_title(data),
        "spreads": spreads(data),
        "fates": fated,
        "command_text": command_text,
        "folder_name": folder_name,
        "fate_names": kinds_shown(fated, plan=data.plan),
        "matrices": matrices(data),
        "read_forms": read_forms(data),
        "judges": judges(data),
        "text_metrics": text_metrics(data),
        "panels_of": panels_of,
        "for_text": asks_for_text(data),
        "shows": shown_columns(card),
        "any_shared": any(row.shared for group in groups for row in group.rows),
        "floors": floors(data),
        "pairs": pairs(data),
        "sent": sent(data),
        "any_tokens": any(run.tokens.known for run in data.runs),
        "findings": findings,
        "sources": sources,
        "many_metrics": len({row.metric for row in sources}) > 1,
        "count": count,
        "missing": MISSING,
        "moment": moment,
        "stratum_label": stratum_label,
        "sentence": sentence,
        "pretty": settings_text,
    }
