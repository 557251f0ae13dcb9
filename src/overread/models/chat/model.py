"""A chat model: asks, waits, asks again, and gives up within bounds."""

from __future__ import annotations

import asyncio
import logging
import time
import zlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from overread.contracts import Form, ModelOptions, Query, Reply
from overread.errors import FatalModelError, ModelError, expected
from overread.models.chat.budget import ImageBudget
from overread.models.chat.findings import renamed_tokens, unlisted_model, unseeded
from overread.models.chat.limiter import AdaptiveLimiter, Verdict
from overread.models.chat.names import is_listed, list_models
from overread.models.chat.probe import PROBE_PICTURES, probe_query, text_probe_query
from overread.models.chat.reply import read_reply
from overread.models.chat.request import Body, Wire, chat_body, shown_pictures
from overread.models.chat.trouble import Kind, Trouble, classify, tries_after
from overread.records import Finding, ModelIdentity, Status

if TYPE_CHECKING:
    from openai import AsyncOpenAI

    from overread.models.chat.endpoint import Endpoint

__all__ = ["ChatModel", "ChatState"]

_log = logging.getLogger(__name__)

_FIRST_LIMIT = 4
_FIRST_BACKOFF_S = 0.5
_LONGEST_BACKOFF_S = 30.0
_LONGEST_WAIT_S = 600.0
"""A server that asks for more (a spent daily quota) ends the run, which can go on later."""
_BARREN_ITEMS = 8
"""So many questions in a row given up, none answered in between: the server is as good as gone."""
_CONNECT_S = 10.0
_WHOLE_BODY = 1_000_000

