"""`overread score`: numbers from what is stored or from a file; models are asked when named."""

from __future__ import annotations

import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from overread.analysis.asked import release_of
from overread.analysis.judge_calibration import read_labels
from overread.cli.checks import at_least
from overread.cli.output import notice, print_json, progress_bar
from overread.cli.predicted import prediction_model, prediction_place
from overread.cli.results import print_run, run_value, unscored
from overread.cli.typed import typed_command
from overread.contracts import ModelOptions, Release, Selection
from overread.errors import FatalModelError, UsageError, expected
from overread.records import JsonValue
from overread.registry import benchmark_names, find_benchmark
from overread.run.fact_reading import FactRequest, fact_scorer_of, read_facts
from overread.run.judging import JudgeRequest, judge, judging_of
from overread.run.jury_report import JuryReport, jury_reports
from overread.run.pipeline import execute
from overread.run.request import RunOutcome, RunRequest
from overread.run.scoring import PROFILES, score_if_stopped, score_run, set_floor
from overread.store.run_store import RunStore

__all__ = ["score_command"]


def score_command(
    run_or_benchmark: str,
    release: Path | None = None,
    /,
    *,
    predictions: tuple[Path, ...] = (),
    out: Path | None = None,
    split: str = "test",
    task: tuple[str, ...] = (),
    condition: tuple[str, ...] = (),
    judge: tuple[str, ...] = (),
    judge_profile: Literal["honest", "published"] = "honest",
    human: Path | None = None,
    facts_model: str | None = None,
    retry: bool = False,
    base_url: tuple[str, ...] = (),
    temperature: float = 0.0,
    max_tokens: int = 1000,
    seed: int = 0,
    concurrency: int = 16,
    timeout_s: float = 120.0,
    max_retries: int = 6,
    workers: int = 2,
    json: bool = False,
) -> int:
    """Score a run again, score files of predictions, or have models judge or read answers.

    `overread score RUN [RELEASE]` reads a run file; RELEASE is needed when the release has moved.
    `overread score BENCHMARK RELEASE --predictions FILE` joins a file by key and scores it, or the
    masks of a folder by their names: --predictions FOLDER or 'FOLDER/{case}/seg_{id}.nii.gz'. With
    --judge, judge models grade the open answers first. Their votes are stored as they come and
    used again; the judges named last make the jury, and the same command asks only for votes that
    are missing. With --facts-model a model reads the facts of descriptions and of their references;
    what it read is scored beside what the rules read.

    Parameters
    ----------
    run_or_benchmark
        A run file, or a name of `overread list benchmarks` together with --predictions.
    release
        The folder of the release.
    predictions
        A file of answers with their keys, a folder of masks, or the pattern of their names; may be
        repeated, one run each.
    out
        The run file of the predictions; beside them when left out, or in runs when they lie in
        the release.
    split
        Which part of the exam the predictions answer.
    task
        Only this task of it; may be repeated. Some are answered only so, such as ct-bench's
        caption.
    condition
        Only this condition, such as box; may be repeated.
    judge
        A judge, ADAPTER:NAME as in `overread list models`; may be repeated.
    judge_profile
        honest: fenced texts, bound verdicts; published: the release's own form and counting.
    human
        A CSV file of people's labels (item,label) to calibrate the judges against; the votes may be
        stored ones.
    facts_model
        A model, ADAPTER:NAME, that reads the facts of descriptions; asked once about each text.
    retry
        Ask again where a reply came and no verdict, or no facts, could be read in it.
    base_url
        Address of the OpenAI-compatible server of the judges (repeated, one a judge) or of the
        model that reads facts.
    temperature
        Sampling temperature of these models.
    max_tokens
        Longest reply.
    seed
        Seed sent to them.
    concurrency
        At most so many requests at once to one of them.
    timeout_s
        Longest wait for one reply.
    max_retries
        How often one request is tried again.
    workers
        Processes that score masks, a case at a time; 0 scores them in this one.
    json
        Print JSON for machines: an object a run; a list of them for several files.
    """
    at_least("--concurrency", concurrency, 1)
    at_least("--max-tokens", max_tokens, 1)
    at_least("--workers", workers, 0)
    at_least("--max-retries", max_retries, 0)
    at_least("--timeout-s", timeout_s, 0.001)
    at_least("--temperature", temperature, 0)
    options = ModelOptions(
        temperature=temperature,
        max_tokens=max_tokens,
        seed=seed,
        concurrency=concurrency,
        timeout_s=timeout_s,
        max_retries=max_retries,
    )
    jury = _Jury(
        request=JudgeRequest(
            judges=judge, profile=judge_profile, options=options, base_urls=base_url, retry=retry
        ),
        human=human,
        facts=_fact_request(facts_model, options, base_url, retry=retry, judges=judge),
        workers=workers,
        json=json,
    )
    _need_judges(jury)
    if predictions:
        selection = Selection(split=split, tasks=task or None, conditions=condition or None)
        return _score_files(run_or_benchmark, release, predictions, out, selection, jury)
    if task or condition:
        raise UsageError(
            expected(
                "--task" if task else "--condition",
                rule="files of answers with --predictions",
                got="none",
                remedy="A run file knows what was asked: leave it out.",
            )
        )
    path = Path(run_or_benchmark)
    if run_or_benchmark in benchmark_names():
        raise UsageError(
            expected(
                "--predictions",
                rule=f"files of answers to {run_or_benchmark}",
                got="none",
                remedy="To score a run again, name its file alone.",
            )
        )
    if not path.is_file():
        raise UsageError(
            expected(
                "RUN",
                rule="a run file, or BENCHMARK RELEASE --predictions FILE",
                got=run_or_benchmark,
                remedy="'overread run' writes run files.",
            )
        )
    with RunStore.open(path) as store:
        manifest = store.manifest
    scored = _score(path, release_of(manifest, release), jury)
    print_run(path, json=json, juries=scored.juries)
    notice(f"{path}: scored again from the stored answers.{scored.trouble}")
    return scored.status


