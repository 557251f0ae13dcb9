"""`overread report`: pages from run files."""

from __future__ import annotations

from pathlib import Path

from overread.cli.output import notice, print_json
from overread.errors import UsageError, expected
from overread.imaging.render import PictureRenderer
from overread.report.collect import collect
from overread.report.html import write_page
from overread.report.json_report import report_json, write_json
from overread.report.markdown import write_markdown
from overread.report.pictures import stock_shelf, with_changed_pictures
from overread.run.scoring import score_if_stopped

__all__ = ["report_command", "write_report"]


def report_command(
    runs_and_out: tuple[Path, ...],
    /,
    *,
    release: Path | None = None,
    title: str | None = None,
    json: bool = False,
) -> int:
    """Write a report of one or several runs: index.html, report.md and report.json.

    Parameters
    ----------
    runs_and_out
        Run files of one release, then the folder to write into.
    release
        The release's folder, where it is not where the runs were made.
    title
        The title of the page.
    json
        Also print the report's JSON.
    """
    if len(runs_and_out) < 2:
        raise UsageError(
            expected(
                "RUN... OUT",
                rule="one or more run files and then a folder",
                got=" ".join(map(str, runs_and_out)) or "nothing",
                remedy="For instance: overread report runs/a.sqlite runs/b.sqlite report.",
            )
        )
    *runs, out = runs_and_out
    value = write_report(runs, out, release=release, title=title)
    if json:
        print_json(value)
    count = "1 run" if len(runs) == 1 else f"{len(runs)} runs"
    notice(f"Wrote the report of {count}: {out / 'index.html'}")
    return 0


def write_report(
    runs: list[Path], out: Path, *, release: Path | None = None, title: str | None = None
) -> object:
    """Write all three forms of a report and return its JSON value.

    A run that was stopped before it was scored is scored first, from what it holds.
    """
    for run in runs:
        score_if_stopped(run, release=release)
    data, opened = collect(runs, release=release, title=title)
    shelf = stock_shelf(data, PictureRenderer(opened.media_root))
    data = with_changed_pictures(data, shelf)  # a finding that belongs into all three forms
    write_page(data, out, shelf)
    write_markdown(data, out / "report.md")
    write_json(data, out / "report.json")
    return report_json(data)
