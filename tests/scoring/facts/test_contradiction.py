from __future__ import annotations

import itertools
import json
from pathlib import Path

from overread.scoring.facts.agreement import compared
from overread.scoring.facts.contradiction import contradicts
from overread.scoring.facts.facts import Lesion
from overread.scoring.facts.lexicon import lexicon
from overread.scoring.facts.reader import read_facts

SENTENCES = Path(__file__).parent / "sentences.jsonl"
DENYING = (
    "A liver cyst without calcification.",
    "A calcified liver lesion.",
    "A smooth nodule in the left lung, not spiculated.",
    "A spiculated nodule in the left lung.",
)


def place_and_type(one: Lesion, other: Lesion) -> str | None:
    """Compare all facts of two whole lesions, both ways round, and take the first one wrong."""
    ways = compared(one, other), compared(other, one)
    for fact in ("body part", "organ", "side", "site", "type"):
        wrong = [[v for v in way if (v.fact, v.outcome) == (fact, "wrong")] for way in ways]
        tumors = [
            any("tumor" in lexicon().type_chain(name) for name in each.types)
            for each in (one, other)
        ]
        if all(wrong) and not (fact == "type" and all(tumors)):
            return f"{fact}: {wrong[0][0].reference} against {wrong[0][0].prediction}"
    return None


def test_a_fact_excludes_where_comparing_whole_lesions_calls_it_wrong_both_ways() -> None:
    texts = [json.loads(line)["text"] for line in SENTENCES.read_text("utf-8").splitlines()]
    read = [
        facts for text in (*texts[:110], *DENYING) if len((facts := read_facts(text)).present) == 1
    ]
    reasons = set()
    for one, other in itertools.permutations(read, 2):
        expected = place_and_type(one.present[0], other.present[0])
        found = contradicts(one, other)
        assert (found is None) == (contradicts(other, one) is None)
        if expected is not None:
            assert found == expected
            reasons.add(expected.partition(":")[0])
        elif found is not None:  # by size or attribute
            assert found.partition(":")[0] in {"size", *lexicon().kinds}
            reasons.add(found.partition(":")[0])
    assert reasons >= {"body part", "organ", "side", "site", "type", "size", "margin"}


def test_what_one_denies_the_other_must_not_say() -> None:
    without, calcified, not_spiculated, spiculated = map(read_facts, DENYING)
    assert contradicts(without, calcified) == "calcium: not calcified against calcified"
    assert contradicts(calcified, without) == "calcium: calcified against not calcified"
    assert contradicts(not_spiculated, spiculated) is not None