@dataclass(frozen=True, slots=True, kw_only=True)
class _Jury:
    """What the command line says of judges, people, a model that reads facts, and processes."""

    request: JudgeRequest
    human: Path | None
    facts: FactRequest | None
    workers: int
    json: bool

    @property
    def asks(self) -> bool:
        """Whether anything comes between the answers and their scores."""
        return bool(self.request.judges or self.human or self.facts)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Scored:
    """What is to be shown of a run once it is scored."""

    status: int
    juries: tuple[JuryReport, ...]
    trouble: str
    """Sentences for the last line, each after a space."""


def _fact_request(
    model: str | None,
    options: ModelOptions,
    base_urls: tuple[str, ...],
    *,
    retry: bool,
    judges: tuple[str, ...],
) -> FactRequest | None:
    if model is None:
        return None
    if judges or len(base_urls) > 1:
        raise UsageError(
            expected(
                "--facts-model",
                rule="one model at one address, and no judges in the same call",
                got=f"{len(judges)} judges, {len(base_urls)} addresses",
                remedy="Call once with --judge and once with --facts-model: both are stored.",
            )
        )
    url = base_urls[0] if base_urls else options.base_url
    return FactRequest(model=model, options=replace(options, base_url=url), retry=retry)


def _need_judges(jury: _Jury) -> None:
    """Refuse options that are about asking judges, or a reader, where none is named."""
    given = {
        "--retry": jury.request.retry and not jury.facts,
        "--base-url": bool(jury.request.base_urls) and not jury.facts,
        "--judge-profile": jury.request.profile != "honest",
    }
    for option, is_given in given.items():
        if is_given and not jury.request.judges:
            raise UsageError(
                expected(
                    option,
                    rule="judges to ask",
                    got="no --judge",
                    remedy=f"Name judges with --judge ADAPTER:NAME, or leave {option} out.",
                )
            )


def _need_votes(path: Path, jury: _Jury) -> None:
    """Refuse people's labels where there is no vote to calibrate, before anything is scored."""
    if jury.human is None or jury.request.judges:
        return
    if path.is_file():
        with RunStore.open(path) as store:
            if any(store.jury(profile) for profile in PROFILES):
                return
    raise UsageError(
        expected(
            "--human",
            rule="a run whose answers were judged",
            got=f"{path}, which holds no votes",
            remedy="Name judges with --judge, if the benchmark has open answers.",
        )
    )


