from __future__ import annotations

import asyncio

import pytest

from overread.errors import FatalModelError, OverreadError, StoreError, first_error


def test_the_first_error_is_found_however_deep() -> None:
    deep, late = StoreError("the disk is full"), FatalModelError("no key")
    inner = ExceptionGroup("inner", [ExceptionGroup("innermost", [deep])])
    assert first_error(ExceptionGroup("outer", [inner, late])) is deep
    assert first_error(ExceptionGroup("outer", [late, inner])) is late


def test_what_stopped_a_group_of_tasks_is_told() -> None:
    async def fail() -> None:
        raise FatalModelError("no key")

    async def work() -> None:
        try:
            async with asyncio.TaskGroup() as group:
                group.create_task(fail())
                group.create_task(asyncio.sleep(60))
        except* OverreadError as errors:
            raise first_error(errors) from None

    with pytest.raises(FatalModelError, match="no key") as caught:
        asyncio.run(work())
    assert caught.value.__suppress_context__


def test_an_error_of_python_is_left_alone() -> None:
    async def work() -> None:
        try:
            raise ExceptionGroup("tasks", [ValueError("a slip")])
        except* OverreadError as errors:
            raise first_error(errors) from None

    with pytest.raises(ExceptionGroup) as caught:
        asyncio.run(work())
    assert isinstance(caught.value.exceptions[0], ValueError)
