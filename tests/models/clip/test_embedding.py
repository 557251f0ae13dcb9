"""Features of a tiny scorer with random weights."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from overread.errors import UsageError
from overread.imaging.encode import encode_png

pytest.importorskip("torch", reason="needs the extra torch")
pytestmark = pytest.mark.torch


@pytest.fixture
def paths(tmp_path: Path) -> list[Path]:
    found: list[Path] = []
    for number in range(35):
        pixels = np.random.default_rng(number).integers(0, 256, (40, 40), dtype=np.uint8)
        found.append(tmp_path / f"{number}.png")
        found[-1].write_bytes(encode_png(pixels))
    return found


def test_features_have_length_one_and_do_not_depend_on_the_batch(
    tiny: Path, paths: list[Path]
) -> None:
    from overread.models.clip.embedding import ClipEmbedding

    embedding = ClipEmbedding(str(tiny))
    done: list[int] = []
    pictures = embedding.pictures(paths, on_progress=done.append)
    assert done == [32, 35]
    assert pictures.shape == (35, 16)
    np.testing.assert_allclose(np.linalg.norm(pictures, axis=1), 1.0, atol=1e-5)
    alone = embedding.pictures(paths[33:34], on_progress=done.append)
    np.testing.assert_allclose(alone[0], pictures[33], atol=1e-5)
    texts = embedding.texts(["a cyst", "a mass", "a cyst"])
    np.testing.assert_array_equal(texts[0], texts[2])
    assert not np.allclose(texts[0], texts[1])
    assert embedding.label.startswith("clip:")


def test_a_picture_that_cannot_be_read_gets_zeros(tiny: Path, paths: list[Path]) -> None:
    from overread.models.clip.embedding import ClipEmbedding

    paths[1].write_bytes(b"no picture")
    pictures = ClipEmbedding(str(tiny)).pictures(paths[:3], on_progress=lambda done: None)
    assert [bool(row.any()) for row in pictures] == [True, False, True]


def test_a_checkpoint_of_another_model_is_refused(tiny: Path, write_model, tmp_path: Path) -> None:
    from overread.models.clip.embedding import ClipEmbedding

    other = write_model(
        tmp_path / "other",
        {
            "embed_dim": 24,
            "vision_cfg": {
                "image_size": 32,
                "layers": 1,
                "width": 48,
                "head_width": 16,
                "patch_size": 8,
            },
            "text_cfg": {
                "context_length": 77,
                "vocab_size": 49408,
                "width": 48,
                "heads": 2,
                "layers": 1,
            },
        },
        seed=2,
    )
    weights = other / "open_clip_model.safetensors"
    with pytest.raises(UsageError, match="clip:TARGET: expected weights that open_clip can load"):
        ClipEmbedding(f"{tiny}@{weights}")
