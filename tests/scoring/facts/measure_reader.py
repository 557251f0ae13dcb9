"""How well the reader of lesion facts reads: `python tests/scoring/facts/measure_reader.py`.

`sentences.jsonl` holds sentences in our own words, of the kinds that CT reports and models'
captions contain, with the facts that a careful person reads in each, lesion by lesion. All were
labelled before any was read by the reader. A hash of the sentence puts it in the development or the
held-out half; errors of the held-out half were never looked at.

Printed for each half and fact: values stated, precision, recall.
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from overread.scoring.facts.facts import Lesion, LesionFacts
from overread.scoring.facts.reader import read_facts

SENTENCES = Path(__file__).parent / "sentences.jsonl"
FACTS = ("presence", "body part", "organ", "side", "site", "type", "size", "attribute", "denied")


def sentences(half: str) -> list[dict[str, Any]]:
    """Give the labelled sentences of ``dev`` or ``held-out``."""
    rows = [json.loads(line) for line in SENTENCES.read_text("utf-8").splitlines()]
    return [row for row in rows if is_held_out(row["text"]) == (half == "held-out")]


def measure_parted(half: str) -> tuple[int, dict[str, Counter[str]]]:
    """Count as `measure` does, but only in sentences that were parted into as many lesions as told.

    One lesion too many shifts all facts of a sentence; these counts tell what else goes wrong. Also
    given is the number of sentences left out.
    """
    counts: dict[str, Counter[str]] = {fact: Counter() for fact in FACTS}
    left_out = 0
    for row in sentences(half):
        right, read = labelled(row), values(read_facts(row["text"]))
        if right["presence"].total() != read["presence"].total():
            left_out += 1
            continue
        for fact in FACTS:
            counts[fact]["hit"] += (right[fact] & read[fact]).total()
            counts[fact]["extra"] += (read[fact] - right[fact]).total()
            counts[fact]["missed"] += (right[fact] - read[fact]).total()
    return left_out, counts


def is_held_out(text: str) -> bool:
    """Whether a sentence is kept from sight: half of them, by hash."""
    return hashlib.sha256(text.encode()).digest()[0] % 2 == 0


def measure(half: str) -> dict[str, Counter[str]]:
    """Count for each fact how many values are ``hit``, ``extra`` and ``missed``.

    The key ``sentence`` counts sentences read without any error (``hit``) and others (``missed``).
    """
    counts: dict[str, Counter[str]] = {fact: Counter() for fact in (*FACTS, "sentence")}
    for row in sentences(half):
        right, read = labelled(row), values(read_facts(row["text"]))
        for fact in FACTS:
            stated, found = right[fact], read[fact]
            counts[fact]["hit"] += (stated & found).total()
            counts[fact]["extra"] += (found - stated).total()
            counts[fact]["missed"] += (stated - found).total()
        counts["sentence"]["hit" if right == read else "missed"] += 1
    return counts


def labelled(row: dict[str, Any]) -> dict[str, Counter[tuple[int, str]]]:
    """Spell the labels of a sentence: (which lesion, value)."""
    found: dict[str, Counter[tuple[int, str]]] = {fact: Counter() for fact in FACTS}
    for place, lesion in enumerate(row.get("lesions", [])):
        found["presence"][place, "absent" if lesion.get("absent") else "present"] += 1
        for fact in ("body part", "organ", "side", "site", "type", "attribute"):
            found[fact].update((place, value) for value in lesion.get(fact, []))
        found["denied"].update((place, value) for value in lesion.get("not", []))
        if "size_mm" in lesion:
            found["size"][place, lesion["size_mm"]] += 1
    return found


def values(facts: LesionFacts) -> dict[str, Counter[tuple[int, str]]]:
    """Spell what was read as the labels do."""
    found: dict[str, Counter[tuple[int, str]]] = {fact: Counter() for fact in FACTS}
    for place, lesion in enumerate(facts.lesions):
        for fact, value in _spelt(lesion):
            found[fact][place, value] += 1
    return found


def _spelt(lesion: Lesion) -> Iterator[tuple[str, str]]:
    yield "presence", "present" if lesion.present else "absent"
    sets = {
        "body part": lesion.regions,
        "organ": lesion.organs,
        "side": lesion.sides,
        "site": lesion.sites,
        "type": lesion.types,
    }
    for fact, names in sets.items():
        yield from ((fact, name) for name in names)
    yield from (("attribute", f"{kind}: {value}") for kind, value in lesion.attributes)
    yield from (("denied", f"{kind}: {value}") for kind, value in lesion.denied)
    size = lesion.size
    if size is not None:
        axes = "x".join(f"{axis:g}" for axis in size.axes_mm)
        if size.high_mm is None:
            axes = f">{axes}"
        elif size.low_mm != size.high_mm:
            axes = f"{size.low_mm:g}-{size.high_mm:g}" if size.low_mm else f"<{axes}"
        yield "size", axes


def precision(count: Counter[str]) -> float:
    """Share of the values read that are right."""
    return count["hit"] / (count["hit"] + count["extra"])


def recall(count: Counter[str]) -> float:
    """Share of the values stated that were read."""
    return count["hit"] / (count["hit"] + count["missed"])


def main() -> None:
    """Print all of it; with ``errors``, also what is wrong in the development half."""
    for half in ("dev", "held-out"):
        counts = measure(half)
        whole = counts.pop("sentence")
        print(f"\n{half}: {whole.total()} sentences, {whole['hit']} without any error")
        for fact, count in counts.items():
            print(
                f"  {fact:<10} stated {count['hit'] + count['missed']:>4}"
                f"  precision {precision(count):.3f}  recall {recall(count):.3f}"
            )
    if sys.argv[1:] == ["errors"]:
        for row in sentences("dev"):
            right, read = labelled(row), values(read_facts(row["text"]))
            for fact in FACTS:
                if right[fact] != read[fact]:
                    print(f"{row['text']}\n    {fact}: {dict(right[fact])} read {dict(read[fact])}")


if __name__ == "__main__":
    main()
