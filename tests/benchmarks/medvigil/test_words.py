"""Open probes and triplets: asked by name, read by options nobody was shown."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from overread.benchmarks.medvigil import BENCHMARK
from overread.contracts import ModelOptions, Selection
from overread.records import Text
from overread.run.pipeline import execute
from overread.run.request import RunRequest
from overread.store.run_store import RunStore


def items_of(root: Path, *tasks: str):
    release = BENCHMARK.open(root)
    return release, list(release.items(Selection(tasks=tasks)))


def test_they_are_asked_by_name_only(drawn: Path) -> None:
    release, items = items_of(drawn, "open")
    probes = list(release.items(Selection()))
    assert len(items) == len(probes)
    assert [item.question for item in items] == [item.question for item in probes]
    assert all(isinstance(item.answer_space, Text) for item in items)
    assert all(item.options == () for item in items)
    words = "\n".join(part.text or "" for part in items[0].prompt)
    assert words.strip() == items[0].question
    assert {item.task for item in probes} == {"probe"}
    assert release.plan_for(["open"]).headline == "open_accuracy"
    assert release.plan_for(["probe", "open"]).headline == "accuracy"
    assert release.plan().headline_only == {"task": ("probe",)}


def test_240_triplets_have_three_questions_each(whole: Path) -> None:
    release, items = items_of(whole, "triplet")
    assert len(items) == 3 * 240
    assert {item.condition for item in items} == {"original", "tcf", "vcf"}
    one = items[:3]
    assert len({item.groups["triplet"] for item in one}) == 1
    golds = [release.reference(item.id).answer for item in one]
    assert golds[0] == golds[1] != golds[2]


def test_a_triplet_whose_answers_are_the_same_has_no_score(release: Path, rewrite) -> None:
    rewrite(release / "triplets.csv", lambda rows: rows[0].update(vcf_gold=rows[0]["anchor_gold"]))
    opened, items = items_of(release, "triplet")
    assert opened.reference(items[0].id).problem
    assert opened.reference(items[3].id).problem is None


def run(root: Path, folder: Path, replies: dict[str, str], *tasks: str):
    path, out = folder / "replies.jsonl", folder / "run.sqlite"
    path.write_text("\n".join(json.dumps({"id": k, "answer": v}) for k, v in replies.items()))
    execute(
        RunRequest(
            benchmark="medvigil", release=root, model=f"predictions:{path}", out=out,
            options=ModelOptions(), selection=Selection(tasks=tasks),
        )
    )  # fmt: skip
    with RunStore.open(out) as store:
        return {(row.metric, row.profile): row for row in store.estimates() if not row.stratum}


def test_right_words_are_right(drawn: Path, tmp_path: Path) -> None:
    release, items = items_of(drawn, "open")
    replies = {item.id: release.reference(item.id).answer or "" for item in items}
    found = run(drawn, tmp_path, replies, "open")
    assert found["open_accuracy", "honest"].value == pytest.approx(1.0)
    assert found["open_accuracy", "honest"].n == len(items)


def test_declining_everything_is_right_on_broken_evidence_alone(
    drawn: Path, tmp_path: Path
) -> None:
    _, items = items_of(drawn, "open")
    broken = [i for i in items if i.strata["probe_kind"] in ("halluc_trap", "roi_masked")]
    replies = {item.id: "I cannot determine this from the picture." for item in items}
    found = run(drawn, tmp_path, replies, "open")
    share = len(broken) / len(items)
    assert found["open_accuracy", "honest"].value == pytest.approx(share)


def test_a_triplet_coheres_when_all_three_are_right(drawn: Path, tmp_path: Path) -> None:
    release, items = items_of(drawn, "triplet")
    replies = {item.id: release.reference(item.id).answer or "" for item in items}
    first = items[2]  # one wrong answer breaks one triplet
    replies[first.id] = "nothing of the kind"
    found = run(drawn, tmp_path, replies, "triplet")
    n = len(items) // 3
    assert found["triplet_coherence", "honest"].value == pytest.approx((n - 1) / n)
    assert found["open_accuracy", "honest"].value == pytest.approx((len(items) - 1) / len(items))
