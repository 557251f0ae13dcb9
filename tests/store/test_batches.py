from __future__ import annotations

import threading
import time
from collections.abc import Sequence

import pytest

from overread.errors import StoreFullError
from overread.store.batches import Batches


class Disk:
    """Collects batches; refuses them while `full`."""

    def __init__(self) -> None:
        self.batches: list[tuple[int, ...]] = []
        self.full = False
        self.tries = 0

    def write(self, batch: Sequence[int]) -> None:
        self.tries += 1
        if self.full:
            raise StoreFullError("full")
        self.batches.append(tuple(batch))


def wait_for(condition: object, seconds: float = 5.0) -> None:
    end = time.monotonic() + seconds
    while not condition():  # type: ignore[operator]
        assert time.monotonic() < end, "waited too long"
        time.sleep(0.002)


def test_a_full_batch_is_written_before_the_time() -> None:
    disk = Disk()
    batches = Batches(disk.write, count=3, seconds=60)
    for number in range(3):
        batches.add(number)
    wait_for(lambda: disk.batches)
    assert disk.batches == [(0, 1, 2)]
    batches.close()


def test_a_lone_entry_is_written_after_the_time() -> None:
    disk = Disk()
    batches = Batches(disk.write, count=1000, seconds=0.05)
    batches.add(1)
    assert disk.batches == []
    wait_for(lambda: disk.batches == [(1,)])
    batches.close()
    assert disk.batches == [(1,)]


def test_flush_and_close_write_what_waits_in_order() -> None:
    disk = Disk()
    batches = Batches(disk.write, count=1000, seconds=60)
    batches.add(1)
    batches.add(2)
    batches.flush()
    assert disk.batches == [(1, 2)]
    batches.flush()
    assert len(disk.batches) == 1
    batches.add(3)
    batches.close()
    assert disk.batches == [(1, 2), (3,)]


def test_a_refused_batch_is_told_to_the_next_add_and_kept() -> None:
    disk = Disk()
    disk.full = True
    batches = Batches(disk.write, count=1, seconds=60)
    batches.add(1)
    wait_for(lambda: disk.tries)
    time.sleep(0.05)  # the thread needs a moment to note the failure
    with pytest.raises(StoreFullError):
        batches.add(2)
    tries = disk.tries
    time.sleep(0.02)
    assert disk.tries == tries, "the thread keeps trying a full disk"
    with pytest.raises(StoreFullError):
        batches.flush()
    disk.full = False
    batches.flush()
    assert disk.batches == [(1, 2)]
    batches.add(5000)
    wait_for(lambda: disk.batches[-1][-1] == 5000)
    batches.close()


def test_a_slow_disk_slows_the_caller() -> None:
    gate = threading.Event()
    written: list[int] = []

    def write(batch: Sequence[int]) -> None:
        gate.wait(5)
        written.extend(batch)

    batches = Batches(write, count=2, seconds=0)
    threading.Timer(0.1, gate.set).start()
    start = time.monotonic()
    for number in range(33):  # 16 batches of two may wait
        batches.add(number)
    assert time.monotonic() - start > 0.05
    batches.close()
    assert written == list(range(33))


def test_many_threads_lose_nothing() -> None:
    disk = Disk()
    batches = Batches(disk.write, count=7, seconds=0.001)

    def work(first: int) -> None:
        for number in range(first, first + 500):
            batches.add(number)

    threads = [threading.Thread(target=work, args=(first,)) for first in range(0, 2000, 500)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    batches.close()
    assert sorted(entry for batch in disk.batches for entry in batch) == list(range(2000))
