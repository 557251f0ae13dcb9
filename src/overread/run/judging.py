"""Asks judge models about a run's open answers, and stores every vote as it comes.

::

    what is to be judged → requests of a fixed make-up → what the store lacks, judge by judge
    → preflight each judge → ask them side by side → store each reply with its votes

A second start asks only what is missing. A vote is found by what was asked (`hashes.vote_hash`), so
a vote stays good for as long as judge, prompt and graded texts are the same, whoever else sits on
the jury.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from overread.analysis.asked import asked_of
from overread.contracts import (
    Judged,
    Judging,
    ModelOptions,
    Release,
    Reporter,
)
from overread.errors import (
    FatalModelError,
    PartialRunError,
    UsageError,
    expected,
)
from overread.records import Finding, Profile, Severity
from overread.registry import open_model
from overread.run.asking import Progress
from overread.run.ballots import Coverage, Sheet, asks_again, ballots_of, coverage_of, sheets
from overread.run.judge_asking import Job, JudgeAsker, Seat
from overread.store.hashes import judge_hash
from overread.store.run_store import RunStore
from overread.store.votes import Juror

__all__ = ["JudgeRequest", "JudgingOutcome", "judge", "judging_of"]

_MOST_UNREAD = 0.01
"""A share of unreadable votes above this is a warning."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeRequest:
    """Who judges a run, and how."""

    judges: tuple[str, ...]
    """``ADAPTER:NAME`` each; together they make the run's jury under the profile."""
    profile: Profile = "honest"
    options: ModelOptions = field(default_factory=ModelOptions)
    base_urls: tuple[str, ...] = ()
    """Addresses of the judges' servers: none, one for all, or one a judge."""
    retry: bool = False
    """Ask again where a judge replied and no verdict could be read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgingOutcome:
    """What came of asking the judges."""

    n_judged: int
    """Responses with something to judge."""
    n_asked: int
    """Requests of this start, over all judges."""
    n_failed: int
    """Of them without a reply."""


def judging_of(release: Release, profile: Profile) -> Judging:
    """Give a release's way of judging. UsageError when its answers need no judges."""
    if not isinstance(release, Judged):
        raise UsageError(
            expected(
                "--judge",
                rule="a benchmark with open answers",
                got=f"{release.card.name}, whose answers are scored without judges",
                remedy="Leave --judge out.",
            )
        )
    return release.judging(profile)


def judge(
    store: RunStore,
    release: Release,
    request: JudgeRequest,
    *,
    on_progress: Callable[[Progress], None],
) -> JudgingOutcome:
    """Have a run's answers judged, or go on with it; `scoring.score_run` then counts the votes.

    Parameters
    ----------
    store
        The run, opened for writing.
    release
        The release it was made on.
    request
        The jury.
    on_progress
        Is told after every request how far it is.

    Raises
    ------
    UsageError
        The benchmark has no open answers, or the judges are named wrongly; nothing was asked.
    FatalModelError
        A judge cannot be reached or stopped answering. The votes of all judges are stored.
    PartialRunError
        Interrupted; what came before is stored.
    """
    judging = judging_of(release, request.profile)
    bench = _open(request, judging)
    plan = store.plan()
    asked = asked_of(store, release)
    responses = {response.request_hash: response for response in store.responses()}
    all_sheets = sheets(plan, asked, responses, judging)
    known = _Known(store, request)
    for seat in bench:
        seat.jobs = list(_missing(all_sheets, seat.juror, judging, known))
    ask = JudgeAsker(store, judging, request.profile, on_progress)
    try:
        asyncio.run(ask.all(bench))
    except FatalModelError as error:
        raise FatalModelError(f"{error} {_way_on(store)}") from error
    except KeyboardInterrupt:
        raise PartialRunError(f"Stopped. {_way_on(store)}") from None
    finally:
        jury = [seat.juror for seat in bench]
        ballots = ballots_of(store, all_sheets, judging, request.profile, jury)
        store.replace_findings(
            f"judges-{request.profile}",
            _findings(store, bench, coverage_of(jury, ballots), judging),
        )
    return JudgingOutcome(
        n_judged=sum(len(sheet.graded) for sheet in all_sheets),
        n_asked=ask.done,
        n_failed=ask.failed,
    )


# ---------------------------------------------------------------- what is missing


