import os
import shutil
import signal
import struct
import subprocess
import sys
import time
import zlib
from dataclasses import replace
from pathlib import Path

import pytest

from overread.contracts import Query
from overread.errors import (
    FatalModelError,
    PartialRunError,
    ReleaseError,
    StoreBusyError,
    StoreFullError,
    UnsafePathError,
    UsageError,
)
from overread.records import Response, Status
from overread.run.pipeline import execute
from overread.run.scoring import score_if_stopped
from overread.store.run_store import RunStore

# Models of these tests: plain functions reached through the python adapter.
ASKED: list[str] = []


def letter_a(query: Query) -> str:
    ASKED.append(query.item.id)
    return "A"


def says_what_it_saw(query: Query) -> str:
    pictures = [picture for shown in query.pictures.values() for picture in shown]
    assert pictures
    assert all(picture.data.startswith(b"\x89PNG") for picture in pictures)
    return "B"


@pytest.fixture(autouse=True)
def _forget() -> None:
    ASKED.clear()


@pytest.fixture(autouse=True)
def _this_module_can_be_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "pipeline_models", sys.modules[__name__])


def estimates(path, metric="accuracy", profile="honest"):
    with RunStore.open(path) as store:
        return next(
            each
            for each in store.estimates()
            if each.metric == metric and each.profile == profile and not each.stratum
        )


def test_a_run_leaves_plan_responses_scores_and_estimates(request_for):
    outcome = execute(request_for("constant:A"))
    assert (outcome.n_planned, outcome.n_asked, outcome.n_failed) == (26, 26, 0)
    with RunStore.open(outcome.out) as store:
        assert len(store.plan()) == 26
        assert {r.text for r in store.responses()} == {'{"selected_option": "A"}'}
        assert {(s.profile, s.metric) for s in store.scores()} >= {
            ("honest", "accuracy"),
            ("published", "accuracy"),
        }
        right = sum(score.value or 0 for score in store.scores() if score.profile == "honest")
    total = estimates(outcome.out)
    assert total.n == total.n_answered == 26
    assert total.value == pytest.approx(right / 26)
    assert total.chance == pytest.approx(0.25)


@pytest.mark.parametrize("share", [0.0, 0.5, 1.0])
def test_a_second_start_asks_only_what_is_missing(request_for, share):
    request = request_for("python:pipeline_models:letter_a", options={"concurrency": 1})
    request = replace(request, canary=False)
    n_first = int(26 * share)

    def stop_half_way(progress):
        if progress.done == n_first:
            raise KeyboardInterrupt

    if share == 0.5:
        with pytest.raises(PartialRunError, match="13 of 26 answers"):
            execute(request, on_progress=stop_half_way)
    elif share == 1.0:
        execute(request)
    first = set(ASKED[:n_first])
    ASKED.clear()
    outcome = execute(request)
    assert len(ASKED) == outcome.n_asked == 26 - n_first
    assert first.isdisjoint(ASKED)
    assert estimates(request.out).n_answered == 26


def test_answers_are_never_credited_to_another_model(request_for):
    execute(request_for("constant:A"))
    with pytest.raises(UsageError, match=r"--out: expected a new file.*constant"):
        execute(request_for("constant:B"))
    assert estimates(request_for("constant:A").out).n_answered == 26


def test_a_run_can_be_extended(request_for):
    execute(request_for("constant:A", limit=13))
    outcome = execute(request_for("constant:A", limit=26))
    assert (outcome.n_planned, outcome.n_asked) == (26, 13)
    with RunStore.open(outcome.out) as store:
        assert store.manifest.selection["limit"] == 26


def test_a_stopped_extension_keeps_no_numbers_of_the_smaller_plan(request_for):
    model = "python:pipeline_models:letter_a"
    execute(request_for(model, limit=13, options={"concurrency": 1}, canary=False))
    larger = request_for(model, limit=26, options={"concurrency": 1}, canary=False)

    def stop_at_six(progress):
        if progress.done == 6:
            raise KeyboardInterrupt

    with pytest.raises(PartialRunError, match="19 of 26 answers"):
        execute(larger, on_progress=stop_at_six)
    with RunStore.open(larger.out) as store:
        assert not store.estimates()
        assert not store.scores()
    score_if_stopped(larger.out, release=None)
    total = estimates(larger.out)
    assert (total.n, total.n_answered) == (26, 19)


