"""The benchmark people copy: its own layout, its odd releases, and a whole run over it."""

from __future__ import annotations

import csv
import io
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from overread.analysis.blind_floor import blind_floors
from overread.benchmarks._template import BENCHMARK
from overread.benchmarks._template.loader import COLUMNS, QUESTION_FILE
from overread.benchmarks._template.protocol import read_first_character
from overread.benchmarks._template.synthetic import synthesise
from overread.contracts import Query, Release, Selection
from overread.errors import ReleaseError
from overread.records import Choice, Estimate, Option, Status
from overread.run.pipeline import execute
from overread.run.request import RunRequest
from overread.store.run_store import RunStore

ROW = {
    "id": "1",
    "patient": "P1",
    "split": "test",
    "task": "where",
    "picture": "pictures/0000.png",
    "question": "Where is it?",
    "A": "upper left",
    "B": "upper right",
    "C": "lower left",
    "D": "lower right",
    "answer": "C",
}
Write = Callable[..., Release]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Write a release of the rows given, with one picture, and open it."""
    synthesise(tmp_path, seed=1, size=1)

    def make(*rows: dict[str, str], encoding: str = "utf-8") -> Release:
        with (tmp_path / QUESTION_FILE).open("w", encoding=encoding, newline="") as file:
            table = csv.DictWriter(file, COLUMNS)
            table.writeheader()
            table.writerows(ROW | row for row in rows)
        return BENCHMARK.open(tmp_path)

    return make


def findings(release: Release) -> dict[str, str]:
    return {finding.code: finding.where for finding in release.findings()}


def test_a_question_becomes_an_item(write: Write) -> None:
    (item,) = write({}).items(Selection())
    assert item.id == "test/where/1"
    assert item.media[0].paths == ("pictures/0000.png",)
    assert isinstance(item.answer_space, Choice)
    assert [option.text for option in item.answer_space.options][2] == "lower left"
    assert item.prompt[1].text == (
        "Where is it?\nA) upper left\nB) upper right\nC) lower left\nD) lower right\n"
        "Answer with one letter."
    )
    assert item.groups == {"patient": "P1"}


def test_a_whole_release_has_no_findings(write: Write) -> None:
    release = write({}, {"id": "2"}, {"task": "shape"})
    assert findings(release) == {}
    assert release.reference("test/where/1").answer == "C"


@pytest.mark.parametrize("answer", ["", "E", "c", "lower left"])
def test_an_answer_that_is_no_letter_stays_in_the_exam(write: Write, answer: str) -> None:
    release = write({"answer": answer})
    assert findings(release) == {"unusable-answer": "test/where/1"}
    assert release.reference("test/where/1").problem is not None
    assert len(list(release.items(Selection()))) == 1


def test_a_repeated_id_drops_no_question(write: Write) -> None:
    release = write({"answer": "A"}, {"answer": "B"})
    assert [item.id for item in release.items(Selection())] == ["test/where/1", "test/where/1#1"]
    assert release.reference("test/where/1#1").answer == "B"
    assert findings(release) == {"repeated-id": "test/where/1#1"}


@pytest.mark.parametrize(
    ("picture", "code"),
    [
        ("pictures/9.png", "missing-image"),
        ("pictures", "missing-image"),
        ("../secret.png", "unsafe-path"),
        ("/etc/passwd", "unsafe-path"),
        ("", "unsafe-path"),
    ],
)
def test_a_picture_that_cannot_be_shown_is_a_finding(write: Write, picture: str, code: str) -> None:
    release = write({"picture": picture})
    assert findings(release) == {code: "test/where/1"}
    assert len(list(release.items(Selection()))) == 1


def test_a_mark_at_the_file_start_and_line_ends_in_cells_are_read(write: Write) -> None:
    release = write({"question": 'Where,\n"exactly"?'}, encoding="utf-8-sig")
    (item,) = release.items(Selection())
    assert item.question == 'Where,\n"exactly"?'


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"id,question\n1,Where?\n",
        ",".join(COLUMNS).encode(),
        "é".encode("utf-16"),
        b"\xff\xfe\0",
    ],
)
def test_a_file_that_is_no_question_file_is_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / QUESTION_FILE).write_bytes(content)
    with pytest.raises(ReleaseError, match=r"a folder with questions\.csv of the columns id, "):
        BENCHMARK.open(tmp_path)


@pytest.mark.parametrize(
    ("reply", "answer"),
    [("B", "B"), (" b) it is", "B"), ("A shape", "A"), ("The answer is B", None), ("", None)],
)
def test_its_script_reads_the_first_character(reply: str, answer: str | None) -> None:
    options = tuple(Option(letter=letter, text="x") for letter in "ABCD")
    assert read_first_character(reply, options).answer == answer
    assert read_first_character(None, options).answer is None


# ---------------------------------------------------------------- the synthetic release


def test_no_blind_policy_beats_luck(tmp_path: Path) -> None:
    synthesise(tmp_path, seed=2, size=300)
    release = BENCHMARK.open(tmp_path)
    items = list(release.items(Selection()))
    references = {item.id: release.reference(item.id) for item in items}
    floors = blind_floors(items, references, release.plan().strata)
    assert len(items) == 400  # two questions each, a third of the patients in validation
    assert [floor for floor in floors if floor.is_leak] == []


def where(picture: bytes) -> str:
    """Say in which quarter the bright shape is."""
    pixels = np.asarray(Image.open(io.BytesIO(picture)), dtype=float)
    rows, columns = np.nonzero(pixels > 120)
    vertical = "upper" if rows.mean() < 32 else "lower"
    return f"{vertical} {'left' if columns.mean() < 32 else 'right'}"


def looks(query: Query) -> str:
    """Answer from the picture, in a sentence that the benchmark's script cannot read."""
    (picture,) = query.pictures[query.item.media[0]]
    return f"The shape is in the {where(picture.data)} quarter."


def test_a_reader_of_the_picture_is_right_and_only_the_honest_profile_sees_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "template_models", sys.modules[__name__])
    synthesise(tmp_path / "release", seed=4, size=36)
    release = BENCHMARK.open(tmp_path / "release")
    out = tmp_path / "run.sqlite"
    execute(
        RunRequest(
            benchmark="template",
            release=release.root,
            model="python:template_models:looks",
            out=out,
            selection=Selection(tasks=("where",)),
            canary=False,
        ),
        release=release,
    )
    assert accuracy(out, "honest").value == 1.0
    published = accuracy(out, "published")
    assert (published.value, published.n_answered, published.n) == (0.0, 0, 24)
    with RunStore.open(out) as store:
        statuses = {(score.profile, score.status) for score in store.scores()}
    assert statuses == {("honest", Status.OK), ("published", Status.UNPARSED)}


def accuracy(out: Path, profile: str) -> Estimate:
    with RunStore.open(out) as store:
        return next(
            each
            for each in store.estimates()
            if each.metric == "accuracy" and each.profile == profile and not each.stratum
        )


def test_a_picture_that_cannot_be_decoded_is_found_when_it_is_looked_at_closely(
    tmp_path: Path,
) -> None:
    BENCHMARK.synthesise(tmp_path / "release", seed=1, size=8)
    release = BENCHMARK.open(tmp_path / "release")
    picture = next((tmp_path / "release").rglob("*.png"))
    picture.write_bytes(picture.read_bytes()[:60])
    assert "unreadable-image" not in {finding.code for finding in release.findings()}
    assert "unreadable-image" in {finding.code for finding in release.findings(thorough=True)}
