from __future__ import annotations

import asyncio
import io
import json
from dataclasses import replace

import numpy as np
import pytest
from PIL import Image

from overread.contracts import ModelOptions
from overread.errors import ModelError, UsageError
from overread.models.clip import ADAPTER
from overread.records import Number

torch = pytest.importorskip("torch", reason="needs the extra torch")
pytestmark = pytest.mark.torch

TEXTS = ["a cyst in the liver", "a nodule in the left lung", "a node", "a mass in the muscle"]


@pytest.fixture(scope="module")
def model(tiny):
    return ADAPTER.open(str(tiny), ModelOptions())


@pytest.fixture(scope="module")
def direct(tiny):
    """The same model, called as open_clip's own examples do."""
    import open_clip

    network, preprocess = open_clip.create_model_from_pretrained(f"local-dir:{tiny}")
    return network.eval(), preprocess, open_clip.get_tokenizer(f"local-dir:{tiny}")


def _answer(model, query):
    return json.loads(asyncio.run(model.ask(query)).text)


def _images(preprocess, pictures):
    shown = [Image.open(io.BytesIO(one.data)).convert("RGB") for one in pictures]
    return torch.stack([preprocess(image) for image in shown])


def test_one_picture_against_four_texts_is_open_clips_own_softmax(
    model, direct, picture, text_query
):
    network, preprocess, tokenize = direct
    with torch.no_grad():
        images, texts, scale = network(_images(preprocess, [picture(1)]), tokenize(TEXTS))
        expected = (scale * images @ texts.T).softmax(dim=1)[0].tolist()
    answer = _answer(model, text_query([picture(1)], TEXTS))
    assert list(answer["probabilities"].values()) == pytest.approx(expected, abs=1e-4)
    assert answer["selected_option"] == "ABCD"[int(np.argmax(expected))]
    assert "texts_cut" not in answer


def test_four_pictures_against_one_text_is_a_softmax_over_pictures(
    model, direct, picture, picture_query
):
    network, preprocess, tokenize = direct
    pictures = [picture(seed) for seed in range(4)]
    with torch.no_grad():
        images, texts, scale = network(_images(preprocess, pictures), tokenize(TEXTS[:1]))
        expected = (scale * images @ texts.T).softmax(dim=0)[:, 0].tolist()
    answer = _answer(model, picture_query(pictures, TEXTS[0]))
    assert list(answer["probabilities"].values()) == pytest.approx(expected, abs=1e-4)
    assert answer["selected_option"] == "ABCD"[int(np.argmax(expected))]


def test_a_stack_is_the_gaussian_weighted_sum_of_its_slices(model, direct, picture, text_query):
    network, preprocess, tokenize = direct
    pictures = [picture(seed) for seed in range(9)]
    with torch.no_grad():
        images, texts, scale = network(_images(preprocess, pictures), tokenize(TEXTS))
        weights = torch.exp(-0.5 * (torch.arange(9) - 4.0) ** 2)
        stack = (weights / weights.sum()) @ images
        expected = (scale * (stack / stack.norm()) @ texts.T).softmax(dim=0).tolist()
    answer = _answer(model, text_query(pictures, TEXTS))
    assert list(answer["probabilities"].values()) == pytest.approx(expected, abs=1e-4)


def test_no_answer_depends_on_what_else_is_asked(tiny, picture, text_query):
    queries = [text_query([picture(seed)], TEXTS[seed % 3 :]) for seed in range(8)]
    orders = []
    for order in (queries, queries[::-1]):
        fresh = ADAPTER.open(str(tiny), ModelOptions())
        orders.append({id(query): asyncio.run(fresh.ask(query)).text for query in order})
    assert orders[0] == orders[1]


def test_the_identity_holds_all_that_shapes_an_answer(model, tiny, write_model, tmp_path):
    config = json.loads((tiny / "open_clip_config.json").read_text(encoding="utf-8"))
    other_folder = write_model(tmp_path / "other" / "tiny", config["model_cfg"], seed=2)
    other = ADAPTER.open(str(other_folder), ModelOptions())
    again = ADAPTER.open(f"{tiny}/", ModelOptions())
    assert model.identity == again.identity
    assert model.identity.label == "clip:tiny"
    # Same name, other weights: another revision, hence other request hashes.
    assert other.identity.name == model.identity.name
    assert other.identity.revision != model.identity.revision
    settings = model.identity.settings
    assert settings["context_length"] == 77  # the protocol's 256 is more than it has
    assert settings["preprocess"]["mean"] == [0.5, 0.5, 0.5]
    assert settings["logit_scale"] == pytest.approx(1 / 0.07, rel=1e-4)  # open_clip's start
    assert len(settings["weights_sha256"]) == 64
    json.dumps(dict(settings))
    assert str(tiny.parent) not in json.dumps(dict(settings)) + model.identity.name


