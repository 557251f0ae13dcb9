from __future__ import annotations

import pickle  # noqa: TID251  a hostile file, made to be refused

import pytest

from overread.errors import UsageError
from overread.models.clip.finetune.checkpoint import read_checkpoint, write_checkpoint, write_whole

torch = pytest.importorskip("torch", reason="needs the extra torch")
pytestmark = pytest.mark.torch


def test_what_is_written_is_read(tmp_path):
    path = tmp_path / "checkpoint.safetensors"
    shared = torch.arange(6.0)
    tensors = {"a": shared[:3], "b": shared, "c": shared.reshape(2, 3).T, "n": torch.tensor(7)}
    write_checkpoint(path, tensors, {"epoch": 2, "words": ["é", None]})
    found, facts = read_checkpoint(path)
    assert facts == {"epoch": 2, "words": ["é", None]}
    assert found.keys() == tensors.keys()
    assert all(torch.equal(found[name], tensors[name]) for name in tensors)
    assert [each.name for each in tmp_path.iterdir()] == [path.name]


def test_a_write_that_fails_leaves_the_old_file(tmp_path, monkeypatch):
    path = tmp_path / "file"
    write_whole(path, b"old")

    def full(_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(OSError, match="No space left"):
        write_whole(path, b"new")
    assert path.read_bytes() == b"old"
    assert [each.name for each in tmp_path.iterdir()] == ["file"]


@pytest.mark.parametrize("fault", ["cut", "empty", "pickle", "no facts"])
def test_a_damaged_or_foreign_file_is_refused(tmp_path, fault):
    path = tmp_path / "checkpoint.safetensors"
    write_checkpoint(path, {"a": torch.zeros(100)}, {"epoch": 1})
    if fault == "cut":
        path.write_bytes(path.read_bytes()[:-50])
    elif fault == "empty":
        path.write_bytes(b"")
    elif fault == "pickle":
        path.write_bytes(pickle.dumps({"a": print}))
    else:
        from safetensors.torch import save_file

        save_file({"a": torch.zeros(3)}, str(path))
    with pytest.raises(UsageError, match="expected the checkpoint of a training, got a file that"):
        read_checkpoint(path)
