"""Several images of one request, on a service that only pretends to read."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any

import pytest

from fastocr.errors import CancelledError, FastocrError, InputError, OverloadedError
from fastocr.results import Page
from fastocr.serve.batch import read_all
from fastocr.serve.call import Call

PAGE = Page(lines=(), rows=(), width=1, height=1, models="set")


class Pretended:
    """Reads as the bytes say; `most` is how many it was asked to read at once."""

    def __init__(self, slots: int = 2) -> None:
        self.pool = SimpleNamespace(state=SimpleNamespace(slots=slots))
        self.now = self.most = 0

    async def read(self, call: Call, data: bytes, options: Any, *, admitted: bool) -> Page:
        self.now += 1
        self.most = max(self.most, self.now)
        await asyncio.sleep(0)
        self.now -= 1
        if data == b"bad":
            raise InputError("it cannot be read")
        if data == b"busy":
            raise OverloadedError("try again later")
        if data == b"gone":
            raise CancelledError("the run was cancelled")
        call.preset, call.models, call.degraded = "fast", "set", data == b"light"
        call.pages, call.stages = 1, {"detect": 2.0}
        return PAGE


def read(service: Any, call: Call, *images: bytes | FastocrError) -> list[Any]:
    return asyncio.run(read_all(service, call, images, {}))


def test_outcomes_stand_in_the_order_of_the_images() -> None:
    service, call = Pretended(), Call("http", "batch")
    early = InputError("no base64")
    outcomes = read(service, call, b"one", b"bad", early, b"light", b"busy", b"two")
    assert [outcome.result == PAGE for outcome in outcomes] == [True, False, False, True, False, True]
    assert outcomes[2].result is early
    assert [outcome.degraded for outcome in outcomes] == [False, False, False, True, False, False]
    assert (call.pages, call.stages, call.preset) == (3, {"detect": 6.0}, "fast")
    assert service.most == 2


def test_where_the_service_refuses_every_image_it_refuses_the_batch() -> None:
    with pytest.raises(OverloadedError):
        read(Pretended(), Call("http", "batch"), b"busy", b"busy", b"busy")
    assert len(read(Pretended(), Call("http", "batch"), b"busy", b"bad")) == 2


def test_a_batch_that_is_cancelled_ends_as_cancelled() -> None:
    with pytest.raises(CancelledError):
        read(Pretended(), Call("grpc", "batch"), b"one", b"gone", b"gone")
