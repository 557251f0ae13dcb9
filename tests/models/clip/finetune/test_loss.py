from __future__ import annotations

import math

import pytest

from overread.models.clip.finetune.loss import contrastive_loss

torch = pytest.importorskip("torch", reason="needs the extra torch")
pytestmark = pytest.mark.torch


def _loss(pictures, texts, scale, sentences):
    return float(
        contrastive_loss(
            torch.tensor(pictures), torch.tensor(texts), torch.tensor(scale), sentences
        )
    )


def test_features_that_tell_nothing_cost_the_logarithm_of_the_batch():
    same = [[1.0, 0.0]] * 4
    assert _loss(same, same, 7.0, list("abcd")) == pytest.approx(math.log(4))


def test_two_pairs_by_hand():
    # Logits 2 × ((1, 0.6), (0, 0.8)). Rows: ln(1 + e^-0.8), ln(1 + e^-1.6);
    # columns: ln(1 + e^-2), ln(1 + e^-0.4).
    rows = (math.log1p(math.exp(-0.8)) + math.log1p(math.exp(-1.6))) / 2
    columns = (math.log1p(math.exp(-2.0)) + math.log1p(math.exp(-0.4))) / 2
    found = _loss([[1.0, 0.0], [0.0, 1.0]], [[1.0, 0.0], [0.6, 0.8]], 2.0, ["a", "b"])
    assert found == pytest.approx((rows + columns) / 2)


def test_open_clips_own_loss_is_the_same_without_repeated_sentences():
    from overread.models.clip.libraries import import_libraries

    _, open_clip = import_libraries()
    generator = torch.Generator().manual_seed(3)
    pictures, texts = (
        torch.nn.functional.normalize(torch.randn(6, 8, generator=generator)) for _ in range(2)
    )
    theirs = open_clip.loss.ClipLoss()(pictures, texts, torch.tensor(10.0))
    ours = contrastive_loss(pictures, texts, torch.tensor(10.0), list("abcdef"))
    assert float(ours) == pytest.approx(float(theirs), rel=1e-6)


def test_lesions_told_in_the_same_words_are_not_called_wrong():
    pictures = [[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]]
    same_words = _loss(pictures, pictures, 50.0, ["a", "a", "b"])
    other_words = _loss(pictures, pictures, 50.0, ["a", "c", "b"])
    # Each of the twins has half of the target: ln 2 for two of three pairs, nothing for the third.
    assert same_words == pytest.approx(math.log(2) * 2 / 3, rel=1e-5)
    assert other_words == pytest.approx(same_words, rel=1e-5)
    apart = [[1.0, 0.0], [0.8, 0.6], [0.0, 1.0]]
    # To move the twins' features apart costs more where their words are the same.
    assert _loss(apart, apart, 50.0, ["a", "a", "b"]) > _loss(apart, apart, 50.0, ["a", "c", "b"])
