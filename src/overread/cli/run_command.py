"""`overread run`: ask a model, score, print the card."""

from __future__ import annotations

import math
import re
import sys
from pathlib import Path
from typing import Annotated, Final, Literal

from cyclopts import Parameter

from overread.analysis.reasons import is_not_shown, reason_name
from overread.cli.output import notice, progress_bar
from overread.cli.results import print_run, unscored
from overread.cli.typed import typed_command
from overread.contracts import ModelOptions, Selection
from overread.errors import UsageError, expected
from overread.records import Status
from overread.run.pipeline import execute
from overread.run.request import RunOutcome, RunRequest
from overread.store.run_store import RunStore

__all__ = ["run_command"]

_LOOKED_UP: Final = ("masks:", "predictions:")
"""Models that are files."""


def run_command(
    benchmark: str,
    release: Path,
    /,
    *,
    model: Annotated[str, Parameter(alias="-m")],
    out: Annotated[Path | None, Parameter(alias="-o")] = None,
    split: str = "test",
    task: tuple[str, ...] = (),
    condition: tuple[str, ...] = (),
    stack: Literal["images", "mosaic", "features"] | None = None,
    recipe: str | None = None,
    media: Path | None = None,
    prepared: Path | None = None,
    max_side_px: int | None = None,
    limit: int | None = None,
    draws: int = 1,
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
    workers: int = 2,
    json: bool = False,
) -> int:
    """Ask a model the questions of a release, score, and print the score card.

    Answers are stored as they come; the same command again asks only what is missing. Exit status
    1 when questions got no reply, could not be shown, or could not be scored.

    Parameters
    ----------
    benchmark
        A name of `overread list benchmarks`.
    release
        The folder of the release.
    model
        ADAPTER:NAME as in `overread list models`, or a built-in reader such as chance.
    out
        The run file; runs/BENCHMARK-MODEL.sqlite when left out.
    split
        Which part of the exam.
    task
        Only this task; may be repeated. Some are asked only so, such as ct-bench's caption.
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
    draws
        Ask every question so many times.
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
        Ask first what only a picture can tell; on for models that are shown pictures and learn
        nothing. `--no-canary` for one that takes whole volumes only.
    workers
        Processes that score masks, a case at a time; 0 scores them in this one.
    json
        Print JSON for machines.
    """
    _at_least("--limit", limit, 1)
    _at_least("--draws", draws, 1)
    _at_least("--workers", workers, 0)
    _at_least("--concurrency", concurrency, 1)
    _at_least("--max-side-px", max_side_px, 16)
    _at_least("--max-tokens", max_tokens, 1)
    _at_least("--max-retries", max_retries, 0)
    _at_least("--timeout-s", timeout_s, 0.001)
    _at_least("--temperature", temperature, 0)
    place = out or Path("runs") / f"{benchmark}-{_slug(model)}.sqlite"
    request = RunRequest(
        benchmark=benchmark,
        release=release,
        model=model,
        out=place,
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
        draws=draws,
        canary=canary,
        workers=workers,
        command=typed_command(sys.argv[1:]),
    )
    with progress_bar(model, quiet=json) as on_progress:
        outcome = execute(request, on_progress=on_progress)
    print_run(place, json=json)
    if outcome.n_beyond:
        notice(
            f"{outcome.n_beyond} answers of a larger plan stay in the file and do not count now: "
            "leave --limit out, or raise --draws, to count them."
        )
    notice(_last_line(place, outcome, is_looked_up=model.startswith(_LOOKED_UP)))
    return 1 if outcome.n_failed or outcome.n_unscored else 0


def _last_line(place: Path, outcome: RunOutcome, *, is_looked_up: bool) -> str:
    """Sum a run up: what was asked, what came to nothing and what helps against it.

    Answers that are looked up in files are no others when they are asked for again.
    """
    # Every failure of the plan is one of this start: what failed before was tried again.
    unseen = _not_shown(place) if outcome.n_failed else []
    n_without_reply = outcome.n_failed - len(unseen)
    sentences = [
        f"{place}: asked {outcome.n_asked - len(unseen)}, "
        f"{outcome.n_planned - outcome.n_asked} were answered before, "
        f"{n_without_reply} of {outcome.n_planned} got no reply."
    ]
    if n_without_reply:
        sentences.append(
            "With the missing files it is another run: name another --out for it."
            if is_looked_up
            else "The same command asks them again."
        )
    if unseen:
        names = sorted({reason_name(reason) or "what the findings name" for reason in unseen})
        more = f" and {len(names) - 1} more" if len(names) > 1 else ""
        sentences.append(
            f"{len(unseen)} of {outcome.n_planned} could not be shown and were not asked: mend "
            f"{names[0]}{more}, then the same command asks them."
        )
    return " ".join(sentences) + unscored(outcome.n_unscored)


def _not_shown(place: Path) -> list[str]:
    """Give the reason of each planned question that no model was asked, as it cannot be shown."""
    with RunStore.open(place) as store:
        planned = {line.request_hash for line in store.plan()}
        return [
            response.reason
            for response in store.responses()
            if response.reason is not None
            and response.request_hash in planned
            and response.status is Status.FAILED
            and is_not_shown(response.reason)
        ]


def _at_least(argument: str, value: float | None, least: float) -> None:
    if value is not None and not least <= value < math.inf:
        raise UsageError(
            expected(
                argument,
                rule=f"a number of {least:g} or more",
                got=value,
                remedy="Leave it out for the default.",
            )
        )


def _slug(model: str) -> str:
    """Make a file name of a model's name: letters, digits, dots and dashes only."""
    return re.sub(r"[^A-Za-z0-9.]+", "-", model).strip("-.")[:80] or "model"
