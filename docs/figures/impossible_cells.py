"""Draws printed numbers that cannot be: shares between two counts, means beyond their sites.

The shares are validation cells of CT-Bench (100 and 50 questions a cell); the means are the rows of
MedFL-Stress's table, over four hospitals (arXiv 2605.09025).
"""

from __future__ import annotations

import sys
from fractions import Fraction
from pathlib import Path

from overread.audits.table.granularity import how_possible

WIDTH, HEIGHT = 720, 372
LEFT, RIGHT = 150, 40
SHARES = ((100, "24.5", 20), (50, "49.0", 44))
"""Questions, the printed cell, where its strip begins; each strip shows ten points."""
ROWS = (("FedAvg", 0.8159, 0.7309, 0.0850), ("FedBN", 0.8109, 0.7656, 0.0503))
"""Method, mean, worst hospital, best minus worst: all as printed."""
SITES = 4
LOW, HIGH = 0.72, 0.83
GREY, BLUE, RED = "#767676", "#2d7dd2", "#d64a3b"


def along(value: float, low: float, high: float) -> float:
    """Place a value between the margins."""
    return LEFT + (value - low) / (high - low) * (WIDTH - LEFT - RIGHT)


def text(x: float, y: float, words: str, *, anchor: str, fill: str) -> str:
    """Write words."""
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="{fill}">{words}</text>'


def strip(n: int, printed: str, first: int, y: float) -> list[str]:
    """Draw every printed value with one decimal that a count of n items gives, and the cell."""
    low, high = float(first), float(first + 10)
    lines = [
        text(LEFT - 14, y + 5, f"{n} questions", anchor="end", fill=GREY),
        f'<path d="M{LEFT} {y}H{WIDTH - RIGHT}" stroke="{GREY}4d"/>',
    ]
    for tenths in range(first * 10, first * 10 + 101):
        value = Fraction(tenths, 10)
        if how_possible(value, 1, n, 100) != "none":
            x = along(float(value), low, high)
            lines.append(
                f'<path d="M{x:.1f} {y - 8}V{y + 8}" stroke="{BLUE}" stroke-width="2.5"/>'
                + text(x, y + 26, f"{float(value):.1f}", anchor="middle", fill=GREY)
            )
    x = along(float(printed), low, high)
    return [
        *lines,
        f'<circle cx="{x:.1f}" cy="{y}" r="6" fill="{RED}"/>',
        text(x, y - 16, f"printed {printed} %", anchor="middle", fill=RED),
    ]


def row(name: str, mean: float, worst: float, gap: float, y: float) -> list[str]:
    """Draw where the mean of four sites can lie between worst and best, and where it is printed."""
    best = worst + gap
    least, most = worst + gap / SITES, best - gap / SITES
    start, end = along(worst, LOW, HIGH), along(best, LOW, HIGH)
    first, last = along(least, LOW, HIGH), along(most, LOW, HIGH)
    x = along(mean, LOW, HIGH)
    return [
        text(LEFT - 14, y + 5, name, anchor="end", fill=GREY),
        f'<path d="M{start:.1f} {y}H{end:.1f}M{start:.1f} {y - 7}v14M{end:.1f} {y - 7}v14" '
        f'stroke="{GREY}" stroke-width="1.5"/>',
        f'<path d="M{first:.1f} {y}H{last:.1f}" stroke="{BLUE}" stroke-width="7"/>',
        f'<circle cx="{x:.1f}" cy="{y}" r="6" fill="{RED}"/>',
        text(x, y - 14, f"printed mean {mean:.4f}", anchor="middle", fill=RED),
        text(start, y + 24, f"worst {worst:.4f}", anchor="middle", fill=GREY),
        text(last, y + 24, f"at most {most:.6g}", anchor="middle", fill=BLUE),
    ]


def figure() -> str:
    """Draw two strips of shares above two rows of means."""
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" '
        f'font-family="system-ui, sans-serif" font-size="13" fill="{GREY}" stroke="none">',
        "<title>Printed numbers that cannot be</title>",
        text(0, 20, "Shares that a whole count can print (blue)", anchor="start", fill=GREY),
    ]
    for number, (n, printed, first) in enumerate(SHARES):
        lines += strip(n, printed, first, 66 + 74 * number)
    lines.append(
        text(
            0,
            214,
            f"Means that {SITES} hospitals can have (blue), from the worst to the best",
            anchor="start",
            fill=GREY,
        )
    )
    for number, (name, mean, worst, gap) in enumerate(ROWS):
        lines += row(name, mean, worst, gap, 258 + 74 * number)
    return "\n".join([*lines, "</svg>\n"])


if __name__ == "__main__":
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parents[1] / "images"
    (folder / "impossible_cells.svg").write_text(figure(), "utf-8")
