"""The pool: order, failures, one budget for all."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from typing import Any

import pytest

from fastocr.errors import CancelledError
from fastocr.runtime.base import CancelToken
from fastocr.runtime.workers import Processors, Workers


def test_results_keep_the_order_and_the_dearest_begin_first() -> None:
    begun: list[int] = []

    def double(item: int) -> int:
        begun.append(item)
        return 2 * item

    assert Workers(1).map(double, [3, 1, 2], float) == [6, 2, 4]
    assert begun == [3, 2, 1]
    assert Workers(2).map(double, [], float) == []


def test_the_first_failure_is_raised_when_all_have_ended() -> None:
    ended = []

    def fail(item: int) -> None:
        ended.append(item)
        raise ValueError(item)

    with pytest.raises(ValueError, match="3"):
        Workers(1).map(fail, [1, 2, 3], float)
    assert ended[0] == 3


def test_a_helpers_failure_is_known_when_its_piece_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where the helper has not yet let go of its processor when the caller stops waiting."""
    workers = Workers(2)
    both, raised = threading.Barrier(2), threading.Event()
    caller = threading.current_thread()
    take = Workers.take

    @contextmanager
    def slow_to_let_go(*arguments: Any) -> Iterator[bool]:
        with take(*arguments) as granted:
            try:
                yield granted
            finally:
                if threading.current_thread() is not caller:
                    raised.wait(60)

    def fail_in_the_helper(item: int) -> None:
        both.wait(60)
        if threading.current_thread() is not caller:
            raise ValueError(item)

    monkeypatch.setattr(Workers, "take", slow_to_let_go)
    try:
        with pytest.raises(ValueError, match=r"[12]"):
            workers.map(fail_in_the_helper, [1, 2], float)
    finally:
        raised.set()


def test_a_cancelled_token_stops_what_is_not_begun() -> None:
    token = CancelToken()
    done: list[int] = []

    def step(item: int) -> None:
        done.append(item)
        token.cancel()

    with pytest.raises(CancelledError):
        Workers(1).map(step, [1, 2, 3], float, token)
    assert done == [3]


def test_who_waits_is_served_in_turn() -> None:
    workers = Workers(2)
    stop, begun = threading.Event(), threading.Barrier(4)

    def detect() -> None:
        begun.wait()
        while not stop.is_set():
            with workers.take(2):
                sum(range(5000))

    with ThreadPoolExecutor(3) as pool:
        tasks = [pool.submit(detect) for _ in range(3)]
        begun.wait()
        try:
            assert workers.map(str, range(20), float) == [str(k) for k in range(20)]
        finally:
            stop.set()
        assert [task.result() for task in tasks] == [None] * 3


def test_cancelling_ends_the_waiting() -> None:
    workers, token = Workers(2), CancelToken()
    with ThreadPoolExecutor(1) as pool, workers.take(2):
        task = pool.submit(workers.map, str, [1, 2], float, token)
        token.cancel()
        with pytest.raises(CancelledError):
            task.result(timeout=20)
    assert workers.map(str, [1], float) == ["1"]


def until(condition: Callable[[], bool]) -> None:
    """Waits until another thread has come as far as the condition says."""
    end = time.monotonic() + 20
    while not condition():
        assert time.monotonic() < end, "the other thread never came that far"


def test_who_has_nothing_left_to_do_leaves_the_line() -> None:
    workers, done = Workers(2), threading.Event()

    def stand() -> bool:
        with workers.take(1, unless=done.is_set) as granted:
            return granted

    with ThreadPoolExecutor(1) as pool, workers.take(2):
        task = pool.submit(stand)
        until(lambda: len(workers._queue) == 1)
        done.set()
        workers.wake()
        assert task.result(timeout=20) is False
    assert stand() is True


def test_nobody_waits_in_line_for_work_that_is_done() -> None:
    workers, release = Workers(2), threading.Event()

    def detect() -> None:
        with workers.take(2):
            pass

    def piece(item: int) -> int:
        if item == 2:  # begun first, by the caller, while its helper stands in line
            until(lambda: len(workers._queue) == 1)
            detector.append(pool.submit(detect))
            until(lambda: len(workers._queue) == 2)
        return item

    def hold() -> None:
        with workers.take(1):
            assert release.wait(20)

    detector: list[Future[None]] = []
    with ThreadPoolExecutor(3) as pool:
        holder = pool.submit(hold)
        until(lambda: workers._taken == 1)
        # The caller lets its processor go to the helper, which does the last piece; then the detector waits for the
        # holder, and the caller, behind it in line, has nothing left to wait for.
        assert pool.submit(workers.map, piece, [1, 2], float).result(timeout=20) == [1, 2]
        assert not detector[0].done()
        release.set()
        holder.result(timeout=20)
        detector[0].result(timeout=20)


def test_a_token_stops_all_that_it_stands_for() -> None:
    token, stopped = CancelToken(), []

    def bad() -> None:
        raise ValueError("bad")

    with ExitStack() as stack:
        for stop in (lambda: stopped.append(1), bad, lambda: stopped.append(2)):
            stack.enter_context(token.stopping(stop))
        with pytest.raises(ValueError, match="bad"):
            token.cancel()
    assert sorted(stopped) == [1, 2]
    with pytest.raises(CancelledError), token.stopping(bad):
        pass


def test_all_threads_and_pieces_exclude_each_other() -> None:
    workers = Workers(4)
    lock = threading.Lock()
    running = {"pieces": 0, "whole": 0}
    seen: list[tuple[int, int]] = []

    def enter(kind: str) -> None:
        with lock:
            running[kind] += 1
            seen.append((running["pieces"], running["whole"]))

    def leave(kind: str) -> None:
        with lock:
            running[kind] -= 1

    def piece(_: int) -> None:
        enter("pieces")
        sum(range(2000))
        leave("pieces")

    def page(_: int) -> None:
        with workers.take(4):
            enter("whole")
            sum(range(2000))
            leave("whole")
        workers.map(piece, range(8), float)

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(page, range(40)))
    assert all((pieces, whole) == (0, 1) or (whole == 0 and pieces <= 4) for pieces, whole in seen)


def test_a_failure_inside_gives_the_turn_back() -> None:
    workers = Workers(2)
    with pytest.raises(ValueError, match="inside"), workers.take(2):
        raise ValueError("inside")
    assert workers.map(str, [1, 2], float) == ["1", "2"]


def test_processors_are_the_same_for_all_who_share_them() -> None:
    processors = Processors(3)
    workers, calls = processors.here()
    assert processors.here() == (workers, calls)
    assert workers.count == 3


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system does not fork")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_forked_child_has_processors_of_its_own() -> None:
    processors = Processors(2)
    workers, _ = processors.here()
    child = os.fork()
    if not child:
        own, _ = processors.here()
        os._exit(0 if own is not workers and own.map(str, [1, 2], float) == ["1", "2"] else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert processors.here()[0] is workers
