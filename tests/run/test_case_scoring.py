from __future__ import annotations

import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.run.small_masks import SmallBenchmark, SmallMasks

from overread.contracts import CaseScorer, Selection
from overread.errors import UsageError
from overread.records import Response, Score, Status
from overread.run.asking import Progress
from overread.run.case_scoring import score_cases
from overread.run.case_worker import Case, Scored
from overread.store.hashes import file_sha256


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("small") / "release"
    SmallBenchmark().synthesise(root, seed=1, size=6)
    return root


def cases_of(root: Path) -> list[Case]:
    """Give each case with its own reference as the answer."""
    release = SmallMasks(root)
    cases = []
    for item in release.items(Selection()):
        reference = release.reference(item.id)
        mask = root / (reference.path or "")
        response = Response(
            run="r",
            item=item.id,
            status=Status.OK,
            path=str(mask),
            text=f"sha256:{file_sha256(mask)}",
            request_hash=item.id,
        )
        cases.append(Case(item=item, reference=reference, response=response, takers=(0, 1)))
    return cases


def scorers_of(root: Path, **faults: str) -> list[CaseScorer]:
    release = SmallMasks(root, faults=faults)
    found: list[Any] = [*release.scorers("published"), *release.scorers("honest")]
    return found


def score(
    root: Path, *, workers: int = 2, told: list[Progress] | None = None, **faults: str
) -> list[Scored]:
    heard: list[Progress] = [] if told is None else told
    scored = score_cases(
        cases_of(root),
        scorers_of(root, **faults),
        workers=workers,
        on_progress=heard.append,
    )
    return list(scored)


def dice(scored: Scored) -> list[float | str | None]:
    rows = [row for row in scored.rows if row.metric == "dice"]
    return [row.value if row.status is Status.OK else row.status.value for row in rows]


def test_processes_give_the_rows_of_this_one_in_the_order_of_cases(root: Path) -> None:
    assert isinstance(scorers_of(root)[0], CaseScorer)
    told: list[Progress] = []
    apart, here = score(root, told=told), score(root, workers=0)
    assert apart == here
    assert [dice(one) for one in apart] == [[1.0, 1.0]] * 5 + [["undefined", "undefined"]]
    assert [row.profile for row in apart[0].rows] == ["published"] * 2 + ["honest"] * 2
    assert [(one.done, one.total, one.failed) for one in told] == [(n, 6, 0) for n in range(1, 7)]


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        ("kill", "its process was ended by SIGKILL (was there memory enough?"),
        ("crash", "its process was ended by SIGABRT"),
        ("leave", "its process ended with status 7"),
        ("memory", "memory ran out (MemoryError)"),
        ("raise", "ValueError: a fault of the scorer (small_masks.py, line"),
    ],
)
def test_a_case_that_breaks_its_process_is_one_failed_case(
    root: Path, fault: str, words: str
) -> None:
    told: list[Progress] = []
    scored = score(root, told=told, c01=fault)
    assert scored[1].broken is not None
    assert scored[1].broken.startswith(words)
    assert dice(scored[1]) == ["failed", "failed"]
    assert {row.reason for row in scored[1].rows} == {f"its scoring broke: {scored[1].broken}"}
    assert len(scored[1].rows) == 4
    assert [dice(one) for one in scored[2:5]] == [[1.0, 1.0]] * 3
    assert told[-1].failed == 1


@pytest.mark.slow
def test_every_case_may_kill_its_process(root: Path) -> None:
    scored = score(root, **{f"c{n:02}": "kill" for n in range(6)})
    assert [dice(one) for one in scored] == [["failed", "failed"]] * 6


def test_what_breaks_one_scorer_leaves_the_rows_of_the_others(root: Path) -> None:
    broken, whole = scorers_of(root, c00="raise")[0], scorers_of(root)[1]
    scored = list(
        score_cases(
            cases_of(root),
            [broken, whole],
            workers=1,
            on_progress=lambda _: None,
        )
    )
    assert dice(scored[0]) == ["failed", 1.0]


def test_what_a_library_prints_is_no_answer(root: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert [dice(one) for one in score(root, c00="print", c03="print")][:5] == [[1.0, 1.0]] * 5
    assert capfd.readouterr().out == ""


def test_a_case_is_put_only_to_the_scorers_that_take_it(root: Path) -> None:
    cases = [replace(case, takers=(1,)) for case in cases_of(root)]
    scored = list(
        score_cases(
            cases,
            scorers_of(root),
            workers=1,
            on_progress=lambda _: None,
        )
    )
    assert {row.profile for one in scored for row in one.rows} == {"honest"}


class _Slow:
    """A scorer that takes its time."""

    metric = "dice"
    profile = "honest"

    def score(self, item: Any, reference: Any, response: Any) -> list[Score]:
        time.sleep(60)
        return []

    def failed(self, item: Any, response: Any, reason: str) -> list[Score]:
        return []


class _Unloadable(_Slow):
    """A scorer that can be sent and cannot be loaded."""

    def __reduce__(self) -> Any:
        return (_refuse, ())


def _refuse() -> None:
    raise RuntimeError("not in this process")


def test_scorers_that_no_process_can_load_are_said_at_once(root: Path) -> None:
    cases = [replace(case, takers=(0,)) for case in cases_of(root)]
    scorers: list[Any] = [_Unloadable()]
    with pytest.raises(UsageError, match=r"RuntimeError: not in this process.*--workers 0"):
        list(score_cases(cases, scorers, workers=2, on_progress=lambda _: None))


def test_breaking_off_ends_the_processes_at_once(root: Path) -> None:
    cases = [replace(case, takers=(0 if n == 0 else 1,)) for n, case in enumerate(cases_of(root))]
    scorers: list[Any] = [scorers_of(root)[0], _Slow()]
    scored = score_cases(cases, scorers, workers=2, on_progress=lambda _: None)
    assert dice(next(scored)) == [1.0]
    begin = time.perf_counter()
    scored.close()
    assert time.perf_counter() - begin < 5


ORPHAN = """
import os, sys
from pathlib import Path
sys.path.insert(0, {here!r})
from tests.run.test_case_scoring import _Slow, cases_of
from overread.run.case_scoring import score_cases
cases = cases_of(Path({root!r}))[:1]
Slow = [_Slow(), _Slow()]
list(score_cases(cases, Slow, workers=1, on_progress=print))
"""


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="children are found in /proc")
def test_a_process_ends_soon_after_the_one_that_started_it(root: Path) -> None:
    code = ORPHAN.format(here=str(Path(__file__).parents[2]), root=str(root))
    parent = subprocess.Popen([sys.executable, "-c", code])

    deadline = time.monotonic() + 20
    while not (found := [*_grandchildren(parent.pid)]) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert found
    time.sleep(1)  # it has the case by now
    parent.kill()
    parent.wait()
    while any(Path(f"/proc/{pid}").exists() for pid in found) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not any(Path(f"/proc/{pid}").exists() for pid in found)


def _grandchildren(pid: int) -> list[str]:
    tasks = Path(f"/proc/{pid}/task").glob("*/children")
    return [child for task in tasks for child in task.read_text().split()]


def test_no_case_needs_no_process(root: Path) -> None:
    assert (
        list(
            score_cases(
                [],
                scorers_of(root),
                workers=2,
                on_progress=lambda _: None,
            )
        )
        == []
    )
