"""Importing a benchmark or a model reads no data, opens no socket and loads no heavy package.

Each import happens in a fresh interpreter that notes every file and socket it opens.
"""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from overread import registry

HEAVY = {"numpy", "scipy", "polars", "PIL", "pydicom", "nibabel", "openai", "skimage", "torch"}

WATCH = """
import json, sys
opened, sockets = [], []
def watch(event, arguments):
    if event == "open" and not str(arguments[0]).endswith((".py", ".pyc", ".so", ".pth", ".cfg")):
        opened.append(str(arguments[0]))
    if event.startswith("socket."):
        sockets.append(event)
import importlib
sys.addaudithook(watch)
module = importlib.import_module({module!r})
assert {attribute!r} is None or getattr(module, {attribute!r}) is not None
watched = {{"opened": opened, "sockets": sockets}}
print(json.dumps(watched | {{"heavy": sorted({heavy!r} & set(sys.modules))}}))
"""


def watch(module: str, attribute: str | None) -> dict[str, list[str]]:
    code = WATCH.format(module=module, attribute=attribute, heavy=HEAVY)
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    return json.loads(done.stdout)


NOTHING = {"opened": [], "sockets": [], "heavy": []}


@pytest.mark.parametrize("name", [*registry.benchmark_names(), "_template"])
def test_importing_a_benchmark_reads_nothing(name: str) -> None:
    module = "overread.benchmarks." + name.replace("-", "_")
    assert watch(module, "BENCHMARK") == NOTHING


@pytest.mark.parametrize("name", registry.model_names())
def test_importing_an_adapter_reads_nothing(name: str) -> None:
    module = "overread.models." + name.replace("-", "_")
    assert watch(module, "ADAPTER") == NOTHING


@pytest.mark.parametrize("module", ["overread", "overread.records", "overread.contracts"])
def test_importing_the_base_reads_nothing(module: str) -> None:
    assert watch(module, None) == NOTHING
