"""Other engines for a service that goes on serving."""

from __future__ import annotations

import asyncio
import dataclasses
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from fastocr.errors import ArgumentError, ModelError, ModelNotFoundError, UnavailableError
from fastocr.models import open_model
from fastocr.serve import engines, reload
from fastocr.serve.call import Call
from fastocr.serve.config import ServeConfig
from fastocr.serve.reload import chosen, renewed
from fastocr.serve.service import DocumentRequest, Service

pytest.importorskip("onnxruntime")


def picture(text: str) -> bytes:
    image = np.full((100, 420, 3), 255, np.uint8)
    cv2.putText(image, text, (15, 65), cv2.FONT_HERSHEY_SIMPLEX, 1.6, (0, 0, 0), 3)
    return cv2.imencode(".png", image)[1].tobytes()


@pytest.fixture
def service() -> Iterator[Service]:
    service = Service(ServeConfig(preset="fast", light_preset="off", queue=100))
    service.start()
    yield service
    service.close()


async def ask(service: Service, text: str) -> Call:
    call = Call("http", "ocr")
    with service.observed(call):
        page = await service.read(call, picture(text), {})
    assert page.text == text
    return call


def test_answers_change_with_the_models_and_none_fails(service: Service) -> None:
    async def load() -> list[Call]:
        calls: list[Call] = []
        done = False

        async def client(number: int) -> None:
            turn = 0
            while not done:
                calls.append(await ask(service, f"Page {number + 1}{turn:03}"))
                turn += 1

        clients = [asyncio.ensure_future(client(number)) for number in range(4)]
        for change in ({"preset": "balanced"}, {"models": "ppocrv6-tiny"}, {}, {"preset": "fast"}):
            before = service.generation
            told = await service.reload(change)
            assert told["generation"] == service.generation == before + 1
            # What begins after the switch is read by the new engines.
            call = await ask(service, "after it")
            assert call.preset == told["engines"][0]["preset"]
        done = True
        await asyncio.gather(*clients)
        return calls

    calls = asyncio.run(load())
    assert {call.code for call in calls} == {"ok"}
    # What an answer says is what read it, also of a request that was under way when the models changed.
    names = {(call.preset, call.models) for call in calls}
    known = {("fast", "ppocrv6-tiny"), ("balanced", "ppocrv6-cascade-light"), ("ppocrv6-tiny", "ppocrv6-tiny")}
    assert names == known


def test_a_request_under_way_ends_on_the_old_engines_which_are_then_freed(service: Service) -> None:
    frames = [cv2.imdecode(np.frombuffer(picture(f"page {k}"), np.uint8), cv2.IMREAD_COLOR) for k in (1, 2, 3)]
    document = cv2.imencodemulti(".tiff", frames)[1].tobytes()

    async def run() -> None:
        old = service.pool.ocrs[engines.USUAL]
        call = Call("http", "document")
        texts, presets = [], []
        async for page in service.pages(call, document, {}, DocumentRequest()):
            texts.append(page.text)
            presets.append(call.preset)
            if len(texts) == 1:
                await service.reload({"preset": "balanced"})
                old.read(picture("still open"))
        assert texts == ["page 1", "page 2", "page 3"]
        assert presets == ["fast"] * 3
        with pytest.raises(Exception, match="closed"):
            old.read(picture("closed"))

    asyncio.run(run())


BAD = [
    ({"preset": "best"}, ArgumentError, "preset must be one of"),
    ({"models": "ppocrv6-smal"}, ModelNotFoundError, "did you mean"),
    ({"models": "/etc"}, ModelNotFoundError, "no model set"),
    ({"models": "../.."}, ModelNotFoundError, "no model set"),
    ({"det": "/etc/passwd"}, ArgumentError, "a reload takes preset or models"),
    ({"preset": "fast", "models": "ppocrv6-tiny"}, ArgumentError, "either preset or models"),
]


@pytest.mark.parametrize(("change", "kind", "message"), BAD)
def test_a_bad_set_leaves_the_old_one_serving(
    service: Service, change: dict[str, str], kind: type[Exception], message: str
) -> None:
    async def run() -> None:
        before = service.models()
        with pytest.raises(kind, match=message):
            await service.reload(change)
        assert service.models() == before
        assert (await ask(service, "go on")).preset == "fast"

    asyncio.run(run())


def test_a_set_that_reads_wrongly_is_not_let_in(
    service: Service, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    model = open_model("ppocrv6-tiny-rec")
    known = list(model.classes()[1:-1])  # without the blank and the space
    wrong = tmp_path / "wrong.txt"
    wrong.write_text("\n".join(known[1:] + known[:1]) + "\n", encoding="utf-8")

    def misreading(config: ServeConfig) -> ServeConfig:
        return dataclasses.replace(config, preset=None, rec=str(model.path), dictionary=str(wrong))

    async def run() -> None:
        with pytest.raises(ModelError, match="self-test"):
            await service.reloads.run(misreading)
        assert service.generation == 1
        assert (await ask(service, "go on")).preset == "fast"

    asyncio.run(run())
    assert "go on serving" in caplog.text


def test_reloads_are_one_after_another(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    under_way = most = 0
    load = engines.load

    def counted(*args: Any, **options: Any) -> engines.Loaded:
        nonlocal under_way, most
        under_way += 1
        most = max(most, under_way)
        try:
            return load(*args, **options)
        finally:
            under_way -= 1

    monkeypatch.setattr(engines, "load", counted)

    async def run() -> None:
        await asyncio.gather(*(service.reload({}) for _ in range(3)))

    asyncio.run(run())
    assert (service.generation, most) == (4, 1)


def test_a_caller_that_goes_away_leaves_no_engine_behind(service: Service) -> None:
    async def run() -> None:
        task = asyncio.ensure_future(service.reload({"preset": "balanced"}))
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await service.reload({})  # after the first, which has ended by itself
        assert (await ask(service, "go on")).preset == "balanced"

    asyncio.run(run())
    assert service.generation == 3


def test_old_engines_that_are_still_in_use_put_off_the_next_reload(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reload, "PATIENCE", 0.1)

    async def run() -> None:
        with service.pool.pinned():
            await service.reload({})
            with pytest.raises(Exception, match="still use"):
                await service.reload({})
        await service.reload({})
        assert service.generation == 3

    asyncio.run(run())


def test_a_service_that_is_being_stopped_loads_nothing(service: Service) -> None:
    async def run() -> None:
        await service.drain(1)
        with pytest.raises(UnavailableError):
            await service.reload({})
        assert service.generation == 1

    asyncio.run(run())


def test_settings_that_are_read_again_say_what_cannot_change(tmp_path: Path) -> None:
    config = ServeConfig(port=1, models="ppocrv6-tiny", lang=("de",))
    now, fixed = renewed(config, ServeConfig(port=2, preset="fast", queue=5, options={"layout": "rows"}))
    assert fixed == ["port", "queue"]
    assert now == ServeConfig(port=1, preset="fast", options={"layout": "rows"})
    assert chosen(now, {"models": "ppocrv6-small"}) == ServeConfig(
        port=1, models="ppocrv6-small", options={"layout": "rows"}
    )
