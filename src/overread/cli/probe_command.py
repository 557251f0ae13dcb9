"""`overread probe`: the same questions with a part taken away or changed."""

from __future__ import annotations

import json as json_text
import sys
from collections.abc import Callable
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter
from rich.table import Table

from overread.analysis.probe_words import arm_sentence, rests_on, silence_sentence
from overread.analysis.probing import ArmEffect, Probed
from overread.cli.checks import at_least
from overread.cli.output import (
    is_wide,
    notice,
    number_table,
    percent,
    print_json,
    progress_bar,
    safe,
    show,
)
from overread.cli.typed import typed_command
from overread.contracts import ModelOptions, Release, Selection
from overread.imaging.render import PictureRenderer
from overread.registry import find_benchmark
from overread.report.page import write_whole
from overread.report.probe_data import ProbeReport, probe_json
from overread.report.probe_page import write_probe_page
from overread.report.wording import p_value
from overread.run.asking import Progress
from overread.run.probing.probe import probe
from overread.run.probing.reading import read_probe
from overread.run.probing.request import ARMS, ORIGINAL, ProbeOutcome, ProbeRequest
from overread.run.request import RunRequest

__all__ = ["probe_command"]


def probe_command(
    benchmark: str,
    release: Path,
    /,
    *,
    model: Annotated[str, Parameter(alias="-m")],
    out: Annotated[Path, Parameter(alias="-o")],
    only: tuple[str, ...] = (),
    probe_seed: int = 0,
    split: str = "test",
    task: tuple[str, ...] = (),
    condition: tuple[str, ...] = (),
    stack: Literal["images", "mosaic", "features"] | None = None,
    recipe: str | None = None,
    media: Path | None = None,
    prepared: Path | None = None,
    max_side_px: int | None = None,
    limit: int | None = None,
    base_url: str | None = None,
    temperature: float = 0.0,
    max_tokens: int = 1000,
    seed: int = 0,
    concurrency: int = 16,
    timeout_s: float = 120.0,
    max_retries: int = 6,
    max_images: int | None = None,
    structured: bool = False,
    canary: bool | None = None,
    json: bool = False,
) -> int:
    """Ask the same questions with a part taken away or changed: what does a score rest on.

    Every change is a run of its own beside the original, and all are held against it question by
    question. Answers are stored as they come; the same command again asks only what is missing.
    Exit status 1 when questions got no reply as released.

    Parameters
    ----------
    benchmark
        A name of `overread list benchmarks`.
    release
        The folder of the release.
    model
        ADAPTER:NAME as in `overread list models`, or a built-in reader such as chance.
    out
        A folder: gets one run file an arm, probe.html and probe.json.
    only
        Only this change, of `overread list perturbations`; may be repeated.
    probe_seed
        What other patients, orders of options and windows are drawn from.
    split
        Which part of the exam.
    task
        Only this task; may be repeated.
    condition
        Only this condition, such as box; may be repeated.
    stack
        Slices of a stack as single images, one mosaic, or weighted features.
    recipe
        How volumes are prepared; `overread list recipes` describes them.
    media
        The folder of pictures or volumes, where they do not lie in the release.
    prepared
        Keep prepared arrays of volumes in this folder, for further runs.
    max_side_px
        Shrink larger pictures to this side.
    limit
        Only so many questions, taken evenly over the settings.
    base_url
        Address of an OpenAI-compatible server; the key comes from OPENAI_API_KEY.
    temperature
        Sampling temperature.
    max_tokens
        Longest reply.
    seed
        Seed sent to the model, and of built-in readers.
    concurrency
        At most so many requests at once; it starts lower and adapts.
    timeout_s
        Longest wait for one reply.
    max_retries
        How often one request is tried again.
    max_images
        The most pictures the server takes in one request.
    structured
        Let the server enforce the JSON form of answers.
    canary
        Ask first what only a picture can tell, before the original.
    json
        Print JSON for machines.
    """
    for argument, value, least in (
        ("--limit", limit, 1), ("--concurrency", concurrency, 1), ("--max-tokens", max_tokens, 1),
        ("--max-side-px", max_side_px, 16), ("--max-retries", max_retries, 0),
        ("--timeout-s", timeout_s, 0.001), ("--temperature", temperature, 0),
        ("--probe-seed", probe_seed, 0),
    ):  # fmt: skip
        at_least(argument, value, least)
    run = RunRequest(
        benchmark=benchmark,
        release=release,
        model=model,
        out=out / f"{ORIGINAL}.sqlite",
        media=media,
        prepared=prepared,
        selection=Selection(
            split=split,
            recipe=recipe,
            tasks=task or None,
            conditions=condition or None,
            max_side_px=max_side_px,
            limit=limit,
        ),
        stack=stack,
        options=ModelOptions(
            base_url=base_url,
            temperature=temperature,
            max_tokens=max_tokens,
            seed=seed,
            concurrency=concurrency,
            timeout_s=timeout_s,
            max_retries=max_retries,
            max_images=max_images,
            structured=structured,
        ),
        canary=canary,
        command=typed_command(sys.argv[1:]),
    )
    request = ProbeRequest(run=run, folder=out, arms=only or ARMS, seed=probe_seed)
    opened = find_benchmark(benchmark).open(release, media=media)
    with ExitStack() as bars:
        done = probe(request, release=opened, on_arm=_bars(model, bars, quiet=json))
    report = _report(done, opened)
    _write(report, out, opened)
    if json:
        print_json(probe_json(report))
    else:
        _print(report.probed)
    _say(done, out)
    return 1 if done.outcomes[ORIGINAL].n_failed else 0


