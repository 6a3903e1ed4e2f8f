"""What the tools take, and how a reading is told of and cancelled, with an engine that is none."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from typing import Any

import pytest

from fastocr import Page
from fastocr.errors import ArgumentError, ModelNotFoundError
from fastocr.mcp.reading import AT_ONCE, Reader
from fastocr.mcp.tools import TOOLS, checked
from fastocr.runtime.base import CancelToken

BLANK = Page(lines=(), rows=(), width=1, height=1, models="none")


def test_arguments_that_are_given_come_back() -> None:
    given = {"path": "a.pdf", "pages": "1-2", "password": None, "lines": True}
    assert checked("read_document", given) == {"path": "a.pdf", "pages": "1-2", "lines": True}


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({}, "give either path or data"),
        ({"path": "a", "data": "b"}, "give either path or data"),
        ({"path": None}, "give either path or data"),
        ({"pth": "a"}, "read_image takes no argument 'pth': did you mean path?"),
        ({"path": "a", "zzzz": 1}, "it takes path, data, lines, charset"),
        ({"path": 3}, "path must be a string, not int"),
        ({"path": ["a"]}, "path must be a string, not list"),
        ({"path": "a", "lines": "yes"}, "lines must be a boolean, not str"),
        ({"path": "a", "lines": 1}, "lines must be a boolean, not int"),
    ],
)
def test_other_arguments_are_refused_by_name(arguments: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ArgumentError) as caught:
        checked("read_image", arguments)
    assert sentence in str(caught.value)


def test_the_schemas_are_schemas() -> None:
    jsonschema = pytest.importorskip("jsonschema")
    for tool in TOOLS.values():
        for schema in (tool["input"], tool["output"]):
            jsonschema.Draft202012Validator.check_schema(schema)


class StandIn:
    """An engine whose readings wait until they are cancelled or released."""

    def __init__(self) -> None:
        self.begun = threading.Semaphore(0)
        self.ended: list[str] = []
        self.release = threading.Event()
        self.closed = False

    def read(self, source: Any, *, cancel: CancelToken, **_: Any) -> Page:
        stop = threading.Event()
        self.begun.release()
        with cancel.stopping(stop.set), cancel.stopping(self.release.set):
            self.release.wait(60)
        self.ended.append("cancelled" if stop.is_set() else "read")
        cancel.check()
        return BLANK

    def close(self) -> None:
        self.closed = True


async def begun(engine: StandIn) -> None:
    assert await asyncio.to_thread(engine.begun.acquire, timeout=60)


def test_cancelling_the_task_cancels_the_run() -> None:
    engine = StandIn()
    reader = Reader(lambda: engine)  # type: ignore[arg-type,return-value]

    async def main() -> None:
        task = asyncio.create_task(reader.image(b""))
        await begun(engine)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(main())
    reader.close()
    assert engine.ended == ["cancelled"]
    assert engine.closed


def test_no_more_than_a_few_readings_are_under_way_and_none_is_lost() -> None:
    engine = StandIn()
    reader = Reader(lambda: engine)  # type: ignore[arg-type,return-value]

    async def main() -> list[Page]:
        tasks = [asyncio.create_task(reader.image(b"")) for _ in range(3 * AT_ONCE)]
        for _ in range(AT_ONCE):
            await begun(engine)
        assert not engine.begun.acquire(blocking=False)
        engine.release.set()
        return await asyncio.gather(*tasks)

    assert asyncio.run(main()) == [BLANK] * 3 * AT_ONCE
    reader.close()
    assert engine.ended == ["read"] * 3 * AT_ONCE


def test_the_error_of_the_engine_is_that_of_the_reading_and_of_each() -> None:
    tries: list[Callable[[], None]] = []

    def make() -> Any:
        tries.append(make)
        raise ModelNotFoundError("no model of this name")

    async def main() -> None:
        reader = Reader(make)
        for _ in range(2):
            with pytest.raises(ModelNotFoundError):
                await reader.image(b"")

    asyncio.run(main())
    assert len(tries) == 2
