from __future__ import annotations

import math
import os
import resource
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from overread.errors import (
    StoreBusyError,
    StoreDamagedError,
    StoreError,
    StoreFullError,
)
from overread.records import (
    Estimate,
    Finding,
    Manifest,
    PlannedItem,
    PublishedValue,
    Response,
    Score,
    Severity,
    Status,
)
from overread.store.hashes import sha256_text
from overread.store.run_store import RunStore

Plan = Callable[[int], list[PlannedItem]]
Answer = Callable[..., Response]


# ---------------------------------------------------------------- making and opening


def test_a_new_run_holds_its_manifest(tmp_path: Path, manifest: Manifest) -> None:
    path = tmp_path / "runs" / "a run äö.db"
    with RunStore.create(path, manifest) as store:
        assert store.manifest == manifest
        assert store.path == path
        assert store.plan() == []
        assert store.answered() == store.failed() == set()
        assert list(store.responses()) == store.scores() == store.estimates() == []
    with RunStore.open(path) as store:
        assert store.manifest == manifest


@pytest.mark.parametrize("content", [b"", b"mine"])
def test_a_name_that_is_taken_is_left(tmp_path: Path, manifest: Manifest, content: bytes) -> None:
    path = tmp_path / "run.db"
    path.write_bytes(content)
    with pytest.raises(StoreError, match="free for a new run"):
        RunStore.create(path, manifest)
    assert path.read_bytes() == content
    assert list(tmp_path.iterdir()) == [path]


def test_a_file_in_the_place_of_the_folder_is_said(tmp_path: Path, manifest: Manifest) -> None:
    (tmp_path / "runs").touch()
    with pytest.raises(StoreError, match="a folder that can be written"):
        RunStore.create(tmp_path / "runs" / "run.db", manifest)


def test_a_store_opened_for_reading_takes_nothing(
    tmp_path: Path, manifest: Manifest, planned: Plan, answer: Answer
) -> None:
    RunStore.create(tmp_path / "run.db", manifest).close()
    with RunStore.open(tmp_path / "run.db") as store:
        for write in (
            lambda: store.add(answer(planned(1)[0])),
            lambda: store.set_plan([]),
            lambda: store.replace_scores([]),
            lambda: store.replace_estimates([]),
            lambda: store.replace_findings("release", []),
            lambda: store.remember_media_hashes([]),
        ):
            with pytest.raises(StoreError, match="opened for writing, got one opened for reading"):
                write()
        store.flush()


def test_a_closed_store_says_so(tmp_path: Path, manifest: Manifest) -> None:
    store = RunStore.create(tmp_path / "run.db", manifest)
    store.close()
    store.close()
    with pytest.raises(StoreError, match="closed database"):
        store.plan()


def test_readers_need_no_lock_and_see_what_is_committed(
    tmp_path: Path, manifest: Manifest, planned: Plan, answer: Answer
) -> None:
    plan = planned(3)
    with RunStore.create(tmp_path / "run.db", manifest) as store:
        store.set_plan(plan)
        with RunStore.open(tmp_path / "run.db") as reader:
            assert reader.answered() == set()
            store.add(answer(plan[0]))
            store.flush()
            assert reader.answered() == {plan[0].request_hash}
            with pytest.raises(StoreBusyError, match=f"process {os.getpid()}"):
                RunStore.open(tmp_path / "run.db", write=True)


# ---------------------------------------------------------------- plan


def test_the_plan_comes_back_in_its_order(
    tmp_path: Path, manifest: Manifest, planned: Plan
) -> None:
    plan = [replace(planned(250)[249], chance=None, groups={}, strata={}), *planned(249)]
    plan.append(replace(plan[0], draw=1, request_hash="not a sha256: ß"))
    with RunStore.create(tmp_path / "run.db", manifest) as store:
        store.set_plan(iter(plan))
        assert store.plan() == plan
        store.set_plan(plan[:2])
        assert store.plan() == plan[:2]


