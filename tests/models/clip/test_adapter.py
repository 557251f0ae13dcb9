from __future__ import annotations

import subprocess
import sys

import pytest

from overread.contracts import ModelOptions
from overread.errors import UsageError
from overread.models.clip import ADAPTER
from overread.registry import model_names


def test_it_is_registered():
    assert ADAPTER.name in model_names()


def test_naming_it_does_not_import_torch():
    code = (
        "import sys; from overread.models.clip import ADAPTER; ADAPTER.examples; "
        "print([m for m in ('torch', 'open_clip', 'numpy', 'PIL') if m in sys.modules])"
    )
    assert _run(code) == "[]"


@pytest.mark.parametrize("absent", ["torch", "open_clip"])
def test_without_its_libraries_it_says_which_extra_to_install(absent):
    code = f"""
import sys
sys.modules[{absent!r}] = None
from overread.contracts import ModelOptions
from overread.errors import MissingExtraError
from overread.models.clip import ADAPTER
try:
    ADAPTER.open("ViT-B-32:openai", ModelOptions())
except MissingExtraError as problem:
    print(problem)
"""
    assert "pip install 'overread[torch]'" in _run(code)


@pytest.mark.parametrize("target", ["", "ViT-B-32", ":openai", "ViT-B-32:", "hf-hub:", "no/such"])
def test_targets_that_name_no_weights_are_refused_before_anything_is_imported(target):
    with pytest.raises(UsageError, match=r"expected a folder that exists.*, got '.*'\. Write"):
        ADAPTER.open(target, ModelOptions())


def _run(code: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=120
    )
    return done.stdout.strip()
