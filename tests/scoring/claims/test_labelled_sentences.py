"""How right the reader is on sentences of real reports, labelled by hand: ids and labels only.

160 sentences of CT reports: 90 drawn among those that name something of the chest, 70 among those
with a word of doubt. The published figures are those of the held-out half.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from overread.scoring.claims.reader import read_claims

pytestmark = pytest.mark.data

_LABELS = Path(__file__).parent / "labelled_sentences.jsonl"
_SENTENCE = re.compile(r"(?<=[a-z)])[.;](?=\s|$)|\n")
PRECISION = {"asserted": 48 / 52, "denied": 7 / 8, "hedged": 14 / 14}
RECALL = {"asserted": 48 / 50, "denied": 7 / 7, "hedged": 14 / 14}


@pytest.fixture(scope="module")
def sentences(released_data: Path) -> list[tuple[str, dict[str, Any]]]:
    path = released_data / "ct_spatialvqa" / "validation_reports_output.json"
    reports = json.loads(path.read_text("utf-8"))
    found = []
    for line in _LABELS.read_text("utf-8").splitlines():
        row = json.loads(line)
        case, field, number = row["id"].split("::")
        text = _SENTENCE.split(reports[case][field])[int(number)].strip()
        assert hashlib.sha256(text.encode()).hexdigest()[:16] == row["sha256"]
        found.append((text, row))
    return found


def test_states_on_the_held_out_half(sentences):
    hits, said, there = Counter[str](), Counter[str](), Counter[str]()
    for text, row in sentences:
        if row["part"] == "held-out":
            states = read_claims(text).states
            labels = {finding: label["state"] for finding, label in row["labels"].items()}
            said.update(states.values())
            there.update(labels.values())
            hits.update(state for finding, state in states.items() if labels.get(finding) == state)
    assert sum(there.values()) == 71
    for state, precision in PRECISION.items():
        assert hits[state] / said[state] >= precision - 1e-9
        assert hits[state] / there[state] >= RECALL[state] - 1e-9


def test_sides_on_the_held_out_half(sentences):
    told = [
        read_claims(text).sides(finding) == set(label["sides"])
        for text, row in sentences
        for finding, label in row["labels"].items()
        if row["part"] == "held-out"
        and "sides" in label
        and read_claims(text).state(finding) in ("asserted", "hedged")
    ]
    assert len(told) >= 41
    assert sum(told) / len(told) >= 40 / 41
