"""`overread report`: pages from run files."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from overread.analysis.asked import Asked
from overread.analysis.judge_calibration import read_labels
from overread.cli.checks import at_least
from overread.cli.jury import jury_json
from overread.cli.output import notice, print_json
from overread.contracts import Judged, Release
from overread.errors import UsageError, expected
from overread.imaging.render import PictureRenderer
from overread.report.collect import JudgesOf, collect
from overread.report.data import Panel, PanelJudge, ReportData
from overread.report.html import write_page
from overread.report.json_report import report_json, write_json
from overread.report.markdown import write_markdown
from overread.report.masks.page import MOST_PICTURES
from overread.report.pictures import stock_shelf, with_changed_pictures
from overread.report.previews import MOST_PREVIEWS
from overread.run.ballots import ballots_of, sheets
from overread.run.jury_report import JuryReport, counted_votes, jury_reports
from overread.run.scoring import score_if_stopped
from overread.store.run_store import RunStore

__all__ = ["judges_of", "report_command", "write_report"]


def report_command(
    runs_and_out: tuple[Path, ...],
    /,
    *,
    release: Path | None = None,
    title: str | None = None,
    human: Path | None = None,
    previews: int = MOST_PREVIEWS,
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
    human
        A CSV file of people's labels (item,label) on the answers of one run, to hold its judges
        against.
    previews
        Of how many volumes to show a preview; each takes seconds to read. 0 shows none. Of masks
        the worst cases are drawn, twelve at most.
    json
        Also print the report's JSON.
    """
    at_least("--previews", previews, 0)
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
    if human is not None and len(runs) > 1:
        raise UsageError(
            expected(
                "--human",
                rule="one run, whose answers people labelled",
                got=f"{len(runs)} runs",
                remedy="Write a report of that run alone.",
            )
        )
    value = write_report(
        runs, out, release=release, title=title, human=human, most_previews=previews
    )
    if json:
        print_json(value)
    count = "1 run" if len(runs) == 1 else f"{len(runs)} runs"
    notice(f"Wrote the report of {count}: {out / 'index.html'}")
    return 0


def write_report(
    runs: list[Path],
    out: Path,
    *,
    release: Path | None = None,
    title: str | None = None,
    human: Path | None = None,
    most_previews: int = MOST_PREVIEWS,
) -> object:
    """Write all three forms of a report and return its JSON value.

    A run that was stopped before it was scored is scored first, from what it holds.
    """
    for run in runs:
        score_if_stopped(run, release=release)
    data, opened = collect(runs, release=release, title=title, judges_of=judges_of(human))
    if human is not None:
        data = _with_labels(data, human, runs[0])
    shelf = stock_shelf(data, PictureRenderer(opened.media_root), most_previews=most_previews)
    data = with_changed_pictures(data, shelf)  # a finding that belongs into all three forms
    write_page(data, out, shelf, most_pictures=min(most_previews, MOST_PICTURES))
    write_markdown(data, out / "report.md")
    write_json(data, out / "report.json")
    return report_json(data)


def _with_labels(data: ReportData, human: Path, run: Path) -> ReportData:
    """Add what of the labels could not be used; there must be judges to hold against people."""
    (judged,) = data.runs
    if not judged.panels:
        raise UsageError(
            expected(
                "--human",
                rule="a run whose answers were judged",
                got=f"{run}, which holds no votes",
                remedy="Have them judged: overread score RUN --judge MODEL.",
            )
        )
    with RunStore.open(run) as store:
        findings = read_labels(human, store.plan()).findings
    return replace(data, runs=(replace(judged, findings=(*judged.findings, *findings)),))


def judges_of(human: Path | None) -> JudgesOf:
    """Say how a report finds the judges of a run, and, by a file of labels, what people say."""

    def panels(store: RunStore, release: Release, asked: Asked) -> tuple[Panel, ...]:
        labels = None if human is None else read_labels(human, store.plan()).labels
        juries = jury_reports(store, release, asked, labels=labels)
        honest_first = sorted(juries, key=lambda jury: jury.profile != "honest")
        return tuple(_panel(jury, store, release, asked) for jury in honest_first)

    return panels


def _panel(report: JuryReport, store: RunStore, release: Release, asked: Asked) -> Panel:
    if not isinstance(release, Judged):
        raise TypeError("a run with juries is of a release that is judged")
    judging = release.judging(report.profile)
    responses = {response.request_hash: response for response in store.responses()}
    all_sheets = sheets(store.plan(), asked, responses, judging)
    jury = list(report.jury)
    ballots = ballots_of(store, all_sheets, judging, report.profile, jury)
    return Panel(
        profile=report.profile,
        form=report.form,
        judges=tuple(
            PanelJudge(
                judge=each.judge,
                n=each.n,
                n_asked=each.n_asked,
                n_read=each.n_read,
                n_yes=each.n_yes,
                reason=each.most_common_reason,
            )
            for each in report.coverage
        ),
        agreement=report.agreement,
        calibration=report.calibration,
        votes=tuple(counted_votes(store.manifest.run, report.profile, jury, ballots)),
        as_json=jury_json(report),
    )
