"""How many requests are under way at once: found out from how the server copes."""

from __future__ import annotations

import asyncio
import math
from collections import deque
from collections.abc import Callable
from typing import Literal, TypeAlias

__all__ = ["AdaptiveLimiter", "Verdict"]

Verdict: TypeAlias = Literal["ok", "slow-down", "trouble", "neutral"]
"""How a request ended: answered; told or seen to be too much; a failure that says nothing about
load but is no time to grow; nothing learnt."""


class AdaptiveLimiter:
    """A gate that starts low, grows while answers come, and halves when the server says so.

    Until the first trouble every answer adds one (the limit doubles each round of answers);
    after it a whole round of answers adds one. A *slow-down* halves the limit once per round:
    requests that had already left when it was halved do not halve it again. A pause (the
    server's Retry-After) holds back every request, not only the one that was told.

    Parameters
    ----------
    start
        First limit, 1 or more.
    ceiling
        Largest limit, 1 or more.
    now
        A monotonic clock in seconds.
    """

    def __init__(self, *, start: int, ceiling: int, now: Callable[[], float]) -> None:
        self._ceiling = max(1, ceiling)
        self._limit = float(min(max(1, start), self._ceiling))
        self._now = now
        self._in_flight = 0
        self._round = 0
        self._doubling = True
        self._not_before = -math.inf
        self._waiting: deque[asyncio.Future[None]] = deque()

    @property
    def limit(self) -> int:
        """How many may be under way now."""
        return int(self._limit)

    @property
    def in_flight(self) -> int:
        """How many are under way."""
        return self._in_flight

    @property
    def pause_s(self) -> float:
        """For how much longer nothing is sent; 0 when nothing holds requests back."""
        return max(0.0, self._not_before - self._now())

    async def acquire(self) -> int:
        """Wait for a place and take it; what is returned goes back with `release`."""
        while True:
            if (pause := self.pause_s) > 0:
                await asyncio.sleep(pause)
            elif self._in_flight < self.limit:
                self._in_flight += 1
                return self._round
            else:
                await self._wait()

    def release(self, ticket: int, verdict: Verdict, *, pause_s: float = 0.0) -> None:
        """Give a place back and say how the request ended.

        Parameters
        ----------
        ticket
            What `acquire` returned.
        verdict
            How the request ended.
        pause_s
            For how long nothing more is to be sent.
        """
        # An unused limit proves nothing; half-used is used, since freed places fill a tick later.
        is_used = self._in_flight * 2 >= self.limit
        self._in_flight -= 1
        if pause_s > 0:
            self._not_before = max(self._not_before, self._now() + pause_s)
        if verdict == "ok" and ticket == self._round and is_used:
            step = 1.0 if self._doubling else 1.0 / self._limit
            self._limit = min(self._limit + step, float(self._ceiling))
        elif verdict == "slow-down":
            self._doubling = False
            if ticket == self._round:
                self._limit = max(1.0, self._limit / 2)
                self._round += 1
        elif verdict == "trouble":
            self._doubling = False
        self._wake()

    async def _wait(self) -> None:
        place = asyncio.get_running_loop().create_future()
        self._waiting.append(place)
        try:
            await place
        except asyncio.CancelledError:
            if place.done() and not place.cancelled():
                self._wake()  # the turn given to this one goes to the next
            raise

    def _wake(self) -> None:
        free = self.limit - self._in_flight
        while free > 0 and self._waiting:
            place = self._waiting.popleft()
            if not place.done():
                place.set_result(None)
                free -= 1
