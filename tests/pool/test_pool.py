"""Leases: slots, queue, order, deadlines, cancellation, swaps, forks; nothing is lost."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest

from fastocr import CancelToken
from fastocr.errors import ArgumentError, CancelledError, ClosedError, DeadlineError, OverloadedError
from fastocr.pool import Pool
from tests.pool.stubs import PAGE, held_ocr

LONG = 30.0


def until(holds: Callable[[], bool]) -> None:
    """Waits, for what another thread is about to do."""
    tick = threading.Event()
    for _ in range(int(LONG / 0.002)):
        if holds():
            return
        tick.wait(0.002)
    pytest.fail("it did not come to hold")


async def quickly(holds: Callable[[], bool]) -> None:
    for _ in range(int(LONG / 0.002)):
        if holds():
            return
        await asyncio.sleep(0.002)
    pytest.fail("it did not come to hold")


def test_a_lease_reads() -> None:
    ocr, _ = held_ocr(is_open=True)
    with Pool(ocr) as pool:
        with pool.lease() as lease:
            assert lease.read(PAGE).text == "read"
            assert (pool.state.leased, pool.state.waiting) == (1, 0)
        assert pool.state.leased == 0
        with pytest.raises(ClosedError, match="has ended"):
            lease.read(PAGE)


def test_slots_by_default_are_one_more_than_processors() -> None:
    ocr, _ = held_ocr()
    with Pool(ocr) as pool:
        assert pool.state.slots == ocr.processors + 1 == 2


@pytest.mark.parametrize("bad", [{"slots": 0}, {"slots": True}, {"slots": 1.5}, {"queue": -1}, {"queue": "9"}])
def test_bad_numbers_are_refused(bad: dict[str, object]) -> None:
    ocr, _ = held_ocr()
    with pytest.raises(ArgumentError, match=next(iter(bad))):
        Pool(ocr, **bad)  # type: ignore[arg-type]


@pytest.mark.parametrize("bad", [None, {}, {"a": 1}, "balanced"])
def test_only_ocrs_are_taken(bad: object) -> None:
    with pytest.raises(ArgumentError, match="a pool takes an OCR"):
        Pool(bad)  # type: ignore[arg-type]


def test_no_more_readings_at_once_than_slots_and_beyond_the_queue_overloaded() -> None:
    ocr, held = held_ocr()
    with Pool(ocr, slots=2, queue=3) as pool, ThreadPoolExecutor(5) as callers:

        def one() -> str:
            with pool.lease() as lease:
                return lease.read(PAGE).text

        readings = [callers.submit(one) for _ in range(5)]
        until(lambda: pool.state.leased == 2 and pool.state.waiting == 3)
        with pytest.raises(OverloadedError, match=r"2 slots .* 3 callers wait") as caught, pool.lease():
            pass
        assert caught.value.retry_after >= 0
        held.open.set()
        assert [reading.result(LONG) for reading in readings] == ["read"] * 5
        assert held.most == 2
        assert (pool.state.leased, pool.state.waiting) == (0, 0)


def test_a_queue_of_none_refuses_at_once_what_finds_no_free_slot() -> None:
    ocr, _ = held_ocr()
    with Pool(ocr, slots=1, queue=0) as pool, pool.lease(), pytest.raises(OverloadedError), pool.lease():
        pass


def test_first_come_first_served_whether_threads_or_tasks() -> None:
    ocr, _ = held_ocr(is_open=True)
    order: list[int] = []
    with Pool(ocr, slots=1) as pool:

        def in_thread(number: int) -> None:
            with pool.lease():
                order.append(number)

        async def in_task(number: int) -> None:
            async with pool.alease():
                order.append(number)

        async def all_of_them() -> None:
            jobs: list[asyncio.Future[None] | asyncio.Task[None]] = []
            async with pool.alease():
                for number in range(8):
                    make = in_thread if number % 2 else in_task
                    jobs.append(
                        asyncio.ensure_future(asyncio.to_thread(in_thread, number) if number % 2 else in_task(number))
                    )
                    assert make
                    await quickly(lambda waiting=number + 1: pool.state.waiting == waiting)  # type: ignore[misc]
            await asyncio.gather(*jobs)

        asyncio.run(all_of_them())
    assert order == list(range(8))


def test_who_waits_too_long_is_told_and_loses_no_slot() -> None:
    ocr, _ = held_ocr(is_open=True)
    with Pool(ocr, slots=1) as pool:
        with pool.lease():
            with pytest.raises(OverloadedError, match="no slot became free"), pool.lease(timeout=0.01):
                pass
            assert pool.state.waiting == 0
        with pool.lease(timeout=LONG) as lease:
            assert lease.read(PAGE).text == "read"


def test_a_deadline_ends_the_waiting() -> None:
    ocr, _ = held_ocr()
    with Pool(ocr, slots=1) as pool, pool.lease():
        with pytest.raises(DeadlineError), pool.lease(deadline=0.01):
            pass
        assert (pool.state.leased, pool.state.waiting) == (1, 0)


def test_a_deadline_terminates_what_runs() -> None:
    ocr, held = held_ocr()
    with Pool(ocr, slots=1) as pool:
        with pytest.raises(DeadlineError, match="time that was given"), pool.lease(deadline=0.05) as lease:
            lease.read(PAGE)
        assert pool.state.leased == held.inside == 0


def test_a_caller_cancels_while_waiting_and_while_reading() -> None:
    ocr, held = held_ocr()
    token = CancelToken()
    with Pool(ocr, slots=1) as pool, ThreadPoolExecutor(2) as callers:

        def one() -> None:
            with pool.lease(cancel=token) as lease:
                lease.read(PAGE)

        jobs = [callers.submit(one), callers.submit(one)]
        assert held.begun.acquire(timeout=LONG)
        until(lambda: pool.state.waiting == 1)
        token.cancel()
        for job in jobs:
            with pytest.raises(CancelledError):
                job.result(LONG)
        assert (pool.state.leased, pool.state.waiting) == (0, 0)
        with pytest.raises(CancelledError), pool.lease(cancel=token):
            pass


def test_whatever_a_block_raises_frees_the_slot() -> None:
    ocr, _ = held_ocr(is_open=True)
    with Pool(ocr, slots=1) as pool:
        for kind in (RuntimeError, KeyboardInterrupt, SystemExit, GeneratorExit):
            with pytest.raises(kind), pool.lease():
                raise kind
            assert pool.state.leased == 0
        dropped = pool.lease()
        dropped.__enter__()
        assert pool.state.leased == 1
        del dropped  # the caller has died and nobody holds its lease
        assert pool.state.leased == 0


def test_a_cancelled_task_terminates_its_reading_and_the_slot_is_free_when_that_has_ended() -> None:
    ocr, held = held_ocr()

    async def cancelled() -> None:
        async with pool.alease() as lease:
            await lease.aread(PAGE)

    async def main() -> None:
        task = asyncio.create_task(cancelled())
        await quickly(lambda: held.inside == 1)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await quickly(lambda: pool.state.leased == 0)
        assert held.inside == 0
        held.open.set()
        async with pool.alease() as lease:
            assert (await lease.aread(PAGE)).text == "read"

    with Pool(ocr, slots=1) as pool:
        asyncio.run(main())


def test_tasks_that_are_cancelled_in_the_queue_lose_nothing() -> None:
    ocr, held = held_ocr()

    async def one() -> str:
        async with pool.alease() as lease:
            return (await lease.aread(PAGE)).text

    async def main() -> None:
        tasks = [asyncio.create_task(one()) for _ in range(30)]
        await quickly(lambda: held.inside == 1)
        for task in tasks[1::2]:
            task.cancel()
        held.open.set()
        done = await asyncio.gather(*tasks, return_exceptions=True)
        assert done[::2] == ["read"] * 15
        assert all(isinstance(each, asyncio.CancelledError) for each in done[1::2])

    with Pool(ocr, slots=1) as pool:
        asyncio.run(main())
        assert (pool.state.leased, pool.state.waiting) == (0, 0)


def test_deadlines_of_tasks() -> None:
    ocr, held = held_ocr()

    async def main() -> None:
        with pytest.raises(DeadlineError):
            async with pool.alease(deadline=0.02) as lease:
                await lease.aread(PAGE)
        async with pool.alease():
            with pytest.raises(DeadlineError):
                async with pool.alease(deadline=0.02):
                    pass
            with pytest.raises(OverloadedError):
                async with pool.alease(timeout=0.02):
                    pass

    with Pool(ocr, slots=1) as pool:
        asyncio.run(main())
        until(lambda: pool.state.leased == 0)
        assert held.inside == 0


def test_an_event_loop_that_ended_does_not_take_a_slot_with_it() -> None:
    ocr, _ = held_ocr(is_open=True)
    with Pool(ocr, slots=1) as pool:
        loop = asyncio.new_event_loop()
        with pool.lease():
            waiting = loop.create_task(pool.alease().__aenter__())
            loop.call_later(0.01, loop.stop)
            loop.run_forever()
            assert pool.state.waiting == 1
            loop.close()
        with pool.lease(timeout=LONG) as lease:
            assert lease.read(PAGE).text == "read"
        del waiting


def test_several_engines_by_name() -> None:
    (good, _), (light, _) = held_ocr("good", is_open=True), held_ocr("light", is_open=True)
    with Pool({"good": good, "light": light}) as pool:
        for name, text in ((None, "good"), ("good", "good"), ("light", "light")):
            with pool.lease(name) as lease:
                assert (lease.name, lease.read(PAGE).text) == (text, text)
        with pytest.raises(ArgumentError, match="take one of good, light"), pool.lease("best"):
            pass
        assert pool.state.leased == 0


def test_a_swap_lets_leases_finish_on_the_old_engines_and_then_frees_them() -> None:
    (old, held), (new, _) = held_ocr("old"), held_ocr("new", is_open=True)
    with Pool(old, slots=2) as pool, ThreadPoolExecutor(1) as callers:

        def one() -> str:
            with pool.lease() as lease:
                return lease.read(PAGE).text

        reading = callers.submit(one)
        assert held.begun.acquire(timeout=LONG)
        freed = pool.swap(new)
        with pool.lease() as lease:
            assert lease.read(PAGE).text == "new"
        assert not freed.is_set()
        held.open.set()
        assert reading.result(LONG) == "old"
        assert freed.wait(LONG)
        with pytest.raises(ClosedError):
            old.read(PAGE)


def test_a_pinned_engine_outlives_a_swap_and_its_leases_wait_in_a_full_queue() -> None:
    (old, _), (new, _) = held_ocr("old", is_open=True), held_ocr("new", is_open=True)

    async def main() -> None:
        with pool.pinned() as pin:
            freed = pool.swap(new)
            async with pool.alease():
                with pytest.raises(OverloadedError):
                    async with pool.alease():
                        pass
                page = asyncio.create_task(pinned(pin))
                await quickly(lambda: pool.state.waiting == 1)
            assert await page == "old"
            assert not freed.is_set()
        assert freed.is_set()

    async def pinned(pin: object) -> str:
        async with pool.alease(pin=pin) as lease:  # type: ignore[arg-type]
            return (await lease.aread(PAGE)).text

    with Pool(old, slots=1, queue=0) as pool:
        asyncio.run(main())


def test_closing_ends_the_waiting_and_lets_readings_finish() -> None:
    ocr, held = held_ocr()
    pool = Pool(ocr, slots=1)
    with ThreadPoolExecutor(2) as callers:

        def one() -> str:
            with pool.lease() as lease:
                return lease.read(PAGE).text

        first = callers.submit(one)
        assert held.begun.acquire(timeout=LONG)
        second = callers.submit(one)
        until(lambda: pool.state.waiting == 1)
        pool.close()
        with pytest.raises(ClosedError):
            second.result(LONG)
        with pytest.raises(ClosedError), pool.lease():
            pass
        held.open.set()
        assert first.result(LONG) == "read"
    with pytest.raises(ClosedError):
        ocr.read(PAGE)
    pool.close()


def test_a_thousand_callers_from_threads_and_tasks_leave_nothing_behind() -> None:
    ocr, held = held_ocr(is_open=True)
    before = threading.active_count()
    with Pool(ocr, slots=3, queue=2000) as pool:

        def one(number: int) -> bool:
            try:
                with pool.lease(deadline=0.0 if number % 7 == 0 else None) as lease:
                    return lease.read(PAGE).text == "read"
            except DeadlineError:
                return number % 7 == 0

        async def task(number: int) -> bool:
            try:
                async with pool.alease(deadline=0.0 if number % 5 == 0 else None) as lease:
                    return (await lease.aread(PAGE)).text == "read"
            except DeadlineError:
                return number % 5 == 0

        async def tasks() -> list[bool]:
            return await asyncio.gather(*(task(number) for number in range(500)))

        with ThreadPoolExecutor(8) as callers:
            threads = [callers.submit(one, number) for number in range(500)]
            assert all(asyncio.run(tasks()))
            assert all(job.result(LONG) for job in threads)
        assert (pool.state.leased, pool.state.waiting) == (0, 0)
        assert held.most <= 3
    until(lambda: threading.active_count() <= before)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system does not fork")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_forked_child_has_all_slots() -> None:
    ocr, held = held_ocr()
    with Pool(ocr, slots=1) as pool, ThreadPoolExecutor(1) as callers:

        def one() -> str:
            with pool.lease() as lease:
                return lease.read(PAGE).text

        reading = callers.submit(one)
        assert held.begun.acquire(timeout=LONG)
        child = os.fork()
        if not child:
            code = 1
            try:
                held.open.set()
                with pool.lease(timeout=LONG) as lease:
                    code = 0 if lease.read(PAGE).text == "read" and pool.state.leased == 1 else 2
            finally:
                os._exit(code)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        held.open.set()
        assert reading.result(LONG) == "read"
