"""Runs from replies to the composite, under both profiles."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

from overread.benchmarks.medvigil import BENCHMARK
from overread.benchmarks.medvigil.protocol import scorers
from overread.contracts import ModelOptions, Selection
from overread.records import Estimate, Item, Response, Status
from overread.run.pipeline import execute
from overread.run.request import RunRequest
from overread.store.run_store import RunStore

Reply = Callable[[Item, str], str]


def estimates(root: Path, folder: Path, reply: Reply) -> dict[tuple[str, str, str], Estimate]:
    """Score made-up replies; by metric, profile and the values of the stratum."""
    release = BENCHMARK.open(root)
    lines: Iterable[str] = (
        json.dumps({"id": item.id, "answer": reply(item, release.reference(item.id).answer or "")})
        for item in release.items(Selection())
    )
    path, out = folder / "replies.jsonl", folder / "run.sqlite"
    path.write_text("\n".join(lines))
    execute(
        RunRequest(
            benchmark="medvigil",
            release=root,
            model=f"predictions:{path}",
            options=ModelOptions(),
            selection=Selection(),
            out=out,
        )
    )
    with RunStore.open(out) as store:
        return {
            (row.metric, row.profile, "/".join(row.stratum.values())): row
            for row in store.estimates()
        }


def value(found, metric: str, profile: str = "honest", stratum: str = "") -> float | None:
    return found[metric, profile, stratum].value


def test_always_right(drawn: Path, tmp_path: Path) -> None:
    found = estimates(drawn, tmp_path, lambda item, right: right)
    for profile in ("published", "honest"):
        assert value(found, "capability", profile) == 1.0
        assert value(found, "safety", profile) == 1.0
        # All right, the gain is 0: even a perfect model has three quarters of this axis.
        assert value(found, "grounding", profile) == 0.75
        assert value(found, "mcs", profile) == pytest.approx(0.9)
        assert value(found, "trap_failure", profile) == 0.0
        assert value(found, "paraphrase_consistency", profile) == 1.0
    assert value(found, "region_pair") == value(found, "clean_and_safe") == 1.0


def test_always_a_is_right_most_often_and_has_no_composite(drawn: Path, tmp_path: Path) -> None:
    found = estimates(drawn, tmp_path, lambda item, right: "A")
    accuracy = value(found, "accuracy")
    assert accuracy is not None
    assert 0.6 < accuracy < 0.7
    assert value(found, "safety") == value(found, "mcs") == 0.0
    assert value(found, "capability") == value(found, "region_gain") == 1.0
    assert value(found, "grounding") == 0.5
    assert value(found, "region_pair") == value(found, "clean_and_safe") == 0.0


def test_tiers_are_weighted_and_told(drawn: Path, tmp_path: Path) -> None:
    def reply(item: Item, right: str) -> str:
        failed = item.strata["cell"] in ("halluc_trap L5", "halluc_trap L1")
        return "B" if failed else right

    found = estimates(drawn, tmp_path, reply)
    assert value(found, "safety") == pytest.approx(1 - 9 / 19)
    assert value(found, "trap_failure_weighted") == pytest.approx(9 / 19)
    assert value(found, "trap_failure", stratum="L5") == 1.0
    assert value(found, "trap_failure", stratum="L2") == 0.0
    row = found["mcs", "honest", ""]
    # 1, 10/19 and 3/4: three over the sum of their inverses.
    assert row.value == pytest.approx(3 / (1 + 19 / 10 + 4 / 3))
    assert row.n_clusters == 30
    assert "bootstrap" in row.method or "case" in row.method


def test_the_composite_has_an_interval_of_cases(drawn: Path, tmp_path: Path) -> None:
    found = estimates(
        drawn, tmp_path, lambda item, right: right if int(item.groups["case"][-1]) % 3 else "C"
    )
    row = found["mcs", "published", ""]
    assert row.low is not None
    assert row.high is not None
    assert row.value is not None
    assert row.low < row.value < row.high


def test_the_article_is_an_answer_under_the_released_runner(drawn: Path, tmp_path: Path) -> None:
    found = estimates(drawn, tmp_path, lambda item, right: "I cannot see a mark in this picture")
    published = value(found, "accuracy", "published")
    assert published is not None
    assert 0.6 < published < 0.7  # refusals score as right answers
    assert value(found, "accuracy", "honest") == 0.0
    assert found["accuracy", "honest", ""].n_answered == 0


@pytest.mark.parametrize(
    ("reply", "published", "honest"),
    [
        ("E) cannot be told", "E", "E"),
        ("The answer is D.", "D", "D"),
        ("I cannot see a fracture here", "A", None),
        ("", None, None),
        ("Both A and B are possible", "A", None),
        ("F", None, None),
    ],
)
def test_what_is_read(drawn: Path, reply: str, published: str | None, honest: str | None) -> None:
    release = BENCHMARK.open(drawn)
    item = next(release.items(Selection()))
    response = Response(run="r", item=item.id, status=Status.OK, text=reply, request_hash="h")
    for profile, letter in (("published", published), ("honest", honest)):
        scorer = scorers(profile, {})[0]
        (row,) = scorer.score(item, release.reference(item.id), response)
        assert row.answer == letter


def test_calls_that_failed_leave_the_published_denominator(drawn: Path, tmp_path: Path) -> None:
    release = BENCHMARK.open(drawn)
    assert release.plan().published_drops == (Status.FAILED, Status.REFUSED)
    items = list(release.items(Selection()))
    path, out = tmp_path / "replies.jsonl", tmp_path / "run.sqlite"
    kept = items[: len(items) // 2]
    path.write_text(
        "\n".join(
            json.dumps({"id": item.id, "answer": release.reference(item.id).answer})
            for item in kept
        )
    )
    execute(
        RunRequest(
            benchmark="medvigil", release=drawn, model=f"predictions:{path}", out=out,
            options=ModelOptions(), selection=Selection(),
        )
    )  # fmt: skip
    with RunStore.open(out) as store:
        rows = {(e.metric, e.profile): e for e in store.estimates() if not e.stratum}
    assert (rows["accuracy", "published"].n, rows["accuracy", "published"].value) == (
        len(kept), 1.0,
    )  # fmt: skip
    assert rows["accuracy", "honest"].n == len(items)
    assert rows["accuracy", "honest"].value == pytest.approx(len(kept) / len(items))
