from __future__ import annotations

import asyncio
import time
from collections.abc import Coroutine
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from overread.models.chat.limiter import AdaptiveLimiter


def limiter(start: int = 4, ceiling: int = 16) -> AdaptiveLimiter:
    return AdaptiveLimiter(start=start, ceiling=ceiling, now=time.monotonic)


def run(main: Coroutine[Any, Any, Any]) -> Any:
    return asyncio.run(main)


async def fill(gate: AdaptiveLimiter) -> list[int]:
    return [await gate.acquire() for _ in range(gate.limit - gate.in_flight)]


def test_the_limit_doubles_with_each_round_of_answers_up_to_its_ceiling() -> None:
    async def main() -> list[int]:
        gate, limits = limiter(), []
        for _ in range(4):
            tickets = await fill(gate)
            for ticket in tickets:
                gate.release(ticket, "ok")
                # Another question takes the place at once, as in a run.
                await gate.acquire()
            limits.append(gate.limit)
            for _ in range(gate.in_flight):
                gate.release(-1, "neutral")
        return limits

    assert run(main()) == [8, 16, 16, 16]


def test_a_slow_down_halves_once_for_all_that_had_left_before_it() -> None:
    async def main() -> list[int]:
        gate = limiter(start=16)
        limits = []
        for ticket in await fill(gate):
            gate.release(ticket, "slow-down")
            limits.append(gate.limit)
        return limits

    # Sixteen requests that left together say one and the same thing.
    assert run(main()) == [8] * 16


def test_repeated_slow_downs_end_at_one() -> None:
    async def main() -> list[int]:
        gate, limits = limiter(start=16), []
        for _ in range(6):
            gate.release(await gate.acquire(), "slow-down")
            limits.append(gate.limit)
        return limits

    assert run(main()) == [8, 4, 2, 1, 1, 1]


def test_after_trouble_a_whole_round_of_answers_adds_one() -> None:
    async def main() -> int:
        gate = limiter(start=8)
        gate.release(await gate.acquire(), "slow-down")  # 8 → 4
        tickets = await fill(gate)
        for ticket in tickets:
            gate.release(ticket, "ok")
            await gate.acquire()
        return gate.limit

    # 4 + 1/4 + 1/4.25 + 1/4.49 + 1/4.71 = 4.92: four answers are not quite a round.
    assert run(main()) == 4


def test_an_idle_gate_does_not_grow() -> None:
    async def main() -> int:
        gate = limiter()
        for _ in range(50):
            gate.release(await gate.acquire(), "ok")
        return gate.limit

    assert run(main()) == 4


def test_a_pause_holds_back_everybody() -> None:
    async def main() -> float:
        gate = limiter()
        gate.release(await gate.acquire(), "slow-down", pause_s=0.2)
        start = time.monotonic()
        await asyncio.gather(gate.acquire(), gate.acquire())
        return time.monotonic() - start

    assert 0.2 <= run(main()) < 1


def test_a_cancelled_turn_goes_to_the_next_in_line() -> None:
    async def main() -> bool:
        gate = limiter(start=1, ceiling=1)
        ticket = await gate.acquire()
        first = asyncio.create_task(gate.acquire())
        second = asyncio.create_task(gate.acquire())
        await asyncio.sleep(0)
        gate.release(ticket, "neutral")  # the first is woken …
        first.cancel()  # … and cancelled before it can run
        await asyncio.wait([first, second], timeout=0.5)
        return second.done() and not second.cancelled()

    assert run(main())


@settings(max_examples=30, deadline=None)
@given(
    st.integers(1, 8),
    st.lists(st.sampled_from(["ok", "slow-down", "trouble", "neutral"]), max_size=60),
)
def test_never_more_than_the_ceiling_never_stuck(ceiling: int, verdicts: list[Any]) -> None:
    async def main() -> None:
        gate = limiter(start=4, ceiling=ceiling)
        highest = 0

        async def one(verdict: Any) -> None:
            nonlocal highest
            ticket = await gate.acquire()
            highest = max(highest, gate.in_flight)
            await asyncio.sleep(0)
            gate.release(ticket, verdict)

        async with asyncio.timeout(5):
            await asyncio.gather(*(one(verdict) for verdict in verdicts))
        assert highest <= ceiling
        assert gate.in_flight == 0
        assert 1 <= gate.limit <= ceiling

    run(main())
