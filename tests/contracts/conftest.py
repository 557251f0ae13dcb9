"""Everything registered, and a small synthetic release of every benchmark.

The template is passed over by the registry because of its underscore, and joins here by name: what
people copy must keep the contract.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from overread import registry
from overread.benchmarks import _template
from overread.contracts import Benchmark, Release, Selection
from overread.records import Item

SIZE = 24
SEED = 7


def benchmarks() -> dict[str, Benchmark]:
    found = {name: registry.find_benchmark(name) for name in registry.benchmark_names()}
    return found | {"_template": _template.BENCHMARK}


@dataclass(frozen=True, kw_only=True)
class Case:
    """A benchmark with one of its synthetic releases."""

    name: str
    benchmark: Benchmark
    root: Path
    seed: int = SEED
    size: int = SIZE

    def open(self) -> Release:
        return self.benchmark.open(self.root)

    def items(self, **selection: object) -> list[Item]:
        """Give the items of every split, as a chat model gets them."""
        release = self.open()
        return [
            item
            for split in release.card.splits
            for item in release.items(Selection(split=split, **selection))  # type: ignore[arg-type]
        ]


@pytest.fixture(scope="session")
def case_of(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Case]:
    made: dict[str, Case] = {}

    def case(name: str) -> Case:
        if name not in made:
            benchmark = benchmarks()[name]
            root = tmp_path_factory.mktemp("contracts") / "release"
            benchmark.synthesise(root, seed=SEED, size=SIZE)
            made[name] = Case(name=name, benchmark=benchmark, root=root)
        return made[name]

    return case


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "case" in metafunc.fixturenames:
        metafunc.parametrize("case", sorted(benchmarks()), indirect=True)
    if "adapter_name" in metafunc.fixturenames:
        metafunc.parametrize("adapter_name", registry.model_names())


@pytest.fixture
def case(request: pytest.FixtureRequest, case_of: Callable[[str], Case]) -> Case:
    return case_of(request.param)
