"""What commands print: aligned tables for people, JSON for machines, a bar for long work."""

from __future__ import annotations

import json
import re
import sys
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from rich import box
from rich.console import Console, Group, RenderableType
from rich.markup import escape
from rich.padding import Padding
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
from rich.progress import Progress as Bars
from rich.table import Table

from overread.records import Estimate, Finding, Severity

if TYPE_CHECKING:
    from overread.run.asking import Progress

__all__ = [
    "card_table",
    "findings_table",
    "headline",
    "interval",
    "is_wide",
    "notice",
    "number_table",
    "percent",
    "print_json",
    "progress_bar",
    "safe",
    "show",
    "stratum_name",
    "totals_table",
]

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
_WIDE: Final = 100
"""Columns of text from which a score card has room for all its numbers."""
_WIDE_FINDINGS: Final = 120
"""Columns of text from which findings fit side by side, in more than ribbons."""
_LONGEST_EVIDENCE: Final = 800
"""Characters of evidence on a screen; JSON, reports and exports hold the whole."""
_STYLES = {Severity.INFO: "cyan", Severity.WARNING: "yellow", Severity.ERROR: "red"}


def show(*renderables: object) -> None:
    """Print for people on standard output: as wide as the terminal, at least 100 in a pipe."""
    console = _console()
    for renderable in renderables:
        console.print(renderable)


def _console() -> Console:
    return Console(width=None if sys.stdout.isatty() else 110, highlight=False, emoji=False)


def notice(text: str) -> None:
    """Say something beside the result, on standard error."""
    Console(stderr=True, highlight=False, soft_wrap=True, emoji=False).print(safe(text))


def print_json(value: object) -> None:
    """Print one JSON value on standard output, and nothing else."""
    json.dump(value, sys.stdout, ensure_ascii=False, allow_nan=False, indent=2)
    sys.stdout.write("\n")


def safe(text: str) -> str:
    r"""Make foreign text printable: no markup of tables, no escape that moves a terminal.

    Examples
    --------
    >>> print(safe("lung [bold]\x1b[31m"))
    lung \[bold]�[31m
    """
    return escape(_CONTROL.sub("\ufffd", text))


def is_wide() -> bool:
    """Tell whether there is room for every column of a table of numbers."""
    return _console().width >= _WIDE


def number_table(title: str) -> Table:
    """Start a table of numbers: with lines where there is room, else as slim as can be."""
    table = Table(
        title=safe(title),
        title_justify="left",
        box=box.HEAVY_HEAD if is_wide() else box.SIMPLE_HEAD,
    )
    table.padding = (0, 1) if is_wide() else (0, 1, 0, 0)
    return table


def percent(value: float | None) -> str:
    """Show a share as a percentage with one decimal; a dash where it is undefined."""
    return "–" if value is None else f"{100 * value:.1f}"


def interval(low: float | None, high: float | None) -> str:
    """Show an interval in per cent."""
    return "–" if low is None or high is None else f"{100 * low:.1f} to {100 * high:.1f}"


def stratum_name(stratum: Mapping[str, str]) -> str:
    """Name a stratum in one word or two: ``img2txt, box``; the whole is ``total``."""
    return ", ".join(stratum.values()) or "total"


def card_table(label: str, estimates: Sequence[Estimate], *, profile: str) -> Table:
    """Tabulate the score card of one profile: a row a stratum, the five numbers and the gain.

    Where items have several labels a last column gives the score with each item's weight shared
    among its labels.
    """
    metric = headline(estimates)
    strata = _by_stratum(estimates, profile)
    shared = {
        _unweighted(stratum): by_metric[metric]
        for stratum, by_metric in strata.items()
        if _is_weighted(stratum) and metric in by_metric
    }
    columns = _columns(metric, strata.values())
    table = _card(f"{label}, {profile} profile (%)", first="stratum", columns=columns)
    if shared:
        table.add_column("shared", justify="right", no_wrap=True)
    for stratum, by_metric in strata.items():
        if metric not in by_metric or _is_weighted(stratum) or _names_a_target(stratum):
            continue
        cells = list(_five(by_metric, metric, columns))
        if shared:
            cells.append(percent(shared[stratum].value) if stratum in shared else "")
        name = safe(stratum_name(dict(stratum)))
        table.add_row(name, *cells, style=None if stratum else "bold")
    return table


