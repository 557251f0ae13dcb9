from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from overread.builders.retrieved_exam.embeddings import Embeddings, Seen
from overread.errors import UsageError
from overread.run.exam_building.embedders import open_embedder

ARRAYS = {
    "lesion_idx": np.array([7, 3, 5]),
    "pictures": np.array([[7.0, 0.1], [3.0, 0.1], [5.0, 0.1]]),
    "texts": np.array([[70.0], [30.0], [50.0]]),
}


def _seen(*numbers: int) -> list[Seen]:
    path = Path("x.png")
    return [
        Seen(lesion_idx=n, boxed=path, plain=path, description="", spacing_mm=None) for n in numbers
    ]


def _file(folder: Path, **changes: np.ndarray) -> Path:
    path = folder / "embeddings.npz"
    np.savez(path, **(ARRAYS | changes))
    return path


def test_a_file_is_joined_by_lesion_and_named_by_its_hash(tmp_path: Path) -> None:
    embedder = open_embedder(str(_file(tmp_path)))
    pictures, texts = embedder.embed(_seen(3, 7), on_progress=lambda done: None)
    assert pictures.tolist() == [[3.0, 0.1], [7.0, 0.1]]
    assert texts.tolist() == [[30.0], [70.0]]
    assert embedder.label.startswith("embeddings.npz (sha256 ")


@pytest.mark.parametrize(
    ("changes", "got"),
    [
        ({"lesion_idx": np.array([7, 7, 5])}, "a lesion_idx twice"),
        ({"lesion_idx": np.array([7.0, 3.5, 5.0])}, "no whole number"),
        ({"texts": np.ones((2, 1))}, "shapes"),
        ({"pictures": np.ones(3)}, "shapes"),
        ({"texts": np.array([["a"], ["b"], ["c"]])}, "no numbers"),
        ({"texts": np.array([[None]] * 3, dtype=object)}, "allow_pickle"),
    ],
)
def test_other_arrays_are_refused(tmp_path: Path, changes, got: str) -> None:
    with pytest.raises(UsageError, match=got):
        open_embedder(str(_file(tmp_path, **changes)))


def test_a_file_for_another_set_is_refused(tmp_path: Path) -> None:
    embedder = open_embedder(str(_file(tmp_path)))
    with pytest.raises(UsageError, match="none for 2 of 3 lesions, such as 1"):
        embedder.embed(_seen(1, 2, 3), on_progress=lambda done: None)


def test_what_is_no_archive_or_lacks_an_array_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "broken.npz"
    path.write_bytes(b"PK\x03\x04 cut short")
    with pytest.raises(UsageError, match="--embedding"):
        open_embedder(str(path))
    np.savez(path, lesion_idx=np.arange(2))
    with pytest.raises(UsageError, match="no array pictures, texts"):
        open_embedder(str(path))
    with pytest.raises(UsageError, match=r"that is there, got 'absent\.npz'"):
        open_embedder("absent.npz")


def test_nan_in_a_file_is_refused_with_the_lesion_it_stands_for(tmp_path: Path) -> None:
    path = _file(tmp_path, pictures=np.array([[1.0], [np.nan], [2.0]]))
    embedder = open_embedder(str(path))
    with pytest.raises(UsageError, match="NaN or infinity for 1 of 2 lesions, such as 3"):
        embedder.embed(_seen(7, 3), on_progress=lambda done: None)


def test_zeros_in_a_file_are_refused_with_the_lesion_they_stand_for(tmp_path: Path) -> None:
    path = _file(tmp_path, texts=np.array([[1.0], [0.0], [2.0]]))
    with pytest.raises(UsageError, match=r"texts of zeros.*for 1 of 2 lesions, such as 3"):
        open_embedder(str(path)).embed(_seen(7, 3), on_progress=lambda done: None)


def test_a_scorer_that_is_none_is_told_of_as_it_was_typed() -> None:
    with pytest.raises(UsageError, match=r"^--embedding clip:TARGET: expected .* got 'nothing'"):
        open_embedder("clip:nothing")


def test_nan_of_any_embedder_is_refused_before_anything_is_compared() -> None:
    pictures = np.array([[1.0], [np.nan], [2.0]])
    with pytest.raises(
        UsageError, match=r"embeddings of pictures.*NaN or infinity for 1 of 3 lesions, such as 5"
    ):
        Embeddings.join(pictures, np.ones((3, 1)), label="x", numbers=(4, 5, 6), picture_weight=0.5)