def test_a_plan_that_asks_twice_is_refused_whole(
    tmp_path: Path, manifest: Manifest, planned: Plan
) -> None:
    one, two, three = planned(3)
    with RunStore.create(tmp_path / "run.db", manifest) as store:
        store.set_plan([three])
        with pytest.raises(StoreError, match="every item and draw, and every request, once"):
            store.set_plan([one, two, replace(two, request_hash="other")])
        with pytest.raises(StoreError, match="once"):
            store.set_plan([one, replace(two, request_hash=one.request_hash)])
        with pytest.raises(StoreError, match=r"PlannedItem\.chance: expected a finite number"):
            store.set_plan([replace(one, chance=math.nan)])
        assert store.plan() == [three]
        store.set_plan([one])
        assert store.plan() == [one]


# ---------------------------------------------------------------- responses


def test_responses_come_back_whole_in_the_order_of_the_plan(
    tmp_path: Path, manifest: Manifest, planned: Plan, answer: Answer
) -> None:
    plan = planned(5)
    sent = [
        answer(plan[0]),
        answer(plan[1], text="", finish_reason=None, tokens_in=None, seconds=None, receipts=()),
        answer(plan[2], status=Status.REFUSED, text=None, reason="content filter", run="run-0"),
        answer(plan[3], status=Status.FAILED, text=None, path="masks/3.nii.gz", reason="ß\x00 500"),
        answer(plan[4], text="NUL \x00, line\r\n, lone \ud83d, 肝臓, ﬁ"),
    ]
    with RunStore.create(tmp_path / "run.db", manifest) as store:
        store.set_plan(plan)
        for response in reversed(sent):
            store.add(response)
        assert list(store.responses()) == sent
        assert [store.response(each.item) for each in plan] == sent
        assert store.answered() == {plan[at].request_hash for at in (0, 1, 2, 4)}
        assert store.failed() == {plan[3].request_hash}
    with RunStore.open(tmp_path / "run.db") as store:
        assert list(store.responses()) == sent


def test_a_reply_of_2_mb_comes_back(
    tmp_path: Path, manifest: Manifest, planned: Plan, answer: Answer
) -> None:
    text = "".join(map(chr, np.random.default_rng(0).integers(0x20, 0x2FFF, 1_000_000)))
    plan = planned(1)
    with RunStore.create(tmp_path / "run.db", manifest) as store:
        store.set_plan(plan)
        store.add(answer(plan[0], text=text))
    with RunStore.open(tmp_path / "run.db") as store:
        response = store.response(plan[0].item)
        assert response is not None
        assert response.text == text


@given(st.text(st.characters(), max_size=2000))
def test_any_text_comes_back(text: str) -> None:
    # Through the same two steps as a column: no file is made for each example.
    from overread.store.rows import bind_text, unbind_text

    assert unbind_text(bind_text(text)) == text


def test_an_answer_counts_only_for_its_own_request(
    tmp_path: Path, manifest: Manifest, planned: Plan, answer: Answer
) -> None:
    one, two = planned(2)
    with RunStore.create(tmp_path / "run.db", manifest) as store:
        store.set_plan([one, two])
        # The same item asked of another model; another item under the hash of this one.
        store.add(answer(one, request_hash=sha256_text("another model")))
        store.add(answer(two, request_hash=one.request_hash))
        assert list(store.responses()) == []
        assert store.response(one.item) is None
        assert len(store.attempts(one.item)) == 1
        store.set_plan([replace(one, request_hash=sha256_text("another model"))])
        assert [response.item for response in store.responses()] == [one.item]


def test_later_failures_never_hide_an_answer(
    tmp_path: Path, manifest: Manifest, planned: Plan, answer: Answer
) -> None:
    one = planned(1)[0]
    failure = answer(one, status=Status.FAILED, text=None, reason="timeout")
    first, second = answer(one, text="A"), answer(one, text="B")
    with RunStore.create(tmp_path / "run.db", manifest) as store:
        store.set_plan([one])
        seen: list[str | None] = []
        for attempt in (failure, replace(failure, reason="500"), first, failure, second, failure):
            store.add(attempt)
            counted = store.response(one.item)
            assert counted is not None
            seen.append(counted.text or counted.reason)
        assert seen == ["timeout", "500", "A", "A", "B", "B"]
        assert store.answered() == {one.request_hash}
        assert store.failed() == set()
        assert len(store.attempts(one.item)) == 6


