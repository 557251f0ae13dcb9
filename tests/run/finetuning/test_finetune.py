from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from dataclasses import replace

import pytest

from overread.contracts import ModelOptions
from overread.errors import PartialRunError, StoreBusyError, UsageError
from overread.models.clip.finetune.settings import TrainingSettings
from overread.registry import find_benchmark, open_model
from overread.run.finetuning.finetune import finetune
from overread.run.finetuning.request import FinetuneRequest

torch = pytest.importorskip("torch", reason="needs the extra torch")
pytestmark = pytest.mark.torch

SETTINGS = TrainingSettings(epochs=2, batch_size=8, learning_rate=1e-3, seed=1)


@pytest.fixture(scope="module", autouse=True)
def _one_thread():
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(scope="module")
def release(release_root):
    return find_benchmark("ct-bench").open(release_root)


def _request(out, **changes):
    settings = replace(SETTINGS, **changes.pop("settings", {}))
    return FinetuneRequest(
        **{"base": "small", "boxes": "with", "out": out, "settings": settings} | changes
    )


@pytest.fixture(scope="module")
def whole(release, tmp_path_factory):
    """A training of two epochs, never stopped."""
    out = tmp_path_factory.mktemp("whole") / "model"
    outcome = finetune(_request(out), release)
    return out, outcome


def _left(out):
    """All that a training leaves, but for the checkpoint's bytes."""
    return {
        path.relative_to(out).as_posix(): path.read_bytes()
        for path in sorted(out.rglob("*"))
        if path.is_file() and path.name != "checkpoint.safetensors"
    }


def test_it_leaves_a_model_that_opens_and_the_curve(whole):
    out, outcome = whole
    model = open_model(f"clip:{out}", ModelOptions())
    assert model.identity.label == "clip:model"
    assert [point.epoch for point in outcome.curve.points] == [0, 1, 2]
    assert set(_left(out)) == {
        "open_clip_config.json",
        "open_clip_model.safetensors",
        "training/curve.csv",
        "training/curve.json",
    }
    told = json.loads((out / "training" / "curve.json").read_text(encoding="utf-8"))
    assert told["best_epoch"] == outcome.curve.best.epoch
    assert (told["base"], told["base_trained"], told["boxes"]) == ("small", False, "with")
    assert told["base_weights_sha256"] != model.identity.settings["weights_sha256"]
    for point in outcome.curve.points:
        assert point.exam["all"].n == point.exam["box"].n + point.exam["no-box"].n
        assert point.exam["all"].n_answered == point.exam["all"].n


def test_the_kept_model_is_the_best_epochs(whole, release, tmp_path):
    """Asked again as any other model, it does on the validation questions what the curve says."""
    from overread.contracts import Selection
    from overread.run.pipeline import execute
    from overread.run.request import RunRequest
    from overread.store.run_store import RunStore

    out, outcome = whole
    request = RunRequest(
        benchmark="ct-bench",
        release=release.root,
        model=f"clip:{out}",
        out=tmp_path / "run.sqlite",
        selection=Selection(split="validation"),
    )
    execute(request, release=release)
    with RunStore.open(request.out) as store:
        found = {
            each.stratum.get("box", "all"): each.value
            for each in store.estimates()
            if (each.metric, each.profile) == ("accuracy", "honest")
            and each.stratum.keys() <= {"box"}
        }
    best = outcome.curve.best
    assert found == {name: share.accuracy for name, share in best.exam.items()}


class _Killed(BaseException):
    """As hard as a kill: nothing catches it."""


# 19 questions before the first epoch, then twice: 3 batches and 19 questions.
@pytest.mark.parametrize("stop_at", [1, 21, 30, 43, 63])
def test_stopped_anywhere_it_ends_as_if_it_had_not_been(stop_at, whole, release, tmp_path):
    steps = 0

    def count(_):
        nonlocal steps
        steps += 1
        if steps == stop_at:
            raise _Killed

    request = _request(tmp_path / "model", checkpoint_every_s=0)
    with pytest.raises(_Killed):
        finetune(request, release, on_step=count)
    outcome = finetune(request, release)
    assert outcome.curve == whole[1].curve
    assert _left(request.out) == _left(whole[0])