_VERDICTS: Mapping[Kind, Verdict] = {
    Kind.THROTTLED: "slow-down",
    Kind.TIMEOUT: "slow-down",
    Kind.SERVER: "trouble",
    Kind.CONNECT: "trouble",
    Kind.CUT: "trouble",
    Kind.GARBLED: "trouble",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatState:
    """What a run looks like from the inside, for a progress line."""

    limit: int
    """Requests that may be under way now."""
    in_flight: int
    pause_s: float
    """For how long the server asked to be left alone, from now."""
    answered: int
    retries: Mapping[str, int]
    """Tries that failed and were repeated, by kind of trouble."""
    last_trouble: str | None


class ChatModel:
    """A model behind an OpenAI-compatible endpoint.

    Parameters
    ----------
    name
        As the server calls it.
    endpoint
        Where it is and with which key.
    options
        Settings; `timeout_s` bounds each try as a whole, `max_retries` the repetitions of one
        question.
    """

    def __init__(self, name: str, endpoint: Endpoint, options: ModelOptions) -> None:
        self._endpoint = endpoint
        self._options = options
        self._wire = Wire(model=name, options=options)
        self._budget = ImageBudget(max_images=options.max_images)
        self._limiter = AdaptiveLimiter(
            start=_FIRST_LIMIT, ceiling=options.concurrency, now=time.monotonic
        )
        self._client: AsyncOpenAI | None = None
        self._answered = 0
        self._barren = 0
        self._retries: Counter[str] = Counter()
        self._last_trouble: str | None = None
        self._findings: dict[str, Finding] = {}

    @property
    def identity(self) -> ModelIdentity:
        """Name, endpoint and settings.

        The endpoint counts: two servers may call two different models by one name.
        """
        options = self._options
        return ModelIdentity(
            kind="chat",
            name=self._wire.model,
            settings={
                "endpoint": self._endpoint.shown,
                "temperature": options.temperature,
                "max_tokens": options.max_tokens,
                "seed": options.seed,
                "structured": options.structured,
            },
        )

    @property
    def sees(self) -> bool:
        """Pictures are sent, unless the model is asked for words alone (a judge, a generator)."""
        return not self._options.text_only

    @property
    def form(self) -> Form:
        """The worded questions."""
        return "chat"

    @property
    def max_concurrency(self) -> int:
        """The most requests under way at once; the limiter may allow fewer."""
        return self._options.concurrency

    @property
    def max_images(self) -> int | None:
        """The most pictures in one request, as told or as found out; None while unknown."""
        return self._budget.max_images

    @property
    def state(self) -> ChatState:
        """How things go at this moment."""
        return ChatState(
            limit=self._limiter.limit,
            in_flight=self._limiter.in_flight,
            pause_s=self._limiter.pause_s,
            answered=self._answered,
            retries=dict(self._retries),
            last_trouble=self._last_trouble,
        )

    @property
    def note(self) -> str:
        """Requests that may be under way, tries repeated so far, and the latest trouble."""
        state = self.state
        retries = sum(state.retries.values())
        parts = [f"{state.limit} at once"]
        if state.pause_s > 0:
            parts.append(f"paused {state.pause_s:.0f} s")
        if retries:
            parts.append(f"{retries} retries, last: {state.last_trouble}")
        return ", ".join(parts)

    def findings(self) -> Sequence[Finding]:
        """Report what the server does otherwise than the run file says."""
        return tuple(self._findings.values())

    async def preflight(self) -> None:
        """Ask one small question with nine pictures, and learn how many the server takes.

        A model that will be sent no picture (`ModelOptions.text_only`) is asked in words alone.

        Raises
        ------
        FatalModelError
            Wrong key, unknown model, no server, a web page instead of one, or no eye for pictures.
        """
        trouble = await (self._probe_words() if self._options.text_only else self._probe_pictures())
        if trouble is not None and trouble.kind is not Kind.FILTERED:
            remedy = trouble.remedy or self._remedy_before_a_run(trouble)
            raise self._fatal("preflight", trouble, remedy)
        await self._look_for_the_name()

    async def _probe_words(self) -> Trouble | None:
        outcome, _ = await self._exchange(text_probe_query(), hasty=True)
        return None if isinstance(outcome, Reply) else outcome

    async def _probe_pictures(self) -> Trouble | None:
        count = min(PROBE_PICTURES, self._budget.max_images or PROBE_PICTURES)
        trouble = await self._probe(count)
        if trouble is not None and trouble.kind is Kind.IMAGE_LIMIT:
            count = min(trouble.image_limit or 0, count - 1)
            self._learn_limit(trouble)
            trouble = await self._probe(count) if count else trouble
        elif trouble is not None and trouble.rejected and count > 1:
            trouble = await self._probe(1)
        return trouble

    def _remedy_before_a_run(self, trouble: Trouble) -> str:
        if not trouble.rejected and trouble.kind is not Kind.IMAGE_LIMIT:
            return "Check --base-url, and whether the server is up."
        if self._options.text_only:
            return "Does the server take these settings?"
        return "Does this model take pictures, and does the server take these settings?"

    async def ask(self, query: Query) -> Reply:
        """Ask one question.

        Raises
        ------
        ModelError
            Nothing came of this one, for the reason given.
        FatalModelError
            Nothing will come of any.
        """
        where = f"item {query.item.id}"
        self._budget.check(shown_pictures(query), where=where)
        outcome, tries = await self._exchange(query, hasty=False)
        if isinstance(outcome, Reply):
            self._barren = 0
            return outcome
        if outcome.kind is Kind.FATAL:
            raise self._fatal(where, outcome, outcome.remedy)
        if outcome.kind is Kind.FILTERED:
            self._barren = 0
            return Reply(status=Status.REFUSED, reason=f"the host declined: {outcome.message}")
        if outcome.kind is Kind.IMAGE_LIMIT:
            self._learn_limit(outcome)
            self._budget.check(shown_pictures(query), where=where)
        if not outcome.rejected and outcome.kind is not Kind.IMAGE_LIMIT:
            self._barren += 1
            if self._barren >= _BARREN_ITEMS:
                remedy = (
                    f"{self._barren} questions in a row came to nothing: look after the server; "
                    "what was answered is kept."
                )
                raise self._fatal(where, outcome, remedy)
        raise ModelError(self._message(where, outcome, f"({tries} tries) {outcome.remedy}".strip()))

    async def close(self) -> None:
        """Close the connections."""
        client, self._client = self._client, None
        if client is not None:
            await client.close()

    async def _probe(self, pictures: int) -> Trouble | None:
        outcome, _ = await self._exchange(probe_query(pictures), hasty=True)
        return None if isinstance(outcome, Reply) else outcome

    async def _look_for_the_name(self) -> None:
        """Notice a server that answers under any name, where it says which ones it has."""
        try:
            async with asyncio.timeout(min(_CONNECT_S, self._options.timeout_s)):
                listed = await list_models(self._client or self._connect())
        except Exception as error:  # nothing depends on it: not every server has a list
            _log.info("%s lists no models: %s", self._endpoint.shown, type(error).__name__)
            return
        if listed and not is_listed(self._wire.model, listed):
            names = [self._endpoint.redact(name) for name in listed]
            self._report(unlisted_model(self._wire.model, names, server=self._endpoint.shown))

    def _report(self, finding: Finding) -> None:
        self._findings[finding.code] = finding

    async def _exchange(self, query: Query, *, hasty: bool) -> tuple[Reply | Trouble, int]:
        """Try until there is a reply, or trouble that more tries would not mend."""
        failed: Counter[Kind] = Counter()
        while True:
            wire = self._wire
            outcome = await self._try(chat_body(query, wire))
            if isinstance(outcome, Reply):
                self._answered += 1
                return outcome, failed.total() + 1
            self._last_trouble = outcome.message
            failed[outcome.kind] += 1
            allowed = tries_after(outcome.kind, max_retries=self._options.max_retries)
            if hasty:
                allowed = _hasty_tries(outcome.kind, allowed)
            tries = failed.total()
            if tries > self._options.max_retries + failed[Kind.PARAMETER]:
                return outcome, tries
            if failed[outcome.kind] > allowed:
                return outcome, tries
            if (outcome.retry_after_s or 0.0) > _LONGEST_WAIT_S:
                return _come_back_later(outcome), tries
            self._retries[outcome.kind.value] += 1
            _log.info("%s: %s, try %d", query.item.id, outcome.message, tries)
            if outcome.kind is Kind.PARAMETER:
                self._adapt(outcome, used=wire)
            elif outcome.retry_after_s is None:
                await asyncio.sleep(_backoff_s(query.item.id, tries))

    async def _try(self, body: Body) -> Reply | Trouble:
        """Send once, when it is this request's turn."""
        ticket = await self._limiter.acquire()
        verdict: Verdict = "neutral"
        pause_s = 0.0
        try:
            try:
                reply = await self._send(body)
            except Exception as error:  # `classify` raises again what is none of a request
                trouble = classify(
                    error,
                    self._endpoint,
                    model=self._wire.model,
                    timeout_s=self._options.timeout_s,
                )
                verdict = _VERDICTS.get(trouble.kind, "neutral")
                pause_s = min(trouble.retry_after_s or 0.0, _LONGEST_WAIT_S)
                return trouble
            verdict = "ok"
            return reply
        finally:
            self._limiter.release(ticket, verdict, pause_s=pause_s)

    async def _send(self, body: Body) -> Reply:
        import httpx2

        client = self._client or self._connect()
        length = len(body)
        # The SDK's timeout runs anew with every byte; a server that drips must end as well.
        async with asyncio.timeout(self._options.timeout_s):
            response = await client.post(
                "/chat/completions",
                cast_to=httpx2.Response,
                # A small body is quicker whole, a large one is lighter in pieces.
                content=bytes(body) if length <= _WHOLE_BODY else body,
                # Its length known, a body in pieces is an ordinary request, not a chunked one.
                options={
                    "security": {"bearer_auth": True},
                    "headers": {"Content-Length": str(length), "Accept-Encoding": "identity"},
                },
            )
        return read_reply(response.content, content_type=response.headers.get("content-type", ""))

    def _connect(self) -> AsyncOpenAI:
        import httpx2
        from openai import AsyncOpenAI, DefaultAsyncHttpxClient

        from overread.models.chat.bounded import bound_reply

        timeout_s = self._options.timeout_s
        timeout = httpx2.Timeout(timeout_s, connect=min(_CONNECT_S, timeout_s))
        # A proxy of the environment cannot reach this machine's own server.
        transport = DefaultAsyncHttpxClient(
            timeout=timeout,
            trust_env=not self._endpoint.is_loopback,
            event_hooks={"response": [bound_reply]},
        )
        self._client = AsyncOpenAI(
            api_key=self._endpoint.key,
            base_url=self._endpoint.base_url,
            timeout=timeout,
            max_retries=0,
            http_client=transport,
        )
        return self._client

    def _adapt(self, trouble: Trouble, *, used: Wire) -> None:
        if used is not self._wire:
            return  # another question has adapted it meanwhile
        if trouble.parameter == "max_tokens":
            field = "max_completion_tokens" if used.token_field == "max_tokens" else "max_tokens"
            self._wire = replace(used, token_field=field)
            self._report(renamed_tokens(field, server=self._endpoint.shown))
        elif trouble.parameter == "seed":
            self._wire = replace(used, sends_seed=False)
            self._report(unseeded(self._options.seed, server=self._endpoint.shown))

    def _learn_limit(self, trouble: Trouble) -> None:
        if trouble.image_limit is None:
            return
        known = self._budget.max_images
        limit = trouble.image_limit if known is None else min(known, trouble.image_limit)
        self._budget = replace(self._budget, max_images=limit)

    def _fatal(self, where: str, trouble: Trouble, remedy: str) -> FatalModelError:
        return FatalModelError(self._message(where, trouble, remedy))

    def _message(self, where: str, trouble: Trouble, remedy: str) -> str:
        rule = f"a chat completion from {self._endpoint.shown}"
        # "Fatal" is what follows from a trouble; to the reader it says nothing about what it is.
        kind = "" if trouble.kind is Kind.FATAL else f"{trouble.kind}: "
        return expected(where, rule=rule, got=f"{kind}{trouble.message}", remedy=remedy)


def _hasty_tries(kind: Kind, allowed: int) -> int:
    """Before a run nobody wants to wait long to hear that there is no server."""
    if kind in (Kind.CONNECT, Kind.TIMEOUT):
        return min(1, allowed)
    return 0 if kind is Kind.GARBLED else allowed


def _come_back_later(trouble: Trouble) -> Trouble:
    wait_min = (trouble.retry_after_s or 0.0) / 60
    remedy = f"The server asks to come back in {wait_min:.0f} minutes; the run can go on then."
    return replace(trouble, kind=Kind.FATAL, remedy=remedy)


def _backoff_s(item: str, tries: int) -> float:
    """Double the wait with each try, spread so that questions do not come back in one crowd."""
    spread = 0.75 + 0.5 * (zlib.crc32(f"{item} {tries}".encode()) / 0xFFFFFFFF)
    return min(_FIRST_BACKOFF_S * 2.0 ** (tries - 1), _LONGEST_BACKOFF_S) * spread