def test_draws_are_asked_apart(request_for):
    outcome = execute(
        request_for("python:pipeline_models:letter_a", draws=3, limit=4, canary=False)
    )
    assert outcome.n_planned == len(ASKED) == 12
    assert estimates(outcome.out).n == 12


def test_a_seeing_model_gets_pictures_and_receipts_say_so(request_for):
    outcome = execute(request_for("python:pipeline_models:says_what_it_saw"))
    assert outcome.n_failed == 0
    with RunStore.open(outcome.out) as store:
        responses = list(store.responses())
    assert all(response.receipts for response in responses)
    assert {len(response.receipts) for response in responses} == {1, 4, 9}


def test_a_missing_picture_fails_its_questions_and_stays_in_the_denominator(
    request_for, release_root, tmp_path
):
    root = tmp_path / "broken"
    shutil.copytree(release_root, root)
    with_picture = next((root / "llm" / "test").glob("**/*.png"))
    with_picture.unlink()
    outcome = execute(
        request_for("python:pipeline_models:says_what_it_saw", release=root, limit=None)
    )
    assert outcome.n_failed >= 1
    assert "missing-image" in {finding.code for finding in outcome.findings}
    with RunStore.open(outcome.out) as store:
        failed = [r for r in store.responses() if r.status is Status.FAILED]
    assert len(failed) == outcome.n_failed
    # Named as the release names it, not by where it lies on this machine.
    start = f"could not be shown: {with_picture.relative_to(root).as_posix()}: expected a picture"
    assert all(response.reason.startswith(start) for response in failed)
    assert not any(str(tmp_path) in response.reason for response in failed)
    assert estimates(outcome.out).n == outcome.n_planned
    published = estimates(outcome.out, profile="published")
    assert published.n == outcome.n_planned - outcome.n_failed  # the script drops them


def test_pictures_that_are_links_out_of_the_release_are_said_to_be_links(
    request_for, release_root, tmp_path
):
    root = tmp_path / "checkout"
    shutil.copytree(release_root, root)
    for path in root.rglob("*.png"):
        cached = tmp_path / "cache" / path.name
        cached.parent.mkdir(exist_ok=True)
        path.rename(cached)
        path.symlink_to(cached)
    model = "python:pipeline_models:says_what_it_saw"
    with pytest.raises(UnsafePathError, match=r"link that leads out.*cp -rL FOLDER COPY"):
        execute(request_for(model, release=root))
    shutil.rmtree(tmp_path / "cache")
    shutil.copytree(root, tmp_path / "copy", ignore=shutil.ignore_patterns("*.png"))
    with pytest.raises(ReleaseError, match="holds none of"):
        execute(request_for(model, release=tmp_path / "copy", out=tmp_path / "other.sqlite"))


def test_a_picture_that_is_whole_and_cannot_be_decoded_fails_its_questions_only(
    request_for, release_root, tmp_path
):
    root = tmp_path / "garbled"
    shutil.copytree(release_root, root)
    taught = sorted((root / "lesion_bbox").glob("*.png"))[:12]  # of 40, 24 are for training
    for path in (next((root / "llm" / "test").glob("*.png")), *taught):
        path.write_bytes(garbled(path.read_bytes()))
    outcome = execute(request_for("radiomics", release=root, limit=None))
    assert 0 < outcome.n_failed < outcome.n_planned
    with RunStore.open(outcome.out) as store:
        reasons = [r.reason for r in store.responses() if r.status is Status.FAILED]
    assert all("can be decoded" in reason for reason in reasons)


def garbled(png: bytes) -> bytes:
    """Spoil the pixels of a PNG and put its checksums right again."""
    header, pixels = png[:33], b"IDAT" + b"no pixels"
    chunk = struct.pack(">I", 9) + pixels + struct.pack(">I", zlib.crc32(pixels))
    return header + chunk + png[-12:]


