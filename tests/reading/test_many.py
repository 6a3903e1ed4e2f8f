"""Many images side by side: the same pages as one by one, in order, within bounds, and nothing left behind."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from fastocr import OCR, CancelToken, Page, ReadResult
from fastocr.errors import ArgumentError, CancelledError, ClosedError, InputError
from fastocr.many import MOST, in_order, several
from tests.reading.test_state import wait


def page(text: object) -> Page:
    return Page(lines=(), rows=(), width=1, height=1, models=str(text))


def read(source: Any, cancel: CancelToken) -> Page:
    return page(source)


def named(results: Iterator[ReadResult]) -> list[str]:
    return [result.page.models for result in results if result.page is not None]


def readers() -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name.startswith("fastocr-page")]


def test_results_keep_the_order_however_late_one_is() -> None:
    others = threading.Semaphore(0)

    def first_is_last(source: int, cancel: CancelToken) -> Page:
        if source:
            others.release()
        else:
            assert all(others.acquire(timeout=60) for _ in range(5)), "the other threads went on meanwhile"
        return page(source)

    results = list(in_order(first_is_last, range(20), 2, None, None))
    assert [result.index for result in results] == list(range(20))
    assert named(iter(results)) == [str(k) for k in range(20)]
    assert not readers()


@pytest.mark.parametrize("processors", [1, 2, 500])
def test_sources_are_taken_as_results_are(processors: int) -> None:
    taken = 0

    def endless() -> Iterator[int]:
        nonlocal taken
        while True:
            taken += 1
            yield taken

    results = in_order(read, endless(), processors, None, None)
    assert taken == 0, "nothing is begun before the first result is asked for"
    for done in range(1, 30):
        assert next(results).index == done - 1
        assert taken < done + 2 * min(processors + 1, MOST)
    assert len(readers()) <= MOST
    results.close()
    assert not readers()


def test_one_bad_source_is_reported_and_the_others_are_read() -> None:
    def picky(source: str, cancel: CancelToken) -> Page:
        if source == "bad.png":
            raise InputError("cannot read bad.png")
        return page(source)

    results = list(in_order(picky, ["a.png", "bad.png", "c.png"], 2, None, None))
    assert [result.name for result in results] == ["a.png", "bad.png", "c.png"]
    assert [result.page is None for result in results] == [result.error is not None for result in results]
    assert isinstance(results[1].error, InputError)
    assert named(iter(results)) == ["a.png", "c.png"]


def test_progress_counts_and_knows_the_number_where_there_is_one() -> None:
    told: list[tuple[int, int | None]] = []
    list(in_order(read, ["a", "b"], 1, lambda done, total: told.append((done, total)), None))
    list(in_order(read, iter(["a"]), 1, lambda done, total: told.append((done, total)), None))
    assert told == [(1, 2), (2, 2), (1, None)]
    assert list(in_order(read, [], 1, lambda done, total: told.append((done, total)), None)) == []


def stuck(source: Any, cancel: CancelToken) -> Page:
    """Reads until it is cancelled."""
    stopped = threading.Event()
    with cancel.stopping(stopped.set):
        assert stopped.wait(60)
        cancel.check()
    raise AssertionError("not cancelled")


def test_a_token_stops_all_and_is_the_callers_own() -> None:
    token, begun = CancelToken(), threading.Event()

    def begin(source: int, cancel: CancelToken) -> Page:
        if not source:
            return page(source)
        begun.set()
        return stuck(source, cancel)

    results = in_order(begin, range(100), 2, None, token)
    assert next(results).index == 0
    assert begun.wait(60)
    token.cancel()
    with pytest.raises(CancelledError):
        next(results)
    assert not readers()
    assert list(results) == []


def test_closing_stops_what_is_under_way_and_leaves_the_callers_token() -> None:
    token = CancelToken()
    results = in_order(lambda source, cancel: stuck(source, cancel) if source else page(0), range(9), 2, None, token)
    assert next(results).index == 0
    results.close()
    assert not readers()
    assert not token.cancelled


def test_a_source_that_cannot_be_had_ends_it() -> None:
    def broken() -> Iterator[int]:
        yield 0
        raise OSError("the folder has gone")

    with pytest.raises(OSError, match="has gone"):
        list(in_order(read, broken(), 1, None, None))
    assert not readers()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_it_does_not_go_on_in_a_forked_child() -> None:
    go_on = threading.Event()

    def first_at_once(source: int, cancel: CancelToken) -> Page:
        assert not source or go_on.wait(60)
        return page(source)

    results = in_order(first_at_once, range(3), 2, None, None)
    next(results)
    pid = os.fork()
    if not pid:
        code = 1
        try:
            with pytest.raises(ClosedError, match="forked"):
                next(results)
            code = 0
        finally:
            os._exit(code)
    assert wait(pid) == 0
    go_on.set()
    assert named(results) == ["1", "2"]


@pytest.mark.parametrize("sources", ["a.png", b"GIF", Path("a.png"), 7, None])
def test_one_source_alone_is_refused(sources: object) -> None:
    with pytest.raises(ArgumentError, match="read_many takes"):
        several(sources)


@pytest.mark.parametrize("shape", [(40, 30, 3), (40, 30)])
def test_an_array_that_may_be_one_picture_is_refused_and_a_stack_is_not(shape: tuple[int, ...]) -> None:
    picture = np.zeros(shape, np.uint8)
    with pytest.raises(ArgumentError, match=r"pass \[array\]"):
        several(picture)
    stack, names = np.zeros((2, 40, 30, 3), np.uint8), np.array(["a.png", "b.png"])
    assert several(stack) is stack
    assert several(names) is names


@pytest.mark.models
def test_the_pages_are_those_of_read(ocr: OCR, draw: ModuleType, tmp_path: Path) -> None:
    images: list[Any] = [
        draw.bgr(draw.text(draw.page(400 + 60 * k, 120 + 20 * k), (20, 30), f"Page {k} of 9", 40)) for k in range(9)
    ]
    images.insert(3, tmp_path / "missing.png")
    images.insert(5, np.full((60, 60, 3), 255, np.uint8))
    results = list(ocr.read_many(images, min_confidence=0.5))
    assert isinstance(results.pop(3).error, InputError)
    del images[3]
    assert [result.page for result in results] == [ocr.read(image, min_confidence=0.5) for image in images]
    assert not readers()


@pytest.mark.models
def test_bad_arguments_are_refused_at_once(ocr: OCR) -> None:
    with pytest.raises(ArgumentError, match="unknown option"):
        ocr.read_many([], colour=1)  # type: ignore[call-arg]
    with pytest.raises(ArgumentError, match="does not know"):
        ocr.read_many([], charset="0ก")
    with pytest.raises(ArgumentError, match=r"pass \[source\]"):
        ocr.read_many("a.png")
    with OCR("ppocrv6-tiny", threads=2) as closed:
        pass
    with pytest.raises(ClosedError):
        closed.read_many([])


@pytest.mark.models
def test_reading_stops_within_a_page(ocr: OCR, draw: ModuleType) -> None:
    image = draw.bgr(draw.text(draw.page(900, 900), (20, 30), "Again and again", 40))
    token = CancelToken()
    results = ocr.read_many([image] * 50, cancel=token)
    assert next(results).page is not None
    token.cancel()
    with pytest.raises(CancelledError):
        list(results)
    assert not readers()
    assert ocr.read(image).text == "Again and again"
