"""Scores cases of files by several processes: what breaks one of them costs its case alone."""

from __future__ import annotations

import os
import pickle  # noqa: TID251  between two processes of ours; no byte of it comes from a release
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from itertools import count
from queue import SimpleQueue
from typing import IO, Final, cast

from overread.contracts import CaseScorer
from overread.errors import UsageError, expected
from overread.run.asking import Progress
from overread.run.case_worker import Case, Scored, failed_rows, score_case

__all__ = ["WORKERS", "score_cases"]

WORKERS: Final = 2
"""Processes, where nobody says how many."""

_ONE_THREAD: Final = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
_LAST_WORDS: Final = 400
"""Characters of what a process that died said last."""

_START: Final = """
import sys
sys.path[:] = {path!r}
from overread.run.case_worker import main
main()
"""


def score_cases(
    cases: Sequence[Case],
    scorers: Sequence[CaseScorer],
    *,
    workers: int,
    on_progress: Callable[[Progress], None],
    on_scored: Callable[[Case, Scored], None] | None = None,
) -> Iterator[Scored]:
    """Score cases, several at once, and give what came of each in their order.

    Each process has one case at a time, for as long as it takes. A process that dies of a case (it
    was killed, it ran out of memory, a library crashed) is replaced; the case has the rows that
    its scorers give for a broken one (`CaseScorer.failed`). Breaking off the iteration ends all
    processes.

    Parameters
    ----------
    cases
        What to score.
    scorers
        Those that `Case.takers` counts.
    workers
        Processes; 0 scores in this one, where a crash ends everything.
    on_progress
        Is told after every case.
    on_scored
        Is given what came of each case at once, in any order.

    Raises
    ------
    UsageError
        A process cannot be started, or cannot load the scorers.
    """
    pool = _Pool(cases, scorers, n_processes=min(workers, len(cases))) if workers else None
    waiting: dict[int, Scored] = {}
    n_given = n_broken = 0
    try:
        arrivals = pool.arrivals() if pool else _here(cases, scorers)
        for n_done, (number, scored) in enumerate(arrivals, start=1):
            waiting[number] = scored
            n_broken += scored.broken is not None
            if on_scored is not None:
                on_scored(cases[number], scored)
            on_progress(Progress(done=n_done, total=len(cases), failed=n_broken, stage="scored"))
            while n_given in waiting:
                yield waiting.pop(n_given)
                n_given += 1
    finally:
        if pool:
            pool.end()


def _here(cases: Sequence[Case], scorers: Sequence[CaseScorer]) -> Iterator[tuple[int, Scored]]:
    for number, case in enumerate(cases):
        yield number, score_case(case, scorers)


