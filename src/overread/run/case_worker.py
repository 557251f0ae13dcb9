"""The process that scores cases one by one: records in on its input, rows out on its output.

Started by `case_scoring`, never by hand. A case that kills it kills this process alone.
"""

from __future__ import annotations

import os
import pickle  # noqa: TID251  between two processes of ours; no byte of it comes from a release
import signal
import sys
import threading
import time
import traceback
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import BinaryIO, Final, cast

from overread.contracts import CaseScorer
from overread.records import Item, Reference, Response, Score

__all__ = ["Case", "Scored", "failed_rows", "main", "score_case"]

_SECONDS_BETWEEN_LOOKS: Final = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One case on its way to a process, and which of the scorers take it."""

    item: Item
    reference: Reference
    response: Response
    takers: tuple[int, ...]
    """Places of scorers in the list that the process was started with."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scored:
    """What came of a case."""

    rows: tuple[Score, ...]
    broken: str | None = None
    """What broke a scorer; its rows are those that it gives for a broken case."""
    is_exhausted: bool = False
    """Whether memory ran out: the process is better ended."""


def score_case(case: Case, scorers: Sequence[CaseScorer]) -> Scored:
    """Score one case by all scorers that take it; one that breaks spoils its own rows alone."""
    rows: list[Score] = []
    broken: str | None = None
    is_exhausted = False
    for place in case.takers:
        scorer = scorers[place]
        try:
            rows += list(scorer.score(case.item, case.reference, case.response))  # all or none
        except MemoryError as error:
            broken, is_exhausted = f"memory ran out ({str(error) or 'MemoryError'})", True
            rows += failed_rows([scorer], case, broken)
        except Exception as error:
            broken = _worded(error)
            rows += failed_rows([scorer], case, broken)
    return Scored(rows=tuple(rows), broken=broken, is_exhausted=is_exhausted)


def failed_rows(scorers: Iterable[CaseScorer], case: Case, reason: str) -> list[Score]:
    """Give the rows of a case whose scoring broke."""
    said = f"its scoring broke: {reason}"
    return [row for each in scorers for row in each.failed(case.item, case.response, said)]


def main() -> None:
    """Load the scorers, say that they are there, then score case after case to the input's end."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's, who ends this process
    threading.Thread(target=_end_with, args=(os.getppid(),), daemon=True).start()
    source, sink = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a library prints must not stand among the rows
    try:
        scorers = cast("list[CaseScorer]", pickle.load(source))
    except Exception as error:
        _send(sink, _worded(error))
        return
    _send(sink, None)
    while True:
        try:
            case = cast("Case", pickle.load(source))
        except EOFError:
            return
        _send(sink, score_case(case, scorers))


def _end_with(parent: int) -> None:
    """End this process soon after the one that started it, also in the midst of a case."""
    while os.getppid() == parent:
        time.sleep(_SECONDS_BETWEEN_LOOKS)
    os._exit(1)


def _send(sink: BinaryIO, value: object) -> None:
    pickle.dump(value, sink)
    sink.flush()


def _worded(error: BaseException) -> str:
    """Word an error with the place where it was raised."""
    where = traceback.extract_tb(error.__traceback__)[-1:]
    place = f" ({where[0].filename.rpartition('/')[2]}, line {where[0].lineno})" if where else ""
    return f"{type(error).__name__}: {error}{place}"
