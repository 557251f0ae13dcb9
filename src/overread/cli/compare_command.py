"""`overread compare`: runs against each other, pair by pair."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Final, Literal

from rich.padding import Padding

from overread.analysis.asked import check_same_release, release_of
from overread.analysis.compare import Comparison, RunScores, compare
from overread.analysis.compared_metric import SHARE_UNIT, compared_metric
from overread.analysis.plans import plan_of
from overread.cli.compare_scale import scale_of
from overread.cli.compare_tables import (
    margin_table,
    pair_sentences,
    pair_table,
    power_table,
    standing_tables,
    two_intervals,
)
from overread.cli.output import notice, print_json, safe, show
from overread.errors import UsageError, expected
from overread.records import JsonValue, Manifest
from overread.run.scoring import score_if_stopped
from overread.store.run_store import RunStore

__all__ = ["compare_command"]

_MOST_IN_WORDS: Final = 3
"""Pairs up to which each is told in sentences; above, tables say the same."""
_WHICH_QUESTIONS: Final = frozenset({"split", "tasks", "conditions", "limit"})
"""What of a run's selection says which questions, and not how they were asked."""


def compare_command(
    runs: tuple[Path, ...],
    /,
    *,
    release: Path | None = None,
    profile: Literal["honest", "published"] = "honest",
    metric: str | None = None,
    adjust: Literal["holm", "bh"] = "holm",
    margin: float | None = None,
    power: float = 0.8,
    by_stratum: bool = False,
    json: bool = False,
) -> int:
    """Compare runs question by question, clustered by patient.

    Says which runs are told apart, how small a difference these questions can show, and how many
    more patients would separate the others.

    Parameters
    ----------
    runs
        Two or more run files.
    release
        The release's folder, where it is not where the runs were made.
    profile
        Whose scores.
    metric
        Another metric than the headline: jury_accuracy, rougeL and so on.
    adjust
        How p values of several pairs are adjusted: holm (no false claim at all), or bh (few false
        ones among the claims; Benjamini and Hochberg).
    margin
        The smallest difference that would matter, in points: says which runs are shown to differ
        by less.
    power
        With which probability a difference is to be found, for what the exam can show.
    by_stratum
        Also compare within every task and condition.
    json
        Print JSON for machines.
    """
    if len(runs) < 2:
        raise UsageError(
            expected("RUN RUN...", rule="two or more run files", got=len(runs), remedy="Add one.")
        )
    if margin is not None and not 0 < margin < 100:
        raise UsageError(
            expected(
                "--margin",
                rule="points above 0 and below 100",
                got=f"{margin:g}",
                remedy="Give the smallest difference that would matter: --margin 2.",
            )
        )
    scores: list[RunScores] = []
    manifests: list[Manifest] = []
    for path, label in zip(runs, _labels(runs), strict=True):
        score_if_stopped(path, release=release)
        with RunStore.open(path) as store:
            manifests.append(store.manifest)
            scores.append(RunScores(label=label, scores=store.scores(), planned=store.plan()))
    check_same_release(runs, manifests)
    planned = [line for run in scores for line in run.planned]
    plan = plan_of(release_of(manifests[0], release), planned)
    is_share = compared_metric(plan, metric=metric, profile=profile).value_unit == SHARE_UNIT
    share = margin / 100 if margin is not None and is_share else margin
    found = compare(
        scores, plan, profile=profile, metric=metric, adjust=adjust, margin=share, power=power
    )
    asked = _asked_in_other_ways(found.labels, manifests)
    if json:
        print_json({**asdict(found), "notes": [*found.notes, *asked]})
        return 0
    _print(found, share, by_stratum=by_stratum)
    for note in (*found.notes, *asked):
        notice(note)
    for line in _legend(found):
        notice(line)
    return 0


def _print(found: Comparison, margin: float | None, *, by_stratum: bool) -> None:
    scale = scale_of(found)
    what = f"{found.metric}, {found.profile} profile ({scale.heading})"
    if len(found.labels) > 2:
        show(*standing_tables(found))
    several = len(found.labels) > 2
    names = ("run 1", "run 2")
    show(
        pair_table(what, found.pairs, names=names, unit=found.unit, scale=scale, has_order=several)
    )
    for pair in found.pairs if by_stratum else ():
        rows = [r for r in found.by_stratum if (r.first, r.second) == (pair.first, pair.second)]
        title = f"{pair.first} and {pair.second}: {what}"
        show(
            pair_table(
                title, rows, names=("stratum",), unit=found.unit, scale=scale, has_order=several
            )
        )
    if len(found.pairs) <= _MOST_IN_WORDS:
        for pair in found.pairs:
            first, *further = pair_sentences(pair, found.unit, scale)
            show(f"[bold]{safe(first)}[/]")
            show(*(Padding(safe(text), (0, 0, 0, 2)) for text in further))
        return
    show(power_table(found))
    if margin is not None:
        show(margin_table(found, margin))
    for reason in dict.fromkeys(pair.exam.reason for pair in found.pairs):
        if reason is not None:
            notice(f"{reason[0].upper()}{reason[1:]}.")


def _legend(found: Comparison) -> Iterator[str]:
    unit = found.unit
    after = "after Holm" if found.adjust == "holm" else "after Benjamini and Hochberg"
    if len(found.labels) > 2:
        yield (
            "order: points below the run of each column's number; * where the two are told apart; "
            "group: runs that share a letter cannot be told apart."
        )
    yield (
        "diff: run 1 minus run 2; p McN: exact McNemar, which takes questions as independent; "
        f"p {unit}: permutation {unit} by {unit}; p adj: the p marked *, adjusted {after}."
    )
    if told := two_intervals(found):
        yield told
    if len(found.pairs) > _MOST_IN_WORDS:
        yield (
            "shows from: the smallest true difference, in points, that is found with this power; "
            f"effect: by how much several questions a {unit} inflate the variance; needed: all in "
            "all, if the observed difference is the true one; at best: if the end of its interval "
            "farther from 0 is."
        )


def _labels(runs: tuple[Path, ...]) -> list[str]:
    """Name runs by their files, as short as tells them apart: without an ending that all share."""
    stems = [path.stem for path in runs]
    if len(set(stems)) < len(stems):
        return [str(path) for path in runs]
    endings = (stems[0][place:] for place, sign in enumerate(stems[0]) if place and sign in "._-")
    shared = next((end for end in endings if all(stem.endswith(end) for stem in stems)), "")
    short = [stem.removesuffix(shared) for stem in stems]
    return short if all(short) else stems


def _asked_in_other_ways(labels: Sequence[str], manifests: Sequence[Manifest]) -> Iterator[str]:
    """Say where the same questions were not asked the same way, such as with another window."""
    keys = dict.fromkeys(key for manifest in manifests for key in manifest.selection)
    for key in keys:
        ways: dict[str, list[str]] = {}
        for label, manifest in zip(labels, manifests, strict=True):
            ways.setdefault(_way(manifest.selection.get(key)), []).append(label)
        if key not in _WHICH_QUESTIONS and len(ways) > 1:
            told = "; ".join(f"{way} of {', '.join(names)}" for way, names in ways.items())
            yield (
                f"The runs were not asked alike: {key.replace('_', ' ')} is {told}. A difference "
                "may come from that."
            )


def _way(value: JsonValue) -> str:
    return "none" if value is None else str(value)
