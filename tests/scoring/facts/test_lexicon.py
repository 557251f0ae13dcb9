"""The tables name each other rightly, and no row of words means two things."""

from __future__ import annotations

import tomllib
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from overread.scoring.facts import lexicon as module
from overread.scoring.facts.lexicon import lexicon
from overread.scoring.facts.reader import read_facts
from overread.scoring.facts.words import words_of

TABLES = Path(module.__file__).parent / "terms"
KNOWN = lexicon()


def table(name: str) -> dict[str, Any]:
    return tomllib.loads((TABLES / f"{name}.toml").read_text("utf-8"))


def spelt(row: str) -> str:
    return " ".join(word.text for word in words_of(row))


def test_places_lie_in_places() -> None:
    for name, place in KNOWN.places.items():
        assert place.level in ("region", "organ", "site"), name
        assert place.near <= KNOWN.places.keys(), name
        assert place.side in (None, "left", "right"), name
        assert place.region is None or KNOWN.places[place.region].level == "region", name
        levels = [KNOWN.places[each].level for each in KNOWN.place_chain(name)]
        assert levels == sorted(levels, key=("site", "organ", "region").index), name


def test_types_are_lesions() -> None:
    for name in KNOWN.types:
        assert KNOWN.type_chain(name)[-1] == "lesion", name
        assert KNOWN.may_be[name] <= KNOWN.types.keys(), name
    assert {KNOWN.places[organ].level for organ in KNOWN.usual_organ.values()} == {"organ"}


def test_attributes_name_their_own_values() -> None:
    for kind, row in table("attributes").items():
        values = row["words"].keys()
        narrower = row.get("narrower", {})
        assert narrower.keys() | set(narrower.values()) <= values, kind
    for one, others in KNOWN.excludes.items():
        for kind, value in (one, *others):
            assert value in table("attributes")[kind]["words"]


def test_no_row_of_words_means_two_places_or_two_types() -> None:
    for name in ("places", "types"):
        rows = [(owner, spelt(row)) for owner, each in table(name).items() for row in each["words"]]
        owners = {row: {owner for owner, other in rows if other == row} for _, row in rows}
        assert {row: found for row, found in owners.items() if len(found) > 1} == {}


def test_no_row_of_words_means_two_values_of_attributes() -> None:
    rows = Counter(
        spelt(row)
        for kind in table("attributes").values()
        for value in kind["words"].values()
        for row in dict.fromkeys(spelt(each) for each in value)
    )
    assert [row for row, n in rows.items() if n > 1] == []


@pytest.mark.parametrize("name", [n for n, p in KNOWN.places.items() if p.level != "region"])
def test_every_place_is_read_where_a_lesion_lies_in_it(name: str) -> None:
    for row in table("places")[name]["words"]:
        if row in ("head", "body", "tail"):
            continue  # of the pancreas, where it is spoken of
        (lesion,) = read_facts(f"5 mm nodule in the {row} as seen").lesions
        assert name in lesion.organs | lesion.sites, row


@pytest.mark.parametrize("name", list(KNOWN.types))
def test_every_type_is_read(name: str) -> None:
    for row in table("types")[name]["words"]:
        (lesion,) = read_facts(f"There is a {row} in the spleen").lesions
        assert lesion.types == {name}, row


def test_no_word_of_another_language_is_a_term_by_itself() -> None:
    for words in KNOWN.languages.values():
        for word in words - {"masse", "long", "ganglion", "lobe"}:
            found = KNOWN.longest(words_of(word), 0)
            assert found is None, word
