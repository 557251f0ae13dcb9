"""Draws how often a 95 % interval holds the true score where questions share patients.

Exams of 50 patients are made up, each patient with an ease of its own, and each exam is given two
intervals: Wilson's, which takes every question as independent, and the bootstrap over patients.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from overread.stats.bootstrap import cluster_bootstrap
from overread.stats.intervals import Interval, wilson

PATIENTS, EXAMS, DRAWS, SHARE = 50, 1000, 600, 0.5
QUESTIONS = (1, 2, 5, 10, 20)
ALIKE = (0.05, 0.2, 0.5)
WIDTH, HEIGHT = 720, 380
LEFT, RIGHT, TOP, BOTTOM = 60, 200, 20, 50
LEAST = 30
NAIVE, CLUSTERED = "#b45f06", "#2d7dd2"


def coverage(questions: int, alike: float) -> tuple[float, float]:
    """Simulate how often, in per cent, the naive and the clustered interval hold the true share.

    Parameters
    ----------
    questions
        Questions of each patient.
    alike
        Correlation between two questions of a patient: ease is beta-distributed.
    """
    rng = np.random.default_rng([questions, round(100 * alike)])
    spread = 1 / alike - 1
    ease = rng.beta(SHARE * spread, (1 - SHARE) * spread, (PATIENTS, EXAMS))
    right = rng.binomial(questions, ease)
    n = PATIENTS * questions
    plain = {count: wilson(count, n) for count in set(right.sum(axis=0).tolist())}
    naive = [plain[count] for count in right.sum(axis=0).tolist()]
    # Right answers per patient, whole numbers: their sums are the same on every computer.
    clustered = cluster_bootstrap(right, np.arange(PATIENTS), draws=DRAWS, rng=rng)
    return held(naive, SHARE), held(clustered, SHARE * questions)


def held(intervals: Sequence[Interval], truth: float) -> float:
    """Give how many of the intervals hold the truth, in per cent."""
    n_held = sum(
        one.low <= truth <= one.high
        for one in intervals
        if one.low is not None and one.high is not None
    )
    return 100 * n_held / len(intervals)


def x(questions: int) -> float:
    """Place a number of questions, each doubling as far as the last."""
    whole = np.log2(QUESTIONS[-1] / QUESTIONS[0])
    return LEFT + float(np.log2(questions) / whole) * (WIDTH - LEFT - RIGHT)


def y(percent: float) -> float:
    """Place a coverage of `LEAST` to 100 %."""
    return HEIGHT - BOTTOM - (percent - LEAST) / (100 - LEAST) * (HEIGHT - TOP - BOTTOM)


def figure() -> str:
    """Draw one line for each correlation and kind of interval."""
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" '
        'font-family="system-ui, sans-serif" font-size="13" fill="#767676" stroke="none">',
        "<title>Share of 95 % intervals that hold the true score, by questions per patient</title>",
    ]
    lines += [
        f'<path d="M{LEFT} {y(percent):.1f}H{WIDTH - RIGHT}" stroke="#7676764d"/>'
        f'<text x="{LEFT - 8}" y="{y(percent) + 4:.1f}" text-anchor="end">{percent} %</text>'
        for percent in range(40, 101, 20)
    ]
    lines.append(
        f'<path d="M{LEFT} {y(95):.1f}H{WIDTH - RIGHT}" stroke="#767676" stroke-dasharray="5 4"/>'
    )
    lines += [
        f'<text x="{x(n):.1f}" y="{HEIGHT - BOTTOM + 18}" text-anchor="middle">{n}</text>'
        for n in QUESTIONS
    ]
    lines.append(
        f'<text x="{(LEFT + WIDTH - RIGHT) / 2:.1f}" y="{HEIGHT - 10}" text-anchor="middle">'
        f"questions per patient ({PATIENTS} patients)</text>"
    )
    beside = WIDTH - RIGHT + 10
    for alike in ALIKE:
        found = [coverage(n, alike) for n in QUESTIONS]
        for kind, colour in enumerate((NAIVE, CLUSTERED)):
            places = " ".join(
                f"{x(n):.1f},{y(both[kind]):.1f}" for n, both in zip(QUESTIONS, found, strict=True)
            )
            lines.append(
                f'<polyline points="{places}" fill="none" stroke="{colour}" stroke-width="2.5"/>'
            )
        lines.append(
            f'<text x="{beside}" y="{y(found[-1][0]) + 4:.1f}" fill="{NAIVE}">'
            f"independent, alike by {alike:g}</text>"
        )
    lines.append(
        f'<text x="{beside}" y="{y(94) + 4:.1f}" fill="{CLUSTERED}">by patient, all three</text>'
    )
    return "\n".join([*lines, "</svg>\n"])


if __name__ == "__main__":
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parents[1] / "images"
    (folder / "clustering.svg").write_text(figure(), "utf-8")
