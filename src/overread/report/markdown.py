"""The report as Markdown: the tables of the page, for an issue, a log or a repository.

Names and findings are foreign text: in a cell they can neither end the cell nor become HTML or a
link.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from overread.contracts import AnalysisPlan
from overread.report.clinical_errors import error_groups, errors_title
from overread.report.contrast import Contrast, contrast
from overread.report.data import ReportData, run_labels
from overread.report.fates import Fates, fates, kinds_shown
from overread.report.forest import ForestGroup, forest_groups
from overread.report.judges import Judges, judges
from overread.report.masks.markdown import mask_parts
from overread.report.masks.run_page import mask_sides
from overread.report.metric_names import is_graded, metric_label
from overread.report.pairs import PairRow, Pairs, pairs
from overread.report.readings import ReadForm, read_forms
from overread.report.scorecard import (
    CardRow,
    ShownColumns,
    card_notes,
    score_card,
    shown_columns,
)
from overread.report.sentence import limits, sentences
from overread.report.sources import published_sources
from overread.report.spread import spreads
from overread.report.text_metrics import TextMetrics, text_metrics
from overread.report.wording import (
    MISSING,
    Shown,
    command_text,
    count,
    folder_name,
    moment,
    settings_text,
)

__all__ = ["cell", "markdown", "write_markdown"]

_SPECIAL = re.compile(r"([\\`*_{}\[\]<>|#~$])")
_CONTROL = re.compile(r"[\x00-\x1f\x7f\u2028\u2029\u202a-\u202e\u2066-\u2069]+")
_SCHEME = re.compile(r"(?i)\b(https?|ftp|mailto|javascript):")
_LONGEST_CELL = 300


def markdown(data: ReportData) -> str:
    """Write the report's tables as GitHub-flavoured Markdown."""
    sides = mask_sides(data)
    parts = [
        f"# {cell(data.title)}",
        f"{cell(data.card.title)}, protocol {cell(data.card.protocol_version)}, "
        f"written {cell(moment(data.created))}.",
        *(mask_parts(data, sides, cell) if sides else _of_questions(data)),
        *_findings(data),
        *_sources(data),
        *_manifests(data),
    ]
    return "\n\n".join(parts) + "\n"


def _of_questions(data: ReportData) -> list[str]:
    return [
        *_card(data),
        *_errors(data),
        "**What the result shows.** "
        + " ".join(cell(text, whole=True) for text in sentences(data)),
        "**What it does not show.** " + " ".join(cell(text, whole=True) for text in limits(data)),
        *_settings(forest_groups(data), data.plan.headline),
        *_contrast(contrast(data)),
        *_judges(judges(data)),
        *_text_metrics(text_metrics(data)),
        *_fates(fates(data), data.plan),
        *_spreads(data),
        *_readings(read_forms(data)),
        *_pairs(pairs(data), graded=is_graded(data.plan.headline)),
    ]


def write_markdown(data: ReportData, path: Path) -> Path:
    """Write `markdown` to a file, in UTF-8."""
    path.parent.mkdir(parents=True, exist_ok=True)
    # A reply can hold half a surrogate pair, which UTF-8 cannot: it becomes a question mark.
    path.write_bytes(markdown(data).encode("utf-8", errors="replace"))
    return path


def cell(text: str, *, whole: bool = False) -> str:
    r"""Escape foreign text for a table cell or a line; long text is cut unless `whole`.

    Examples
    --------
    >>> cell("a|b <img src=x>\nc")
    'a\\|b \\<img src=x\\> c'
    """
    text = _CONTROL.sub(" ", text)
    if not whole and len(text) > _LONGEST_CELL:
        text = f"{text[:_LONGEST_CELL]}…"
    text = _SPECIAL.sub(r"\\\1", text)
    return _SCHEME.sub(r"\1&#58;", text)  # no link comes to life by itself


