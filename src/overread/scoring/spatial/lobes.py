"""Which lobes of which lung an answer names: sides and heights belong together by their order.

"Middle lobe of the right lung and the lower lobes of both lungs" and "left lung lower lobe, upper
lobe" name the side before or after the lobe, once for several lobes or once for each.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from overread.scoring.spatial.lexicon import IMPLIED_LOBE
from overread.scoring.spatial.mentions import Mention

__all__ = ["HEIGHTS", "lobes_named"]

HEIGHTS: Final = ("upper", "middle", "lower")
_ADJACENT: Final = re.compile(r"(?:-| |lungs?|lobes?|hemithorax|side|the|pulmonary|:|,? ?in)*")
"""What may stand between a side and its lobe: "left lung, lower lobe"."""
_OWNED: Final = re.compile(
    r"[^.;]*\b(?:of|in|on|at|for|within)\b(?: (?:the|both))?(?: \w+){0,1} ?|"
    r"[ (]*(?:lobes?|zones?|segments?|lobar|area|region|part|level)?[ (]*"
)
"""What may stand between a lobe and a side that follows it: "lower lobe of the left lung"."""
_JOINED: Final = re.compile(r" ?(?:and|or|/|&) ?(?:the )?")
_PLURAL: Final = re.compile(r"(?: lung| pulmonary)? (?:lobes|zones)\b")
_LISTED: Final = re.compile(r"\b(?:upper|middle|lower|mid)\b[^.;]*$")
_SENTENCE: Final = re.compile(r"[.;!?\n]")
_DELIMITER: Final = re.compile(r",|;|\.|\band\b|\bor\b|\bas well as\b|\n")


def lobes_named(
    text: str, mentions: Sequence[Mention], *, context: frozenset[str]
) -> frozenset[str]:
    """Name the lobes: ``right upper``, or ``upper`` where no side is told.

    Parameters
    ----------
    text
        The words that `mentions` refer to.
    mentions
        Undenied mentions, in order.
    context
        Sides that the question itself names: "which lobe of the left lung".
    """
    named: set[str] = set()
    sides = [each for each in mentions if each.kind == "side" and each.value != "midline"]
    for index, mention in enumerate(mentions):
        if mention.kind == "lobes":
            named |= _all_lobes(sides)
            continue
        height = _height(text, mentions, index)
        if height is None:
            continue
        side_told, value = height
        found = {side_told} if side_told else _sides_of(text, mention, sides, mentions)
        if context and (not found or (not sides and "both" in found)):
            found = set(context)
        named |= _spelt(value, found)
    told = {lobe.split()[1] for lobe in named if " " in lobe}
    return frozenset(named - told)  # "lingula, upper lobe" is one lobe


def _height(text: str, mentions: Sequence[Mention], index: int) -> tuple[str | None, str] | None:
    """Give side (where told) and height that a mention stands for; None where it names no lobe."""
    mention = mentions[index]
    if mention.kind == "height":
        return None, mention.value
    if mention.kind != "segment" or mention.value not in IMPLIED_LOBE:
        return None
    side, height = IMPLIED_LOBE[mention.value]
    if "lingular" in mention.value:
        return side, height
    # A segment beside a named lobe is a part of that lobe, whatever its name would imply alone.
    for other in mentions:
        if other.kind == "height" and not _parted(text, mention, other):
            return None
    return side, height


def _parted(text: str, one: Mention, other: Mention) -> bool:
    """Whether a comma or an "and" stands between two mentions, but for "…, … of the … lobe"."""
    first, second = sorted((one, other), key=lambda each: each.start)
    between = text[first.end : second.start]
    if first is one and re.search(r"\b(?:of|in)\b", between) and "," not in between:
        return False
    if first is other and "," in between:
        between = between.replace(",", " ", 1)  # "lower lobe, in the apical segment"
    return _DELIMITER.search(between) is not None


def _sides_of(
    text: str, lobe: Mention, sides: Sequence[Mention], mentions: Sequence[Mention]
) -> set[str]:
    """Find the sides of one lobe: beside it, after it with "of", before it, or anywhere."""
    before = [side for side in sides if side.end <= lobe.start]
    after = [side for side in sides if side.start >= lobe.end]
    if before and _ADJACENT.fullmatch(text, before[-1].end, lobe.start):
        sides_before = {before[-1].value}
        if len(before) > 1 and _JOINED.fullmatch(text, before[-2].end, before[-1].start):
            sides_before.add(before[-2].value)  # "the right and left lower lobes"
        return sides_before
    if after:
        last_lobe = max(
            (each.end for each in mentions if each.kind == "height" and each.end <= after[0].start),
            default=lobe.end,
        )
        between = text[max(last_lobe, lobe.end) : after[0].start]
        if _OWNED.fullmatch(between) and not _SENTENCE.search(text[lobe.end : after[0].start]):
            return {after[0].value}
    if before:
        return {before[-1].value}
    # "Lower lobes", without a side and alone in its number, are those of both lungs.
    return {"both"} if _PLURAL.match(text, lobe.end) and not _is_listed(text, lobe) else set()


def _is_listed(text: str, lobe: Mention) -> bool:
    """Whether a plural is that of a list: "upper and lower lobes"."""
    return _LISTED.search(text[max(0, lobe.start - 30) : lobe.start]) is not None


def _spelt(height: str, sides: set[str]) -> set[str]:
    if "both" in sides:
        sides = {"left", "right"} if height != "middle" else {"right"}
    if not sides and height == "middle":
        sides = {"right"}  # the left lung has none
    return {f"{side} {height}" for side in sides} or {height}


def _all_lobes(sides: Sequence[Mention]) -> set[str]:
    told = {side.value for side in sides}
    wanted = told if len(told) == 1 and "both" not in told else {"left", "right"}
    return {
        f"{side} {height}"
        for side in wanted
        for height in HEIGHTS
        if not (side == "left" and height == "middle")
    }
