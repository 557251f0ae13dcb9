from __future__ import annotations

import json
import subprocess
import sys

import pytest

from overread.cli.finetune_command import finetune_clip_command
from overread.errors import UsageError
from overread.registry import find_benchmark


@pytest.fixture(scope="module")
def release(tmp_path_factory):
    root = tmp_path_factory.mktemp("finetune") / "release"
    find_benchmark("ct-bench").synthesise(root, seed=5, size=40)
    return root


@pytest.fixture
def _one_thread():
    torch = pytest.importorskip("torch", reason="needs the extra torch")
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.mark.torch
@pytest.mark.usefixtures("_one_thread")
def test_it_prints_the_curve_and_how_to_ask_the_model(release, tmp_path, capsys):
    out = tmp_path / "model"
    arguments = {"base": "small", "boxes": "with", "out": out, "epochs": 1, "batch_size": 8}
    assert finetune_clip_command(release, **arguments) == 0
    told = capsys.readouterr()
    assert "accuracy on validation questions" in told.out
    assert "box (n 10)" in told.out
    assert "finetune: epoch 1 of 1, loss" in told.err
    assert f"overread run ct-bench {release} --model clip:{out}" in told.err.replace("\n", "")

    assert finetune_clip_command(release, **arguments, json=True) == 0
    told = capsys.readouterr()
    read = json.loads(told.out)
    assert (read["best_epoch"], read["condition"], len(read["curve"])) == (1, "box", 2)
    assert "All 1 epochs were done before." in told.err


@pytest.mark.parametrize(("name", "value"), [("epochs", 0), ("batch_size", 1)])
def test_wrong_numbers_are_refused_before_anything_is_opened(name, value, tmp_path):
    with pytest.raises(UsageError, match=f"--{name.replace('_', '-')}: expected"):
        finetune_clip_command(
            tmp_path / "none", base="small", boxes="with", out=tmp_path / "out", **{name: value}
        )


def test_without_torch_it_says_which_extra_to_install_and_writes_nothing(release, tmp_path):
    code = f"""
import sys
sys.modules["torch"] = None
from pathlib import Path
from overread.cli.finetune_command import finetune_clip_command
from overread.errors import MissingExtraError
try:
    finetune_clip_command(Path({str(release)!r}), base="small", boxes="with",
                          out=Path({str(tmp_path / "out")!r}))
except MissingExtraError as problem:
    print(problem)
"""
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=120
    )
    assert done.stdout.startswith("image-text scorers: expected the optional dependencies")
    assert "pip install 'overread[torch]'" in done.stdout
    assert not (tmp_path / "out").exists()