def test_a_text_that_is_cut_is_counted(model, picture, text_query):
    words = ["the"] * 200
    long, exact = " ".join(words), " ".join(words[:75])  # 75 words and two marks make 77
    answer = _answer(model, text_query([picture(1)], ["short", exact, long]))
    assert answer["texts_cut"] == 1


def test_weights_from_a_file_and_from_a_fine_tuned_copy(tiny, tmp_path, picture, text_query):
    import open_clip
    from safetensors.torch import load_file

    config = json.loads((tiny / "open_clip_config.json").read_text(encoding="utf-8"))
    architecture = tmp_path / "tiny-for-test.json"
    architecture.write_text(json.dumps(config["model_cfg"]), encoding="utf-8")
    open_clip.add_model_config(architecture)
    weights = tiny / "open_clip_model.safetensors"
    from_file = ADAPTER.open(f"tiny-for-test:{weights}", ModelOptions())
    plain = ADAPTER.open(str(tiny), ModelOptions())
    assert from_file.identity.revision == plain.identity.revision
    assert from_file.identity.name == "tiny-for-test:open_clip_model.safetensors"

    state = {name: tensor * 1.5 for name, tensor in load_file(str(weights)).items()}
    torch.save(state, tmp_path / "epoch_2.pth")
    tuned = ADAPTER.open(f"{tiny}@{tmp_path / 'epoch_2.pth'}", ModelOptions())
    assert tuned.identity.name == "tiny@epoch_2.pth"
    assert tuned.identity.revision != plain.identity.revision
    query = text_query([picture(1)], TEXTS)
    assert _answer(tuned, query)["probabilities"] != _answer(plain, query)["probabilities"]


@pytest.mark.parametrize("fault", ["no weights", "no such tag", "no such copy", "broken", "pickle"])
def test_what_cannot_be_loaded_is_refused(fault, tiny, tmp_path):
    broken = tmp_path / "broken"
    broken.mkdir()
    for file in tiny.iterdir():
        (broken / file.name).write_bytes(file.read_bytes())
    target = str(broken)
    if fault == "no weights":
        (broken / "open_clip_model.safetensors").unlink()
    elif fault == "no such tag":
        target = "ViT-B-32:no-such-tag"
    elif fault == "no such copy":
        target += f"@{tmp_path / 'absent.pth'}"
    elif fault == "broken":
        (broken / "open_clip_config.json").write_text("{", encoding="utf-8")
    else:
        import pickle  # noqa: TID251  a hostile file, made to be refused

        (tmp_path / "hostile.pth").write_bytes(pickle.dumps({"weight": print}, protocol=2))
        target += f"@{tmp_path / 'hostile.pth'}"
    with pytest.raises(UsageError, match="expected weights that open_clip can load, got"):
        ADAPTER.open(target, ModelOptions())


def test_a_checkpoint_of_another_model_is_refused_in_few_words(tiny, tmp_path, write_model):
    config = json.loads((tiny / "open_clip_config.json").read_text(encoding="utf-8"))["model_cfg"]
    other = write_model(tmp_path / "other", {**config, "embed_dim": 24}, seed=2)
    with pytest.raises(UsageError, match="expected weights that open_clip can load") as refused:
        ADAPTER.open(f"{tiny}@{other / 'open_clip_model.safetensors'}", ModelOptions())
    assert "size mismatch" in str(refused.value)
    assert len(str(refused.value)) < 1000  # torch itself lists every weight


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_weights_that_are_not_finite_are_refused(value, tiny, tmp_path):
    from safetensors.torch import load_file

    state = load_file(str(tiny / "open_clip_model.safetensors"))
    state["text_projection"][0, 0] = value
    torch.save(state, tmp_path / "astray.pth")
    with pytest.raises(UsageError, match=r"expected finite weights, got .* holds NaN or infinity"):
        ADAPTER.open(f"{tiny}@{tmp_path / 'astray.pth'}", ModelOptions())


def test_features_that_are_not_finite_are_no_answer(tiny, picture, text_query):
    model = ADAPTER.open(str(tiny), ModelOptions())
    with torch.no_grad():
        model._scorer.network.text_projection.fill_(float("nan"))
    with pytest.raises(ModelError, match=r"expected finite features .*, got NaN or infinity"):
        asyncio.run(model.ask(text_query([picture(1)], TEXTS)))


