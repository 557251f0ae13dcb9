"""Real DeepLesion slices: what can be drawn of 51 lesions of 10 patients."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest

from overread.builders.lesion_set import build_lesion_set
from overread.builders.retrieved_exam.built_in_embedding import BuiltInEmbedder
from overread.builders.retrieved_exam.draw import draw_units
from overread.builders.retrieved_exam.embeddings import Embeddings
from overread.builders.retrieved_exam.lesions import read_lesion_set
from overread.builders.retrieved_exam.pictures import make_misplacer
from overread.builders.retrieved_exam.unlike import excludes, seen_with

pytestmark = pytest.mark.data


def test_choices_of_real_lesions_exclude_each_other(released_slices: Path, tmp_path: Path) -> None:
    build_lesion_set(released_slices, released_slices, tmp_path / "set", seed=1)
    held = read_lesion_set(tmp_path / "set", seed=1)
    assert (len(held.lesions), held.patients) == (51, 10)
    lesions = [one for one in held.lesions if one.split != "train"]
    embedder = BuiltInEmbedder()
    pictures, texts = embedder.embed([one.seen for one in lesions], on_progress=lambda n: None)
    assert pictures.any(axis=1).all()
    embeddings = Embeddings.join(
        pictures, texts, label=embedder.label, numbers=range(len(lesions)), picture_weight=0.5
    )
    units, findings = draw_units(
        lesions, embeddings, frozenset(), make_misplacer(lesions), seed=1, most=None
    )
    assert len(units) > 20
    by_index = {one.lesion_idx: one for one in lesions}
    for unit in units:
        if unit.task == "txt2bbox":
            continue
        four = [by_index[option.lesion_idx] for option in unit.options]
        assert len({one.patient for one in four}) == 4
        for shown, told_of in itertools.permutations(four, 2):
            seen = (shown, *seen_with(unit.task, shown, lesions))
            assert all(excludes(unit.task, each, told_of) is not None for each in seen)
    assert any(one.where == "test/ct2txt" for one in findings)