def test_what_makes_the_script_raise_leaves_only_the_published_denominator(request_for):
    request = request_for("fake:null=0.3,filter400=0.2,empty=0.2,seed=3", canary=False)
    outcome = execute(request)
    with RunStore.open(outcome.out) as store:
        replies = list(store.responses())
    without_text = [reply for reply in replies if reply.text is None]
    assert {reply.status for reply in without_text} == {Status.OK, Status.REFUSED}
    assert any(reply.text == "" for reply in replies)  # read by the script, as nothing
    assert estimates(outcome.out).n == 26
    assert estimates(outcome.out, profile="published").n == 26 - len(without_text)


def test_chat_goes_through_the_fake_server_and_the_canary_tells(request_for):
    outcome = execute(request_for("fake"))
    assert outcome.n_failed == 0
    canary = [finding for finding in outcome.findings if finding.code == "canary"]
    assert len(canary) == 1


def test_what_a_server_does_otherwise_than_asked_is_found_and_stays(request_for):
    request = request_for("fake:no-seed=yes,lists=another", limit=4)
    outcome = execute(request)
    assert {"seed-not-taken", "model-not-listed"} <= {each.code for each in outcome.findings}
    # A second start asks nothing, and must not forget; a third asks more, and must not say twice.
    for limit in (4, 6):
        again = execute(replace(request, selection=replace(request.selection, limit=limit)))
        codes = [each.code for each in again.findings]
        assert (codes.count("seed-not-taken"), codes.count("model-not-listed")) == (1, 1)


def test_what_a_server_does_otherwise_is_found_in_a_stopped_run_too(request_for):
    request = request_for("fake:no-seed=yes", limit=6, options={"concurrency": 1})

    def stop(progress):
        raise KeyboardInterrupt

    with pytest.raises(PartialRunError):
        execute(request, on_progress=stop)
    with RunStore.open(request.out) as store:
        assert [each.code for each in store.findings("model")] == ["seed-not-taken"]


def test_the_blind_floor_stands_before_a_model_is_asked(request_for):
    request = request_for("fake:401=1")
    with pytest.raises(FatalModelError):
        execute(request)
    with RunStore.open(request.out) as store:
        (finding,) = store.findings("floor")
    assert "without a picture" in finding.evidence


def test_rows_that_fit_nothing_are_found(request_for, release_root, tmp_path):
    file = tmp_path / "answers.jsonl"
    file.write_text('{"item": "test/img2txt/box/no-such", "answer": "A"}\n')
    outcome = execute(request_for(f"predictions:{file}"))
    assert outcome.n_failed == outcome.n_planned
    with RunStore.open(outcome.out) as store:
        assert store.findings("model")
        assert {r.reason for r in store.responses()} == {"not in the file"}


def test_a_wrong_key_stops_at_once_and_says_so(request_for):
    with pytest.raises(FatalModelError, match=r"key.*Nothing was answered"):
        execute(request_for("fake:401=1"))


def test_a_disk_that_is_full_for_a_moment_stops_the_run_by_its_own_name(request_for, monkeypatch):
    taken: list[str] = []

    def add(store: RunStore, response: Response, *, keep=RunStore.add) -> None:
        if len(taken) >= 4:
            raise StoreFullError("the disk takes no more")
        taken.append(response.item)
        keep(store, response)

    monkeypatch.setattr(RunStore, "add", add)
    request = request_for("fake", canary=False)
    with pytest.raises(StoreFullError, match="takes no more"):  # not a group of exceptions
        execute(request)
    with RunStore.open(request.out) as store:
        assert len(store.answered()) == 4


def test_a_selection_of_nothing_is_refused(request_for):
    with pytest.raises(UsageError, match="--task: expected"):
        execute(request_for("chance", selection={"tasks": ("img2nothing",)}))


