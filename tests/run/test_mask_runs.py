"""Runs whose answers are masks: joined, asked of programs, lost, changed, broken off, scored."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.run.small_masks import SHAPE, SmallBenchmark, SmallMasks, read, write

from overread.contracts import ModelOptions, Selection
from overread.errors import ReleaseError, UsageError
from overread.records import Finding, Response, Score, Status
from overread.run.check import check_release
from overread.run.pipeline import execute
from overread.run.request import RunOutcome, RunRequest
from overread.run.scoring import score_run
from overread.store.hashes import file_sha256
from overread.store.run_store import RunStore

Ask = Callable[..., RunOutcome]
CASES = [f"c{n:02}" for n in range(6)]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("small") / "release"
    SmallBenchmark().synthesise(root, seed=1, size=6)
    return root


@pytest.fixture
def root(made: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(made, tmp_path / "release"))


@pytest.fixture
def ask(root: Path, tmp_path: Path) -> Ask:
    def go(model: str, *, faults: dict[str, str] | None = None, **changes: Any) -> RunOutcome:
        given: dict[str, Any] = {
            "benchmark": "small-masks",
            "release": root,
            "model": model,
            "out": tmp_path / "run.sqlite",
            "options": ModelOptions(timeout_s=20),
            "workers": 0,
        }
        return execute(RunRequest(**(given | changes)), release=SmallMasks(root, faults=faults))

    return go


def responses(out: Path) -> dict[str, Response]:
    with RunStore.open(out) as store:
        return {each.item.partition("/")[2]: each for each in store.responses()}


def dice(out: Path) -> dict[str, Score]:
    with RunStore.open(out) as store:
        rows = [row for row in store.scores() if (row.metric, row.profile) == ("dice", "honest")]
    return {row.item.partition("/")[2]: row for row in rows}


def finding(outcome: RunOutcome, code: str) -> Finding:
    (found,) = [each for each in outcome.findings if each.code == code]
    return found


def n_of(out: Path) -> tuple[int, int]:
    """Give the denominator of the honest headline, and how many of it were answered."""
    with RunStore.open(out) as store:
        (found,) = [
            each
            for each in store.estimates()
            if (each.metric, each.profile, dict(each.stratum)) == ("dice", "honest", {})
        ]
    return found.n, found.n_answered


# ---------------------------------------------------------------- from a folder


@pytest.fixture
def folder(root: Path, tmp_path: Path) -> Path:
    """Give predictions equal to the references, named after their cases."""
    folder = tmp_path / "predictions"
    folder.mkdir()
    for case in CASES:
        shutil.copy(root / f"masks/{case}.nii.gz", folder / f"{case}_seg.nii.gz")
    return folder


def test_masks_of_a_folder_are_joined_hashed_and_scored(ask: Ask, folder: Path) -> None:
    outcome = ask(f"masks:{folder}")
    assert (outcome.n_planned, outcome.n_asked, outcome.n_failed) == (6, 6, 0)
    found = responses(outcome.out)
    for case in CASES:
        file = folder / f"{case}_seg.nii.gz"
        assert found[case].path == str(file)
        assert found[case].text == f"sha256:{file_sha256(file)}"
    scored = dice(outcome.out)
    assert [scored[case].value for case in CASES] == [1.0] * 5 + [None]
    assert scored["c05"].status is Status.UNDEFINED
    assert not folder.with_name("run.sqlite.masks").exists()
    assert "joined as {case}_seg: 6 of 6" in finding(outcome, "mask-naming").evidence


def test_missing_doubled_misnamed_and_left_over_files_are_said_and_count(
    ask: Ask, folder: Path
) -> None:
    (folder / "c00_seg.nii.gz").unlink()
    shutil.copy(folder / "c01_seg.nii.gz", folder / "c01_seg.nii")
    (folder / "c02_seg.nii.gz").rename(folder / "C02_seg.nii.gz")
    shutil.copy(folder / "c03_seg.nii.gz", folder / "c99_seg.nii.gz")
    outcome = ask(f"masks:{folder}")
    assert outcome.n_failed == 3
    reasons = {case: each.reason for case, each in responses(outcome.out).items()}
    endings = "(or .nii, .mha, .png)"
    assert reasons["c00"] == f"no mask: expected c00_seg.nii.gz {endings}"
    assert reasons["c01"] == (
        "2 masks, and nothing says which counts: c01_seg.nii and c01_seg.nii.gz"
    )
    assert reasons["c02"] == (
        f"no mask: expected c02_seg.nii.gz {endings}; C02_seg.nii.gz is there, with other capital "
        "letters"
    )
    assert reasons["c03"] is None
    assert finding(outcome, "missing-mask").count == 2
    assert finding(outcome, "doubled-mask").count == 1
    assert finding(outcome, "unknown-mask").evidence == "C02_seg.nii.gz; c99_seg.nii.gz"
    assert n_of(outcome.out) == (5, 2)  # c05 has no value by definition
    scored = dice(outcome.out)
    assert (scored["c00"].status, scored["c00"].value) == (Status.FAILED, None)
    assert scored["c00"].reason == reasons["c00"]


def test_a_pattern_says_where_masks_lie(ask: Ask, folder: Path, root: Path) -> None:
    for number, case in enumerate(CASES):
        (folder / f"p{number // 2}").mkdir(exist_ok=True)
        (folder / f"{case}_seg.nii.gz").rename(folder / f"p{number // 2}/{case}.nii.gz")
    outcome = ask(f"masks:{folder}/{{patient}}/{{case}}.nii.gz")
    assert outcome.n_failed == 0
    assert not [each for each in outcome.findings if each.code == "mask-naming"]
    with pytest.raises(UsageError, match=r"keys of case, .*got \{centre\}"):
        ask(f"masks:{folder}/{{centre}}/{{case}}.nii.gz", out=root / "other.sqlite")
    assert not (root / "other.sqlite").exists()


def test_another_folder_is_another_run(ask: Ask, folder: Path) -> None:
    ask(f"masks:{folder}")
    write(folder / "c00_seg.nii.gz", np.ones(SHAPE, dtype=np.uint8))
    with pytest.raises(UsageError, match="They differ in model revision"):
        ask(f"masks:{folder}")


def test_masks_for_a_part_of_the_cases(ask: Ask, folder: Path) -> None:
    outcome = ask(f"masks:{folder}", selection=Selection(limit=2))
    assert (outcome.n_planned, outcome.n_failed) == (2, 0)
    assert finding(outcome, "unknown-mask").count == 4


# ---------------------------------------------------------------- a model that writes none


@pytest.mark.parametrize("model", ["chance", "constant:A", "predictions:answers.json"])
def test_a_model_that_writes_no_mask_is_refused_before_anything(
    ask: Ask, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, model: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("answers.json").write_text('{"segment/c00": "A"}', "utf-8")
    with pytest.raises(UsageError, match=r"writes masks, for 6 of 6 .*masks:FOLDER, command:"):
        ask(model)
    assert not (tmp_path / "run.sqlite").exists()


def test_masks_of_changed_volumes_are_not_asked_for(ask: Ask) -> None:
    with pytest.raises(UsageError, match="blur: expected questions whose answer is no mask"):
        ask("threshold:0", selection=Selection(perturbation="blur"))


# ---------------------------------------------------------------- the built-in two


def test_the_empty_mask_lies_on_the_grid_of_its_volume(ask: Ask, root: Path) -> None:
    outcome = ask("empty-mask")
    scored = dice(outcome.out)
    assert [scored[case].value for case in CASES] == [0.0] * 5 + [None]
    import nibabel

    mask: Any = nibabel.load(str(responses(outcome.out)["c00"].path))  # type: ignore[attr-defined]
    image: Any = nibabel.load(root / "images/c00.nii.gz")  # type: ignore[attr-defined]
    assert mask.shape == image.shape
    assert np.array_equal(mask.affine, image.affine)
    again = ask("empty-mask", out=root / "again.sqlite")
    assert [each.text for each in responses(again.out).values()] == [
        each.text for each in responses(outcome.out).values()
    ]
    # Equal masks are no sign of a broken wire.
    assert not [each for each in outcome.findings if each.code == "same-reply"]


@pytest.mark.parametrize(("model", "value"), [("threshold:0", 1.0), ("threshold:500", 0.0)])
def test_a_threshold_marks_what_is_bright(ask: Ask, model: str, value: float) -> None:
    assert [dice(ask(model).out)[case].value for case in CASES[:5]] == [value] * 5


def test_a_threshold_of_otsu_needs_no_number(ask: Ask) -> None:
    assert dice(ask("threshold").out)["c00"].value == 1.0


def test_a_volume_of_another_place_is_refused_before_anything_is_asked(ask: Ask) -> None:
    with pytest.raises(UsageError, match="one of the 1 volumes of a case"):
        ask("threshold:4:2")


def test_another_volume_is_another_request(ask: Ask, root: Path) -> None:
    first = responses(ask("threshold:0").out)
    write(root / "images/c01.nii.gz", np.full(SHAPE, -100, dtype=np.int16))
    again = ask("threshold:0")
    assert again.n_asked == 1
    found = responses(again.out)
    changed = [case for case in CASES if found[case].request_hash != first[case].request_hash]
    assert changed == ["c01"]
    assert dice(again.out)["c01"].value == 0.0


def test_a_volume_that_is_absent_is_not_asked_about(ask: Ask, root: Path) -> None:
    (root / "images/c01.nii.gz").unlink()
    outcome = ask("empty-mask")
    assert outcome.n_failed == 1
    assert responses(outcome.out)["c01"].reason == (
        "could not be shown: images/c01.nii.gz: expected a file or folder of the release, got "
        "nothing of this name. Complete the release, or name the folder of its volumes: --media."
    )
    assert n_of(outcome.out) == (5, 4)


def test_a_release_without_volumes_can_still_be_answered_from_a_folder(
    ask: Ask, folder: Path, root: Path
) -> None:
    shutil.rmtree(root / "images")
    assert ask(f"masks:{folder}").n_failed == 0
    with pytest.raises(ReleaseError, match="holds none of 6"):
        ask("empty-mask", out=root / "other.sqlite")


# ---------------------------------------------------------------- programs

PROGRAM = """
import json, os, shutil, sys
from pathlib import Path

