"""The released votes, put into a run file as if judges had cast them now, and counted by its rule.

The numbers are those of the released files: joined by key, a null counted as no, an item that lacks
a judge's record left out (`overread reproduce` gives the same, apart from this code).
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from overread.analysis.asked import Asked
from overread.analysis.estimates import estimate
from overread.audits.joins import join_rows
from overread.benchmarks.ct_spatialvqa import BENCHMARK
from overread.contracts import Release, Selection
from overread.contracts.replay import ReleasedVotes
from overread.records import (
    Estimate,
    Manifest,
    ModelIdentity,
    PlannedItem,
    Response,
    Status,
    Vote,
)
from overread.run.ballots import Sheet, jury_scores, sheets
from overread.store.hashes import sha256_text
from overread.store.run_store import RunStore
from overread.store.votes import Juror

pytestmark = pytest.mark.data

ROOT = Path(os.environ.get("OVERREAD_DATA") or "no such folder") / "ct_spatialvqa"


@dataclass(frozen=True, kw_only=True)
class Replayed:
    """The release with its questions asked and answered in file order."""

    release: Release
    asked: Asked
    plan: list[PlannedItem]


@pytest.fixture(scope="module")
def replayed(released_data: Path) -> Replayed:
    if not ROOT.is_dir():
        pytest.skip(f"no released files at {ROOT}")
    release = BENCHMARK.open(ROOT)
    items = {item.id: item for item in release.items(Selection())}
    references = {name: release.reference(name) for name in items}
    plan = [
        PlannedItem(
            item=item.id,
            request_hash=sha256_text(item.id),
            groups=item.groups,
            strata=item.strata,
            chance=None,
        )
        for item in items.values()
    ]
    asked = Asked(items=items, references=references, plan=release.plan())
    return Replayed(release=release, asked=asked, plan=plan)


def answers(replayed: Replayed, model: str) -> dict[str, Response]:
    """Give the released predictions by request hash."""
    replay = replayed.release.replay()  # type: ignore[attr-defined]
    (found,) = (each for each in replay.predictions if each.model == model)
    rows = [(row.question, row.answer) for row in found.rows]
    join = join_rows([(each.question, each.answer) for each in replay.questions], rows)
    assert not join.missing
    return {
        sha256_text(replay.questions[left].item): Response(
            run="released",
            item=replay.questions[left].item,
            status=Status.OK,
            text=found.rows[right].prediction or "",
            request_hash=sha256_text(replay.questions[left].item),
        )
        for left, right in join.pairs
    }


def verdicts(replayed: Replayed, file: ReleasedVotes) -> dict[str, bool | None]:
    """Give one judge's records by item, joined by key."""
    questions = replayed.release.replay().questions  # type: ignore[attr-defined]
    keys = [(each.question, each.answer) for each in questions]
    join = join_rows(keys, [(row.question, row.answer) for row in file.rows])
    assert not join.extra
    return {questions[left].item: file.rows[right].verdict for left, right in join.pairs}


def votes_of(
    found: dict[str, bool | None], juror: Juror, all_sheets: Sequence[Sheet]
) -> Iterator[list[Vote]]:
    """Cast a judge's records as votes, a batch at a time; what has no record casts none."""
    for sheet in all_sheets:
        yield [
            Vote(
                run="released",
                item=graded.item,
                profile="published",
                judge=juror.judge,
                judge_hash=juror.judge_hash,
                request_hash=sheet.hash_for(juror.judge_hash),
                position=place,
                verdict=(verdict := found[graded.item]),
                status=Status.UNPARSED if verdict is None else Status.OK,
                reason="null" if verdict is None else None,
                text="[released]",
            )
            for place, graded in enumerate(sheet.graded)
            if graded.item in found
        ]


def judged(replayed: Replayed, model: str, path: Path) -> list[Estimate]:
    """Estimate a model from its released answers and votes, through a run file."""
    manifest = Manifest(
        run="released",
        benchmark="ct-spatialvqa",
        protocol_version="1",
        release_root=str(ROOT),
        release_fingerprint=replayed.release.fingerprint,
        model=ModelIdentity(kind="predictions", name=model),
        selection={"split": "test", "form": "chat", "stack": "images"},
        seed=0,
        created="2026-11-30T12:00:00Z",
        software={},
        command="",
    )
    judging = replayed.release.judging("published")  # type: ignore[attr-defined]
    responses = answers(replayed, model)
    all_sheets = sheets(replayed.plan, replayed.asked, responses, judging)
    with RunStore.create(path, manifest) as store:
        store.set_plan(replayed.plan)
        jurors = []
        for file in replayed.release.replay().votes:  # type: ignore[attr-defined]
            if file.model == model:
                juror = Juror(
                    judge=file.judge, judge_hash=sha256_text(file.judge), form=judging.form.name
                )
                jurors.append(juror)
                for votes in votes_of(verdicts(replayed, file), juror, all_sheets):
                    store.add_votes(votes)
        assert len(jurors) == 3
        store.set_jury("published", jurors)
    with RunStore.open(path) as store:
        scores = list(
            jury_scores(store, replayed.plan, replayed.asked, responses, judging, "published")
        )
    # Their totals alone, and intervals of no great care.
    plan = replace(replayed.release.plan(), strata=((),), cells=(), bootstrap_draws=100)
    return list(estimate(scores, replayed.plan, plan))


@pytest.mark.parametrize(
    ("model", "right", "n", "judges"),
    [
        # Five nulls of one judge: they are a no of the jury's, and no vote of the judge's own.
        (
            "vila_m3_vista3d", 2560, 9077,
            {"gemini": (2675, 9072), "gpt": (2581, 9077), "qwen": (2524, 9077)},
        ),
        # Three records of one judge are not in its file; published by row: 2774 of 9074.
        ("m3d", 2833, 9074, {"gemini": (3146, 9074), "gpt": (2822, 9077), "qwen": (2833, 9077)}),
        # Likewise; published by row: 2853 of 9074.
        (
            "med3dvlm", 2933, 9074,
            {"gemini": (3214, 9074), "gpt": (2888, 9077), "qwen": (2923, 9077)},
        ),
        ("radfm", 2858, 9077, {"gemini": (3028, 9077), "gpt": (2850, 9077), "qwen": (2913, 9077)}),
    ],
)  # fmt: skip
def test_released_votes_give_the_jury_of_the_released_files(
    replayed: Replayed,
    tmp_path: Path,
    model: str,
    right: int,
    n: int,
    judges: dict[str, tuple[int, int]],
) -> None:
    estimates = judged(replayed, model, tmp_path / "run.sqlite")
    (jury,) = (e for e in estimates if e.metric == "jury_accuracy" and not e.stratum)
    assert jury.value == pytest.approx(right / n, abs=1e-12)
    assert (jury.n, jury.n_clusters) == (n, 1300)
    found = {
        e.stratum["judge"]: (round((e.value or 0) * e.n), e.n)
        for e in estimates
        if e.metric == "judge_accuracy" and e.stratum.keys() == {"judge"}
    }
    assert found == judges