def _open(request: JudgeRequest, judging: Judging) -> list[Seat]:
    urls = request.base_urls
    if len(urls) not in (0, 1, len(request.judges)):
        raise UsageError(
            expected(
                "--base-url",
                rule=f"one address for all judges, or {len(request.judges)}, one a judge",
                got=len(urls),
                remedy="Give them in the order of --judge.",
            )
        )
    bench: list[Seat] = []
    for place, spec in enumerate(request.judges):
        url = urls[place % len(urls)] if urls else request.options.base_url
        model = open_model(spec, replace(request.options, base_url=url, text_only=True))
        juror = Juror(
            judge=model.identity.label,
            judge_hash=judge_hash(model.identity, judging.form.name),
            form=judging.form.name,
        )
        if any(seat.juror.judge == juror.judge for seat in bench):
            raise UsageError(
                expected(
                    "--judge",
                    rule="different judges",
                    got=f"{spec} twice",
                    remedy="A judge has one vote.",
                )
            )
        bench.append(Seat(model=model, juror=juror, jobs=[]))
    return bench


class _Known:
    """What the store holds of a profile's votes, by what was asked."""

    def __init__(self, store: RunStore, request: JudgeRequest) -> None:
        self._voted = store.voted(request.profile)
        self._retries = request.retry
        self.profile: Profile = request.profile
        self._read: dict[str, set[int]] = {}
        for vote in store.votes(request.profile, texts=False):
            if vote.verdict is not None:
                self._read.setdefault(vote.request_hash, set()).add(vote.position)

    def was_voted(self, request_hash: str) -> bool:
        """Tell whether the judge replied, readably or not."""
        return request_hash in self._voted

    def unread(self, sheet: Sheet, request_hash: str) -> list[int]:
        """List the places of a sheet without a verdict."""
        read = self._read.get(request_hash, set())
        return [place for place in range(len(sheet.graded)) if place not in read]

    def lacks(self, sheet: Sheet, request_hash: str) -> bool:
        """Tell whether a request is still to be sent."""
        if not self.was_voted(request_hash):
            return True
        return self._retries and bool(self.unread(sheet, request_hash))


def _missing(
    all_sheets: Sequence[Sheet], juror: Juror, judging: Judging, known: _Known
) -> Iterable[Job]:
    """Collect the requests that a judge has not replied to; equal ones become one job."""
    jobs: dict[str, Job] = {}

    def want(sheet: Sheet, request_hash: str) -> None:
        if known.lacks(sheet, request_hash):
            job = jobs.setdefault(request_hash, Job(request_hash=request_hash, sheets=[]))
            job.sheets.append(sheet)

    for sheet in all_sheets:
        request_hash = sheet.hash_for(juror.judge_hash)
        if not asks_again(sheet, known.profile) or not known.was_voted(request_hash):
            want(sheet, request_hash)
            continue
        for place in known.unread(sheet, request_hash):
            alone = sheet.alone(place, judging.form)
            want(alone, alone.hash_for(juror.judge_hash))
    return jobs.values()


# ---------------------------------------------------------------- what to know of the judges


def _way_on(store: RunStore) -> str:
    n_read = sum(vote.verdict is not None for vote in store.votes(texts=False))
    return f"{n_read} votes are in {store.path}; the same command goes on from there."


def _findings(
    store: RunStore, bench: Sequence[Seat], coverage: Sequence[Coverage], judging: Judging
) -> Iterator[Finding]:
    graded = store.manifest.model.name
    unread = "they are missing: neither right nor wrong"
    if judging.rule.null_is_no:
        unread = "the release's jury counts a reply without a verdict as no"
    for seat, covered in zip(bench, coverage, strict=True):
        name = seat.juror.judge
        if seat.model.identity.name == graded:
            yield Finding(
                severity=Severity.WARNING,
                code="judge-is-graded",
                where=name,
                evidence="the judge has the name of the model whose answers it grades",
                effect="models tend to find their own answers right",
                remedy="Let another model judge, or add judges.",
            )
        n_unread = covered.n_asked - covered.n_read
        if n_unread > _MOST_UNREAD * covered.n:
            yield Finding(
                severity=Severity.WARNING,
                code="unread-votes",
                where=f"{name}, form {seat.juror.form}",
                evidence=f"no verdict came of {n_unread} of {covered.n_asked} votes "
                f"({covered.most_common_reason})",
                effect=unread,
                remedy="Ask again with --retry, with a larger --max-tokens or another judge.",
                count=n_unread,
            )
        if isinstance(seat.model, Reporter):
            yield from (
                replace(each, where=f"{name}: {each.where}") for each in seat.model.findings()
            )