masks = Path(sys.argv[1])
for line in sys.stdin:
    question = json.loads(line)
    case, reply = question["id"].partition("/")[2], {"id": question["id"]}
    place = Path(question["write_to"])
    path = Path(str(place) + ".nii.gz")
    def act():
        shutil.copy(masks / f"{case}.nii.gz", path)
        reply["path"] = str(path)
    BODY
    print(json.dumps(reply), flush=True)
"""


@pytest.fixture
def program(root: Path, tmp_path: Path) -> Callable[[str], str]:
    """Give ``--model`` for a program that answers rightly but for what `body` says."""

    def write_it(body: str) -> str:
        file = tmp_path / "model.py"
        text = PROGRAM.replace("    BODY", textwrap.indent(textwrap.dedent(body), "    "))
        file.write_text(text, "utf-8")
        return f"command:{sys.executable} -S {file} {root / 'masks'}"

    return write_it


def test_a_program_writes_where_it_is_told(ask: Ask, program: Callable[[str], str]) -> None:
    outcome = ask(
        program("""
        (volume,) = question["volumes"]
        assert volume["kind"] == "nifti" and volume["path"].endswith("/volume-0.nii.gz")
        assert question["prompt"][1]["volumes"] == [volume] and question["pictures"] == []
        assert question["labels"] == {"1": "cube"}
        assert list(place.parent.iterdir()) == []
        before = Path(volume["path"]).read_bytes()
        Path(volume["path"]).write_bytes(b"changed")
        act()
        """)
    )
    assert outcome.n_failed == 0
    assert [dice(outcome.out)[case].value for case in CASES] == [1.0] * 5 + [None]
    for case, response in responses(outcome.out).items():
        path = Path(str(response.path))
        assert path.is_absolute()
        assert path.parent.parent == outcome.out.with_name("run.sqlite.masks")
        assert case in path.parent.name
    # The release was not what the program wrote over.
    assert ask("threshold:0", out=outcome.out.with_name("b.sqlite")).n_failed == 0


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ('reply["path"] = str(place) + ".nii"', ".nii', where no file is"),
        (
            'shutil.copy(masks / f"{case}.nii.gz", "/tmp/overread-test.nii.gz"); '
            'reply["path"] = "/tmp/overread-test.nii.gz"',
            "'/tmp/overread-test.nii.gz', outside that folder",
        ),
        ('act(); reply["path"] = str(place.parent / "../../run.sqlite")', "outside that folder"),
        ('path.symlink_to(masks / f"{case}.nii.gz"); reply["path"] = str(path)', "outside that"),
        ('place.mkdir(); reply["path"] = str(place)', "mask', a folder"),
        ('reply["path"] = "a\\0b"', "null byte"),
        ('reply["path"] = ""', "outside that folder"),
        ('reply["text"] = "the liver"', "got text alone"),
        (
            'path = Path(str(place) + ".mhd"); path.touch(); reply["path"] = str(path)',
            "mask.mhd, whose voxels lie in another file",
        ),
        ("act(); reply.pop('path')", "a reply without text, path, error or refused"),
        ("act(); reply['path'] = 7", "a reply without text, path, error or refused"),
        ("reply['error'] = 'out of memory'", "out of memory"),
        ("sys.exit(3)", "exit status 3"),
    ],
)
def test_what_is_no_mask_of_this_question_fails_with_a_clear_reason(
    ask: Ask, program: Callable[[str], str], body: str, words: str
) -> None:
    outcome = ask(program(f'if case == "c02":\n    {body}\nelse:\n    act()\n'))
    assert outcome.n_failed == 1
    failed = responses(outcome.out)["c02"]
    assert (failed.status, failed.path, failed.text) == (Status.FAILED, None, None)
    assert words in str(failed.reason)
    assert n_of(outcome.out) == (5, 4)
    assert len(list(outcome.out.with_name("run.sqlite.masks").iterdir())) == 5


def test_a_path_outside_is_refused_with_the_remedy(ask: Ask, program: Callable[[str], str]) -> None:
    outcome = ask(program('reply["path"] = sys.argv[0]'))
    assert str(responses(outcome.out)["c00"].reason).endswith(
        "outside that folder. A model writes its mask to 'write_to' with an ending such as .nii.gz "
        "added, and replies with that path."
    )


def test_a_program_that_dies_of_each_of_few_cases_fails_in_each(
    ask: Ask, program: Callable[[str], str]
) -> None:
    # Ten deaths in a row end a run over volumes: the first cases may just be too large.
    outcome = ask(program("sys.exit(3)"))
    assert outcome.n_failed == len(CASES)


def test_a_python_function_writes_masks_too(
    ask: Ask, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, root: Path
) -> None:
    (tmp_path / "my_segmenter.py").write_text(
        textwrap.dedent(f"""
        import shutil
        from overread.contracts import Reply

        def segment(query):
            ((volume,),) = query.files.values()
            case = volume.name
            path = query.write_to.with_suffix(".nii.gz")
            shutil.copy({str(root / "masks")!r} + "/" + case, path)
            return Reply(path=str(path))
        """),
        "utf-8",
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    outcome = ask("python:my_segmenter:segment")
    assert [dice(outcome.out)[case].value for case in CASES[:5]] == [1.0] * 5


# ---------------------------------------------------------------- files that go or change


def test_a_mask_that_goes_or_changes_is_never_scored_as_the_answer(ask: Ask, root: Path) -> None:
    outcome = ask("threshold:0")
    found = responses(outcome.out)
    Path(str(found["c00"].path)).unlink()
    write(Path(str(found["c01"].path)), read(root / "masks/c02.nii.gz").astype(np.uint8))
    with RunStore.open(outcome.out, write=True) as store:
        assert score_run(store, SmallMasks(root), workers=0) == 2
        (lost,) = [each for each in store.findings("run") if each.code == "lost-answers"]
    assert (lost.count, lost.where) == (2, "2 of 6 questions")
    assert "segment/c00: its file is no longer there: segment_c00-" in lost.evidence
    scored = dice(outcome.out)
    assert [scored[case].status for case in CASES[:3]] == [Status.FAILED, Status.FAILED, Status.OK]
    assert str(scored["c00"].reason).startswith("its file is no longer there: segment_c00-")
    assert str(scored["c01"].reason).startswith("its file has changed since it was the answer: ")
    assert n_of(outcome.out) == (5, 3)
    # The same command asks both again, and nothing else.
    again = ask("threshold:0")
    assert (again.n_asked, again.n_failed) == (2, 0)
    assert [dice(outcome.out)[case].value for case in CASES[:5]] == [1.0] * 5


def test_a_run_that_moves_with_its_masks_can_be_scored(
    ask: Ask, root: Path, tmp_path: Path
) -> None:
    outcome = ask("threshold:0")
    (tmp_path / "elsewhere").mkdir()
    for name in ("run.sqlite", "run.sqlite.masks"):
        shutil.move(tmp_path / name, tmp_path / "elsewhere" / name)
    moved = tmp_path / "elsewhere/run.sqlite"
    with RunStore.open(moved, write=True) as store:
        score_run(store, SmallMasks(root), workers=0)
    assert [dice(moved)[case].value for case in CASES[:5]] == [1.0] * 5
    assert outcome.n_failed == 0


# ---------------------------------------------------------------- broken cases


def test_a_case_that_kills_its_process_costs_itself_alone(ask: Ask) -> None:
    outcome = ask("threshold:0", faults={"c01": "kill", "c03": "raise"}, workers=2)
    assert (outcome.n_failed, outcome.n_unscored) == (0, 2)
    broke = finding(outcome, "scoring-broke")
    assert (broke.severity, broke.count, broke.where) == ("error", 2, "2 of 6 questions")
    assert "segment/c01: its process was ended by SIGKILL" in broke.evidence
    assert n_of(outcome.out) == (5, 3)
    with RunStore.open(outcome.out) as store:
        assert len(store.scores()) == 6 * 2 * 2
    # Scored again without the fault, nothing is left of it.
    whole = ask("threshold:0")
    assert n_of(whole.out) == (5, 5)
    assert not [each for each in whole.findings if each.code == "scoring-broke"]


def test_a_release_of_masks_can_be_checked(root: Path) -> None:
    check = check_release(SmallMasks(root))
    assert check.ok
    assert (check.splits[0].total.n, check.splits[0].floors) == (6, ())


# ---------------------------------------------------------------- broken off

RUN = """
import sys
from pathlib import Path
from tests.run.small_masks import SmallMasks
from overread.contracts import ModelOptions
from overread.run.pipeline import execute
from overread.run.request import RunRequest