def test_draws_are_told_apart(
    tmp_path: Path, manifest: Manifest, planned: Plan, answer: Answer
) -> None:
    one = planned(1)[0]
    two = replace(one, draw=1, request_hash=sha256_text("draw 1"))
    with RunStore.create(tmp_path / "run.db", manifest) as store:
        store.set_plan([one, two])
        store.add(answer(two, text="second"))
        assert store.response(one.item, 0) is None
        assert store.response(one.item, 1) == answer(two, text="second")
        assert store.response("unknown") is None


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"seconds": math.nan}, "Response.seconds: expected a finite number"),
        ({"tokens_in": 2**70}, "Response.tokens_in"),
        ({"status": "ok"}, "Response.status"),
        ({"text": b"bytes"}, "Response.text"),
    ],
)
def test_what_cannot_be_stored_is_refused_at_once(
    tmp_path: Path,
    manifest: Manifest,
    planned: Plan,
    answer: Answer,
    change: dict[str, object],
    message: str,
) -> None:
    one, two = planned(2)
    with RunStore.create(tmp_path / "run.db", manifest) as store:
        store.set_plan([one, two])
        with pytest.raises(StoreError, match=message):
            store.add(answer(one, **change))
        store.add(answer(two))
        assert store.answered() == {two.request_hash}


def test_receipts_are_kept_once(
    tmp_path: Path, manifest: Manifest, planned: Plan, answer: Answer
) -> None:
    plan = planned(50)
    receipts = answer(plan[0]).receipts
    stack = tuple(replace(receipts[0], layout=f"slice {at} of 9") for at in range(9))
    with RunStore.create(tmp_path / "run.db", manifest) as store:
        store.set_plan(plan)
        for each in plan:
            store.add(answer(each, receipts=receipts + stack))
        assert all(each.receipts == receipts + stack for each in store.responses())
    assert (tmp_path / "run.db").stat().st_size < 120_000


def test_a_thousand_questions_with_a_picture_each_take_under_2_mb_and_1_ms(
    tmp_path: Path, manifest: Manifest, planned: Plan, answer: Answer
) -> None:
    rng = np.random.default_rng(1)
    words = [sha256_text(str(number))[:8] for number in range(3000)]
    plan = planned(1000)
    sent = [answer(each, text=" ".join(rng.choice(words, 60))) for each in plan]
    scores = [
        score(item=each.item, profile=profile)
        for each in plan
        for profile in ("published", "honest")
    ]
    path = tmp_path / "run.db"
    with RunStore.create(path, manifest) as store:
        store.set_plan(plan)
        start = time.perf_counter()
        for response in sent:
            store.add(response)
        store.flush()
        assert time.perf_counter() - start < 1.0
        store.replace_scores(scores)  # type: ignore[arg-type]
    assert path.stat().st_size < 2_000_000


def test_iterating_holds_no_lock_on_the_file(
    tmp_path: Path, manifest: Manifest, planned: Plan, answer: Answer
) -> None:
    plan = planned(250)
    with RunStore.create(tmp_path / "run.db", manifest) as store:
        store.set_plan(plan)
        for each in plan:
            store.add(answer(each))
        for response in store.responses():  # writing while reading the same table
            store.add(replace(response, text="again"))
            store.flush() if response.item.endswith("0") else None
        assert all(response.text == "again" for response in store.responses())


