from dataclasses import replace

import pytest

from overread.contracts import Selection
from overread.records import ModelIdentity
from overread.registry import find_benchmark
from overread.run.manifest import make_manifest


@pytest.fixture
def make(release_root):
    release = find_benchmark("ct-bench").open(release_root)

    def manifest(**changes):
        given = {
            "identity": ModelIdentity(kind="chat", name="m", settings={"seed": 0}),
            "selection": Selection(), "draws": 1, "seed": 0, "command": "overread run",
        }  # fmt: skip
        return make_manifest(release, **(given | changes))

    return manifest


def test_limit_and_draws_leave_the_run_the_same(make):
    assert make().run == make(selection=Selection(limit=5)).run == make(draws=3).run
    assert make(draws=3).selection["draws"] == 3


@pytest.mark.parametrize(
    "changes",
    [
        {"selection": Selection(stack="mosaic")},
        {"selection": Selection(split="validation")},
        {"selection": Selection(max_side_px=100)},
        {"identity": ModelIdentity(kind="chat", name="n", settings={"seed": 0})},
        {"identity": ModelIdentity(kind="chat", name="m", settings={"seed": 1})},
        {"identity": ModelIdentity(kind="chat", name="m", revision="2", settings={"seed": 0})},
        {"seed": 1},
    ],
)
def test_whatever_shapes_an_answer_makes_another_run(make, changes):
    assert make().run != make(**changes).run


def test_software_and_time_are_noted(make):
    manifest = make()
    assert {"python", "overread", "numpy", "pillow"} <= set(manifest.software)
    assert manifest.created.endswith("+00:00")
    assert replace(manifest, created="") == replace(make(), created="")