class _Pool:
    """Threads that each feed one process; what arrives is taken from one queue."""

    def __init__(
        self, cases: Sequence[Case], scorers: Sequence[CaseScorer], *, n_processes: int
    ) -> None:
        self._cases = cases
        self._scorers = scorers
        self._loaded = pickle.dumps(list(scorers))
        self._numbers = count()
        self._arrived: SimpleQueue[tuple[int, Scored] | BaseException] = SimpleQueue()
        self._lock = threading.Lock()
        self._processes: set[_Process] = set()
        self._is_over = False
        self._threads = [
            threading.Thread(target=self._feed, name=f"overread-cases-{n}", daemon=True)
            for n in range(n_processes)
        ]
        for thread in self._threads:
            thread.start()

    def arrivals(self) -> Iterator[tuple[int, Scored]]:
        """Give the number of each case with what came of it, as they are done."""
        for _ in self._cases:
            arrived = self._arrived.get()
            if isinstance(arrived, BaseException):
                raise arrived
            yield arrived

    def end(self) -> None:
        """End all processes, whatever they are doing."""
        with self._lock:
            self._is_over = True
            for process in self._processes:
                process.kill()
        for thread in self._threads:
            thread.join()
        for process in self._processes:  # of threads that broke off
            process.leave()

    def _feed(self) -> None:
        process: _Process | None = None
        try:
            while not self._is_over and (number := next(self._numbers)) < len(self._cases):
                case = self._cases[number]
                scored, process = self._score(case, process)
                self._arrived.put((number, scored))
        except BaseException as error:  # goes on in the thread that takes what arrives
            self._arrived.put(error)
        finally:
            if process is not None:
                self._leave(process)

    def _score(self, case: Case, process: _Process | None) -> tuple[Scored, _Process | None]:
        """Score a case in a process, a new one where there is none; give both."""
        if process is None or not process.takes(case):
            # Without a case it died of nothing that a case did: the next one gets this case.
            if process is not None:
                self._leave(process)
            process = self._start()
            if not process.takes(case):
                return self._lost(case, process), None
        scored = process.scored()
        if scored is None:
            return self._lost(case, process), None
        if scored.is_exhausted:
            self._leave(process)
            return scored, None
        return scored, process

    def _lost(self, case: Case, process: _Process) -> Scored:
        reason = f"its process {process.describe_end()}"
        self._leave(process)
        takers = [self._scorers[place] for place in case.takers]
        return Scored(rows=tuple(failed_rows(takers, case, reason)), broken=reason)

    def _start(self) -> _Process:
        with self._lock:
            if self._is_over:
                raise _Over
            process = _Process()
            self._processes.add(process)
        trouble = process.load(self._loaded)
        if trouble is not None:
            raise UsageError(
                expected(
                    "scoring",
                    rule="scorers that a process of its own can load",
                    got=trouble,
                    remedy="Define them in a module that can be imported, or score in this process "
                    "with --workers 0.",
                )
            )
        return process

    def _leave(self, process: _Process) -> None:
        process.leave()
        with self._lock:
            self._processes.discard(process)


class _Over(Exception):
    """The pool has ended: nobody waits for this thread any more."""


class _Process:
    """One running `case_worker`."""

    def __init__(self) -> None:
        self._words = tempfile.TemporaryFile()  # noqa: SIM115  closed by `leave`
        one_thread = {name: os.environ.get(name, "1") for name in _ONE_THREAD}
        self._process = subprocess.Popen(
            [sys.executable, "-c", _START.format(path=[str(each) for each in sys.path])],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._words,
            env={**os.environ, **one_thread},
        )
        self._in = cast("IO[bytes]", self._process.stdin)
        self._out = cast("IO[bytes]", self._process.stdout)

    def load(self, scorers: bytes) -> str | None:
        """Have it load the scorers; give what is wrong, None where nothing is."""
        with suppress(OSError):  # it has died: there is nothing to be read either
            self._in.write(scorers)
            self._in.flush()
        try:
            return cast("str | None", pickle.load(self._out))
        except (EOFError, pickle.UnpicklingError):
            how = self.describe_end()
            self.leave()
            return f"one that {how}"

    def takes(self, case: Case) -> bool:
        """Send it a case; say whether it is there to take it."""
        data = pickle.dumps(case)
        try:
            self._in.write(data)
            self._in.flush()
        except OSError:
            return False
        return True

    def scored(self) -> Scored | None:
        """Wait for what comes of the case; None where the process dies of it."""
        try:
            return cast("Scored", pickle.load(self._out))
        except (EOFError, pickle.UnpicklingError):  # nothing, or half of it
            return None

    def kill(self) -> None:
        """End it now."""
        self._process.kill()

    def leave(self) -> None:
        """Let it leave by the end of its input, and wait until it has."""
        with suppress(OSError):  # what was not sent has no reader any more
            self._in.close()
        self._process.wait()
        self._out.close()
        self._words.close()

    def describe_end(self) -> str:
        """Say how it ended: by which signal, or with which status and last words."""
        code = self._process.wait()
        self._words.seek(0)
        said = self._words.read().decode("utf-8", "replace").split("\n")
        words = next((line.strip() for line in reversed(said) if line.strip()), "")
        last = f", last words: {words[-_LAST_WORDS:]}" if words else ""
        if code >= 0:
            return f"ended with status {code}{last}"
        with suppress(ValueError):
            name = signal.Signals(-code).name
            memory = " (was there memory enough? --workers 1 needs less)" if code == -9 else ""
            return f"was ended by {name}{memory}{last}"
        return f"was ended by signal {-code}{last}"
