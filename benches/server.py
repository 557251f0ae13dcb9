"""A chat server that costs next to nothing: reads a whole request, says one letter.

Run as ``python -m benches.server PORT_FILE``; it writes its port there. ``GET /stats`` gives how
many requests and bytes came, so that a harness which sends no pictures is found out.
"""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path

__all__ = ["main"]

_REPLY_TEXT = json.dumps(
    {
        "selected_option": "B",
        "explanation": "A lobulated mass of soft tissue attenuation lies in the left kidney.",
    }
)
_COMPLETION = json.dumps(
    {
        "id": "chatcmpl-bench",
        "object": "chat.completion",
        "created": 1,
        "model": "bench",
        "choices": [
            {
                "index": 0,
                "message": {"role": "assistant", "content": _REPLY_TEXT},
                "finish_reason": "stop",
            }
        ],
        "usage": {"prompt_tokens": 900, "completion_tokens": 30, "total_tokens": 930},
    }
).encode()


class _Chat(asyncio.Protocol):
    """One connection, kept open; bodies are counted and thrown away as they come."""

    requests = 0
    body_bytes = 0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = transport
        self._head = b""
        self._missing = 0

    def data_received(self, data: bytes) -> None:
        while data:
            if self._missing:
                used = min(self._missing, len(data))
                self._missing -= used
                data = data[used:]
                if self._missing == 0:
                    self._answer(_COMPLETION)
                continue
            self._head += data
            head, found, data = self._head.partition(b"\r\n\r\n")
            if not found:
                return
            self._head = b""
            self._begin(head)

    def _begin(self, head: bytes) -> None:
        if head.startswith(b"GET /stats"):
            counts = {"requests": _Chat.requests, "body_bytes": _Chat.body_bytes}
            self._answer(json.dumps(counts).encode())
            return
        length = 0
        for line in head.split(b"\r\n")[1:]:
            name, _, value = line.partition(b":")
            if name.strip().lower() == b"content-length":
                length = int(value)
        _Chat.requests += 1
        _Chat.body_bytes += length
        self._missing = length
        if length == 0:
            self._answer(_COMPLETION)

    def _answer(self, body: bytes) -> None:
        head = f"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {len(body)}"
        self._transport.write(head.encode() + b"\r\n\r\n" + body)  # type: ignore[attr-defined]


async def _serve(port_file: Path) -> None:
    server = await asyncio.get_running_loop().create_server(_Chat, "127.0.0.1", 0)
    unfinished = port_file.with_suffix(".new")
    unfinished.write_text(str(server.sockets[0].getsockname()[1]))
    unfinished.replace(port_file)
    async with server:
        await server.serve_forever()


def main(port_file: str) -> None:
    """Serve until killed."""
    asyncio.run(_serve(Path(port_file)))


if __name__ == "__main__":
    main(sys.argv[1])