def _is_weighted(stratum: _Stratum) -> bool:
    from overread.analysis.plan_strata import WEIGHTING  # it brings statistics along

    return any(key == WEIGHTING for key, _ in stratum)


def _names_a_target(stratum: _Stratum) -> bool:
    """Tell a row of one label of a mask: those stand among the further metrics."""
    return any(key == "target" for key, _ in stratum)


def _unweighted(stratum: _Stratum) -> _Stratum:
    from overread.analysis.plan_strata import WEIGHTING

    return tuple((key, value) for key, value in stratum if key != WEIGHTING)


def totals_table(
    runs: Sequence[tuple[str, Sequence[Estimate]]], *, title: str, profile: str
) -> Table:
    """Tabulate the totals of several runs: a row a run."""
    metric = headline([each for _, estimates in runs for each in estimates])
    totals = [(label, _by_stratum(estimates, profile).get((), {})) for label, estimates in runs]
    columns = _columns(metric, [total for _, total in totals])
    table = _card(f"{title}, {profile} profile (%)", first="run", columns=columns)
    for label, total in totals:
        if metric in total:
            table.add_row(safe(label), *_five(total, metric, columns))
    return table


_Stratum = tuple[tuple[str, str], ...]


def headline(estimates: Sequence[Estimate]) -> str:
    """Name the headline metric: the one that is also estimated over the answered questions."""
    metrics = dict.fromkeys(each.metric for each in estimates)
    return next((name for name in metrics if f"{name}_answered" in metrics), "accuracy")


def _has_chance(rows: Iterable[Mapping[str, Estimate]], metric: str) -> bool:
    """Tell whether blind guessing has a level in any row: answers in free words have none."""
    return any(metric in row and row[metric].chance is not None for row in rows)


def _columns(metric: str, rows: Collection[Mapping[str, Estimate]]) -> dict[str, str]:
    """Name the columns that there is something for, and room: key → heading."""
    has_floor = any(metric in row and row[metric].blind_floor is not None for row in rows)
    columns = {
        "n": "n",
        "score": metric.replace("_", " ").removesuffix(" accuracy"),
        "interval": "95 %",
        "answered": "answered",
        "no answer": "no answer",
        "chance": "chance",
        "blind": "blind",
        "gain": "gain",
    }
    if not is_wide():
        del columns["answered"]
    if not (_has_chance(rows, metric) and is_wide()):
        del columns["chance"]
    if not has_floor:
        del columns["blind"], columns["gain"]
    return columns


def _card(title: str, *, first: str, columns: Mapping[str, str]) -> Table:
    table = number_table(title)
    table.add_column(first, overflow="fold", min_width=12, max_width=40 if is_wide() else 24)
    for name in columns.values():
        table.add_column(safe(name), justify="right", no_wrap=True)
    return table


def _by_stratum(estimates: Sequence[Estimate], profile: str) -> dict[_Stratum, dict[str, Estimate]]:
    found: dict[_Stratum, dict[str, Estimate]] = {}
    for each in estimates:
        if each.profile == profile:
            found.setdefault(tuple(each.stratum.items()), {})[each.metric] = each
    return found


def _five(
    by_metric: Mapping[str, Estimate], metric: str, columns: Mapping[str, str]
) -> tuple[str, ...]:
    """Give the cells of one score card row: n, the five numbers, the gain."""
    score = by_metric[metric]
    answered, no_answer, gain = (
        each.value if (each := by_metric.get(name)) else None
        for name in (f"{metric}_answered", "no_answer", "gain_over_blind")
    )
    cells = {
        "n": str(score.n),
        "score": percent(score.value),
        "interval": interval(score.low, score.high),
        "answered": percent(answered),
        "no answer": percent(no_answer),
        "chance": percent(score.chance),
        "blind": percent(score.blind_floor),
        "gain": "–" if gain is None else f"{100 * gain:+.1f}",
    }
    return tuple(cells[key] for key in columns)