def _score(path: Path, release: Release, jury: _Jury) -> _Scored:
    """Judge where judges are named, score, and give what is to be shown of the juries."""
    n_failed = 0
    _need_votes(path, jury)
    with RunStore.open(path, write=True) as store:
        labels = None
        if jury.human is not None:
            labelled = read_labels(jury.human, store.plan())
            labels = labelled.labels
            store.replace_findings("labels", labelled.findings)
        if jury.request.judges:
            with progress_bar("judges", quiet=jury.json) as on_progress:
                outcome = judge(store, release, jury.request, on_progress=on_progress)
            n_failed = outcome.n_failed
            notice(
                f"{path}: {outcome.n_judged} answers judged by {len(jury.request.judges)}; "
                f"{outcome.n_asked} requests now, {n_failed} without a reply."
                + (" The same command asks them again." if n_failed else "")
            )
        if jury.facts is not None:
            n_failed += _in_vain(store, release, jury.facts, quiet=jury.json)
        asked = set_floor(store, release)
        with progress_bar("scoring", quiet=jury.json, asks=False) as on_progress:
            n_unscored = score_run(
                store, release, asked, workers=jury.workers, on_progress=on_progress
            )
        juries = jury_reports(store, release, asked, labels=labels)
    unread = [
        f" No vote of {each.judge} could be read: {each.most_common_reason.rstrip('.')}."
        for report in juries
        if jury.request.judges and report.profile == jury.request.profile
        for each in report.coverage
        if each.n_asked and not each.n_read
    ]
    return _Scored(
        status=1 if n_failed or unread or n_unscored else 0,
        juries=juries,
        trouble="".join(unread) + unscored(n_unscored),
    )


def _in_vain(store: RunStore, release: Release, request: FactRequest, *, quiet: bool) -> int:
    """Have a model read the facts; give how many requests had no reply, all where none was read."""
    with progress_bar("facts", quiet=quiet) as on_progress:
        outcome = read_facts(store, release, request, on_progress=on_progress)
    notice(
        f"{store.path}: the facts of {outcome.n_texts} texts; {outcome.n_asked} requests now, "
        f"{outcome.n_failed} without a reply."
        + (" The same command asks them again." if outcome.n_failed else "")
        + ("" if outcome.n_read else " Not one could be read.")
    )
    return outcome.n_failed if outcome.n_read else outcome.n_texts


def _run_and_score(
    request: RunRequest, release: Release, jury: _Jury
) -> tuple[RunOutcome, _Scored]:
    """Join a file of answers, and score them once: after the judges, where there are any."""
    if not jury.asks:
        with progress_bar("scoring", quiet=jury.json, asks=False) as on_progress:
            outcome = execute(request, release=release, on_progress=on_progress)
        return outcome, _Scored(status=0, juries=(), trouble="")
    outcome = execute(request, release=release, scores=False)
    try:
        return outcome, _score(request.out, release, jury)
    except (UsageError, FatalModelError):
        score_if_stopped(request.out, release=request.release)  # by what needs no judge
        raise


def _unasked(outcome: RunOutcome, release: Release, selection: Selection) -> str:
    """Name the tasks that are asked only by name, where a file answers none of the usual ones."""
    by_name = release.card.asked_by_name
    if selection.tasks or not by_name or outcome.n_failed < outcome.n_planned:
        return ""
    return f" Does it answer {' or '.join(by_name)}? Name the task: --task {by_name[0]}."


def _score_files(
    benchmark: str,
    release: Path | None,
    predictions: tuple[Path, ...],
    out: Path | None,
    selection: Selection,
    jury: _Jury,
) -> int:
    if release is None or (out is not None and len(predictions) > 1):
        raise UsageError(
            expected(
                "overread score",
                rule="BENCHMARK RELEASE with --predictions FILE (and one --out for one file)",
                got=f"RELEASE {release}, {len(predictions)} files, --out {out}",
                remedy="Name the release's folder; leave out --out for several files.",
            )
        )
    worst = 0
    values: list[JsonValue] = []
    opened = find_benchmark(benchmark).open(release)
    if jury.request.judges:
        judging_of(opened, jury.request.profile)  # says at once that nothing is to be judged
    if jury.facts is not None:
        fact_scorer_of(opened)  # the same of facts
    places = [out or prediction_place(file, benchmark, release=release) for file in predictions]
    for place in places:
        _need_votes(place, jury)
    for file, place in zip(predictions, places, strict=True):
        request = RunRequest(
            benchmark=benchmark,
            release=release,
            model=prediction_model(file),
            out=place,
            selection=selection,
            workers=jury.workers,
            command=typed_command(sys.argv[1:]),
        )
        outcome, scored = _run_and_score(request, opened, jury)
        worst = max(worst, scored.status, 1 if outcome.n_failed or outcome.n_unscored else 0)
        if jury.json:
            values.append(run_value(place, juries=scored.juries))
        else:
            print_run(place, json=False, juries=scored.juries)
        notice(
            f"{place}: {outcome.n_planned - outcome.n_failed} of {outcome.n_planned} questions "
            f"have an answer in {file}.{_unasked(outcome, opened, selection)}"
            f"{unscored(outcome.n_unscored)}{scored.trouble}"
        )
    if jury.json:
        print_json(values if len(values) > 1 else values[0])
    return worst
