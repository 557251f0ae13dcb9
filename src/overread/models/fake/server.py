"""The fake server: HTTP/1.1 over asyncio, in a thread of its own, on the loopback address."""

from __future__ import annotations

import asyncio
import threading
import time
from contextlib import suppress
from dataclasses import dataclass
from types import TracebackType
from typing import Self

from overread.models.fake.answers import (
    Asked,
    bomb,
    completion,
    endless,
    error,
    model_list,
    pack,
    page,
    read_question,
    reply_text,
)
from overread.models.fake.script import Script

__all__ = ["FakeServer", "Seen"]

_LARGEST_HEAD = 1 << 16
_LARGEST_BODY = 1 << 28
_TURNS = 10
"""Turns of the event loop, more than asyncio takes from accepting a connection to our task for it.
Counted, not timed: on a busy machine a wait can be over within one turn."""
_DRIP_S = 0.05
_SPACE = b" " * (1 << 18)
_PACKINGS = {"packed": "gzip", "brotli": "br"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """One request that reached the server."""

    number: int
    path: str
    outcome: str
    images: int
    at_s: float
    """On the monotonic clock, when the whole request had arrived."""
    body: bytes
    """Empty unless the server keeps bodies."""


class FakeServer:
    """A server to be used in a ``with`` block.

    Parameters
    ----------
    script
        What it does.
    port
        0 takes a free one.
    keep_bodies
        Keep what was sent, for tests that look at it.
    """

    def __init__(
        self, script: Script | None = None, *, port: int = 0, keep_bodies: bool = False
    ) -> None:
        self.script = script or Script()
        self.seen: list[Seen] = []
        self._port = port
        self._keep_bodies = keep_bodies
        self._number = 0
        self._ready = threading.Event()
        self._failure: BaseException | None = None
        self._thread: threading.Thread | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stop: asyncio.Event | None = None
        self._connections: set[asyncio.Task[None]] = set()

    @property
    def base_url(self) -> str:
        """What a client is told."""
        return f"http://127.0.0.1:{self._port}/v1"

    def start(self) -> Self:
        """Listen. OSError when the port is taken."""
        self._thread = threading.Thread(target=self._run, name="overread-fake", daemon=True)
        self._thread.start()
        self._ready.wait()
        if self._failure is not None:
            self._thread.join()
            raise self._failure
        return self

    def stop(self) -> None:
        """Close every connection and let go of the port."""
        if self._thread is None:
            return
        if self._loop is not None and self._stop is not None:
            with suppress(RuntimeError):  # it has died by its script
                self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join()
        self._thread = None

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.stop()

    def _run(self) -> None:
        try:
            asyncio.run(self._serve())
        except OSError as failure:
            self._failure = failure
        finally:
            self._ready.set()

    async def _serve(self) -> None:
        self._stop = asyncio.Event()
        server = await asyncio.start_server(
            self._connected, "127.0.0.1", self._port, limit=_LARGEST_HEAD
        )
        self._port = server.sockets[0].getsockname()[1]
        self._loop = asyncio.get_running_loop()
        self._ready.set()
        await self._stop.wait()
        with suppress(NotImplementedError):  # on Windows
            for listening in server.sockets:
                self._loop.remove_reader(listening.fileno())
        # A connection just accepted becomes a task. Were the server closed before, asyncio would
        # drop the connection without closing it (`Server._attach` fails, and nobody hears of it).
        await _let_others_run()
        server.close()
        while self._connections:
            for task in tuple(self._connections):
                task.cancel()
            await asyncio.gather(*self._connections, return_exceptions=True)
            await _let_others_run()  # the transports close

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._connections.add(task)
        try:
            while await self._answer_one(reader, writer):
                pass
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            pass
        except asyncio.CancelledError:
            if self._stop is None or not self._stop.is_set():
                raise
        finally:
            self._connections.discard(task)
            writer.transport.abort()

    async def _answer_one(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        """Answer one request; False when the connection ends with it."""
        request = await _read_request(reader)
        number = self._number
        outcome, asked, reply = self._decide(request, number)
        is_chat = request.path.endswith("/chat/completions")
        if is_chat:
            self._number += 1
        self.seen.append(
            Seen(
                number=number,
                path=request.path,
                outcome=outcome,
                images=asked.images if asked else 0,
                at_s=time.monotonic(),
                body=request.body if self._keep_bodies else b"",
            )
        )
        if self.script.delay_s:
            await asyncio.sleep(self.script.delay_s)
        stays = await self._send(writer, outcome, reply)
        die_after = self.script.die_after
        if is_chat and die_after is not None and self._number >= die_after and self._stop:
            self._stop.set()
            return False
        return stays

    def _decide(self, request: _Request, number: int) -> tuple[str, Asked | None, bytes]:
        script = self.script
        if script.key is not None and request.key != script.key:
            message = f"Incorrect API key provided: {request.key}. You can find your key at …"
            return "401", None, error(401, message, code="invalid_api_key")
        if request.path.endswith("/models"):
            if script.lists:
                return "models", None, model_list(script.lists)
            return "models", None, error(404, "This server lists no models.")
        if not request.path.endswith("/chat/completions"):
            return "404", None, error(404, f"Invalid URL ({request.path})")
        try:
            asked = read_question(request.body)
        except ValueError as problem:
            return "400", None, error(400, f"This is no chat request: {problem}")
        if (reply := _reject(script, asked)) is not None:
            return "rejected", asked, reply
        outcome = script.outcome(number)
        if outcome in _ERRORS:
            return outcome, asked, _ERRORS[outcome](script, request)
        reply = completion(asked, reply_text(script, outcome, asked), outcome, number)
        if outcome in _PACKINGS:
            reply = pack(reply, encoding=_PACKINGS[outcome])
        return outcome, asked, reply

    async def _send(self, writer: asyncio.StreamWriter, outcome: str, reply: bytes) -> bool:
        match outcome:
            case "cut":
                return False
            case "hang":
                await asyncio.sleep(3600)
                return False
            case "half":
                writer.write(reply[: len(reply) * 2 // 3])
                await writer.drain()
                # Closing at once could throw away what has been written.
                await asyncio.sleep(_DRIP_S)
                return False
            case "drip":
                for position in range(len(reply)):
                    writer.write(reply[position : position + 1])
                    await writer.drain()
                    await asyncio.sleep(_DRIP_S)
                return False
            case "endless" | "endless500":
                writer.write(reply)
                while True:
                    writer.write(_SPACE)
                    await writer.drain()
            case "malformed":
                head, _, body = reply.partition(b"\r\n\r\n")
                body = body[: len(body) // 2].ljust(len(body))
                writer.write(head + b"\r\n\r\n" + body)
            case _:
                writer.write(reply)
        await writer.drain()
        return True


async def _let_others_run() -> None:
    for _ in range(_TURNS):
        await asyncio.sleep(0)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Request:
    path: str
    key: str
    body: bytes


async def _read_request(reader: asyncio.StreamReader) -> _Request:
    head = await reader.readuntil(b"\r\n\r\n")
    first, *lines = head.decode("latin-1").split("\r\n")
    pairs = (line.partition(":") for line in lines if line)
    headers = {name.strip().lower(): value.strip() for name, _, value in pairs}
    length = int(headers.get("content-length", "0") or 0)
    if not 0 <= length <= _LARGEST_BODY:
        raise ConnectionError("a body beyond all bounds")
    body = await reader.readexactly(length)
    words = first.split(" ")
    path = words[1].partition("?")[0] if len(words) > 1 else "/"
    return _Request(
        path=path, key=headers.get("authorization", "").removeprefix("Bearer "), body=body
    )


def _reject(script: Script, asked: Asked) -> bytes | None:
    """Find what a real server would reject in the request itself."""
    if script.model is not None and asked.model != script.model:
        return error(404, f"The model `{asked.model}` does not exist.", code="model_not_found")
    if script.max_images is not None and asked.images > script.max_images:
        if script.max_images == 0:
            return error(400, "This is not a multimodal model.")
        count = script.max_images
        return error(400, f"At most {count} image(s) may be provided in one request.")
    if script.renames_max_tokens and "max_tokens" in asked.settings:
        message = "Unsupported parameter: 'max_tokens' is not supported with this model."
        return error(400, message, code="unsupported_parameter", param="max_tokens")
    if script.rejects_seed and "seed" in asked.settings:
        return error(422, "Extra inputs are not permitted: 'seed'")
    return None


_ERRORS = {
    "429": lambda script, _: error(
        429, "Rate limit reached.", code="rate_limit", retry_after_s=script.retry_after_s
    ),
    "later": lambda _script, _: error(429, "Daily limit reached.", retry_after_s=3600),
    "quota": lambda _script, _: error(429, "You exceeded your quota.", code="insufficient_quota"),
    "500": lambda _script, _: error(500, "The server had an error."),
    "502": lambda _script, _: page(502),
    "endless": lambda _script, _: endless(200),
    "endless500": lambda _script, _: endless(500),
    "bomb": lambda _script, _: bomb(),
    "503": lambda script, _: error(503, "Overloaded.", retry_after_s=script.retry_after_s),
    "400": lambda _script, _: error(400, "The request is wrong."),
    "401": lambda _script, request: error(401, f"Incorrect API key provided: {request.key}."),
    "403": lambda _script, request: error(403, f"Key {request.key} may not do this."),
    "404": lambda _script, _: error(404, "The model does not exist."),
    "filter400": lambda _script, _: error(400, "The prompt was filtered.", code="content_filter"),
    "html": lambda _script, _: page(200),
    "shape": lambda _script, _: error(200, "").replace(b'"error"', b'"thing"'),
    "wrapped": lambda _script, _: error(200, "The provider returned an error.", code="502"),
}