@pytest.mark.slow
def test_killed_by_the_system_it_goes_on_to_the_same_curve(whole, release_root, release, tmp_path):
    out = tmp_path / "model"
    code = f"""
import os, signal, torch
torch.set_num_threads(1)
from pathlib import Path
from overread.models.clip.finetune.settings import TrainingSettings
from overread.registry import find_benchmark
from overread.run.finetuning.finetune import finetune
from overread.run.finetuning.request import FinetuneRequest
settings = TrainingSettings(epochs=2, batch_size=8, learning_rate=1e-3, seed=1)
request = FinetuneRequest(base="small", boxes="with", out=Path({str(out)!r}), settings=settings,
                          checkpoint_every_s=0)
def die(step):
    if step.loss is not None and (step.epoch, step.done) == (2, 2):
        os.kill(os.getpid(), signal.SIGKILL)
finetune(request, find_benchmark("ct-bench").open(Path({str(release_root)!r})), on_step=die)
"""
    done = subprocess.run([sys.executable, "-c", code], env=os.environ, timeout=300, check=False)
    assert done.returncode == -signal.SIGKILL
    outcome = finetune(_request(out), release)
    assert outcome.epochs_done_before == 1
    assert outcome.curve == whole[1].curve
    assert _left(out) == _left(whole[0])


def test_more_epochs_go_on_from_those_done_and_fewer_change_nothing(whole, release, tmp_path):
    out = tmp_path / "model"
    shutil.copytree(whole[0], out)
    fewer = finetune(_request(out, settings={"epochs": 1}), release)
    assert fewer.curve == whole[1].curve
    assert _left(out) == _left(whole[0])
    more = finetune(_request(out, settings={"epochs": 3}), release)
    assert more.epochs_done_before == 2
    assert more.curve.points[:3] == whole[1].curve.points
    assert [point.epoch for point in more.curve.points] == [0, 1, 2, 3]


def test_epochs_between_are_not_asked_but_the_last_always_is(release, tmp_path):
    request = _request(tmp_path / "model", settings={"epochs": 3}, validate_every=2)
    points = finetune(request, release).curve.points
    assert [bool(point.exam) for point in points] == [True, False, True, True]
    assert all(point.loss for point in points[1:])


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"settings": {"seed": 2}}, "base_weights_sha256"),
        ({"settings": {"learning_rate": 2e-3}}, r"learning_rate \(0.001, now 0.002\)"),
        ({"boxes": "without"}, r"boxes \(with, now without\)"),
        ({"base": "RN50-tiny"}, "base"),
    ],
)
def test_the_checkpoint_of_another_training_or_model_is_refused(
    changes, named, whole, release, tmp_path
):
    out = tmp_path / "model"
    shutil.copytree(whole[0], out)
    if "base" in changes:
        text = (out / "open_clip_config.json").read_text(encoding="utf-8")
        other = tmp_path / "other.json"
        other.write_text(text.replace('"embed_dim": 64', '"embed_dim": 32'), encoding="utf-8")
        changes = {"base": str(other)}
    with pytest.raises(UsageError, match=rf"checkpoint of another one.*{named}.*another --out"):
        finetune(_request(out, **changes), release)
    assert _left(out) == _left(whole[0])


