"""A process that takes a line and gives a line: started, listened to, and ended for certain."""

from __future__ import annotations

import asyncio
import os
import signal
import time
from collections.abc import Sequence
from contextlib import suppress

__all__ = ["LineProcess", "ProcessDiedError"]

_LONGEST_LINE = 2**26
_KEPT_STDERR = 4000
_FAREWELL_S = 5.0
_POLL_S = 0.01


class ProcessDiedError(Exception):
    """The process is gone; the message says how, and what it said last."""


class LineProcess:
    """One running process.

    It leads a process group of its own, so that its children end with it.
    """

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process
        self._stderr = bytearray()
        self._listener = asyncio.create_task(self._listen())

    @classmethod
    async def start(cls, argv: Sequence[str]) -> LineProcess:
        """Start a process. OSError when it cannot be."""
        process = await asyncio.create_subprocess_exec(
            *argv,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            limit=_LONGEST_LINE,
            start_new_session=True,
            # A Python program that forgets to flush would otherwise never be heard.
            env={**os.environ, "PYTHONUNBUFFERED": "1"},
        )
        return cls(process)

    @property
    def is_running(self) -> bool:
        """Whether it has not ended yet, as far as is known."""
        return self._process.returncode is None

    async def exchange(self, line: bytes) -> bytes:
        """Send a line and wait for one.

        Raises
        ------
        ProcessDiedError
            It ended instead.
        ValueError
            Its line is longer than 64 MB.
        """
        stdin, stdout = self._process.stdin, self._process.stdout
        assert stdin is not None
        assert stdout is not None
        try:
            stdin.write(line)
            await stdin.drain()
            answer = await stdout.readline()
        except (BrokenPipeError, ConnectionResetError):
            answer = b""
        if not answer.endswith(b"\n"):
            await self.kill()
            raise ProcessDiedError(self.describe_end())
        return answer

    async def wait(self, *, seconds: float) -> bool:
        """Wait for its end; say whether it came."""
        # Not `Process.wait`: that one also waits for children that hold the pipes open.
        deadline = time.monotonic() + seconds
        while self.is_running and time.monotonic() < deadline:
            await asyncio.sleep(_POLL_S)
        return not self.is_running

    async def kill(self) -> None:
        """End it and its children now, unless it has just ended by itself."""
        await self.wait(seconds=0.1)
        self._signal_group(signal.SIGKILL)
        await self.wait(seconds=_FAREWELL_S)
        await self._finish_listening()

    async def leave(self) -> None:
        """Close its input, give it time to leave, and end it if it stays."""
        if self._process.stdin is not None:
            self._process.stdin.close()
        if not await self.wait(seconds=_FAREWELL_S):
            self._signal_group(signal.SIGTERM)
            await self.wait(seconds=_FAREWELL_S)
        await self.kill()

    def describe_end(self) -> str:
        """Say how it ended and what it said last."""
        code = self._process.returncode
        if code is None:
            how = "still running"
        elif code < 0:
            with suppress(ValueError):
                code = signal.Signals(-code).name
            how = f"ended by {code}"
        else:
            how = f"exit status {code}"
        said = self._stderr.decode("utf-8", "replace").strip()
        last = " / ".join(line.strip() for line in said.splitlines()[-3:])
        return f"{how}, last words: {last}" if last else f"{how}, no words on stderr"

    async def _listen(self) -> None:
        stderr = self._process.stderr
        assert stderr is not None
        while chunk := await stderr.read(65536):
            self._stderr += chunk
            del self._stderr[:-_KEPT_STDERR]

    async def _finish_listening(self) -> None:
        # A child in a session of its own may hold stderr open: what has been said is enough.
        await asyncio.wait([self._listener], timeout=0.5)
        self._listener.cancel()
        # The only way to let go of pipes that such a child keeps open.
        self._process._transport.close()  # pyright: ignore[reportAttributeAccessIssue]

    def _signal_group(self, number: int) -> None:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, number)
