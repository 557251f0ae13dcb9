"""`overread finetune`: train a scorer on a release's training split, and watch it in the exam."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Final, Literal

from cyclopts import Parameter
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn
from rich.progress import Progress as Bars
from rich.table import Table

from overread.cli.output import (
    findings_table,
    interval,
    notice,
    number_table,
    percent,
    print_json,
    safe,
    show,
)
from overread.models.clip.finetune.settings import TrainingSettings
from overread.registry import find_benchmark
from overread.run.finetuning.curve import Curve, CurvePoint
from overread.run.finetuning.finetune import Step, finetune
from overread.run.finetuning.request import FinetuneOutcome, FinetuneRequest

__all__ = ["finetune_clip_command"]

_BENCHMARK: Final = "ct-bench"
_SECONDS_BETWEEN_LINES: Final = 30.0


def finetune_clip_command(
    release: Path,
    /,
    *,
    base: str,
    boxes: Literal["with", "without"],
    out: Annotated[Path, Parameter(alias="-o")],
    epochs: int = 2,
    batch_size: int = 64,
    learning_rate: float = 5e-5,
    seed: int = 0,
    validate_every: int = 1,
    checkpoint_every_s: float = 600.0,
    json: bool = False,
) -> int:
    """Train an image-text scorer on the training lesions of a CT-Bench release.

    After each epoch the exam's own validation questions are asked; the best epoch's model is kept,
    and `overread run ct-bench RELEASE --model clip:OUT` asks it the test questions. The same
    command again goes on where it was stopped. Needs the extra `torch`.

    Parameters
    ----------
    release
        The folder of the release.
    base
        What to start from: as after clip: in `overread run --model`; or, from scratch, an
        architecture of open_clip, a JSON file in its form, or small.
    boxes
        Learn from pictures with the lesion's box drawn, or without.
    out
        A new or empty folder, or the one of the same training.
    epochs
        How often to go over the training lesions; may be raised later.
    batch_size
        Pairs of picture and sentence in a batch.
    learning_rate
        Of Adam, constant.
    seed
        Of the order of lesions, of dropout, and of random weights.
    validate_every
        Ask the validation questions after every so many epochs.
    checkpoint_every_s
        Write a checkpoint within an epoch after so many seconds.
    json
        Print JSON for machines.
    """
    request = FinetuneRequest(
        base=base,
        boxes=boxes,
        out=out,
        settings=TrainingSettings(
            epochs=epochs, batch_size=batch_size, learning_rate=learning_rate, seed=seed
        ),
        validate_every=validate_every,
        checkpoint_every_s=checkpoint_every_s,
    )
    opened = find_benchmark(_BENCHMARK).open(release)
    with _progress(epochs, quiet=json) as (on_step, on_epoch):
        outcome = finetune(request, opened, on_step=on_step, on_epoch=on_epoch)
    if json:
        print_json(_plain(outcome))
    else:
        show(_table(outcome.curve))
        if outcome.findings:
            show(findings_table(outcome.findings))
    _say(outcome, release)
    return 0


def _say(outcome: FinetuneOutcome, release: Path) -> None:
    curve = outcome.curve
    best, last = curve.best, curve.points[-1].epoch
    if outcome.epochs_done_before == last:
        notice(f"All {last} epochs were done before.")
    if curve.base_was_better:
        notice(f"No epoch did better than the base on validation questions ({curve.condition}).")
    if best is not None:
        notice(
            f"{outcome.out}: epoch {best.epoch} of {last} is kept, learnt from "
            f"{outcome.n_pairs} lesions; it was chosen on the validation questions, so ask the "
            f"test questions: 'overread run {_BENCHMARK} {release} --model clip:{outcome.out}'."
        )


def _plain(outcome: FinetuneOutcome) -> dict[str, object]:
    best = outcome.curve.best
    return {
        "out": str(outcome.out),
        "condition": outcome.curve.condition,
        "best_epoch": best.epoch if best else None,
        "base_was_better": outcome.curve.base_was_better,
        "lesions": outcome.n_pairs,
        "curve": outcome.curve.plain(),
        "findings": [asdict(finding) for finding in outcome.findings],
    }


def _table(curve: Curve) -> Table:
    """Tabulate the curve: a row an epoch, the exam by condition."""
    conditions = list(dict.fromkeys(name for point in curve.points for name in point.exam))
    table = number_table("Training, and accuracy on validation questions (%)")
    for name in ("epoch", "loss"):
        table.add_column(name, justify="right", no_wrap=True)
    for name in conditions:
        first = next(point.exam[name] for point in curve.points if name in point.exam)
        table.add_column(f"{safe(name)} (n {first.n})", justify="right", no_wrap=True)
        table.add_column("95 %", justify="right", no_wrap=True)
    best = curve.best
    for point in curve.points:
        cells = [f"{point.epoch}", "–" if point.loss is None else f"{point.loss:.3f}"]
        for name in conditions:
            share = point.exam.get(name)
            cells.append(percent(share.accuracy if share else None))
            cells.append(interval(share.low, share.high) if share else "–")
        table.add_row(*cells, style="bold" if point is best else None)
    return table


_Tellers = tuple[Callable[[Step], None], Callable[[CurvePoint], None]]


@contextmanager
def _progress(epochs: int, *, quiet: bool) -> Iterator[_Tellers]:
    """Show a bar for the epoch under way, and a line for each that is done."""

    def on_epoch(point: CurvePoint) -> None:
        if not quiet:
            notice(f"finetune: {_line(point, epochs)}")

    console = Console(stderr=True, emoji=False)
    if quiet or not console.is_terminal:
        yield (_Lines(epochs, quiet=quiet), on_epoch)
        return
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    with Bars(*columns, console=console, transient=True) as bars:
        task = bars.add_task("", total=None)

        def on_step(step: Step) -> None:
            bars.update(
                task, description=_what(step, epochs), completed=step.done, total=step.total
            )

        yield on_step, on_epoch


class _Lines:
    """Says now and then how far an epoch is."""

    def __init__(self, epochs: int, *, quiet: bool) -> None:
        self._epochs = epochs
        self._quiet = quiet
        self._said_at = time.monotonic()

    def __call__(self, step: Step) -> None:
        now = time.monotonic()
        if not self._quiet and now - self._said_at >= _SECONDS_BETWEEN_LINES:
            self._said_at = now
            notice(f"finetune: {_what(step, self._epochs)}, {step.done} of {step.total}")


def _what(step: Step, epochs: int) -> str:
    doing = "questions" if step.loss is None else f"loss {step.loss:.3f}"
    return f"epoch {step.epoch} of {epochs}, {doing}"


def _line(point: CurvePoint, epochs: int) -> str:
    loss = "" if point.loss is None else f", loss {point.loss:.3f}"
    exam = "".join(f", {name} {percent(share.accuracy)} %" for name, share in point.exam.items())
    return f"epoch {point.epoch} of {epochs}{loss}{exam}"