@pytest.mark.parametrize("fault", ["cut", "other shapes", "no facts"])
def test_a_damaged_checkpoint_is_refused(fault, whole, release, tmp_path):
    from overread.models.clip.finetune.checkpoint import read_checkpoint, write_checkpoint

    out = tmp_path / "model"
    shutil.copytree(whole[0], out)
    path = out / "training" / "checkpoint.safetensors"
    if fault == "cut":
        path.write_bytes(path.read_bytes()[:1000])
    else:
        tensors, facts = read_checkpoint(path)
        tensors["network.logit_scale"] = torch.zeros(3)
        write_checkpoint(path, tensors, facts if fault == "other shapes" else {})
    with pytest.raises(UsageError, match=r"checkpoint\.safetensors: expected the checkpoint of"):
        finetune(_request(out), release)
    assert _left(out) == _left(whole[0])


@pytest.mark.parametrize("what", ["file", "folder"])
def test_a_place_with_something_else_is_refused(what, release, tmp_path):
    out = tmp_path / "taken"
    if what == "file":
        out.write_text("mine", encoding="utf-8")
    else:
        out.mkdir()
        (out / "mine.txt").write_text("mine", encoding="utf-8")
    with pytest.raises(UsageError, match="--out: expected a new or empty folder"):
        finetune(_request(out), release)


def test_two_trainings_in_one_folder_are_refused(release, tmp_path):
    request = _request(tmp_path / "model")
    seen = []

    def again(_):
        if not seen:
            seen.append(1)
            with pytest.raises(StoreBusyError):
                finetune(request, release)
            raise _Killed

    with pytest.raises(_Killed):
        finetune(request, release, on_step=again)
    assert seen


def test_stopped_by_hand_it_says_how_to_go_on(release, tmp_path):
    def stop(step):
        if step.loss is not None:
            raise KeyboardInterrupt

    with pytest.raises(PartialRunError, match=r"Stopped in epoch 1 of 2; the same command goes on"):
        finetune(_request(tmp_path / "model"), release, on_step=stop)


@pytest.mark.parametrize(("name", "value"), [("validate_every", 0), ("checkpoint_every_s", -1)])
def test_intervals_out_of_range_are_refused(name, value, release, tmp_path):
    with pytest.raises(UsageError, match=f"--{name.replace('_', '-')}: expected"):
        finetune(_request(tmp_path / "model", **{name: value}), release)


def test_a_copy_learnt_without_boxes_is_judged_without_boxes(release, tmp_path):
    request = _request(tmp_path / "model", boxes="without", settings={"epochs": 1})
    curve = finetune(request, release).curve
    assert curve.condition == "no-box"
    assert curve.accuracy(curve.points[1]) == curve.points[1].exam["no-box"].accuracy


def test_unreadable_pictures_are_found_and_the_rest_is_learnt_from(release_root, tmp_path):
    root = tmp_path / "release"
    shutil.copytree(release_root, root)
    release = find_benchmark("ct-bench").open(root)
    from overread.run.finetuning.lesions import pick_lesions

    pairs = pick_lesions(release, "with").pairs
    (root / pairs[0].media.paths[0]).write_bytes(b"no picture")
    outcome = finetune(_request(tmp_path / "model", settings={"epochs": 1}), release)
    assert outcome.curve.points[1].n_unreadable == 1
    assert outcome.curve.points[1].n_pairs == len(pairs) - 1
    assert [finding.code for finding in outcome.findings] == ["training-unreadable-picture"]


def test_a_condition_that_the_exam_does_not_ask_under_is_refused(release_root, tmp_path):
    root = tmp_path / "release"
    shutil.copytree(release_root, root, ignore=shutil.ignore_patterns("*.png"))
    for name in ("qa_llm.json", "qa_clip.json"):
        entries = json.loads((root / name).read_text(encoding="utf-8"))
        kept = [entry for entry in entries if entry["bbox_type"] == "bbox"]
        (root / name).write_text(json.dumps(kept), encoding="utf-8")
    only_boxes = find_benchmark("ct-bench").open(root)
    with pytest.raises(UsageError, match=r"--boxes: expected a condition .*: box, got without"):
        finetune(_request(tmp_path / "model", boxes="without"), only_boxes)
