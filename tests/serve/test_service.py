"""The core of the service, on real models: what the doors get, and what is counted."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import cv2
import numpy as np
import pytest

from fastocr import OCR
from fastocr.errors import ArgumentError, DeadlineError, FastocrError, InputError, OverloadedError, UnavailableError
from fastocr.serve.call import Call
from fastocr.serve.config import ServeConfig
from fastocr.serve.service import DocumentRequest, Service

pytest.importorskip("onnxruntime")


def png(text: str = "Total 42,50") -> bytes:
    image = np.full((100, 420, 3), 255, np.uint8)
    cv2.putText(image, text, (15, 65), cv2.FONT_HERSHEY_SIMPLEX, 1.6, (0, 0, 0), 3)
    return cv2.imencode(".png", image)[1].tobytes()


def tiff(*texts: str) -> bytes:
    frames = [cv2.imdecode(np.frombuffer(png(text), np.uint8), cv2.IMREAD_COLOR) for text in texts]
    return cv2.imencodemulti(".tiff", frames)[1].tobytes()


@pytest.fixture(scope="module")
def service() -> Iterator[Service]:
    service = Service(ServeConfig(preset="accurate", queue=4))
    service.start()
    yield service
    service.close()


def test_a_page_is_what_ocr_reads(service: Service) -> None:
    data, call = png(), Call("http", "ocr")

    async def ask() -> None:
        with service.observed(call):
            page = await service.read(call, data, {})
        with OCR(preset="accurate") as ocr:
            assert page == ocr.read(data)

    told: list[Call] = []
    service.watchers.append(told.append)
    asyncio.run(ask())
    service.watchers.clear()
    assert told == [call]
    assert (call.code, call.preset, call.degraded, call.pages) == ("ok", "accurate", False, 1)
    assert {"queue", "load", "detect"} <= call.stages.keys()
    assert call.ended is not None
    status = service.status()
    assert (status.pool.leased, status.pending_bytes, status.calls, status.ready) == (0, 0, 0, True)


def test_a_document_comes_page_by_page(service: Service) -> None:
    data, call = tiff("one 11", "two 22", "three 33"), Call("http", "document")

    async def ask(request: DocumentRequest) -> list[tuple[int, str]]:
        return [(page.number, page.text) async for page in service.pages(call, data, {}, request)]

    assert asyncio.run(ask(DocumentRequest())) == [(1, "one 11"), (2, "two 22"), (3, "three 33")]
    assert asyncio.run(ask(DocumentRequest(pages="3,1"))) == [(3, "three 33"), (1, "one 11")]
    with pytest.raises(ArgumentError):
        asyncio.run(ask(DocumentRequest(pages="9")))
    assert service.status().documents == service.status().pool.leased == 0


def test_errors_are_those_of_the_library(service: Service) -> None:
    async def ask(call: Call, data: bytes) -> None:
        with service.observed(call):
            await service.read(call, data, {})

    for data, code in ((b"not an image", "unsupported_format"), (b"", "unreadable_image")):
        call = Call("http", "ocr")
        with pytest.raises(InputError):
            asyncio.run(ask(call, data))
        assert call.code == code
    late = Call("http", "ocr", deadline=0.0)
    with pytest.raises(DeadlineError):
        asyncio.run(ask(late, png()))
    assert late.code == "deadline_exceeded"


def test_bytes_in_memory_are_bounded() -> None:
    service = Service(ServeConfig(max_body_bytes=100, max_pending_bytes=100))
    with service.holding(60):
        with pytest.raises(OverloadedError), service.holding(41):
            pass
        with service.holding(40):
            assert service._pending == 100
    assert service._pending == 0


def test_before_the_start_and_while_draining_it_is_unavailable() -> None:
    service = Service(ServeConfig())
    with pytest.raises(UnavailableError):
        service.refuse_early()
    assert asyncio.run(service.drain(1))
    with pytest.raises(UnavailableError, match="stopped"):
        service.refuse_early()


@pytest.mark.parametrize(
    ("setting", "value"),
    [
        *[("port", each) for each in (-1, 65536, "80", 1.5, True)],
        *[("queue", -1), ("max_body_bytes", 0), ("header_seconds", "10"), ("offline", 1), ("log_level", "loud")],
        *[("preset", "best"), ("light_preset", "best"), ("options", {"charset": 5}), ("options", {"nonsense": 1})],
        *[("allowed_hosts", "a"), ("allowed_hosts", (1,)), ("deadline_ms", 400_000), ("max_body_bytes", 2**40)],
    ],
)
def test_a_bad_setting_is_named(setting: str, value: object) -> None:
    with pytest.raises(FastocrError, match=setting if setting not in ("options", "light_preset") else "."):
        ServeConfig(**{setting: value})  # type: ignore[arg-type]


def test_draining_waits_for_what_is_under_way_and_then_cancels_it() -> None:
    async def drained(seconds: float, *, ends: bool) -> tuple[bool, bool]:
        service, call = Service(ServeConfig()), Call("http", "ocr", id="given by a client")
        with service.observed(call):
            draining = asyncio.ensure_future(service.drain(seconds))
            await asyncio.sleep(0)
            # One that still comes, with the same id, is neither waited for nor mistaken for the other.
            with service.observed(Call("http", "ocr", id="given by a client")):
                pass
            await asyncio.sleep(0.05)
            assert draining.done() != ends
            if not ends:
                return await draining, call.cancel.cancelled
        return await draining, call.cancel.cancelled

    assert asyncio.run(drained(30.0, ends=True)) == (True, False)
    assert asyncio.run(drained(0.0, ends=False)) == (False, True)