def _bars(
    model: str, bars: ExitStack, *, quiet: bool
) -> Callable[[str], Callable[[Progress], None]]:
    """Show a bar an arm: the one before is finished first."""

    def on_arm(arm: str) -> Callable[[Progress], None]:
        bars.close()
        return bars.enter_context(progress_bar(f"{model}, {arm}", quiet=quiet))

    return on_arm


def _report(done: ProbeOutcome, release: Release) -> ProbeReport:
    reading = read_probe(done.files, release, not_applied=done.not_applied)
    model = reading.model
    return ProbeReport(
        model=model.name if model.kind == "baselines" else model.label,
        benchmark=release.card.title,
        probed=reading.probed,
        examples=reading.examples,
        notes=tuple(release.notes()),
        files={arm: path.name for arm, path in done.files.items()},
        created=datetime.now(UTC).isoformat(timespec="seconds"),
    )


def _write(report: ProbeReport, out: Path, release: Release) -> None:
    text = json_text.dumps(probe_json(report), ensure_ascii=False, allow_nan=False, indent=1)
    write_whole(out / "probe.json", text + "\n")
    write_probe_page(report, out / "probe.html", PictureRenderer(release.media_root))


def _print(probed: Probed) -> None:
    if probed.arms:
        show(_table(probed))
    for arm in probed.arms:
        mind = f"To mind: {arm.reason}." if arm.reason else ""
        told = " ".join(filter(None, [arm_sentence(arm), silence_sentence(arm), mind]))
        show(f"[bold]{safe(arm.name)}[/]: {safe(told)}")
    for name, reasons in probed.not_applied.items():
        told = "; ".join(f"{reason} ({n})" for reason, n in reasons.items())
        show(f"[bold]{safe(name)}[/]: applies to no question here: {safe(told)}.")
    show(f"\n[bold]{safe(rests_on(probed))}[/]")


def _table(probed: Probed) -> Table:
    table = number_table(f"{probed.metric.replace('_', ' ')}, as released and changed (%)")
    wide = is_wide()
    table.add_column("arm", overflow="fold", min_width=16 if wide else 8)
    columns = ["n", "from, to", "points", "95 %", "kept", "lost", "won", "silent", "p adj"]
    if not wide:
        columns = [name for name in columns if name not in ("n", "kept", "silent")]
    for name in columns:
        table.add_column(name, justify="right", no_wrap=True)
    for arm in probed.arms:
        cells = _cells(arm)
        style = "red" if arm.falls else "green" if arm.rises else None
        table.add_row(safe(arm.name), *(cells[name] for name in columns), style=style)
    return table


def _cells(arm: ArmEffect) -> dict[str, str]:
    states, low, high = arm.states, arm.low, arm.high
    counts = (
        ("–", "–", "–")
        if states is None
        else map(str, (states.right_right, states.right_wrong, states.wrong_right))
    )
    return {
        "n": str(arm.n),
        "from, to": f"{percent(arm.original)}, {percent(arm.changed)}",
        "points": f"{-100 * arm.net_effect:+.1f}" if arm.net_effect else "0.0",
        "95 %": "–" if low is None or high is None else f"{-100 * high:+.1f} to {-100 * low:+.1f}",
        **dict(zip(("kept", "lost", "won"), counts, strict=True)),
        "silent": str(arm.silence.changed),
        "p adj": p_value(arm.p_holm),
    }


def _say(done: ProbeOutcome, out: Path) -> None:
    for arm, outcome in done.outcomes.items():
        if outcome.n_failed:
            notice(
                f"{arm}: {outcome.n_failed} of {outcome.n_planned} questions got no reply; the "
                "same command asks them again."
            )
    asked = sum(outcome.n_asked for outcome in done.outcomes.values())
    notice(
        f"Asked {asked} questions in {len(done.outcomes)} runs; wrote {out / 'probe.html'}. "
        "kept, lost, won: right twice, only as released, only when changed; silent: no answer when "
        "changed; p adj: after Holm, for all arms."
    )
