"""Generate, validate, decide: asks two models what is not known yet, several requests at once."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from overread.builders.report_qa.forms import NO_LABEL, Form
from overread.builders.report_qa.labels import Labels
from overread.builders.report_qa.pairs import Pair, PairsRead
from overread.builders.report_qa.reports import Report
from overread.builders.report_qa.steps import Kind, Step, StepLog, make_step
from overread.contracts import Model, Query, Reply, Watched
from overread.errors import FatalModelError, ModelError, OverreadError, first_error
from overread.records import ModelIdentity, Status

__all__ = ["Asker", "BuildProgress", "Generated", "Validated", "generate", "validate"]

_BENCHMARK: Final = "report-qa"


@dataclass(frozen=True, slots=True, kw_only=True)
class BuildProgress:
    """How far a phase of a build is."""

    done: int
    total: int
    failed: int
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Generated:
    """What came of one report."""

    read: PairsRead
    step: str | None
    """Hash of the request whose reply was read; None for pairs from a file."""
    status: Status = Status.OK
    reason: str | None = None
    """Why there is no reply."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Validated:
    """What was said of the pairs of one report."""

    labels: tuple[Labels | None, ...]
    steps: tuple[str, ...]
    """Hash of the request behind each pair's batch, by pair; the last one where several were."""
    n_failed: int = 0
    """Requests that got no reply."""


@dataclass(slots=True)
class Asker:
    """A model, the log, and how far things are.

    A step that stands in the log is not asked; the model is tried out before the first one that
    is. Equal steps are asked once.
    """

    model: Model
    log: StepLog
    on_progress: Callable[[BuildProgress], None]
    n_asked: int = 0
    n_failed: int = 0
    failures: dict[str, str] = field(default_factory=dict[str, str])
    _is_ready: bool = False

    @property
    def identity(self) -> ModelIdentity:
        """Of the model."""
        return self.model.identity

    async def ask(self, steps: Sequence[Step]) -> Mapping[str, Reply]:
        """Answer steps, from the log or by the model; one that failed has a failed reply.

        Raises
        ------
        FatalModelError
            Nothing will come of any further request.
        StoreFullError
            The disk takes no more replies.
        """
        missing = {step.hash: step for step in steps if self.log.reply(step) is None}
        if missing and not self._is_ready:
            await self.model.preflight()
            self._is_ready = True
        failed: dict[str, Reply] = {}
        done = 0
        watched = self.model if isinstance(self.model, Watched) else None
        waiting = iter(missing.values())

        async def work() -> None:
            nonlocal done
            for step in waiting:
                reply = await _reply(self.model, step)
                self.log.add(step, reply, model=self.identity.label)
                if reply.status is Status.FAILED:
                    failed[step.hash] = reply
                    self.failures[step.item.id] = reply.reason or "no reply"
                done += 1
                note = watched.note if watched is not None else ""
                self.on_progress(
                    BuildProgress(done=done, total=len(missing), failed=len(failed), note=note)
                )

        try:
            async with asyncio.TaskGroup() as group:
                for _ in range(max(1, min(self.model.max_concurrency, len(missing)))):
                    group.create_task(work())
        except* OverreadError as errors:
            raise first_error(errors) from None
        finally:
            self.n_asked += done
            self.n_failed += len(failed)
        return {step.hash: self.log.reply(step) or failed[step.hash] for step in steps}


async def generate(reports: Sequence[Report], form: Form, asker: Asker) -> Mapping[str, Generated]:
    """Ask for pairs about every report, again where the form says so and none could be read."""
    done: dict[str, Generated] = {}
    waiting = list(reports)
    for attempt in range(form.generate_tries):
        steps = [
            make_step(
                "generate",
                asker.identity,
                form.generate(report, attempt=attempt),
                case=report.case,
                number=0,
                attempt=attempt,
                benchmark=_BENCHMARK,
                is_shared=form.shares_replies,
            )
            for report in waiting
        ]
        replies = await asker.ask(steps)
        for report, step in zip(waiting, steps, strict=True):
            done[report.case] = _generated(form, report, step, replies[step.hash])
        waiting = [
            report
            for report in waiting
            if done[report.case].status is Status.OK and not done[report.case].read.pairs
        ]
    return done


