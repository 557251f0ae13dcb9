from __future__ import annotations

import asyncio
import json
from dataclasses import replace

import pytest

from overread.contracts import ModelOptions
from overread.errors import UsageError
from overread.models.clip import ADAPTER
from overread.models.clip.finetune.base import SMALL, open_base
from overread.models.clip.finetune.saving import save_model, save_model_frame
from overread.models.clip.model import ClipModel

torch = pytest.importorskip("torch", reason="needs the extra torch")
pytestmark = pytest.mark.torch


@pytest.mark.parametrize("base", ["tiny", SMALL])
def test_a_saved_model_opens_and_answers_as_it_did(base, tiny, tmp_path, picture, text_query):
    opened = open_base(str(tiny) if base == "tiny" else base, seed=5)
    folder = tmp_path / "saved"
    folder.mkdir()
    save_model_frame(opened, folder)
    save_model(opened.scorer.network, folder)
    again = ADAPTER.open(str(folder), ModelOptions())
    assert again.identity.settings["weights_sha256"] == opened.scorer.weights_sha256
    assert again.identity.name == "saved"
    preprocess = again.identity.settings["preprocess"]
    assert preprocess == opened.scorer.settings["preprocess"]
    query = text_query([picture(1)], ["a cyst", "a nodule", "a node", "a mass"])
    replies = [asyncio.run(each.ask(query)).text for each in (ClipModel(opened.scorer), again)]
    assert json.loads(replies[0]) == json.loads(replies[1])


def test_a_tokenizer_that_cannot_be_saved_is_refused(tiny, tmp_path):
    opened = open_base(str(tiny), seed=0)
    other = replace(opened, scorer=replace(opened.scorer, tokenize=lambda texts: texts))
    with pytest.raises(UsageError, match=r"--base: expected a model whose tokenizer can be saved"):
        save_model_frame(other, tmp_path)


def test_a_tokenizer_of_transformers_is_saved_with_the_model(tmp_path, write_model):
    transformers = pytest.importorskip("transformers", reason="needs the extra torch")
    bert = tmp_path / "bert"
    bert.mkdir()
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "lesion", "left", "right", "lung"]
    (bert / "vocab.txt").write_text("\n".join(words), encoding="utf-8")
    transformers.BertConfig(
        vocab_size=len(words),
        hidden_size=32,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=32,
    ).save_pretrained(bert)
    tokenizer = transformers.BertTokenizerFast(vocab=str(bert / "vocab.txt"))
    model_cfg = {
        "embed_dim": 16,
        "vision_cfg": {
            "image_size": 32,
            "layers": 1,
            "width": 32,
            "head_width": 16,
            "patch_size": 8,
        },
        "text_cfg": {
            "hf_model_name": str(bert),
            "hf_tokenizer_name": str(bert),
            "hf_proj_type": "mlp",
            "context_length": 64,
        },
    }
    folder = write_model(tmp_path / "base", model_cfg, seed=4)
    tokenizer.save_pretrained(folder)
    saved = tmp_path / "saved"
    saved.mkdir()
    opened = open_base(str(folder), seed=0)
    save_model_frame(opened, saved)
    save_model(opened.scorer.network, saved)
    again = ADAPTER.open(str(saved), ModelOptions())
    assert again.identity.settings["weights_sha256"] == opened.scorer.weights_sha256
    assert (saved / "tokenizer.json").is_file()
