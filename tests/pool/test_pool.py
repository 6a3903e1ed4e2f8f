"""Leases: slots, queue, order, deadlines, cancellation, swaps, forks; nothing is lost."""

from __future__ import annotations

import asyncio
import os
from concurrent.futures import ThreadPoolExecutor

import pytest

from fastocr import CancelToken
from fastocr.errors import ArgumentError, CancelledError, ClosedError, DeadlineError, OverloadedError
from fastocr.pool import Pool
from tests.pool.stubs import LONG, PAGE, held_ocr, until


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


@pytest.mark.parametrize("name", ["timeout", "deadline"])
@pytest.mark.parametrize("bad", ["3", True, float("nan"), [1]])
def test_a_time_that_is_no_number_is_refused_and_takes_no_slot(name: str, bad: object) -> None:
    ocr, _ = held_ocr(is_open=True)
    with Pool(ocr, slots=1, queue=0) as pool:
        with pytest.raises(ArgumentError, match=f"{name} must be a number of seconds"), pool.lease(**{name: bad}):  # type: ignore[arg-type]
            pass

        async def task() -> None:
            async with pool.alease(**{name: bad}):  # type: ignore[arg-type]
                pass

        with pytest.raises(ArgumentError, match=f"{name} must be a number of seconds"):
            asyncio.run(task())
        assert (pool.state.leased, pool.state.waiting) == (0, 0)


@pytest.mark.filterwarnings("error::pytest.PytestUnhandledThreadExceptionWarning")
@pytest.mark.parametrize("long", [float("inf"), 1e300, 10**400])
def test_a_time_that_no_lock_can_wait_is_taken_as_the_longest(long: float) -> None:
    ocr, _ = held_ocr(is_open=True)
    with Pool(ocr, slots=1) as pool:
        with pool.lease(timeout=long, deadline=long) as lease:
            assert lease.read(PAGE).text == "read"
            with pytest.raises(DeadlineError), pool.lease(timeout=long, deadline=0.05):
                pass

        async def task() -> str:
            async with pool.alease(timeout=long, deadline=long) as lease:
                return (await lease.aread(PAGE)).text

        assert asyncio.run(task()) == "read"
        assert (pool.state.leased, pool.state.waiting) == (0, 0)


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
        until(lambda: pool.state.leased == 2 and pool.state.waiting == 3 and held.inside == 2)
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