def test_threads_may_share_a_store(
    tmp_path: Path, manifest: Manifest, planned: Plan, answer: Answer
) -> None:
    plan = planned(200)
    with RunStore.create(tmp_path / "run.db", manifest) as store:
        store.set_plan(plan)

        def work(part: list[PlannedItem]) -> None:
            for each in part:
                store.add(answer(each))
                store.answered()

        threads = [threading.Thread(target=work, args=(plan[at::4],)) for at in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(store.answered()) == 200


# ---------------------------------------------------------------- scores, estimates, findings


def score(**changes: object) -> Score:
    fields: dict[str, object] = {
        "run": "run-1",
        "item": "img2txt/box/0",
        "patient": "p0",
        "metric": "accuracy",
        "metric_version": "1",
        "profile": "honest",
        "unit": "share",
        "value": 1.0,
        "status": Status.OK,
        "reason": "last explicit answer",
        "answer": "B",
    }
    return Score(**(fields | changes))  # type: ignore[arg-type]


def test_scores_replace_each_other_whole(tmp_path: Path, manifest: Manifest) -> None:
    scores = [
        score(),
        score(value=None, status=Status.UNPARSED, answer=None, reason=None, patient=None),
        score(profile="published", target="肝", draw=3, run="other", value=-0.0),
        score(value=1e-300),
    ]
    with RunStore.create(tmp_path / "run.db", manifest) as store:
        store.replace_scores(scores)
        assert store.scores() == scores
        for value in (math.nan, math.inf):
            with pytest.raises(StoreError, match="Score of img2txt/box/0: expected a finite"):
                store.replace_scores([score(), score(value=value)])
        assert store.scores() == scores
        store.replace_scores(scores[:1])
        assert store.scores() == scores[:1]


def test_estimates_and_findings_come_back(tmp_path: Path, manifest: Manifest) -> None:
    published = PublishedValue(
        metric="accuracy", stratum={"task": "img2txt"}, who="GPT-4V", kind="model", value=0.284,
        count=540, n=1900, source="arXiv 2602.14879",
    )  # fmt: skip
    estimate = Estimate(
        metric="accuracy", profile="honest", stratum={"task": "img2txt"}, n=200, n_answered=190,
        n_clusters=150, value=0.5, low=0.43, high=0.57, method="wilson", chance=0.25,
        published=(published,),
    )  # fmt: skip
    undefined = replace(estimate, value=None, low=None, high=None, status=Status.UNDEFINED)
    release = Finding(severity=Severity.ERROR, code="missing-image", where="x", evidence="absent")
    canary = replace(release, severity=Severity.INFO, code="canary", count=3)
    with RunStore.create(tmp_path / "run.db", manifest) as store:
        store.replace_estimates([undefined, estimate])
        store.replace_findings("release", [release, release])
        store.replace_findings("canary", [canary])
        assert store.findings() == [release, release, canary]
        store.replace_findings("release", [release])
        assert store.findings("release") == [release]
        assert store.findings("canary") == [canary]
        assert store.findings("none") == []
        assert store.finding_kinds() == ["canary", "release"]
    with RunStore.open(tmp_path / "run.db") as store:
        assert store.estimates() == [undefined, estimate]


def test_media_hashes_hold_for_the_same_size_and_time(tmp_path: Path, manifest: Manifest) -> None:
    with RunStore.create(tmp_path / "run.db", manifest) as store:
        assert store.media_hash("a.png", 10, 5) is None
        store.remember_media_hashes([("a.png", 10, 5, "a" * 64), ("b\udcff.png", 1, 1, "odd")])
        assert store.media_hash("a.png", 10, 5) == "a" * 64
        assert store.media_hash("b\udcff.png", 1, 1) == "odd"
        assert store.media_hash("a.png", 11, 5) is None
        assert store.media_hash("a.png", 10, 6) is None
        store.remember_media_hashes([("a.png", 11, 5, "b" * 64)])
        assert store.media_hash("a.png", 11, 5) == "b" * 64
        assert store.media_hashes() == {("a.png", 11, 5): "b" * 64, ("b\udcff.png", 1, 1): "odd"}


# ---------------------------------------------------------------- killed, resumed, refused

WRITER = """
import sys
from pathlib import Path
from overread.records import Response, Status
from overread.store.run_store import RunStore
path, limit = Path(sys.argv[1]), int(sys.argv[2])
with RunStore.open(path, write=True) as store:
    done = store.answered()
    missing = [each for each in store.plan() if each.request_hash not in done][:limit]
    print("open", flush=True)
    for number, each in enumerate(missing):
        store.add(Response(run="run-1", item=each.item, status=Status.OK, text="answer " * 50,
                           request_hash=each.request_hash))
        if number % 5 == 4:
            store.flush()
            print(each.item, flush=True)
print("closed", flush=True)
"""


def start_writer(path: Path, limit: int) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", WRITER, str(path), str(limit)], stdout=subprocess.PIPE, text=True
    )


