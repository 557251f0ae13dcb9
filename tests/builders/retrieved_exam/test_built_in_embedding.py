from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from overread.builders.retrieved_exam.built_in_embedding import BuiltInEmbedder, tf_idf
from overread.builders.retrieved_exam.embeddings import Seen


def test_words_weigh_by_how_rare_they_are() -> None:
    table = tf_idf(["left lung", "left kidney", "left lung mass"])
    # kept: left (in 3), "left lung" and lung (in 2); kidney and mass are in one text only
    assert table.shape == (3, 3)
    assert table[0].tolist() == [0.0, pytest.approx(math.log(1.5)), pytest.approx(math.log(1.5))]
    assert table[1].tolist() == [0.0, 0.0, 0.0]


def test_texts_without_common_words_have_nothing_in_common() -> None:
    assert tf_idf(["lung", "kidney"]).tolist() == [[0.0], [0.0]]


def test_a_picture_that_cannot_be_measured_is_like_no_other(
    write_set: Callable[..., Path], make_row: Callable[..., object], tmp_path: Path
) -> None:
    root = write_set(
        [make_row(lesion_idx=str(n), description="Lung nodule.", patient=n) for n in (1, 2, 3)]
    )
    broken = tmp_path / "broken.png"
    broken.write_bytes(b"no picture")
    paths = [root / "lesion_bbox" / f"{n}.png" for n in (1, 2, 3)] + [broken]
    seen = [
        Seen(lesion_idx=n, boxed=p, plain=p, description="Lung nodule.", spacing_mm=None)
        for n, p in enumerate(paths)
    ]
    done: list[int] = []
    pictures, texts = BuiltInEmbedder().embed(seen, on_progress=done.append)
    assert done == [1, 2, 3, 4]
    assert not pictures[3].any()
    assert np.isfinite(pictures).all()
    assert pictures[:3].any(axis=1).all()
    assert len(texts) == 4
