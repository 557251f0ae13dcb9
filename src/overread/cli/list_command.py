"""`overread list`: what there is."""

from __future__ import annotations

from typing import Literal

from rich.table import Table

from overread import registry
from overread.cli.output import print_json, safe, show
from overread.contracts import Dosed, Perturbation

__all__ = ["list_command"]


def list_command(
    what: Literal[
        "benchmarks", "models", "metrics", "recipes", "audits", "perturbations"
    ] = "benchmarks",
    /,
    *,
    json: bool = False,
) -> None:
    """List benchmarks, models, metrics, recipes that prepare volumes, audits or perturbations.

    Parameters
    ----------
    what
        Which kind of thing to list.
    json
        Print JSON for machines.
    """
    kinds = {
        "benchmarks": _benchmarks,
        "models": _models,
        "metrics": _metrics,
        "recipes": _recipes,
        "audits": _audits,
        "perturbations": _perturbations,
    }
    rows = kinds[what]()
    if json:
        print_json(rows)
        return
    table = Table()
    for column in rows[0] if rows else ():
        table.add_column(column, overflow="fold")
    for row in rows:
        table.add_row(*(safe(str(value)) for value in row.values()))
    show(table)


def _benchmarks() -> list[dict[str, str]]:
    cards = [registry.find_benchmark(name).card for name in registry.benchmark_names()]
    return [
        {
            "name": card.name,
            "title": card.title,
            "tasks": ", ".join(card.tasks),
            "licence": card.licence,
            "sources": "; ".join(card.sources),
        }
        for card in cards
    ]


def _models() -> list[dict[str, str]]:
    adapters = [registry.find_adapter(name) for name in registry.model_names()]
    return [
        {
            "adapter": adapter.name,
            "what it is": adapter.summary,
            "--model": "  ".join(adapter.examples),
        }
        for adapter in adapters
    ]


def _metrics() -> list[dict[str, str]]:
    better = {"up": "more", "down": "less", "none": "neither"}
    return [
        {
            "name": spec.name,
            "version": spec.version,
            "what it is": spec.title,
            "better": better[spec.direction],
            "range": f"{spec.low:g} to {spec.high:g} ({spec.unit})",
            "undefined": spec.undefined,
        }
        for spec in registry.metric_specs()
    ]


def _recipes() -> list[dict[str, str]]:
    from overread.imaging.recipes import RECIPE_SUMMARIES, RECIPES

    return [
        {
            "recipe": recipe.name,
            "what comes of a volume": RECIPE_SUMMARIES[recipe.name],
            "output": recipe.output,
            "source": recipe.source,
        }
        for recipe in RECIPES.values()
    ]


def _audits() -> list[dict[str, str]]:
    audits = [registry.find_audit(name) for name in registry.audit_names()]
    return [{"name": audit.name, "what it looks for": audit.summary} for audit in audits]


def _perturbations() -> list[dict[str, str]]:
    kinds = [registry.find_perturbation(name) for name in registry.perturbation_names()]
    return [
        {
            "name": kind.name,
            "what it does": kind.summary,
            "a fall says": kind.if_it_falls,
            "doses": _doses(kind),
        }
        for kind in kinds
    ]


def _doses(kind: Perturbation) -> str:
    """Word the levels that may stand after @: ``1 2 3 4 5, also -published -ssim``."""
    if not isinstance(kind, Dosed):
        return ""
    pairs = [level.partition("-") for level in kind.levels]
    numbers = dict.fromkeys(number for number, _, way in pairs if not way)
    ways = dict.fromkeys(f"-{way}" for _, _, way in pairs if way)
    return " ".join(numbers) + (f", also {' '.join(ways)}" if ways else "")
