"""`overread audit parsers`: stored replies of runs, read by every published parser."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from rich.console import RenderableType
from rich.padding import Padding
from rich.table import Table

from overread.analysis.asked import asked_of, release_of
from overread.audits.parser_replay import (
    NO_ANSWER,
    RANDOM,
    ParserTable,
    Split,
    StoredReply,
    replay_parsers,
)
from overread.audits.parsers import KIND_WORDS, parser_findings
from overread.cli.output import (
    findings_table,
    is_wide,
    notice,
    number_table,
    print_json,
    safe,
    show,
)
from overread.cli.waiting import slowly
from overread.errors import UsageError, expected
from overread.scoring.published.parser import Parser
from overread.scoring.published.parsers import PARSERS
from overread.store.run_store import RunStore

__all__ = ["audit_parsers_command"]


def audit_parsers_command(
    runs: tuple[Path, ...],
    /,
    *,
    release: Path | None = None,
    examples: int = 3,
    json: bool = False,
) -> int:
    """Read stored replies by every published parser, and say what that moves.

    No model is asked. A parser that draws a letter where it reads nothing counts by the expectation
    of the draw. `overread audit BENCHMARK RELEASE --only parsers` does the same with replies that a
    release ships.

    Parameters
    ----------
    runs
        Run files.
    release
        The release's folder, where it is not where the runs were made.
    examples
        How many replies to show on which parsers split, of each kind of question (0 to 20).
    json
        Print JSON for machines.
    """
    if not 0 <= examples <= 20:
        raise UsageError(
            expected("--examples", rule="0 to 20", got=examples, remedy="Leave it out for 3.")
        )
    tell = slowly("audit parsers", quiet=json)
    tables: list[tuple[Path, ParserTable]] = []
    for path in dict.fromkeys(runs):
        tell(f"reading the replies of {path}")
        tables += [(path, table) for table in _tables(path, release, examples)]
    findings = [each for _, table in tables for each in parser_findings(table)]
    if json:
        print_json(
            {
                "parsers": [_described(parser) for parser in PARSERS],
                "tables": [{"run": str(path), **_json(table)} for path, table in tables],
                "findings": [asdict(each) for each in findings],
            }
        )
        return 0
    for _, table in tables:
        show(_table(table), *_examples(table.examples))
    if findings:
        show(findings_table(findings))
    for _, table in tables:
        notice(
            f"{table.who}: the score of its {table.n:,} {KIND_WORDS[table.kind]} depends on "
            f"parsing by {table.spread:.1f} points ({table.close_spread:.1f} among the "
            f"{len(table.close)} parsers closest to a careful reading)."
        )
    if not tables:
        notice("No reply here is to a question that a published parser reads.")
    return 0


def _tables(path: Path, root: Path | None, examples: int) -> tuple[ParserTable, ...]:
    with RunStore.open(path) as store:
        manifest = store.manifest
        opened = release_of(manifest, root)
        asked = asked_of(store, opened)
        replies = [
            StoredReply(
                item=asked.items[response.item],
                reference=asked.references[response.item],
                response=response,
            )
            for response in store.responses()
            if response.item in asked.items
        ]
    return replay_parsers(manifest.model.label, replies, opened, examples=examples)


def _table(table: ParserTable) -> Table:
    silent = f", {table.n_no_reply:,} of them without a reply" if table.n_no_reply else ""
    shown = number_table(f"{table.who}: {table.n:,} {KIND_WORDS[table.kind]}{silent} (%)")
    shown.add_column("parser", min_width=12, overflow="fold")
    columns = ["score", "points", "unread", "differ", "invented", "lost", "other", "drawn"]
    if not is_wide():
        columns = columns[:4]
    for name in columns:
        shown.add_column(name, justify="right", no_wrap=True)
    for row in table.rows:
        cells = {
            "score": f"{100 * row.score:.1f}",
            "points": f"{row.points:+.1f}" if row is not table.honest else "",
            "unread": f"{100 * row.unread:.1f}",
            "differ": str(row.n_differ),
            "invented": str(row.n_invented),
            "lost": str(row.n_lost),
            "other": str(row.n_other),
            "drawn": str(row.n_drawn),
        }
        style = "bold" if row is table.honest else None
        shown.add_row(safe(row.parser), *(cells[name] for name in columns), style=style)
    return shown


def _examples(examples: tuple[Split, ...]) -> Iterator[RenderableType]:
    """Lay replies out with who reads what in them."""
    for each in examples:
        yield f"[bold]{safe(each.item)}[/] (right: {safe(each.reference or NO_ANSWER)})"
        yield Padding(safe(each.reply), (0, 0, 0, 2))
        told = "; ".join(
            f"{_word(answer)}: {', '.join(names)}" for answer, names in _by_answer(each.readings)
        )
        yield Padding(safe(told), (0, 0, 0, 2))


def _by_answer(readings: Mapping[str, str]) -> list[tuple[str, list[str]]]:
    found: dict[str, list[str]] = {}
    for parser, answer in readings.items():
        found.setdefault(answer, []).append(parser)
    return list(found.items())


def _word(answer: str) -> str:
    return {NO_ANSWER: "nothing", RANDOM: "a letter at random"}.get(answer, answer)


def _json(table: ParserTable) -> dict[str, Any]:
    close = [row.parser for row in table.close]
    return {
        **asdict(table),
        "spread": table.spread,
        "close_spread": table.close_spread,
        "close": close,
    }


def _described(parser: Parser) -> dict[str, str]:
    return {
        "name": parser.name,
        "summary": parser.summary,
        "source": parser.source,
        "silence": parser.silence,
    }
