from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from overread.builders.retrieved_exam.draft import (
    DRAFT_FILE,
    Draft,
    check_same_set,
    fingerprint_of,
    read_draft,
    write_draft,
)
from overread.builders.retrieved_exam.draw import Option, Unit
from overread.errors import ReleaseError
from overread.records import Box


@pytest.fixture
def draft() -> Draft:
    box = Box(x_min=1, y_min=2, x_max=3, y_max=4)
    options = (
        Option(lesion_idx=1, why_wrong=None, likeness=None, box=box),
        *(Option(lesion_idx=i, why_wrong="side", likeness=0.5) for i in (2, 3, 4)),
    )
    unit = Unit(number=1, split="test", task="img2txt", letter="A", options=options)
    return Draft(
        fingerprint="f",
        seed=3,
        embedding="e",
        units=(unit,),
    )


def test_what_is_written_is_read(tmp_path: Path, draft: Draft) -> None:
    write_draft(tmp_path, draft)
    assert read_draft(tmp_path) == draft


def test_the_draft_of_another_set_is_refused(tmp_path: Path, draft: Draft, make_lesion) -> None:
    one, other = make_lesion(1, "A cyst."), make_lesion(1, "A mass.")
    own = replace(draft, fingerprint=fingerprint_of([one]))
    check_same_set(own, [make_lesion(1, "A cyst.")], tmp_path)
    with pytest.raises(ReleaseError, match="one of another lesion set"):
        check_same_set(own, [other], tmp_path)


@pytest.mark.parametrize(
    "damage",
    [
        lambda held: held.clear(),
        lambda held: held.update(format=2),
        lambda held: held["units"][0].update(task="img2nothing"),
        lambda held: held["units"][0].update(letter="E"),
        lambda held: held["units"][0]["options"].pop(),
        lambda held: held["units"][0]["options"][0].update(lesion_idx="x"),
        lambda held: held.update(units=7),
    ],
)
def test_a_damaged_draft_is_refused(tmp_path: Path, draft: Draft, damage) -> None:
    write_draft(tmp_path, draft)
    held = json.loads((tmp_path / DRAFT_FILE).read_text("utf-8"))
    damage(held)
    (tmp_path / DRAFT_FILE).write_text(json.dumps(held), encoding="utf-8")
    with pytest.raises(ReleaseError, match="OUT: expected the folder in which"):
        read_draft(tmp_path)
    with pytest.raises(ReleaseError, match="none that can be read"):
        read_draft(tmp_path / "absent")
