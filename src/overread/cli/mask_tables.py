"""Scored masks on a terminal: a table of labels, the ledger of empty masks, the worst cases."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict
from functools import partial
from typing import Final

from rich.table import Table

from overread.analysis.empty_masks import POLICIES, LedgerRow, Policy
from overread.analysis.mask_results import MaskResults
from overread.cli.output import is_wide, number_table, safe
from overread.errors import listed
from overread.run.mask_overview import (
    LabelLine,
    distance_metrics,
    is_compared,
    label_lines,
    n_cases,
    share_metrics,
    worst_rows,
)

__all__ = [
    "labels_table",
    "ledger_table",
    "lesions_table",
    "masks_json",
    "one_sided_sentences",
    "worst_table",
]

_MOST_WORST: Final = 10
_MOST_LEDGER: Final = 12
_MOST_LABELS: Final = 200
_FEW: Final = 4
"""Rows of a ledger that is shown whole."""
_SHOWN: Final = 12
_LONGEST_REASON: Final = 100
"""Characters: findings have told the whole."""
_MOST_SHARES: Final = 3
_POLICIES: Final[Mapping[Policy, str]] = {
    "defined": "defined",
    "reference present": "ref. present",
    "empty agreement is perfect": "empty is best",
}
_NOTHING: Final = "–"
_WITHOUT: Final = (
    "means are over the cases with a value: those without a mask are in none of them, and are the "
    "worst under 'ref. present' below"
)
_HEADINGS: Final = {
    "dice": "Dice",
    "cldice": "clDice",
    "hd95_mm": "HD95 mm",
    "assd_mm": "ASSD mm",
    "reference_ml": "ref. ml",
    "prediction_ml": "pred. ml",
}


def labels_table(results: MaskResults) -> Table:
    """Tabulate the labels: means over the cases with a value, and what became of the others.

    Labels that are empty on both sides of every case are left out: `one_sided_sentences` counts
    them.
    """
    lines = _lines(results)
    several = len(results.cases) > 1
    table = number_table(f"{results.subject}: {_counted(results)}, {_labels(len(lines))}")
    table.add_column("label", overflow="fold", min_width=5)
    columns = _columns(results, several)
    for heading in (*(["cases"] if several else []), *(heading for heading, _ in columns)):
        table.add_column(heading, justify="right", no_wrap=True)
    for heading in ("missed", "invented", "no mask") if several else ("fate",):
        table.add_column(heading, justify="right", no_wrap=True)
    for line in lines[:_MOST_LABELS]:
        cells = [safe(line.label), *([str(line.n)] if several else [])]
        cells += [read(line) for _, read in columns]
        cells += _fates(line) if several else [_fate(line)]
        table.add_row(*cells)
    notes = [_WITHOUT] if n_cases(results)[1] else []
    if len(lines) > _MOST_LABELS:
        notes.append(f"and {len(lines) - _MOST_LABELS} more labels: --json and --out hold all")
    table.caption = "; ".join(notes) or None
    return table


def _columns(results: MaskResults, several: bool) -> list[tuple[str, Callable[[LabelLine], str]]]:
    """Choose the columns of numbers: as many as a page of 110 characters has room for."""
    columns: list[tuple[str, Callable[[LabelLine], str]]] = []
    for name in share_metrics(results)[:_MOST_SHARES]:
        columns.append((_heading(name), partial(_mean, name=name, decimals=4)))
        if name == results.headline and several:
            columns.append(("median", partial(_median, name=name)))
    distances = distance_metrics(results)
    shown = distances if is_wide() and not several else distances[:1]
    columns += [(_heading(name), partial(_mean, name=name, decimals=2)) for name in shown]
    if is_wide():
        volumes = [name for name in ("reference_ml", "prediction_ml") if name in results.metrics]
        columns += [(_heading(name), partial(_volume_of, name=name)) for name in volumes]
    return columns


def _mean(line: LabelLine, *, name: str, decimals: int) -> str:
    return _number(line.means.get(name), decimals)


def _median(line: LabelLine, *, name: str) -> str:
    return _number(line.medians.get(name), 4)


def _volume_of(line: LabelLine, *, name: str) -> str:
    return _volume(line.means.get(name))


def _lines(results: MaskResults) -> list[LabelLine]:
    return [line for line in label_lines(results) if not _is_empty(line)]


def _is_empty(line: LabelLine) -> bool:
    return line.n_both_empty == line.n


def lesions_table(results: MaskResults) -> Table | None:
    """Tabulate lesions, summed over cases, and false volumes; None where none were counted."""
    if "lesions_found" not in results.metrics:
        return None
    table = number_table("Lesions of all cases")
    table.add_column("label", overflow="fold", min_width=5)
    for heading in ("found", "missed", "invented", "false pos. ml", "false neg. ml"):
        table.add_column(heading, justify="right", no_wrap=True)
    for line in _lines(results)[:_MOST_LABELS]:
        table.add_row(
            safe(line.label),
            *(_total(line, f"lesions_{each}") for each in ("found", "missed", "invented")),
            *(_volume(line.means.get(name)) for name in ("fpv_ml", "fnv_ml")),
        )
    table.caption = "false volume: of lesions that touch none of the other side, mean over cases"
    return table


def _fates(line: LabelLine) -> list[str]:
    return [str(each or "") for each in (line.n_missed, line.n_invented, line.n_without)]


def _fate(line: LabelLine) -> str:
    if line.n_without:
        return "no mask"
    if line.n_missed:
        return "missed"
    return "invented" if line.n_invented else "both empty" if line.n_both_empty else ""


def _total(line: LabelLine, name: str) -> str:
    mean = line.means.get(name)
    return _NOTHING if mean is None else f"{mean * line.counted[name]:.0f}"


def one_sided_sentences(results: MaskResults) -> Iterator[str]:
    """Name the labels that only one side has anywhere."""
    if not is_compared(results):
        return
    named = {*results.labels.values()}
    lines = label_lines(results)
    if len(lines) > 1:
        n_both = sum(line.n_both_present > 0 for line in lines)
        n_empty = sum(map(_is_empty, lines))
        yield f"{_labels(n_both)} on both sides" + (f", {n_empty} on neither." if n_empty else ".")
    for side, labels in (
        ("references", results.only_reference),
        ("predictions", results.only_prediction),
    ):
        if labels:
            scored = [each for each in labels if each in named]
            rest = "" if len(scored) == len(labels) else " Those that nobody named are not scored."
            yield f"Only {side} have: {listed(labels, most=_SHOWN)}.{rest}"


def ledger_table(ledger: Sequence[LedgerRow]) -> Table | None:
    """Tabulate the ledger: the mean under three policies, of all labels and where they differ."""
    rows = [
        row
        for row in ledger
        if row.n_both_empty < row.n
        and any(mean is not None for mean in row.means.values())
        and (row.is_moved or row.target is None or len(ledger) <= _FEW)
    ]
    if not rows:
        return None
    rows.sort(key=lambda row: row.target is not None)
    table = number_table("Empty masks: the same cases under three policies")
    table.add_column("", no_wrap=True)
    table.add_column("label", overflow="fold", min_width=5)
    for name in ("both", "missed", "invented", "empty", "no mask"):
        table.add_column(name, justify="right", no_wrap=True)
    for policy in POLICIES:
        table.add_column(_POLICIES[policy], justify="right", no_wrap=True)
    for row in rows[:_MOST_LEDGER]:
        table.add_row(
            _heading(row.metric),
            "every label" if row.target is None else safe(row.target),
            str(row.n_both_present),
            str(row.n_missed),
            str(row.n_invented),
            str(row.n_both_empty),
            str(row.n_without_prediction),
            *(
                f"{_number(row.means[policy], 4 if row.metric == 'dice' else 2)} "
                f"({row.counted[policy]})"
                for policy in POLICIES
            ),
        )
    if len(rows) > _MOST_LEDGER:
        table.caption = f"and {len(rows) - _MOST_LEDGER} more rows: --json and --out hold all"
    return table


def worst_table(results: MaskResults) -> Table | None:
    """Tabulate the worst cases, those without a prediction first; None where all are perfect."""
    rows = worst_rows(results, most=_MOST_WORST)
    if not rows:
        return None
    table = number_table("Worst first")
    table.add_column("case", overflow="fold", min_width=6)
    table.add_column("label", overflow="fold", min_width=5)
    table.add_column(_heading(results.headline), justify="right", no_wrap=True)
    for name in distance_metrics(results)[:1]:
        table.add_column(_heading(name), justify="right", no_wrap=True)
    table.add_column("", overflow="fold")
    for row in rows:
        table.add_row(
            safe(row.case),
            safe(row.label or ""),
            _number(row.values.get(results.headline), 4),
            *(_number(row.values.get(name), 2) for name in distance_metrics(results)[:1]),
            safe(_shortened(row.reason or (row.fate if row.fate != "both present" else "") or "")),
        )
    return table


def masks_json(results: MaskResults, ledger: Sequence[LedgerRow]) -> dict[str, object]:
    """Give everything that was found as JSON."""
    return {
        "subject": results.subject,
        "labels": [
            {"number": number, **asdict(line)}
            for (number, line) in zip(_numbers(results), label_lines(results), strict=True)
        ],
        "cases": [
            {
                "case": row.case,
                "label": row.label,
                "status": row.status.value,
                "reason": row.reason,
                "fate": row.fate,
                "values": dict(row.values),
                "reasons": dict(row.reasons),
            }
            for row in results.rows
        ],
        "only_reference": list(results.only_reference),
        "only_prediction": list(results.only_prediction),
        "ledger": [asdict(row) for row in ledger],
        "findings": [asdict(finding) for finding in results.findings],
    }


def _numbers(results: MaskResults) -> list[int | None]:
    number_of = {name: number for number, name in results.labels.items()}
    return [number_of.get(line.label) for line in label_lines(results)]


def _shortened(text: str) -> str:
    return text if len(text) <= _LONGEST_REASON else f"{text[:_LONGEST_REASON]}…"


def _heading(metric: str) -> str:
    if metric.startswith("nsd_"):
        return f"NSD {metric[4:-2]} mm"
    return _HEADINGS.get(metric, metric)


def _number(value: float | None, decimals: int) -> str:
    return _NOTHING if value is None else f"{value:,.{decimals}f}"


def _volume(value: float | None) -> str:
    return _NOTHING if value is None else f"{value:,.1f}" if value >= 1 else f"{value:.3g}"


def _counted(results: MaskResults) -> str:
    """Say how many cases there are, and how many of them no mean is over."""
    n, n_without, n_unusable = n_cases(results)
    beside = [f"{n_without} without a mask"] if n_without else []
    beside += [f"{n_unusable} more without a usable reference"] if n_unusable else []
    return _cases(n) + (f" ({', '.join(beside)})" if beside else "")


def _cases(n: int) -> str:
    return "1 case" if n == 1 else f"{n} cases"


def _labels(n: int) -> str:
    return "1 label" if n == 1 else f"{n} labels"