def test_kill_9_loses_no_committed_answer(
    tmp_path: Path, manifest: Manifest, planned: Plan
) -> None:
    path = tmp_path / "run.db"
    plan = planned(4_000)
    with RunStore.create(path, manifest) as store:
        store.set_plan(plan)
    rng = np.random.default_rng(9)
    safe: set[str] = set()
    for _ in range(6):
        with start_writer(path, 1_000_000) as writer:
            assert writer.stdout is not None
            assert writer.stdout.readline() == "open\n"
            committed = {writer.stdout.readline().strip() for _ in range(rng.integers(0, 60))}
            time.sleep(rng.uniform(0.0, 0.005))  # at any point of the next batch
            writer.kill()
            committed |= set(writer.stdout.read().split("\n")[:-1])  # the last may be cut short
        with RunStore.open(path) as store:
            kept = {response.item for response in store.responses()}
            assert all(response.text == "answer " * 50 for response in store.responses())
        assert committed <= kept
        assert safe <= kept
        safe = kept
    assert 100 < len(safe) < 4_000
    with RunStore.open(path, write=True) as store:
        assert len(store.answered()) == len(safe)
    assert [each.name for each in tmp_path.iterdir()] == ["run.db"]


def test_kill_9_while_closing_leaves_a_whole_run(
    tmp_path: Path, manifest: Manifest, planned: Plan
) -> None:
    path = tmp_path / "run.db"
    with RunStore.create(path, manifest) as store:
        store.set_plan(planned(1_300))
    rng = np.random.default_rng(10)
    for round_number in range(1, 7):
        with start_writer(path, 200) as writer:
            assert writer.stdout is not None
            for line in writer.stdout:
                if line.endswith(f"/{round_number * 200 - 1}\n"):  # the last flush before close
                    break
            time.sleep(rng.uniform(0.0, 0.004))
            writer.kill()
        with RunStore.open(path) as store:
            assert len(store.answered()) == round_number * 200


@pytest.mark.parametrize("share", [0.0, 0.5, 1.0])
def test_a_second_start_asks_only_what_is_missing(
    tmp_path: Path, manifest: Manifest, planned: Plan, answer: Answer, share: float
) -> None:
    path = tmp_path / "run.db"
    plan = planned(20)
    first, rest = plan[: int(20 * share)], plan[int(20 * share) :]
    with RunStore.create(path, manifest) as store:
        store.set_plan(plan)
        for each in first:
            store.add(answer(each, text="first"))
    with RunStore.open(path, write=True) as store:
        store.set_plan(plan)
        done = store.answered()
        missing = [each for each in plan if each.request_hash not in done]
        assert missing == rest
        for each in missing:
            store.add(answer(each, text="second"))
        texts = [response.text for response in store.responses()]
        assert texts == ["first"] * len(first) + ["second"] * len(rest)
        assert len(store.answered()) == 20


def test_a_second_process_is_refused_and_named(tmp_path: Path, manifest: Manifest) -> None:
    path = tmp_path / "run.db"
    with RunStore.create(path, manifest):
        second = subprocess.run(
            [sys.executable, "-c", WRITER, str(path), "1"], capture_output=True, text=True
        )
        assert f"being written by process {os.getpid()}" in second.stderr
        assert "StoreBusyError" in second.stderr
    with start_writer(path, 0) as writer:
        assert writer.wait() == 0


# ---------------------------------------------------------------- a full disk

FILL = """
import os, resource, sys
from pathlib import Path
from overread.errors import StoreFullError
from overread.records import Response, Status
from overread.store.run_store import RunStore
path, limit = Path(sys.argv[1]), int(sys.argv[2])
store = RunStore.open(path, write=True)
plan = store.plan()
if limit:
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, resource.RLIM_INFINITY))
committed = 0
try:
    for number, each in enumerate(plan):
        store.add(Response(run="run-1", item=each.item, status=Status.OK, seconds=1.0,
                           text=os.urandom(3000).hex(),
                           request_hash=each.request_hash))
        if number % 10 == 9:
            store.flush()
            committed = number + 1
except StoreFullError as error:
    print("full", committed, error)
    if limit:  # room again: the waiting answers are stored by the next flush
        resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    if len(sys.argv) > 3:
        Path(sys.argv[3]).unlink()
    waiting = number + 1
    store.close()
    print("stored", waiting)
"""


