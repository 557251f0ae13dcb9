"""Asks the judges of a jury side by side, and stores each reply with its votes as it comes."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from overread.contracts import Joiner, Judging, Model, Query, Reply, VoteReading, Watched
from overread.errors import FatalModelError, ModelError, OverreadError, first_error
from overread.records import Item, Profile, Status, Text, Vote
from overread.run.asking import Progress
from overread.run.ballots import Sheet, asks_again
from overread.store.run_store import RunStore
from overread.store.votes import Juror

__all__ = ["Job", "JudgeAsker", "Seat"]

_CUT: Final = VoteReading(
    verdict=None,
    status=Status.UNPARSED,
    reason="the judge's reply was cut off by the limit of tokens",
)
"""What came before the cut may be a verdict that a quoted text ended early: the judge's own would
have followed. The released scripts read such replies, and so does the `published` profile."""


@dataclass(kw_only=True)
class Job:
    """One request that a judge has not answered yet, for all sheets that ask the very same."""

    request_hash: str
    sheets: list[Sheet]


@dataclass(kw_only=True)
class Seat:
    """One judge of the jury at work."""

    model: Model
    juror: Juror
    jobs: list[Job]
    trouble: FatalModelError | None = None


class JudgeAsker:
    """Asks all judges side by side; a judge that fails for good does not stop the others."""

    def __init__(
        self,
        store: RunStore,
        judging: Judging,
        profile: Profile,
        on_progress: Callable[[Progress], None],
    ) -> None:
        self._store = store
        self._judging = judging
        self._profile: Profile = profile
        self._on_progress = on_progress
        self._total = 0
        self.done = 0
        self.failed = 0

    async def all(self, bench: Sequence[Seat]) -> None:
        """Ask every judge what it has not replied to.

        Raises
        ------
        FatalModelError
            A judge failed its preflight, and nobody was asked; or a judge stopped answering, and
            the others have been asked to the end.
        """
        self._total = sum(len(seat.jobs) for seat in bench)
        busy = [seat for seat in bench if seat.jobs]
        try:
            for seat in busy:
                await seat.model.preflight()
            jurors = [seat.juror for seat in bench]
            if busy or self._store.jury(self._profile) != jurors:
                # A run that is stopped now must not be left with the numbers of an earlier jury.
                self._store.replace_scores(())
                self._store.replace_estimates(())
                self._store.set_jury(self._profile, jurors)
            async with asyncio.TaskGroup() as group:
                for seat in busy:
                    group.create_task(self._judge(seat, group))
        except* OverreadError as errors:
            raise first_error(errors) from None
        finally:
            for seat in bench:
                await seat.model.close()
            self._store.flush()
        for seat in bench:
            if seat.trouble is not None:
                raise seat.trouble

    async def _judge(self, seat: Seat, group: asyncio.TaskGroup) -> None:
        if isinstance(seat.model, Joiner):
            seat.model.announce(self._item(sheet) for job in seat.jobs for sheet in job.sheets[:1])
        for _ in range(max(1, min(seat.model.max_concurrency, len(seat.jobs)))):
            group.create_task(self._work(seat))

    async def _work(self, seat: Seat) -> None:
        while seat.jobs and seat.trouble is None:
            job = seat.jobs.pop(0)
            try:
                reply = await seat.model.ask(Query(item=self._item(job.sheets[0])))
            except FatalModelError as error:
                seat.trouble = seat.trouble or error
                seat.jobs.clear()
                return
            except ModelError as error:
                reply = Reply(status=Status.FAILED, reason=str(error))
            readings = self._read(reply, job.sheets[0])
            self._keep(job, seat.juror, readings, reply.text)
            # Paid votes are on the disk before the next question: workers share their commits.
            await asyncio.to_thread(self._store.flush)
            self._ask_again(job, seat, readings)
            self.done += 1
            self.failed += reply.status is Status.FAILED
            note = seat.model.note if isinstance(seat.model, Watched) else ""
            self._on_progress(
                Progress(done=self.done, total=self._total, failed=self.failed, note=note)
            )

    def _item(self, sheet: Sheet) -> Item:
        first = sheet.graded[0].item
        more = f" and {len(sheet.graded) - 1} more" if len(sheet.graded) > 1 else ""
        return Item(
            id=first + more,
            benchmark="judging",
            task="judging",
            condition=self._judging.form.name,
            question="\n\n".join(part.text or "" for part in sheet.prompt if part.role == "user"),
            prompt=sheet.prompt,
            answer_space=Text(),
        )

    def _read(self, reply: Reply, sheet: Sheet) -> tuple[VoteReading, ...]:
        if reply.status is not Status.OK:
            reason = reply.reason or "no reply"
            none = VoteReading(verdict=None, status=reply.status, reason=reason)
            return (none,) * len(sheet.graded)
        if self._profile == "honest" and reply.finish_reason == "length":
            return (_CUT,) * len(sheet.graded)
        return self._judging.form.read(reply.text, sheet.graded)

    def _keep(
        self, job: Job, juror: Juror, readings: Sequence[VoteReading], text: str | None
    ) -> None:
        self._store.add_votes(
            [
                Vote(
                    run=self._store.manifest.run,
                    item=graded.item,
                    draw=graded.draw,
                    profile=self._profile,
                    judge=juror.judge,
                    judge_hash=juror.judge_hash,
                    request_hash=job.request_hash,
                    position=place,
                    verdict=reading.verdict,
                    status=reading.status,
                    reason=reading.reason,
                    rationale=reading.rationale,
                    text=text,
                )
                for sheet in job.sheets
                for place, (graded, reading) in enumerate(zip(sheet.graded, readings, strict=True))
            ]
        )

    def _ask_again(self, job: Job, seat: Seat, readings: Sequence[VoteReading]) -> None:
        """Queue, one by one, what could not be read in a batch that got a reply."""
        sheet = job.sheets[0]
        if not asks_again(sheet, self._profile):
            return
        for place, reading in enumerate(readings):
            if reading.verdict is None and reading.status is not Status.FAILED:
                alone = sheet.alone(place, self._judging.form)
                request_hash = alone.hash_for(seat.juror.judge_hash)
                seat.jobs.append(Job(request_hash=request_hash, sheets=[alone]))
                self._total += 1
