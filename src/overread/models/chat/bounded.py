"""Replies within bounds: nothing a server sends can fill the memory.

A reply is read whole before it is looked at, by the SDK, which sets no bound. So the bound is set
where bytes come in, on every response, those of errors included. httpx unpacks a compressed body
without a bound as well (a gzip of zeros swells a thousandfold, one in another a millionfold), so
unpacking is done here.
"""

from __future__ import annotations

import zlib
from collections.abc import AsyncGenerator, Iterator
from contextlib import aclosing
from typing import cast

import httpx2

from overread.models.chat.reply import GarbledReplyError

__all__ = ["MAX_ERROR_BYTES", "MAX_REPLY_BYTES", "bound_reply"]

MAX_REPLY_BYTES = 64_000_000
"""Of an unpacked reply: a thousand times the longest that a question of ours can need."""

MAX_ERROR_BYTES = 64_000
"""Of the body of an error, of which 300 characters are shown: the rest is not read."""

_PACKED = ("gzip", "x-gzip", "deflate")
_ANY_HEADER = 32 + zlib.MAX_WBITS
"""Tells zlib to find out itself whether it is gzip."""
_PIECE_BYTES = 1 << 16


async def bound_reply(response: httpx2.Response) -> None:
    """Bound what will be read of a response; an event hook of the HTTP client.

    A reply over the bound raises `GarbledReplyError` when it is read; an error's body is cut.
    """
    encoding = response.headers.pop("content-encoding", "identity").strip().lower()
    stream = cast("httpx2.AsyncByteStream", response.stream)
    response.stream = _BoundedStream(stream, encoding=encoding, is_reply=response.is_success)


class _BoundedStream(httpx2.AsyncByteStream):
    def __init__(self, stream: httpx2.AsyncByteStream, *, encoding: str, is_reply: bool) -> None:
        self._stream = stream
        self._encoding = encoding
        self._is_reply = is_reply

    async def __aiter__(self) -> AsyncGenerator[bytes, None]:
        if self._encoding not in (*_PACKED, "identity"):
            if self._is_reply:
                shown = self._encoding[:40]
                raise GarbledReplyError(f"a body packed as {shown!r}, which was not asked for")
            return
        inflater = zlib.decompressobj(_ANY_HEADER) if self._encoding in _PACKED else None
        size = 0
        # httpx's streams are asynchronous generators, which their type does not say.
        async with aclosing(cast("AsyncGenerator[bytes, None]", aiter(self._stream))) as chunks:
            async for chunk in chunks:
                for piece in [chunk] if inflater is None else _unpacked(inflater, chunk):
                    size += len(piece)
                    if self._is_reply and size > MAX_REPLY_BYTES:
                        raise GarbledReplyError(f"more than {MAX_REPLY_BYTES:,} bytes")
                    yield piece
                    if not self._is_reply and size > MAX_ERROR_BYTES:
                        return

    async def aclose(self) -> None:
        await self._stream.aclose()


def _unpacked(inflater: zlib._Decompress, chunk: bytes) -> Iterator[bytes]:
    rest = chunk
    while rest and not inflater.eof:
        try:
            piece = inflater.decompress(rest, _PIECE_BYTES)
        except zlib.error:
            raise GarbledReplyError("a packed body that is damaged") from None
        rest = inflater.unconsumed_tail
        if piece:
            yield piece