@pytest.mark.parametrize("name", ["tasks", "conditions"])
def test_a_misspelt_second_name_is_refused_and_not_dropped(request_for, name):
    right = "img2txt" if name == "tasks" else "box"
    with pytest.raises(UsageError, match="'nope'"):
        execute(request_for("chance", selection={name: (right, "nope")}))


def test_a_smaller_limit_says_what_it_leaves_out(request_for):
    execute(request_for("constant:A", limit=26))
    outcome = execute(request_for("constant:A", limit=13))
    assert (outcome.n_planned, outcome.n_asked, outcome.n_beyond) == (13, 0, 13)
    assert execute(request_for("constant:A", limit=26)).n_asked == 0


def test_features_are_for_scorers(request_for):
    with pytest.raises(UsageError, match="image-text scorers"):
        execute(request_for("fake", stack="features"))


def test_a_release_without_any_picture_is_refused_before_answers_are_lost(
    request_for, release_root, tmp_path
):
    root = tmp_path / "bare"
    shutil.copytree(release_root, root)
    request = request_for("python:pipeline_models:says_what_it_saw", release=root)
    execute(request)
    shutil.rmtree(root / "llm")
    with pytest.raises(ReleaseError, match="pictures of its questions"):
        execute(request)
    assert estimates(request.out).n_answered == 26


def test_a_pipe_in_the_place_of_a_picture_hangs_nobody(request_for, release_root, tmp_path):
    root = tmp_path / "piped"
    shutil.copytree(release_root, root)
    picture = next((root / "llm" / "test").glob("**/*.png"))
    picture.unlink()
    os.mkfifo(picture)
    outcome = execute(
        request_for("python:pipeline_models:says_what_it_saw", release=root, limit=None)
    )
    assert outcome.n_failed >= 1


def test_an_unknown_stack_is_refused(request_for):
    with pytest.raises(UsageError, match="--stack"):
        execute(request_for("chance", stack="pile"))


def test_a_folder_that_is_no_release_is_refused_before_anything_is_made(request_for, tmp_path):
    with pytest.raises(ReleaseError):
        execute(request_for("chance", release=tmp_path))
    assert not (tmp_path / "run.sqlite").exists()


def test_a_second_process_on_the_same_run_is_refused(request_for):
    request = request_for("chance")
    execute(request)
    with RunStore.open(request.out, write=True), pytest.raises(StoreBusyError):
        execute(request)


SLOW_RUN = """
import sys, time
from pathlib import Path
from overread.contracts import Selection
from overread.run.pipeline import execute
from overread.run.request import RunRequest

def slow(query):
    time.sleep(0.02)
    return "A"

sys.modules["slow_model"] = sys.modules["__main__"]
execute(RunRequest(benchmark="ct-bench", release=Path(sys.argv[1]), model="python:slow_model:slow",
                   out=Path(sys.argv[2]), selection=Selection(limit=200), canary=False))
"""


@pytest.mark.slow
def test_kill_9_loses_no_committed_answer(request_for, release_root, tmp_path):
    out, script = tmp_path / "killed.sqlite", tmp_path / "slow_run.py"
    script.write_text(SLOW_RUN)
    command = [sys.executable, str(script), str(release_root), str(out)]
    process = subprocess.Popen(command)
    committed = _wait_for_answers(out, process, at_least=3)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    with RunStore.open(out) as store:
        kept = store.answered()
    assert committed <= kept
    assert 3 <= len(kept) < 200
    subprocess.run(command, check=True)
    with RunStore.open(out) as store:
        assert len(store.answered()) == len(store.plan())
        first = [r for r in store.responses() if r.request_hash in kept]
        assert len(first) == len(kept)
        assert all(len(store.attempts(r.item, r.draw)) == 1 for r in first)


def _wait_for_answers(out: Path, process: subprocess.Popen[bytes], *, at_least: int) -> set[str]:
    for _ in range(300):
        assert process.poll() is None, "the run ended before it could be killed"
        if out.exists():
            try:
                with RunStore.open(out) as store:
                    if len(answered := store.answered()) >= at_least:
                        return answered
            except Exception:  # the file is just being made
                pass
        time.sleep(0.02)
    raise AssertionError("no answer was committed within six seconds")