def test_queries_that_it_cannot_read_are_model_errors(model, picture, text_query):
    query = text_query([picture(1)], TEXTS)
    (media,) = query.item.media
    damaged = replace(
        picture(1), data=b"no picture", receipt=replace(picture(1).receipt, sha256="0" * 64)
    )
    for bad in (
        replace(query, pictures={}),
        replace(query, pictures={media: (damaged,)}),
        replace(query, item=replace(query.item, answer_space=Number(unit="mm"))),
    ):
        with pytest.raises(ModelError, match="image-text scorer, got"):
            asyncio.run(model.ask(bad))


def test_a_trained_model_answers_rightly_through_the_whole_path(
    tiny, tmp_path, write_model, picture_query, text_query, picture
):
    import open_clip
    from safetensors.torch import save_file

    config = json.loads((tiny / "open_clip_config.json").read_text(encoding="utf-8"))
    folder = write_model(tmp_path / "trained", config["model_cfg"], seed=3)
    network, preprocess = open_clip.create_model_from_pretrained(f"local-dir:{folder}")
    tokens = open_clip.get_tokenizer(f"local-dir:{folder}")(["dark", "grey", "white"])
    shades = [_flat(picture, shade) for shade in (20, 120, 230)]
    images = _images(preprocess, shades)
    # All but the embeddings of 49,408 words, which would take most of the time.
    few = [p for name, p in network.named_parameters() if "token_embedding" not in name]
    optimizer = torch.optim.Adam(few, lr=3e-3)
    for _ in range(40):
        features, texts, scale = network(images, tokens)
        logits = scale * features @ texts.T
        loss = sum(
            torch.nn.functional.cross_entropy(one, torch.arange(3)) for one in (logits, logits.T)
        )
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    save_file(network.state_dict(), str(folder / "open_clip_model.safetensors"))
    trained = ADAPTER.open(str(folder), ModelOptions())
    words = ["grey", "white", "dark"]
    for shade, letter in zip(shades, "CAB", strict=True):
        assert _answer(trained, text_query([shade], words))["selected_option"] == letter
    for word, letter in zip(("dark", "grey", "white"), "ABC", strict=True):
        assert _answer(trained, picture_query(shades, word))["selected_option"] == letter


def _flat(picture, shade):
    buffer = io.BytesIO()
    Image.new("L", (40, 40), shade).save(buffer, "PNG")
    template = picture(0)
    return replace(
        template, data=buffer.getvalue(), receipt=replace(template.receipt, sha256=f"{shade:064}")
    )


def test_a_text_tower_from_transformers_reads_256_tokens(
    tmp_path, write_model, picture, text_query
):
    """The form of BiomedCLIP, the paper's model: a BERT with 256 tokens of context."""
    transformers = pytest.importorskip("transformers", reason="needs the extra torch")
    bert = tmp_path / "bert"
    bert.mkdir()
    vocabulary = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "lesion", "left", "right", "lung"]
    (bert / "vocab.txt").write_text("\n".join(vocabulary), encoding="utf-8")
    transformers.BertConfig(
        vocab_size=len(vocabulary),
        hidden_size=32,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=32,
        max_position_embeddings=512,
    ).save_pretrained(bert)
    tokenizer = transformers.BertTokenizerFast(vocab=str(bert / "vocab.txt"))
    text_cfg = {
        "hf_model_name": str(bert),
        "hf_tokenizer_name": str(bert),
        "hf_proj_type": "mlp",
        "hf_pooler_type": "cls_last_hidden_state_pooler",
        "context_length": 256,
    }
    vision_cfg = {"image_size": 32, "layers": 1, "width": 32, "head_width": 16, "patch_size": 8}
    model_cfg = {"embed_dim": 16, "vision_cfg": vision_cfg, "text_cfg": text_cfg}
    folder = write_model(tmp_path / "biomed", model_cfg, seed=4)
    tokenizer.save_pretrained(folder)
    (folder / "config.json").write_bytes((bert / "config.json").read_bytes())

    model = ADAPTER.open(str(folder), ModelOptions())
    assert model.identity.settings["context_length"] == 256
    lead = "lesion " * 100
    answer = _answer(model, text_query([picture(1)], [f"{lead}left", f"{lead}right"]))
    assert "texts_cut" not in answer
    # The word past 77 tokens is read: the two texts are not the same to the model.
    assert answer["probabilities"]["A"] != answer["probabilities"]["B"]
    answer = _answer(model, text_query([picture(1)], ["left lung", "lesion " * 300]))
    assert answer["texts_cut"] == 1
