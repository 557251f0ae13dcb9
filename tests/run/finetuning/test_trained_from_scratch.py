"""The whole way on phantoms: an architecture with random weights learns to read lesions."""

from __future__ import annotations

import pytest

from overread.contracts import Selection
from overread.models.clip.finetune.settings import TrainingSettings
from overread.registry import find_benchmark
from overread.run.finetuning.finetune import finetune
from overread.run.finetuning.request import FinetuneRequest
from overread.run.pipeline import execute
from overread.run.request import RunRequest
from overread.store.run_store import RunStore

torch = pytest.importorskip("torch", reason="needs the extra torch")
pytestmark = [pytest.mark.torch, pytest.mark.slow]


@pytest.fixture(scope="module")
def release(tmp_path_factory):
    root = tmp_path_factory.mktemp("phantoms") / "release"
    find_benchmark("ct-bench").synthesise(root, seed=4, size=400)
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield find_benchmark("ct-bench").open(root)
    torch.set_num_threads(before)


@pytest.mark.parametrize("seed", [1, 2])
def test_with_boxes_it_beats_chance_on_test_questions_with_boxes(seed, release, tmp_path):
    request = FinetuneRequest(
        base="small",
        boxes="with",
        out=tmp_path / "model",
        settings=TrainingSettings(epochs=10, batch_size=16, learning_rate=1e-3, seed=seed),
        validate_every=2,
    )
    curve = finetune(request, release).curve
    losses = [point.loss for point in curve.points if point.loss is not None]
    assert losses[-1] < 0.6 * losses[0]
    assert curve.accuracy(curve.best) > 0.33  # of 130 validation questions; chance is 0.25
    assert not curve.base_was_better

    run = RunRequest(
        benchmark="ct-bench",
        release=release.root,
        model=f"clip:{request.out}",
        out=tmp_path / "run.sqlite",
        selection=Selection(conditions=("box",)),
    )
    outcome = execute(run, release=release)
    assert (outcome.n_planned, outcome.n_failed) == (260, 0)
    with RunStore.open(run.out) as store:
        assert store.manifest.model.revision is not None
        (total,) = (
            each
            for each in store.estimates()
            if (each.metric, each.profile, len(each.stratum)) == ("accuracy", "honest", 0)
        )
        tasks = {line.item: line.strata["task"] for line in store.plan()}
        values = [
            (tasks[score.item], score.value)
            for score in store.scores()
            if (score.metric, score.profile) == ("accuracy", "honest")
        ]
    assert (total.n, total.n_answered) == (260, 260)
    # Outside the band of guessing (19.7 to 30.4 %), with an interval that is clear of chance.
    assert total.value > total.chance_high
    assert total.low > total.chance == 0.25
    # Sizes stand in no sentence, and attributes in other words: it could learn these three tasks.
    told = [value for task, value in values if task in ("img2txt", "ct2txt", "txt2img")]
    assert len(told) == 156
    assert sum(told) / len(told) > 0.36  # three standard deviations above guessing