def _table(head: Sequence[str], rows: Iterable[Sequence[str]], *, numbers_from: int) -> str:
    rule = ["---" if place < numbers_from else "---:" for place in range(len(head))]
    lines = [head, rule, *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _number(shown: Shown) -> str:
    if shown.interval:
        return f"{shown.value} ({shown.interval})"
    if shown.value == MISSING:
        return f"{MISSING} ({cell(shown.reason)})" if shown.reason else MISSING
    return f"{shown.value} ({shown.counts})" if shown.counts else shown.value


def _card(data: ReportData) -> list[str]:
    headline = cell(metric_label(data.plan.headline).capitalize())
    rows = score_card(data)
    shows = shown_columns(rows)
    head = [
        "Run", "Gain over blind floor", headline,
        *(["Published reading"] if shows.published else []),
        *(["Jury accuracy"] if shows.jury else []),
        "Of those answered", "No answer", *(["Chance"] if shows.chance else []), "Blind floor",
    ]  # fmt: skip
    notes = [cell(note, whole=True) for note in card_notes(data)]
    table = _table(head, [_card_row(row, shows) for row in rows], numbers_from=1)
    return ["## Score card", table, *notes]


def _card_row(row: CardRow, shows: ShownColumns) -> list[str]:
    floor = f"{row.floor.value} ({cell(row.floor.reason)})" if row.floor.reason else row.floor.value
    jury = _number(row.jury) if row.jury else "not judged"
    return [
        cell(row.label),
        _number(row.gain),
        _number(row.score),
        *([_number(row.published)] if shows.published else []),
        *([jury] if shows.jury else []),
        *(_number(one) for one in (row.answered, row.no_answer)),
        *([_number(row.chance)] if shows.chance else []),
        floor,
    ]


def _errors(data: ReportData) -> list[str]:
    rows = [
        [f"{cell(group.label)} ({group.direction})" if place == 0 else "",
         cell(row.label or f"– {row.setting}"), row.n, _number(row.shown), cell(row.left_out)]
        for group in error_groups(data)
        for place, row in enumerate(group.rows)
    ]  # fmt: skip
    if not rows:
        return []
    head = ("Measure", "Run", "Counted", "Per cent", "Not counted")
    return [f"## {errors_title(data)}", _table(head, rows, numbers_from=2)]


def _spreads(data: ReportData) -> list[str]:
    found = spreads(data)
    if found is None:
        return []
    head = ("Run", "Scored", "Lowest, %", "Lower quarter", "Median", "Upper quarter", "Highest")
    rows = [[cell(row.label), row.n, *row.ends] for row in found.rows]
    title = f"### {cell(found.metric)}, description by description"
    return [title, _table(head, rows, numbers_from=1)]


def _settings(groups: Sequence[ForestGroup], headline: str) -> list[str]:
    any_shared = any(row.shared for group in groups for row in group.rows)
    rows = [
        [
            cell(group.label) if place == 0 else "",
            cell(row.label) if row.kind == "run" else f"*{cell(row.label)}*",
            row.n,
            _number(row.shown),
            *([row.shared] if any_shared else []),
            cell(group.floor) if place == 0 else "",
        ]
        for group in groups
        for place, row in enumerate(group.rows)
    ]
    shared = ["Weight shared among labels"] if any_shared else []
    head = (
        "Setting",
        "Who",
        "Descriptions" if is_graded(headline) else "Questions",
        "Per cent" if is_graded(headline) else "Per cent right",
        *shared,
        "Blind floor",
    )
    title = f"## {cell(metric_label(headline).capitalize())} in every setting"
    return [title, _table(head, rows, numbers_from=2)]


def _judges(found: Judges | None) -> list[str]:
    if found is None:
        return []
    parts = ["## Judges"]
    rows = [
        [cell(r.label), r.profile, cell(r.judge), cell(r.form), r.n, r.asked, r.read, r.read_share,
         r.right_share]
        for r in found.judges
    ]  # fmt: skip
    head = ("Run", "Profile", "Judge", "Form", "To judge", "Asked", "Read", "Read, %", "Right, %")
    parts.append(_table(head, rows, numbers_from=4))
    rows = [
        [
            cell(row.label) if row.kind == "run" else f"*{cell(row.label)}*",
            row.profile or "as printed",
            row.n,
            _number(row.shown) if row.kind == "run" else row.shown.value,
        ]
        for row in found.juries
    ]
    title = cell(found.metric.capitalize())
    parts.append(_table(("Who", "Profile", "Answers", f"{title}, %"), rows, numbers_from=2))
    if found.agreement:
        rows = [
            [cell(r.label), r.profile, cell(r.who), r.n, _number(r.percent), r.statistic,
             _number(r.coefficient)]
            for r in found.agreement
        ]  # fmt: skip
        head = ("Run", "Profile", "Judges", "Answers", "Same verdict, %", "Statistic", "Value")
        parts.append(_table(head, rows, numbers_from=3))
    if found.calibration:
        rows = [
            [cell(r.label), r.profile, cell(r.judge), r.labelled, r.says, _number(r.corrected),
             r.finds_right, r.finds_wrong, r.kappa]
            for r in found.calibration
        ]  # fmt: skip
        head = ("Run", "Profile", "Judge", "Labelled by people", "Calls right, %", "Corrected, %",
                "Finds right, %", "Finds wrong, %", "Kappa with people")  # fmt: skip
        parts.append(_table(head, rows, numbers_from=3))
    return [*parts, *(cell(note, whole=True) for note in found.notes)]


def _text_metrics(found: TextMetrics | None) -> list[str]:
    if found is None:
        return []
    rows = [
        [
            cell(row.label) if row.kind == "run" else f"*{cell(row.label)}*",
            row.profile or "as printed",
            row.n,
            *(_bare(one) for one in row.cells),
        ]
        for row in found.rows
    ]
    head = ("Who", "Profile", "Answers", *found.metrics)
    notes = [cell(note, whole=True) for note in found.notes]
    return [f"## {found.heading}", _table(head, rows, numbers_from=2), *notes]


def _bare(shown: Shown) -> str:
    return f"{shown.value} ({shown.interval})" if shown.interval else shown.value


def _readings(forms: Sequence[ReadForm]) -> list[str]:
    parts: list[str] = []
    for form in forms:
        for matrix in form.matrices:
            rows = [
                [f"**{cell(name)}**", *(one.n for one in cells), total]
                for name, cells, total in matrix.rows
            ]
            head = ("Reference", *(cell(name) for name in matrix.columns), "all")
            parts.append(f"### {cell(form.label.capitalize())}: {cell(matrix.label)}")
            parts.append(_table(head, rows, numbers_from=1))
    return ["## Read against the reference", *parts] if parts else []


def _contrast(table: Contrast | None) -> list[str]:
    if table is None:
        return []
    rows = [
        [cell(label), cell(row.label), *(_number(side.shown) or "not asked" for side in row.sides)]
        for label, _, lines in table.groups
        for row in lines
    ]
    head = ("Task", "Run", *(cell(value) for value in table.values))
    return ["## Side by side", _table(head, rows, numbers_from=2)]


def _fates(runs: Sequence[Fates], plan: AnalysisPlan) -> list[str]:
    kinds = kinds_shown(runs, plan=plan)
    rows = [
        [cell(run.label), *(part.shown for part in run.slices if part.kind in kinds)]
        for run in runs
    ]
    parts = ["## What became of the questions"]
    parts.append(_table(("Run", *kinds.values()), rows, numbers_from=1))
    reasons = [
        [cell(run.label), cell(row.task), row.kind, cell(row.reason), f"{row.n} of {row.of}"]
        for run in runs
        for row in run.reasons
    ]
    if reasons:
        head = ("Run", "Task", "Kind", "Rule or reason", "Questions")
        parts.append(_table(head, reasons, numbers_from=4))
    return parts


def _pairs(found: Pairs | None, *, graded: bool) -> list[str]:
    if found is None:
        return []
    rows = [
        [
            f"{cell(row.first)} and {cell(row.second)}",
            row.n,
            *(() if graded else row.counts),
            f"{row.difference} ({row.interval})" if row.interval else row.difference,
            *_p_values(row)[graded:],
            row.p_holm,
        ]
        for row in found.rows
    ]
    of_shares = () if graded else ("Both", "Only first", "Only second", "Neither")
    head = ("Runs", "Questions", *of_shares, "Difference", *(() if graded else ("p, McNemar",)),
            f"p by {cell(found.unit)}", "adjusted p (Holm)")  # fmt: skip
    notes = [cell(note, whole=True) for note in (found.tests, *found.notes)]
    parts = ["## Run against run", *notes, _table(head, rows, numbers_from=1)]
    if found.order:
        order = [[cell(row.label), row.value, row.groups] for row in found.order]
        parts.append("Runs that share a letter cannot be told apart.")
        parts.append(_table(("Run", "Score (%)", "Group"), order, numbers_from=1))
    return [*parts, *_power(found)]


def _power(found: Pairs) -> list[str]:
    rows = [
        [f"{cell(row.first)} and {cell(row.second)}", *row.numbers, cell(row.reason, whole=True)]
        for row in found.power
    ]
    head = ("Runs", "Difference", "Shows from", "Design effect",
            f"{cell(found.units.capitalize())} asked", "Needed", "At best", "Remark")  # fmt: skip
    table = _table(head, rows, numbers_from=1)
    return ["### What these questions can show", found.power_means, table]


def _p_values(row: PairRow) -> tuple[str, str]:
    """Give McNemar's p and the permutation's, the one that is adjusted in bold."""
    tests = {"mcnemar": row.p_mcnemar, "sign flip": row.p_sign_flip}
    mcnemar, sign_flip = (f"**{p}**" if name == row.adjusted else p for name, p in tests.items())
    return mcnemar, sign_flip


def _findings(data: ReportData) -> list[str]:
    labels = run_labels(data.runs)
    found = [("release", finding) for finding in data.findings]
    found += [(labels[run.manifest.run], f) for run in data.runs for f in run.findings]
    if not found:
        return ["## Findings", "The checks found nothing to report."]
    rows = [
        [
            str(f.severity),
            cell(about),
            f"{cell(f.code)}: {cell(f.evidence)}",
            cell(f.where),
            cell(f.effect),
            cell(f.remedy),
            count(f.count),
        ]
        for about, f in found
    ]
    head = ("", "About", "Finding", "Where", "Effect", "What to do", "Places")
    return ["## Findings", _table(head, rows, numbers_from=6)]


def _sources(data: ReportData) -> list[str]:
    rows = [
        [cell(r.who), r.kind, r.metric, cell(r.stratum), r.value, r.counts, r.interval,
         cell(r.source)]
        for r in published_sources(data)
    ]  # fmt: skip
    if not rows:
        return []
    head = ("Who", "Kind", "Metric", "Stratum", "Value", "Counts", "Interval", "Source")
    return ["## Published numbers", _table(head, rows, numbers_from=8)]


def _manifests(data: ReportData) -> list[str]:
    labels = run_labels(data.runs)
    parts = ["## Manifest"]
    for run in data.runs:
        manifest = run.manifest
        software = ", ".join(f"{name} {version}" for name, version in manifest.software.items())
        facts = (
            ("Command", command_text(manifest)),
            ("Run", manifest.run),
            ("Started", moment(manifest.created)),
            (
                "Release",
                f"{folder_name(manifest.release_root)}, fingerprint {manifest.release_fingerprint}",
            ),
            ("Settings", settings_text(manifest.model.settings)),
            ("Selection", settings_text(manifest.selection)),
            ("Seed", str(manifest.seed)),
            ("Software", software),
        )
        lines = [f"- {name}: {cell(value, whole=True)}" for name, value in facts]
        parts.append("\n".join([f"### {cell(labels[manifest.run])}", "", *lines]))
    return parts
