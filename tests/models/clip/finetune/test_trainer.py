from __future__ import annotations

import contextlib
import json
from dataclasses import replace

import pytest

from overread.errors import UsageError
from overread.models.clip.finetune.base import open_base
from overread.models.clip.finetune.settings import TrainingSettings
from overread.models.clip.finetune.trainer import Pair, Trainer, Where
from overread.models.clip.loading import weights_sha256
from overread.models.clip.tensors import KeptTensors
from overread.records import Media

torch = pytest.importorskip("torch", reason="needs the extra torch")
pytestmark = pytest.mark.torch

SETTINGS = TrainingSettings(batch_size=2, learning_rate=1e-3, seed=3)


@pytest.fixture(scope="module")
def architecture(tiny, tmp_path_factory):
    """The tiny model's, with dropout of patches, so that random numbers are drawn in training."""
    config = json.loads((tiny / "open_clip_config.json").read_text(encoding="utf-8"))
    config["model_cfg"]["vision_cfg"]["patch_dropout"] = 0.25
    path = tmp_path_factory.mktemp("architecture") / "drops.json"
    path.write_text(json.dumps(config), encoding="utf-8")
    return str(path)


@pytest.fixture
def make(architecture, render):
    def trainer(names, **changes):
        pairs = [Pair(id=n, media=Media(paths=(n,)), text=f"a {n} square") for n in names]
        settings = replace(SETTINGS, **changes)
        scorer = open_base(architecture, seed=0).scorer
        kept = KeptTensors(most_bytes=10**7)
        return Trainer(scorer, pairs, settings, render, tensors=kept), scorer.network

    return trainer


class _Stop(BaseException):
    """As hard as a kill: nothing catches it."""


def test_it_learns_which_sentence_belongs_to_which_picture(make, shades):
    trainer, _ = make(shades, batch_size=5)
    losses = [trainer.run_epoch(lambda _: None).loss for _ in range(40)]
    assert losses[0] == pytest.approx(1.6, abs=0.4)  # ln 5, before anything is learnt
    assert losses[-1] < 0.8


def _state_after(steps: int, trainer: Trainer) -> tuple[Where, dict]:
    """Train until so many steps are done, and take the state as a checkpoint does."""
    kept: list[tuple[Where, dict]] = []
    done = 0

    def count(_):
        nonlocal done
        done += 1
        if done == steps:
            kept.append((trainer.where, {k: v.clone() for k, v in trainer.tensors().items()}))
            raise _Stop

    with contextlib.suppress(_Stop):
        while True:
            trainer.run_epoch(count)
    return kept[0]


def test_stopped_at_any_step_it_ends_where_it_would_have(make, shades):
    whole, network = make(shades)
    assert whole.steps_per_epoch == 2  # of 2 and of 3: a pair alone has nothing to be told from
    losses = [whole.run_epoch(lambda _: None) for _ in range(2)]
    for stop_at in range(1, 4):
        stopped, _ = make(shades)
        where, tensors = _state_after(stop_at, stopped)
        gone_on, other = make(shades)
        torch.rand(7)  # what the caller draws does not matter
        gone_on.restore(tensors, where)
        last = None
        while gone_on.where.epoch < 2:
            last = gone_on.run_epoch(lambda _: None)
        assert last == losses[-1]
        assert weights_sha256(other) == weights_sha256(network)


def test_the_order_of_pairs_follows_from_the_seed(make, shades):
    first, network = make(shades)
    second, same = make(shades)
    third, different = make(shades, seed=4)
    for each in (first, second, third):
        each.run_epoch(lambda _: None)
    assert weights_sha256(network) == weights_sha256(same) != weights_sha256(different)


def test_the_callers_random_numbers_are_left_alone(make, shades):
    trainer, _ = make(shades)
    torch.manual_seed(1)
    before = torch.get_rng_state()
    trainer.run_epoch(lambda _: None)
    assert torch.equal(before, torch.get_rng_state())


def test_a_picture_that_cannot_be_read_is_counted_and_the_rest_goes_on(make, shades):
    trainer, _ = make([*shades, "absent"], batch_size=3)
    ended = trainer.run_epoch(lambda _: None)
    assert (ended.n_pairs, ended.n_unreadable) == (5, 1)


def test_nothing_readable_at_all_is_an_error(make):
    trainer, _ = make(["absent", "gone"])
    with pytest.raises(UsageError, match="not one of 2 that can be read, for instance absent"):
        trainer.run_epoch(lambda _: None)


def test_one_pair_is_too_few(make):
    with pytest.raises(UsageError, match=r"two or more training lesions .*, got 1"):
        make(["dark"])


def test_a_loss_that_is_no_number_stops_the_training(make, shades):
    trainer, network = make(shades)
    with torch.no_grad():
        network.logit_scale.fill_(float("nan"))
    with pytest.raises(
        UsageError, match=r"--learning-rate: expected one at which loss and weights"
    ):
        trainer.run_epoch(lambda _: None)


def test_a_last_step_that_ruins_the_weights_stops_the_training(make, shades):
    trainer, network = make(shades, batch_size=5)  # one step an epoch: no later loss would tell

    def ruin(_):
        with torch.no_grad():
            network.text_projection[0, 0] = float("inf")

    with pytest.raises(
        UsageError, match=r"--learning-rate.*weights that are not finite in epoch 1"
    ):
        trainer.run_epoch(ruin)


def test_the_scale_of_cosines_stays_within_its_bound(make, shades):
    trainer, network = make(shades)
    with torch.no_grad():
        network.logit_scale.fill_(9.0)
    trainer.run_epoch(lambda _: None)
    assert float(network.logit_scale.detach().exp()) == pytest.approx(100, rel=1e-3)


@pytest.mark.parametrize("fault", ["lost", "shape", "optimiser", "part"])
def test_the_state_of_another_network_is_refused(make, shades, fault):
    trainer, _ = make(shades)
    trainer.run_epoch(lambda _: None)
    tensors = trainer.tensors()
    if fault == "lost":
        del tensors["network.logit_scale"]
    elif fault == "shape":
        tensors["network.text_projection"] = torch.zeros(3, 3)
    elif fault == "optimiser":
        tensors["adam.exp_avg.no.such.weight"] = torch.zeros(3)
    else:
        tensors["strange"] = torch.zeros(3)
    other, _ = make(shades)
    with pytest.raises(ValueError, match=r"another network|no part of a training"):
        other.restore(tensors, trainer.where)
