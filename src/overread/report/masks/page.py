"""The page about masks: made of one set of results, or of one for each run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from overread.report.masks.ledger import ledger_tables
from overread.report.masks.problems import case_problems, label_problems, side_findings
from overread.report.masks.rows import row_tables
from overread.report.masks.sentences import mask_sentences
from overread.report.masks.sides import MaskSide, has_one_label
from overread.report.masks.strips import STRIP_HEIGHT
from overread.report.masks.tables import class_tables, label_tables
from overread.report.masks.worst import MaskReader, worst_cards
from overread.report.page import asset, content_policy, environment, write_whole
from overread.report.wording import MISSING, count, sentence

__all__ = ["MOST_PICTURES", "write_sides"]

MOST_PICTURES: Final = 12
"""Cases with pictures: each takes seconds to read and some 30 kB of page."""
_MOST_PROBLEMS: Final = 60
_ONLY_RUNS: Final[Mapping[str, Any]] = {
    "card": (),
    "settings": (),
    "setting_axis": None,
    "headline": "",
    "pairs": None,
    "pair_notes": (),
    "notes": (),
    "manifests": (),
    "command": "",
}
_FATES: Final = ("Both present", "Missed", "Invented", "Both empty", "No mask")


def write_sides(
    sides: Sequence[MaskSide],
    path: Path,
    *,
    title: str,
    subtitle: Sequence[str],
    read: MaskReader,
    most_pictures: int,
    extra: Mapping[str, Any],
) -> Path:
    """Write the page.

    Parameters
    ----------
    sides
        One or more, in the order shown.
    path
        The file; replaced once the new one is whole.
    title, subtitle
        Of the page.
    read
        Reads a mask.
    most_pictures
        Cases with pictures, of all sides together.
    extra
        What only runs have (``card``, ``settings``, ``pairs``, …), or only folders (``command``).
    """
    each = max(1, most_pictures // len(sides)) if most_pictures else 0
    worst = [(side, worst_cards(side, most=each, read=read)) for side in sides]
    style = asset("report.css") + asset("masks.css")
    page = (
        environment()
        .get_template("masks.html.j2")
        .render(
            title=title,
            subtitle=list(subtitle),
            many=len(sides) > 1,
            has_labels=not all(has_one_label(side.results) for side in sides),
            sentences=mask_sentences(sides),
            cases=case_problems(sides),
            odd_labels=label_problems(sides),
            most_problems=_MOST_PROBLEMS,
            tables=label_tables(sides),
            classes=class_tables(sides),
            worst=[(side, cards) for side, cards in worst if cards],
            ledgers=ledger_tables(sides),
            fate_names=_FATES,
            rows=row_tables(sides),
            strip_height=STRIP_HEIGHT,
            missing=MISSING,
            count=count,
            sentence=sentence,
            style=style,
            policy=content_policy(script=None, style=style),
            **{**_ONLY_RUNS, "findings": side_findings(sides), **extra},
        )
    )
    return write_whole(path, page)
