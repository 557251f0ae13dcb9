"""From a release and stored replies to the four states of each profession, on the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from overread.benchmarks.jmed48k import BENCHMARK
from overread.cli import main
from overread.contracts import Selection
from overread.records import Estimate
from overread.store.run_store import RunStore

Estimates = dict[tuple[str, str | None], Estimate]


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("exams") / "release"
    BENCHMARK.synthesise(root, seed=3, size=48)
    return root


@pytest.fixture(scope="module")
def estimates(root: Path) -> Estimates:
    """A reader that is right with figures, without them half the time, else silent."""
    release = BENCHMARK.open(root)
    rows = []
    for number, item in enumerate(release.items(Selection())):
        right = item.condition == "as-asked" or number % 4 < 2
        answer = f"answer: {release.reference(item.id).answer}"
        text = answer if right else "図がなく答えられません。"
        rows.append(json.dumps({"item": item.id, "text": text}, ensure_ascii=False))
    answers, run = root.with_name("answers.jsonl"), root.with_name("run.sqlite")
    answers.write_text("\n".join(rows), encoding="utf-8")
    with pytest.raises(SystemExit) as stop:
        main(["score", "jmed48k", str(root), "--predictions", str(answers), "--out", str(run)])
    assert not stop.value.code
    with RunStore.open(run) as store:
        return {
            (row.metric, row.stratum.get("profession")): row
            for row in store.estimates()
            if row.profile == "honest" and not set(row.stratum) - {"profession"}
        }


@pytest.mark.parametrize("profession", [None, "physician", "public-health-nurse", "pharmacist"])
def test_states_of_each_profession(root, estimates, profession):
    pairs = [
        (item.groups["pair"], number % 4 < 2)
        for number, item in enumerate(BENCHMARK.open(root).items(Selection()))
        if item.condition == "images-removed" and profession in (None, item.strata["profession"])
    ]
    n, kept = len(pairs), sum(right for _, right in pairs)
    assert 0 < kept < n

    def value(metric: str) -> float | None:
        return estimates[metric, profession].value

    assert value("accuracy") == 1
    assert value("accuracy_with_figures") == 1
    assert value("accuracy_without_figures") == pytest.approx(kept / n)
    assert value("image_effect") == pytest.approx(1 - kept / n)
    assert value("persistence") == pytest.approx(kept / n)
    reason = estimates["image_effect", profession].reason or ""
    assert f"{n} pairs: 0 lost, {n - kept} gained; McNemar exact p" in reason
    assert value("macro_accuracy") == 1


def test_printed_effects_stand_beside_their_professions(estimates):
    beside = {
        profession: [row.value for row in estimates["image_effect", profession].published]
        for profession in (None, "physician", "public-health-nurse", "pharmacist")
    }
    assert beside == {
        None: [],
        "physician": [0.057],
        "public-health-nurse": [0.398],
        "pharmacist": [],
    }
