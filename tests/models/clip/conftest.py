"""Tiny open_clip models with random weights, in the folder form that open_clip reads."""

from __future__ import annotations

import io
import json
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from overread.contracts import Picture, Query
from overread.imaging.picture import with_receipt
from overread.records import Choice, Item, Media, Option

VISION = {"image_size": 32, "layers": 2, "width": 32, "head_width": 16, "patch_size": 8}
TEXT = {"context_length": 77, "vocab_size": 49408, "width": 32, "heads": 2, "layers": 2}
PREPROCESS = {"mean": [0.5, 0.5, 0.5], "std": [0.25, 0.25, 0.25], "interpolation": "bilinear"}


def write_folder(folder: Path, model_cfg: dict[str, object], *, seed: int) -> Path:
    """Write configuration and random weights of a model."""
    import torch
    from safetensors.torch import save_file

    from overread.models.clip.libraries import import_libraries

    _, open_clip = import_libraries()
    folder.mkdir(parents=True)
    config = {"model_cfg": model_cfg, "preprocess_cfg": PREPROCESS}
    (folder / "open_clip_config.json").write_text(json.dumps(config), encoding="utf-8")
    torch.manual_seed(seed)
    torch.set_num_threads(1)  # the models are tiny, and the other workers have tests of their own
    network = open_clip.create_model(
        f"local-dir:{folder}", load_weights=False, pretrained_text=False, pretrained_image=False
    )
    state = {name: tensor.contiguous() for name, tensor in network.state_dict().items()}
    save_file(state, str(folder / "open_clip_model.safetensors"))
    return folder


@pytest.fixture(scope="session")
def write_model():
    return write_folder


@pytest.fixture(scope="session")
def tiny(tmp_path_factory) -> Path:
    """A folder with a tiny model of CLIP's own form."""
    model_cfg = {"embed_dim": 16, "vision_cfg": VISION, "text_cfg": TEXT}
    return write_folder(tmp_path_factory.mktemp("clip") / "tiny", model_cfg, seed=1)


def _picture(seed: int, *, side: int = 40) -> Picture:
    pixels = np.random.default_rng(seed).integers(0, 256, (side, side), dtype=np.uint8)
    buffer = io.BytesIO()
    Image.fromarray(pixels).save(buffer, "PNG")
    return with_receipt(
        buffer.getvalue(), media_type="image/png", width=side, height=side, sources=(f"{seed}.png",)
    )


@pytest.fixture(scope="session")
def picture():
    """Make a picture of noise from a seed."""
    return _picture


@pytest.fixture(scope="session")
def text_query():
    """Ask which of some texts fits pictures: one picture, or a stack."""

    def make(pictures: list[Picture], texts: list[str], *, item_id: str = "q") -> Query:
        media = Media(paths=tuple(str(n) for n in range(len(pictures))))
        options = tuple(
            Option(letter=letter, text=text) for letter, text in zip("ABCD", texts, strict=False)
        )
        return Query(
            item=_item(item_id, "Which?", (media,), options), pictures={media: tuple(pictures)}
        )

    return make


@pytest.fixture(scope="session")
def picture_query():
    """Ask which of some pictures fits a text."""

    def make(pictures: list[Picture], text: str) -> Query:
        media = [Media(paths=(str(n),)) for n in range(len(pictures))]
        options = tuple(
            Option(letter=letter, text=f"Image {letter}", media=one)
            for letter, one in zip("ABCD", media, strict=False)
        )
        shown = {one: (shot,) for one, shot in zip(media, pictures, strict=True)}
        return Query(item=_item("p", text, (), options), pictures=shown)

    return make


def _item(
    item_id: str, question: str, media: tuple[Media, ...], options: tuple[Option, ...]
) -> Item:
    return Item(
        id=item_id,
        benchmark="ct-bench",
        task="img2txt",
        condition="no-box",
        question=question,
        media=media,
        answer_space=Choice(options=options),
    )
