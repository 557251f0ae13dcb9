"""Runs of the caption task, from the synthetic release to estimates."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from overread.analysis.asked import asked_of
from overread.analysis.compare import RunScores, compare
from overread.analysis.plans import plan_of
from overread.benchmarks.ct_bench import layout
from overread.contracts import Selection
from overread.records import Status
from overread.registry import find_benchmark
from overread.report.collect import collect
from overread.run.pipeline import execute
from overread.store.run_store import RunStore

CAPTION = {"selection": {"tasks": ("caption",)}, "limit": None}


def estimates(path: Path) -> dict[tuple[str, str], object]:
    with RunStore.open(path) as store:
        return {(e.metric, e.profile): e for e in store.estimates() if not e.stratum}


def test_captions_are_scored_by_their_facts_first(request_for, release_root) -> None:
    request = request_for("majority", **CAPTION)
    outcome = execute(request)
    found = estimates(request.out)
    n_lesions = len({i.groups["lesion"] for i in _items(release_root)})
    assert (outcome.n_planned, outcome.n_failed) == (2 * n_lesions, 0)
    assert next(iter(found)) == ("fact_score", "honest")
    facts, bleu = found["fact_score", "honest"], found["bleu1", "published"]
    assert facts.n == facts.n_answered == bleu.n == 2 * n_lesions
    # One sentence for all lesions: words like theirs, and few facts right.
    assert facts.value < bleu.value
    assert facts.method == "cluster wilson (patient)"  # few patients
    assert 0 < found["side_error", "honest"].value < 1
    assert ("accuracy", "honest") not in found
    assert {row.who for row in bleu.published} == {"RadFM, fine-tuned", "best model as released"}
    with RunStore.open(request.out) as store:
        data, _ = collect([request.out], release=release_root, title=None, judges_of=None)
        assert data.plan.headline == asked_of(store, _open(release_root)).plan.headline


def _open(root: Path):
    return find_benchmark("ct-bench").open(root)


def _items(root: Path):
    return list(_open(root).items(Selection(tasks=("caption",))))


def test_a_caption_that_repeats_the_description_has_every_fact_right(
    request_for, release_root, tmp_path
) -> None:
    release = _open(release_root)
    rows = [
        {"lesion_id": item.groups["lesion"], "caption": release.reference(item.id).answer}
        for item in _items(release_root)
        if item.condition == "box"
    ]
    path = tmp_path / "captions.json"
    path.write_text(json.dumps(rows))
    selection = {"tasks": ("caption",), "conditions": ("box",)}
    request = request_for(f"predictions:{path}", selection=selection, limit=None)
    execute(request)
    found = estimates(request.out)
    assert found["side_error", "honest"].value == found["organ_error", "honest"].value == 0.0
    assert found["bleu1", "published"].value == found["rouge1_plain", "published"].value == 1.0
    # Nothing is wrong; the size that the tables know and no description says is missing.
    assert 0.75 < found["fact_score", "honest"].value <= 1.0


def test_the_other_side_is_told_by_the_facts_alone(request_for, release_root, tmp_path) -> None:
    release = _open(release_root)
    swap = {"left": "right", "right": "left"}
    rows = [
        {
            "id": item.id,
            "text": " ".join(
                swap.get(word, word) for word in release.reference(item.id).answer.split(" ")
            ),
        }
        for item in _items(release_root)
    ]
    path = tmp_path / "swapped.json"
    path.write_text(json.dumps(rows))
    request = request_for(f"predictions:{path}", **CAPTION)
    execute(request)
    found = estimates(request.out)
    assert found["side_error", "honest"].value > 0.9
    assert found["organ_error", "honest"].value < 0.1
    assert found["fact_score", "honest"].value < 0.7
    assert found["bleu1", "published"].value > 0.9


def test_questions_and_captions_in_one_run_keep_apart(request_for, release_root) -> None:
    tasks = ("img2txt", "caption")
    alone = request_for("majority", selection={"tasks": tasks[:1]}, limit=None)
    both = request_for(
        "majority", selection={"tasks": tasks}, limit=None, out=alone.out.with_name("both.sqlite")
    )
    execute(alone)
    execute(both)
    with RunStore.open(alone.out) as one, RunStore.open(both.out) as other:
        expected = {(e.metric, e.profile, *sorted(e.stratum.items())): e for e in one.estimates()}
        found = {(e.metric, e.profile, *sorted(e.stratum.items())): e for e in other.estimates()}
        # What was asked of questions, byte by byte, and what they score in their own strata.
        hashes = [line.request_hash for line in one.plan()]
        assert [line.request_hash for line in other.plan()][: len(hashes)] == hashes
    assert expected.items() <= found.items()
    assert found["accuracy", "honest"].n == expected["accuracy", "honest"].n
    assert found["fact_score", "honest"].n == len(_items(release_root))
    assert ("fact_score", "honest", ("task", "img2txt")) not in found


def test_a_fake_model_answers_in_words(request_for) -> None:
    request = request_for("fake", selection={"tasks": ("caption",)}, limit=6)
    assert execute(replace(request, canary=False)).n_failed == 0
    with RunStore.open(request.out) as store:
        texts = {response.text for response in store.responses()}
    assert all("{" not in str(text) for text in texts)


def test_a_lesion_without_a_picture_fails_and_stays(request_for, tmp_path) -> None:
    root = tmp_path / "release"
    find_benchmark("ct-bench").synthesise(root, seed=5, size=24)
    gone = _items(root)[0].groups["lesion"]
    for folder in (layout.LESION_BBOX_FOLDER, layout.LESION_NOBOX_FOLDER):
        (root / folder / f"{gone}.png").unlink()
    request = request_for("fake", release=root, **CAPTION)
    outcome = execute(replace(request, canary=False))
    assert outcome.n_failed == 2
    found = estimates(request.out)
    assert found["fact_score", "honest"].n == outcome.n_planned
    # The released script passes such a lesion over.
    assert found["bleu1", "published"].n == outcome.n_planned - 2
    with RunStore.open(request.out) as store:
        lost = [s for s in store.scores() if s.status is Status.FAILED]
    assert {score.item.rpartition("/")[2] for score in lost} == {gone}


def test_runs_of_captions_are_compared_by_their_facts(request_for, release_root) -> None:
    runs = []
    for name, model in (("one", "majority"), ("two", "constant:A cyst in the left kidney.")):
        request = request_for(model, **CAPTION)
        request = replace(request, out=request.out.with_name(f"{name}.sqlite"))
        execute(request)
        with RunStore.open(request.out) as store:
            runs.append(RunScores(label=name, scores=store.scores(), planned=store.plan()))
    plan = plan_of(_open(release_root), [line for run in runs for line in run.planned])
    found = compare(runs, plan, profile="honest")
    assert found.metric == "fact_score"
    assert len(found.pairs) == 1


@pytest.mark.parametrize("model", ["longest", "text-only"])
def test_readers_of_options_say_why_they_cannot(model: str, request_for) -> None:
    request = request_for(model, selection={"tasks": ("caption",)}, limit=2)
    assert execute(request).n_failed == 2
    with RunStore.open(request.out) as store:
        assert all("asks for Text" in str(one.reason) for one in store.responses())
