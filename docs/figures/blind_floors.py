"""Draws what a blind mixture of two letters scores on a composite of three axes.

The letters lie as MedVIGIL's own validator demands: A for every question that can be answered, E
for every trap and every picture without its region. Published scores are those of the paper's
table.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from overread.audits.letter_mixtures import best_mixture, mixture_rates
from overread.metrics.evidence import TIER_WEIGHTS, evidence_axes

LAYOUT = {
    **dict.fromkeys(("original", "tcf", "negation", "specificity_drop", "roi_only"), "A"),
    **dict.fromkeys(("halluc_trap", "roi_masked"), "E"),
}
PUBLISHED = {
    "best model (Opus 4.7)": 69.2,
    "6th of 16 (Sonnet 4.6)": 52.9,
    "8th of 16 (LLaVA-Med 7B)": 44.7,
    "last (Qwen3.5-9B)": 31.0,
}
WIDTH, HEIGHT = 720, 380
LEFT, RIGHT, TOP, BOTTOM = 60, 230, 20, 50


def composite(rates: Mapping[str, float]) -> float | None:
    """Fold the accuracy on each kind of question as the benchmark does, in per cent."""
    found = evidence_axes(
        original=rates["original"],
        paraphrase=rates["tcf"],
        negation=rates["negation"],
        specificity_drop=rates["specificity_drop"],
        trap_failures=dict.fromkeys(TIER_WEIGHTS, 1 - rates["halluc_trap"]),
        roi_only=rates["roi_only"],
        roi_masked=rates["roi_masked"],
    ).composite
    return None if found is None else 100 * found


def x(share: float) -> float:
    """Place a probability."""
    return LEFT + share * (WIDTH - LEFT - RIGHT)


def y(score: float) -> float:
    """Place a score of 0 to 80."""
    return HEIGHT - BOTTOM - score / 80 * (HEIGHT - TOP - BOTTOM)


def figure() -> str:
    """Draw the curve with the published scores beside it."""
    best = best_mixture(LAYOUT, composite)
    assert best is not None
    points = [
        f"{x(p):.1f},{y(composite(mixture_rates(LAYOUT, {'A': p, 'E': 1 - p})) or 0.0):.1f}"
        for p in np.linspace(0, 1, 101)
    ]
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" '
        'font-family="system-ui, sans-serif" font-size="13" fill="#767676" stroke="none">',
        "<title>Composite score of answering A with probability p and E otherwise</title>",
    ]
    lines += [
        f'<path d="M{LEFT} {y(score):.1f}H{WIDTH - RIGHT}" stroke="#7676764d"/>'
        f'<text x="{LEFT - 8}" y="{y(score) + 4:.1f}" text-anchor="end">{score}</text>'
        for score in range(0, 81, 20)
    ]
    under = f'y="{HEIGHT - BOTTOM + 18}" text-anchor="middle"'
    lines += [
        f'<text x="{x(share):.1f}" {under}>{share:g}</text>' for share in (0, 0.25, 0.5, 0.75, 1)
    ]
    lines.append(
        f'<text x="{x(0.5):.1f}" y="{HEIGHT - 10}" text-anchor="middle">'
        "probability of answering A, whatever is asked</text>"
    )
    for name, value in PUBLISHED.items():
        lines.append(
            f'<path d="M{LEFT} {y(value):.1f}H{WIDTH - RIGHT + 8}" stroke="#b45f06" '
            f'stroke-dasharray="5 4"/><text x="{WIDTH - RIGHT + 14}" y="{y(value) + 4:.1f}">'
            f"{name}: {value}</text>"
        )
    p = best.chances["A"]
    lines += [
        f'<polyline points="{" ".join(points)}" fill="none" stroke="#2d7dd2" stroke-width="2.5"/>',
        f'<circle cx="{x(p):.1f}" cy="{y(best.value):.1f}" r="5" fill="#2d7dd2"/>',
        f'<text x="{x(p):.1f}" y="{y(36):.1f}" text-anchor="middle" fill="#2d7dd2">'
        f"no picture seen: {best.value:.1f} at {p:.3f}</text>",
        "</svg>\n",
    ]
    return "\n".join(lines)


if __name__ == "__main__":
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parents[1] / "images"
    (folder / "blind_floors.svg").write_text(figure(), "utf-8")
