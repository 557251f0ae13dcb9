"""What a validator said of pairs, read from its reply under both profiles."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from overread.builders.report_qa.found_json import TwiceNamed, find_objects

__all__ = ["Labels", "read_by_id", "read_in_order"]

_LONGEST_REPLY = 400_000
_KEYS = ("is_spatial", "is_relevant", "is_supported")


@dataclass(frozen=True, slots=True, kw_only=True)
class Labels:
    """What was said of one pair; None where nothing could be read, which is neither yes nor no."""

    is_spatial: bool | None = None
    """Answering takes to know where something lies."""
    is_relevant: bool | None = None
    """The picture can answer it, not the wording alone."""
    is_supported: bool | None = None
    """The report says what the answer says; not asked for by the released script."""


def read_in_order(text: str | None) -> tuple[Labels, ...] | None:
    """Read labels as the released script does: the first list of a reply, its members in order.

    The members' own numbers are not looked at, nor how many there are; a value of another kind
    counts as its truth in Python (the text "false" is a yes), a null as no. A list that breaks
    off is closed. Source: QA_generation/llm_judge.py and filter_qa_pairs.py of
    Mashrafi27/CT-SpatialVQA.

    Returns
    -------
    tuple of Labels or None
        None when there is no list.
    """
    cleaned = _without_fence((text or "")[:_LONGEST_REPLY])
    start, end, brace = cleaned.find("["), cleaned.rfind("]"), cleaned.rfind("}")
    tries = [cleaned]
    if 0 <= start < end:
        tries.append(cleaned[start : end + 1])
    if 0 <= start < brace:
        tries.append(cleaned[start : brace + 1] + "]")
    for attempt in tries:
        try:
            held: object = json.loads(attempt)
        except (ValueError, RecursionError):
            continue
        if isinstance(held, list):
            return tuple(_truth(member) for member in cast("list[object]", held))
    return None


def read_by_id(text: str | None, ids: Sequence[str]) -> tuple[Labels, ...]:
    """Read labels that name their pair, wherever in the reply they stand.

    Only true and false are labels. An id that is not one of `ids` is passed over; one that comes
    with two different opinions, or in an object that gives a key twice, has no label.

    Returns
    -------
    tuple of Labels
        One for each of `ids`, all None where nothing was said.
    """
    said: dict[str, set[Labels]] = {}
    for member in find_objects(text or "", "id").objects:
        pair = member.get("id")
        # A reply may repeat what was asked: the same ids, without a label.
        if isinstance(pair, str) and pair in ids and any(key in member for key in _KEYS):
            labels = Labels() if isinstance(member, TwiceNamed) else _strict(member)
            said.setdefault(pair, set()).add(labels)
    return tuple(
        next(iter(opinions)) if len(opinions := said.get(pair, set())) == 1 else Labels()
        for pair in ids
    )


def _without_fence(text: str) -> str:
    cleaned = text.strip()
    if cleaned.startswith("```"):
        cleaned = cleaned.strip("`\n").removeprefix("json\n")
    return cleaned.strip()


def _truth(member: object) -> Labels:
    """Take a member's labels as the released filter does: a label that is not there is a yes."""
    held = cast("Mapping[str, object]", member) if isinstance(member, dict) else {}
    spatial, relevant = held.get("is_spatial", True), held.get("is_relevant", True)
    return Labels(
        is_spatial=None if spatial is None else bool(spatial),
        is_relevant=None if relevant is None else bool(relevant),
    )


def _strict(member: Mapping[str, object]) -> Labels:
    spatial, relevant, supported = (
        value if isinstance(value := member.get(key), bool) else None for key in _KEYS
    )
    return Labels(is_spatial=spatial, is_relevant=relevant, is_supported=supported)