def _generated(form: Form, report: Report, step: Step, reply: Reply) -> Generated:
    if reply.status is not Status.OK:
        return Generated(
            read=PairsRead(problem=f"no reply: {reply.reason or reply.status.value}"),
            step=step.hash,
            status=reply.status,
            reason=reply.reason,
        )
    return Generated(read=form.read_pairs(reply.text, report), step=step.hash)


@dataclass(slots=True)
class _Batch:
    report: Report
    pairs: tuple[Pair, ...]
    number: int
    labels: tuple[Labels, ...] | None = None
    step: str = ""
    failed: bool = False


async def validate(
    reports: Sequence[Report], pairs: Mapping[str, Sequence[Pair]], form: Form, asker: Asker
) -> Mapping[str, Validated]:
    """Ask for labels of every pair, in batches of fixed composition.

    Again, or one by one, where the form says so and labels are missing.
    """
    batches = [
        _Batch(report=report, pairs=tuple(some), number=number)
        for report in reports
        for number, some in enumerate(_chunks(pairs.get(report.case, ()), form.batch_size))
    ]
    for attempt in range(form.validate_tries):
        # A request that failed has been tried often enough; the next start asks it again.
        open_ones = [batch for batch in batches if batch.labels is None and not batch.failed]
        await _label("validate", open_ones, form, asker, attempt)
    singles: dict[tuple[str, int], _Batch] = {}
    if form.asks_singly:
        singles = {
            (batch.report.case, batch.number * form.batch_size + place): _Batch(
                report=batch.report, pairs=(pair,), number=batch.number * form.batch_size + place
            )
            for batch in batches
            if not batch.failed
            for place, pair in enumerate(batch.pairs)
            if batch.labels is None or form.decide(batch.labels[place]) == NO_LABEL
        }
        await _label("validate-one", list(singles.values()), form, asker, 0)
    return _joined(reports, batches, singles, form)


async def _label(
    kind: Kind, batches: Sequence[_Batch], form: Form, asker: Asker, attempt: int
) -> None:
    steps = [
        make_step(
            kind,
            asker.identity,
            form.validate(batch.report, batch.pairs, attempt=attempt),
            case=batch.report.case,
            number=batch.number,
            attempt=attempt,
            benchmark=_BENCHMARK,
            is_shared=form.shares_replies,
        )
        for batch in batches
    ]
    replies = await asker.ask(steps)
    for batch, step in zip(batches, steps, strict=True):
        reply = replies[step.hash]
        batch.step = step.hash
        batch.failed = reply.status is Status.FAILED
        if reply.status is Status.OK:
            batch.labels = form.read_labels(reply.text, batch.report, batch.pairs)


def _joined(
    reports: Sequence[Report],
    batches: Sequence[_Batch],
    singles: Mapping[tuple[str, int], _Batch],
    form: Form,
) -> Mapping[str, Validated]:
    by_case: dict[str, list[_Batch]] = {}
    for batch in batches:
        by_case.setdefault(batch.report.case, []).append(batch)
    joined: dict[str, Validated] = {}
    for report in reports:
        own = by_case.get(report.case, [])
        n_pairs = sum(len(batch.pairs) for batch in own)
        read = [
            # Nothing readable in all tries: no labels, which is not the same as no entries.
            batch.labels if batch.labels is not None else (Labels(),) * len(batch.pairs)
            for batch in own
        ]
        labels = list(form.join(read, n_pairs=n_pairs))
        steps = [batch.step for batch in own for _ in batch.pairs]
        n_failed = sum(batch.failed for batch in own)
        for place in range(n_pairs):
            single = singles.get((report.case, place))
            if single is not None:
                steps[place] = single.step
                n_failed += single.failed
                if single.labels is not None:
                    labels[place] = single.labels[0]
        joined[report.case] = Validated(labels=tuple(labels), steps=tuple(steps), n_failed=n_failed)
    return joined


def _chunks(pairs: Sequence[Pair], size: int) -> list[Sequence[Pair]]:
    return [pairs[start : start + size] for start in range(0, len(pairs), size)]


async def _reply(model: Model, step: Step) -> Reply:
    try:
        return await model.ask(Query(item=step.item, draw=step.attempt))
    except FatalModelError:
        raise
    except ModelError as error:
        return Reply(status=Status.FAILED, reason=str(error))
