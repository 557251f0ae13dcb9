"""Finds benchmarks, models, audits by name: what lies in the package, and entry points of others.

There is no central list. A folder or module in ``overread/benchmarks`` with a ``BENCHMARK`` is a
benchmark; one in ``overread/models`` with an ``ADAPTER`` (or ``ADAPTERS``) is a model adapter; one
in ``overread/audits`` with an ``AUDIT`` is an audit; one in ``overread/perturb`` with a
``PERTURBATION`` is a perturbation. Other packages join through the entry-point groups
``overread.benchmarks``, ``overread.models``, ``overread.audits`` and ``overread.perturb``. A name
costs its import only when it is asked for. Metrics declare themselves by a `MetricSpec`.
"""

from __future__ import annotations

import importlib
import importlib.metadata
import importlib.util
import pkgutil
from collections.abc import Callable, Iterator
from functools import cache
from typing import TYPE_CHECKING, cast

from overread.errors import UsageError, expected

if TYPE_CHECKING:
    from overread.contracts import (
        Audit,
        Benchmark,
        Model,
        ModelAdapter,
        ModelOptions,
        Perturbation,
    )
    from overread.metrics.spec import MetricSpec

__all__ = [
    "audit_names",
    "benchmark_names",
    "find_adapter",
    "find_audit",
    "find_benchmark",
    "find_perturbation",
    "metric_spec",
    "metric_specs",
    "model_names",
    "open_model",
    "perturbation_names",
]

_BENCHMARKS = "overread.benchmarks"
_MODELS = "overread.models"
_METRICS = "overread.metrics"
_AUDITS = "overread.audits"
_PERTURBATIONS = "overread.perturb"


def benchmark_names() -> tuple[str, ...]:
    """List the names of all benchmarks, built-in and joined, in alphabetical order."""
    return tuple(sorted(_finders(_BENCHMARKS)))


def find_benchmark(name: str) -> Benchmark:
    """Find a benchmark by the name typed on the command line.

    Raises
    ------
    UsageError
        No benchmark has this name; the message lists those there are.
    """
    find = _find(_BENCHMARKS, name, argument="benchmark")
    return cast("Benchmark", _attribute(find(), "BENCHMARK"))


def model_names() -> tuple[str, ...]:
    """List the names of all model adapters, built-in and joined, in alphabetical order."""
    return tuple(sorted(_finders(_MODELS)))


def find_adapter(name: str) -> ModelAdapter:
    """Find a model adapter by name. UsageError lists the known ones."""
    find = _find(_MODELS, name, argument="--model")
    return cast("ModelAdapter", _attribute(find(), "ADAPTER"))


def audit_names() -> tuple[str, ...]:
    """List the names of all audits, built-in and joined, in alphabetical order."""
    return tuple(sorted(_audits()))


def find_audit(name: str) -> Audit:
    """Find an audit by name. UsageError lists the known ones."""
    found = _audits()
    if name not in found:
        raise UsageError(
            expected(
                "--only",
                rule="one of " + ", ".join(sorted(found)),
                got=repr(name),
                remedy="'overread list audits' describes them.",
            )
        )
    return found[name]


def perturbation_names() -> tuple[str, ...]:
    """List the names of all perturbations, built-in and joined, in alphabetical order."""
    return tuple(sorted(_finders(_PERTURBATIONS)))


def find_perturbation(name: str) -> Perturbation:
    """Find a perturbation by name, or by name and dose: ``blur@3``.

    Raises
    ------
    UsageError
        There is none of this name, or not in this dose; the message lists those there are.
    """
    from overread.contracts import Dosed

    base, at, level = name.partition("@")
    find = _find(_PERTURBATIONS, base, argument="perturbation")
    kind = cast("Perturbation", _attribute(find(), "PERTURBATION"))
    if not at:
        return kind
    if isinstance(kind, Dosed):
        return kind.at(level)
    raise UsageError(
        expected(
            "perturbation",
            rule=f"{base} without a dose: it has one only",
            got=repr(name),
            remedy="'overread list perturbations' tells which have several.",
        )
    )


def metric_specs() -> tuple[MetricSpec, ...]:
    """List what every metric of the package declares of itself, by name."""
    from overread.metrics.spec import MetricSpec

    modules = (load() for name, load in _built_in(_METRICS) if name != "spec")
    found = {
        value.name: value
        for module in modules
        for value in vars(module).values()
        if isinstance(value, MetricSpec)
    }
    return tuple(found[name] for name in sorted(found))


@cache
def _specs_by_name() -> dict[str, MetricSpec]:
    return {spec.name: spec for spec in metric_specs()}


def metric_spec(name: str) -> MetricSpec | None:
    """Find what a metric declares of itself; None for one that is not the package's."""
    return _specs_by_name().get(name)


def open_model(spec: str, options: ModelOptions) -> Model:
    """Open a model from ``ADAPTER:TARGET``; a bare word may name a baseline (``chance``).

    Raises
    ------
    UsageError
        The adapter is unknown, or it does not understand the target.
    """
    name, colon, target = spec.partition(":")
    if name not in _finders(_MODELS):
        baselines = find_adapter("baselines")
        if name in baselines.examples:
            return baselines.open(spec, options)
        raise UsageError(
            expected(
                "--model",
                rule="ADAPTER:NAME with an adapter of "
                + ", ".join(model_names())
                + ", or a built-in reader of "
                + ", ".join(baselines.examples),
                got=repr(spec),
                remedy="'overread list models' shows examples.",
            )
        )
    return find_adapter(name).open(target if colon else "", options)


@cache
def _audits() -> dict[str, Audit]:
    """Load all audits: beside them lie modules that are none, which only loading tells."""
    built_in = (getattr(load(), "AUDIT", None) for _, load in _built_in(_AUDITS))
    joined = (
        _attribute(entry.load(), "AUDIT")
        for entry in importlib.metadata.entry_points(group=_AUDITS)
    )
    # A built-in one stands before its namesake, as among benchmarks and models.
    audits = [cast("Audit", each) for each in (*joined, *built_in) if hasattr(each, "look")]
    return {audit.name: audit for audit in audits}


_Finder = Callable[[], object]


def _find(group: str, name: str, *, argument: str) -> _Finder:
    finders = _finders(group)
    if name not in finders:
        kind = "perturbations" if group == _PERTURBATIONS else group.rsplit(".", 1)[-1]
        raise UsageError(
            expected(
                argument,
                rule="one of " + ", ".join(sorted(finders)),
                got=repr(name),
                remedy=f"'overread list {kind}' describes them.",
            )
        )
    return finders[name]


@cache
def _finders(group: str) -> dict[str, _Finder]:
    finders: dict[str, _Finder] = dict(_built_in(group))
    for entry in importlib.metadata.entry_points(group=group):
        finders.setdefault(entry.name, entry.load)
    return finders


def _built_in(group: str) -> Iterator[tuple[str, _Finder]]:
    spec = importlib.util.find_spec(group)
    locations = spec.submodule_search_locations if spec else None
    for module in pkgutil.iter_modules(locations or []):
        if not module.name.startswith("_"):
            path = f"{group}.{module.name}"
            yield module.name.replace("_", "-"), lambda path=path: importlib.import_module(path)


def _attribute(found: object, attribute: str) -> object:
    """Take the registered object: an entry point may name it or the module that holds it."""
    return getattr(found, attribute, found)