def fill(path: Path, limit: int, *ballast: Path) -> tuple[int, int]:
    """Fill the disk; give the answers committed before, and those added in all."""
    done = subprocess.run(
        [sys.executable, "-c", FILL, str(path), str(limit), *map(str, ballast)],
        capture_output=True,
        text=True,
    )
    assert done.stdout.startswith("full "), done.stdout + done.stderr
    assert "All answers stored before are safe" in done.stdout
    full, stored = done.stdout.strip().split("\n")
    return int(full.split()[1]), int(stored.split()[1])


def test_a_file_size_limit_loses_nothing(tmp_path: Path, manifest: Manifest, planned: Plan) -> None:
    path = tmp_path / "run.db"
    with RunStore.create(path, manifest) as store:
        store.set_plan(planned(2000))
    committed, added = fill(path, 1_500_000)
    assert 0 < committed <= added
    with RunStore.open(path) as store:
        assert len(list(store.responses())) == added


def test_a_full_disk_loses_nothing(tmp_path: Path, manifest: Manifest, planned: Plan) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=3m", "tmpfs", str(disk)]
    try:
        mounted = subprocess.run(mount, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        pytest.skip("there is no mount here")
    if mounted.returncode:
        pytest.skip(f"a small disk cannot be mounted here: {mounted.stderr.strip()}")
    try:
        path = disk / "run.db"
        with RunStore.create(path, manifest) as store:
            store.set_plan(planned(2000))
        ballast = disk / "ballast"
        ballast.write_bytes(bytes(1_200_000))
        committed, added = fill(path, 0, ballast)
        assert 0 < committed <= added
        with RunStore.open(path) as store:
            assert len(list(store.responses())) == added
    finally:
        subprocess.run(["umount", "-l", str(disk)], check=True)


def test_a_store_left_full_can_be_read_and_goes_on(
    tmp_path: Path, manifest: Manifest, planned: Plan, answer: Answer
) -> None:
    path = tmp_path / "run.db"
    plan = planned(2000)
    with RunStore.create(path, manifest) as store:
        store.set_plan(plan)
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    store = RunStore.open(path, write=True)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1_000_000, before[1]))
    committed = 0
    try:
        for number, each in enumerate(plan, 1):
            store.add(answer(each, text=os.urandom(3000).hex()))
            store.flush()
            committed = number
    except StoreFullError as error:
        store.__exit__(type(error), error, None)  # hides the first error behind no second one
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    with RunStore.open(path) as store:
        assert len(store.answered()) == committed > 0
    with RunStore.open(path, write=True) as store:
        store.add(answer(plan[-1]))
    with RunStore.open(path) as store:
        assert len(store.answered()) == committed + 1


def test_a_new_run_on_a_full_disk_leaves_nothing(tmp_path: Path, manifest: Manifest) -> None:
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (8192, before[1]))
    try:
        with pytest.raises(StoreFullError, match="make room"):
            RunStore.create(tmp_path / "run.db", manifest)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert list(tmp_path.iterdir()) == []


def test_damage_met_while_running_is_said(
    tmp_path: Path, manifest: Manifest, planned: Plan
) -> None:
    path = tmp_path / "run.db"
    with RunStore.create(path, manifest) as store:
        store.set_plan(planned(2000))
    with RunStore.open(path) as store:
        data = bytearray(path.read_bytes())
        data[4096:] = b"\xff" * (len(data) - 4096)
        path.write_bytes(data)
        with pytest.raises(StoreDamagedError):
            store.plan()


def test_the_manifest_of_the_same_run_can_be_renewed(tmp_path, manifest):
    from dataclasses import replace

    path = tmp_path / "run.sqlite"
    longer = replace(manifest, selection={**manifest.selection, "limit": 99})
    with RunStore.create(path, manifest) as store:
        store.update_manifest(longer)
        with pytest.raises(StoreError, match="another"):
            store.update_manifest(replace(manifest, run="another"))
    with RunStore.open(path) as store:
        assert store.manifest == longer