def findings_table(findings: Sequence[Finding], *, title: str = "Findings") -> RenderableType:
    """Show findings, the worst first: as a table where there is room, else each as a block."""
    order = list(reversed(Severity))
    ordered = sorted(findings, key=lambda finding: order.index(finding.severity))
    if _console().width < _WIDE_FINDINGS:
        blocks = [line for each in ordered for line in _block(each)]
        return Group(f"[italic]{safe(title)}[/]", *blocks)
    table = Table(title=safe(title), title_justify="left", show_lines=False)
    for name in ("severity", "what", "count"):
        table.add_column(name, justify="right" if name == "count" else "left", no_wrap=True)
    table.add_column("where and evidence", overflow="fold", ratio=3)
    table.add_column("effect and remedy", overflow="fold", ratio=2)
    for each in ordered:
        effect = " ".join(_sentences(each))
        table.add_row(
            _severity(each), safe(each.code), str(each.count), safe(_evidence(each)), safe(effect)
        )
    return table


def _block(finding: Finding) -> Iterator[RenderableType]:
    """Lay a finding out below each other: what it is, the evidence, the effect, the remedy."""
    times = f" × {finding.count}" if finding.count != 1 else ""
    yield f"{_severity(finding)} [bold]{safe(finding.code)}[/]{times}"
    for text in (_evidence(finding), *_sentences(finding)):
        yield Padding(safe(text), (0, 0, 0, 2))


def _severity(finding: Finding) -> str:
    return f"[{_STYLES[finding.severity]}]{finding.severity}[/]"


def _evidence(finding: Finding) -> str:
    text = f"{finding.where}: {finding.evidence}" if finding.evidence else finding.where
    return text if len(text) <= _LONGEST_EVIDENCE else f"{text[:_LONGEST_EVIDENCE]}…"


def _sentences(finding: Finding) -> list[str]:
    """Give effect and remedy as sentences; either may be empty."""
    texts = [text.strip() for text in (finding.effect, finding.remedy)]
    return [
        f"{text[:1].upper()}{text[1:]}" + ("" if text.endswith((".", "!", "?")) else ".")
        for text in texts
        if text
    ]


_SECONDS_BETWEEN_LINES: Final = 30.0


class _Lines:
    """Says now and then how far a run is, one line each time."""

    def __init__(self, what: str, *, asks: bool) -> None:
        self._what = what
        self._asks = asks
        self._said_at = time.monotonic()

    def __call__(self, progress: Progress) -> None:
        now = time.monotonic()
        if not (progress.stage or self._asks) or now - self._said_at < _SECONDS_BETWEEN_LINES:
            return
        self._said_at = now
        note = f" ({progress.note})" if progress.note else ""
        notice(
            f"{self._what}: {progress.done} of {progress.total} {progress.stage or 'asked'}, "
            f"{progress.failed} failed{note}"
        )


@contextmanager
def progress_bar(
    what: str, *, quiet: bool, asks: bool = True
) -> Iterator[Callable[[Progress], None]]:
    """Show a bar on standard error while a run asks, and one while it scores case by case.

    Failures are counted as they come. Where standard error is no terminal, a line every half minute
    says how far it is. Where nobody is asked (`asks`), scoring alone is shown, if it takes a while.
    """
    console = Console(stderr=True, emoji=False)
    if quiet or not console.is_terminal:
        yield (lambda progress: None) if quiet else _Lines(what, asks=asks)
        return
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[failed]}"),
        TimeRemainingColumn(),
    )
    with Bars(*columns, console=console) as bars:
        tasks = {"": bars.add_task(safe(what), total=None, failed="")} if asks else {}

        def update(progress: Progress) -> None:
            stage = progress.stage
            if not (stage or asks):
                return
            if stage not in tasks:
                name = f"{what}, {stage}" if asks else what
                tasks[stage] = bars.add_task(safe(name), total=None, failed="")
            failed = f"[red]{progress.failed} failed[/] " if progress.failed else ""
            bars.update(
                tasks[stage],
                completed=progress.done,
                total=progress.total,
                failed=f"{failed}[dim]{safe(progress.note)}[/]",
            )

        yield update
