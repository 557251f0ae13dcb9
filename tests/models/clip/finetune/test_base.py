from __future__ import annotations

import json

import pytest

from overread.errors import UsageError
from overread.models.clip.finetune.base import SMALL, open_base
from overread.models.clip.libraries import import_libraries
from overread.models.clip.loading import load

torch = pytest.importorskip("torch", reason="needs the extra torch")
pytestmark = pytest.mark.torch


def test_random_weights_follow_from_the_seed_alone():
    torch.manual_seed(99)
    before = torch.get_rng_state()
    one, other = open_base(SMALL, seed=1), open_base(SMALL, seed=2)
    assert torch.equal(before, torch.get_rng_state())
    torch.rand(3)
    again = open_base(SMALL, seed=1)
    assert one.scorer.weights_sha256 == again.scorer.weights_sha256
    assert one.scorer.weights_sha256 != other.scorer.weights_sha256
    assert not one.trained
    assert one.scorer.name == SMALL


def test_no_architecture_of_open_clip_is_called_small():
    _, open_clip = import_libraries()
    assert SMALL not in open_clip.list_models()


@pytest.mark.parametrize("prefix", ["", "clip:"])
def test_a_trained_model_keeps_its_weights_and_its_configuration(tiny, prefix):
    base = open_base(f"{prefix}{tiny}", seed=0)
    assert base.trained
    assert base.scorer.weights_sha256 == load(str(tiny)).weights_sha256
    config = json.loads((tiny / "open_clip_config.json").read_text(encoding="utf-8"))
    assert base.config["model_cfg"] == config["model_cfg"]
    assert list(base.config["preprocess_cfg"]["mean"]) == [0.5, 0.5, 0.5]


@pytest.mark.parametrize("whole", [True, False])
def test_an_architecture_of_ones_own_comes_as_json(tiny, tmp_path, whole):
    config = json.loads((tiny / "open_clip_config.json").read_text(encoding="utf-8"))
    path = tmp_path / "mine.json"
    path.write_text(json.dumps(config if whole else config["model_cfg"]), encoding="utf-8")
    base = open_base(str(path), seed=0)
    assert base.scorer.name == "mine"
    assert base.scorer.network.visual.image_size == (32, 32)
    # Means of CLIP's own pictures where the file says none.
    mean = (0.5, 0.5, 0.5) if whole else pytest.approx((0.4815, 0.4578, 0.4082), abs=1e-4)
    assert tuple(base.config["preprocess_cfg"]["mean"]) == mean


@pytest.mark.parametrize(
    "text", ["{", "[]", "{}", '{"vision_cfg": {}, "text_cfg": {"hf_tokenizer_name": "x"}}']
)
def test_a_file_that_is_no_architecture_is_refused(tmp_path, text):
    path = tmp_path / "bad.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(UsageError, match="--base: expected an architecture that open_clip can"):
        open_base(str(path), seed=0)


@pytest.mark.parametrize("target", ["no-such-architecture", "no/such/folder", "ViT-B-32:no-tag"])
def test_what_names_nothing_is_refused_with_what_there_is(target):
    with pytest.raises(UsageError, match=r"--base: expected a model that open_clip can load"):
        open_base(target, seed=0)


def test_nothing_is_said_of_random_weights_that_are_meant_to_be(caplog):
    open_base(SMALL, seed=0)
    assert not caplog.records