root, model, out, fault = sys.argv[1:]
execute(
    RunRequest(benchmark="small-masks", release=Path(root), model=model, out=Path(out)),
    release=SmallMasks(Path(root), faults={"c02": fault}),
)
"""


@pytest.fixture
def start(root: Path, tmp_path: Path) -> Iterator[Callable[..., subprocess.Popen[bytes]]]:
    started: list[subprocess.Popen[bytes]] = []

    def go(model: str, *, fault: str = "none") -> subprocess.Popen[bytes]:
        command = [sys.executable, "-c", RUN, str(root), model, str(tmp_path / "run.sqlite"), fault]
        here = Path(__file__).parents[2]
        process = subprocess.Popen(
            command, cwd=here, env={**os.environ, "PYTHONPATH": str(here)}, stderr=subprocess.PIPE
        )
        started.append(process)
        return process

    yield go
    for process in started:
        process.kill()
        process.communicate()


def wait_until(condition: Callable[[], bool], *, seconds: float = 20) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)


@pytest.mark.slow
def test_a_run_that_is_killed_goes_on_where_it_was(
    start: Callable[..., subprocess.Popen[bytes]],
    ask: Ask,
    program: Callable[[str], str],
    tmp_path: Path,
) -> None:
    hang = tmp_path / "hang"
    hang.touch()
    model = program(f"""
        if case == "c03" and os.path.exists({str(hang)!r}):
            path.write_bytes(b"half a mask")
            import time; time.sleep(20)
        act()
        """)
    process = start(model)
    masks = tmp_path / "run.sqlite.masks"
    wait_until(lambda: any(masks.glob("segment_c03-*/mask.nii.gz")))
    time.sleep(0.5)  # answers are committed within a quarter of a second
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    hang.unlink()
    outcome = ask(model)
    assert (outcome.n_planned, outcome.n_asked, outcome.n_failed) == (6, 3, 0)
    assert [dice(outcome.out)[case].value for case in CASES] == [1.0] * 5 + [None]


@pytest.mark.slow
def test_a_run_that_is_stopped_while_it_scores_keeps_its_answers(
    start: Callable[..., subprocess.Popen[bytes]], ask: Ask, tmp_path: Path
) -> None:
    out = tmp_path / "run.sqlite"
    process = start("threshold:0", fault="sleep")
    wait_until(lambda: out.exists() and (tmp_path / "run.sqlite.masks").is_dir())
    wait_until(lambda: len(list((tmp_path / "run.sqlite.masks").glob("*/*.gz"))) == 6)
    time.sleep(3)  # it scores now, and one case would take for ever
    begin = time.monotonic()
    os.kill(process.pid, signal.SIGINT)
    _, said = process.communicate(timeout=10)
    assert time.monotonic() - begin < 8
    assert b"PartialRunError" in said
    with RunStore.open(out) as store:
        assert len(store.answered()) == 6
        assert store.scores() == []
    journal = tmp_path / "run.sqlite.scoring"
    assert len(journal.read_text("utf-8").splitlines()) == 5  # all but the one that never ends
    again = ask("threshold:0")
    assert again.n_asked == 0
    assert n_of(again.out) == (5, 5)
    assert not journal.exists()
