"""Draws twenty-five replies through every published parser: read, lost, or made into a letter."""

from __future__ import annotations

import sys
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from overread.records import Option
from overread.scoring.published.parser import Parser
from overread.scoring.published.parsers import PARSERS

TEXTS: Final = ("Liver", "Left kidney", "Lung", "Spleen")
OPTIONS: Final = tuple(Option(letter=a, text=t) for a, t in zip("ABCD", TEXTS, strict=True))
RIGHT: Final = "B"

SQUARE, STEP, ROW = 15, 18, 26
LEFT, TOP, GAP = 150, 64, 22
WIDTH: Final = 760
FILLS: Final = {
    "right": 'fill="#2d7dd2"',
    "wrong": 'fill="#b45f06"',
    "drawn": 'fill="#b45f0640" stroke="#b45f06" stroke-dasharray="3 2"',
    "lost": 'fill="none" stroke="#767676"',
}
MEANINGS: Final = {
    "right": "read as a person reads it",
    "lost": "an answer, and none is read",
    "wrong": "another letter is read",
    "drawn": "a letter is drawn",
}


def fate(parser: Parser, text: str, meant: str | None) -> str:
    """Say what becomes of a reply."""
    assert parser.choice is not None
    answer = parser.choice(text, OPTIONS).answer
    if answer is None and parser.silence == "random option":
        return "drawn"
    if answer == meant:
        return "right"
    return "lost" if answer is None else "wrong"


def square(place: float, top: float, kind: str) -> str:
    """Draw one reply."""
    return (
        f'<rect x="{place:g}" y="{top:g}" width="{SQUARE}" height="{SQUARE}" rx="2" {FILLS[kind]}/>'
    )


def row(parser: Parser, top: int, stated: Sequence[str], silent: Sequence[str]) -> str:
    """Draw a parser's row: replies with an answer, then those without."""
    fates = [fate(parser, text, RIGHT) for text in stated]
    fates += [fate(parser, text, None) for text in silent]
    places = [
        LEFT + number * STEP + (GAP if number >= len(stated) else 0) for number in range(len(fates))
    ]
    squares = "".join(square(place, top, kind) for place, kind in zip(places, fates, strict=True))
    count = fates.count("right")
    return (
        f'<text x="{LEFT - 10}" y="{top + 12}" text-anchor="end">{parser.name}</text>{squares}'
        f'<text x="{places[-1] + STEP + 12}" y="{top + 12}">{count} of {len(fates)}</text>'
    )


def figure() -> str:
    """Draw all parsers, the one that reads most rightly first."""
    replies = tomllib.loads((Path(__file__).parent / "replies.toml").read_text("utf-8"))
    stated, silent = replies["meant_b"], replies["meant_nothing"]

    def failures(parser: Parser) -> tuple[int, str]:
        right = sum(fate(parser, text, RIGHT) == "right" for text in stated)
        right += sum(fate(parser, text, None) == "right" for text in silent)
        return -right, parser.name

    ordered = sorted(PARSERS, key=failures)
    height = TOP + ROW * len(ordered) + 8
    second = LEFT + len(stated) * STEP + GAP
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img" '
        'font-family="system-ui, sans-serif" font-size="13" fill="#767676">',
        "<title>Twenty-five replies to one question, read by every parser</title>",
        f'<text x="{LEFT}" y="{TOP - 14}">{len(stated)} replies that choose B</text>',
        f'<text x="{second}" y="{TOP - 14}">{len(silent)} that choose nothing</text>',
    ]
    place = 16.0
    for kind, meaning in MEANINGS.items():
        lines.append(
            f'{square(place, 8, kind)}<text x="{place + STEP + 2}" y="20">{meaning}</text>'
        )
        place += 40 + 6.2 * len(meaning)
    lines += [
        row(parser, TOP + ROW * number, stated, silent) for number, parser in enumerate(ordered)
    ]
    return "\n".join([*lines, "</svg>\n"])


if __name__ == "__main__":
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parents[1] / "images"
    (folder / "non_answers.svg").write_text(figure(), "utf-8")
