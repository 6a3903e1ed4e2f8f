"""Leases of tasks, and of tasks and threads together."""

from __future__ import annotations

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from fastocr.errors import BackendError, DeadlineError, OverloadedError
from fastocr.pool import Pool
from tests.pool.stubs import LONG, PAGE, held_ocr, quickly, until


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
            async with pool.alease():
                jobs = []
                for number in range(8):
                    job = asyncio.to_thread(in_thread, number) if number % 2 else in_task(number)
                    jobs.append(asyncio.ensure_future(job))
                    await quickly(lambda waiting=number + 1: pool.state.waiting == waiting)  # type: ignore[misc]
            await asyncio.gather(*jobs)

        asyncio.run(all_of_them())
    assert order == list(range(8))


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


@pytest.mark.parametrize("kind", [SystemExit, KeyboardInterrupt, BaseException])
def test_what_ends_a_thread_does_not_end_the_event_loop(kind: type[BaseException]) -> None:
    ocr, _ = held_ocr(is_open=True)

    def die() -> None:
        raise kind

    async def ask(pool: Pool) -> str:
        async with pool.alease() as lease:
            with pytest.raises(BackendError, match=f"the reading was ended by {kind.__name__}"):
                await lease.run(die)
            return (await lease.aread(PAGE)).text

    with Pool(ocr, slots=1) as pool:
        assert asyncio.run(ask(pool)) == "read"
        assert pool.state.leased == 0


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
