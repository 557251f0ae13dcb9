"""Runs of questions as released keep their requests, and with them answers already paid for."""

from __future__ import annotations

import json
from pathlib import Path

from overread.benchmarks.ct_spatialvqa import layout
from overread.benchmarks.ct_spatialvqa.layout import Pair
from overread.contracts import Release, Selection
from overread.records import ModelIdentity
from overread.registry import find_benchmark
from overread.run.manifest import make_manifest
from overread.run.planning import make_plan
from overread.store.hashes import sha256_text

READER = ModelIdentity(kind="chat", name="reader", settings={"temperature": 0.0})


def ct_bench(root: Path) -> Release:
    options = {"A": "a cyst", "B": "a node", "C": "a mass", "D": "a nodule"}
    worded = {"split": "test", "lesion_idx": 7, "correct_choice": "B", "choices": options}
    questions = [
        {**worded, "q_type": "img2txt", "bbox_type": "nobox", "image_path": "i/7.png",
         "question": "Which one fits?"},
        {**worded, "q_type": "ct2txt", "bbox_type": "bbox", "question": "Which one fits?",
         "image_paths": [f"i/7_{n}.png" for n in range(9)]},
        {**worded, "q_type": "txt2img", "bbox_type": "nobox", "question": "Where is a node?",
         "image_paths": [f"i/{letter}.png" for letter in "abcd"]},
    ]  # fmt: skip
    root.mkdir()
    (root / "qa_llm.json").write_text(json.dumps(questions), encoding="utf-8")
    return find_benchmark("ct-bench").open(root)


def ct_spatialvqa(root: Path) -> Release:
    pairs = [
        Pair(
            case=f"valid_{n}_a_1.nii.gz",
            question=f"Is finding {n} in the left lung?",
            answer="Yes.",
            categories=(layout.CATEGORIES[0],),
        )
        for n in (1, 2)
    ]
    layout.write_questions(root, pairs, with_categories=True)
    return find_benchmark("ct-spatialvqa").open(root)


def digest_of_requests(release: Release) -> str:
    plan = make_plan(
        release.items(Selection()),
        identity=READER,
        hashes={},
        draws=1,
        protocol_version=release.card.protocol_version,
    )
    assert plan
    return sha256_text("\n".join(f"{one.line.item} {one.line.request_hash}" for one in plan))


def run_id(release: Release) -> str:
    return make_manifest(
        release, identity=READER, selection=Selection(), draws=1, seed=0, command=""
    ).run


# Computed by the version before items could be changed (revision e6647e5).
def test_requests_of_ct_bench_are_what_they_were(tmp_path: Path) -> None:
    release = ct_bench(tmp_path / "release")
    assert (
        digest_of_requests(release)
        == "ef22c79a6213e2c2312ab4535c0199378ea847ac9ab963b74dab2deff541aab3"
    )
    assert run_id(release) == "ccb119e72ba7"


def test_requests_of_ct_spatialvqa_are_what_they_were(tmp_path: Path) -> None:
    release = ct_spatialvqa(tmp_path / "release")
    assert (
        digest_of_requests(release)
        == "414aabedef80b9ea0ce235a3ac6af70f8421c0df945c967592362c1e834c1af8"
    )
    assert run_id(release) == "a84055f0df22"
