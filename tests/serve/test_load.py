"""When requests go to the light preset and back, by injected depths and times."""

from __future__ import annotations

import asyncio
import itertools
import logging

import cv2
import numpy as np
import pytest

from fastocr.serve.call import Call
from fastocr.serve.config import ServeConfig
from fastocr.serve.load import Degrading
from fastocr.serve.service import Service


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def test_on_at_the_mark_and_off_only_after_a_calm_while(caplog: pytest.LogCaptureFixture) -> None:
    clock = Clock()
    degrading = Degrading(8, 2, clock)
    assert [degrading.look(waiting) for waiting in (0, 3, 7)] == [False] * 3
    assert degrading.look(8)
    # Between the two marks it stays on, however long.
    clock.now += 60
    assert degrading.look(3)
    # At the lower one it stays on until that has lasted.
    clock.now += 1.9
    assert degrading.look(2)
    # A moment above begins the wait anew.
    assert degrading.look(3)
    clock.now += 1.9
    assert degrading.look(0)
    clock.now += 0.2
    assert not degrading.look(0)
    # And between the marks it then stays off.
    assert not degrading.look(7)
    assert degrading.look(9)
    assert degrading.on
    messages = [record.getMessage() for record in caplog.records if record.levelno >= logging.WARNING]
    assert [text.partition(":")[0] for text in messages] == ["8 requests wait", "0 requests wait", "9 requests wait"]


def test_it_does_not_flap_where_the_queue_swings_about_the_marks() -> None:
    clock = Clock()
    degrading = Degrading(8, 2, clock)
    states = []
    for step in range(400):
        clock.now += 0.05
        states.append(degrading.look(9 if step % 2 else 1))
    assert sum(a != b for a, b in itertools.pairwise(states)) == 1


def test_a_lower_mark_that_is_not_lower_is_moved_below_the_other() -> None:
    clock = Clock()
    degrading = Degrading(1, 5, clock)
    assert degrading.look(1)
    clock.now += 5
    assert not degrading.look(0)


def test_requests_behind_a_long_queue_are_read_with_the_light_preset_and_say_so(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pytest.importorskip("onnxruntime")
    clock = Clock()
    service = Service(ServeConfig(preset="balanced", light_preset="fast", slots=1, degrade_at=2, restore_at=0))
    service.start()
    monkeypatch.setattr(service._degrading, "_clock", clock)
    image = np.full((100, 420, 3), 255, np.uint8)
    cv2.putText(image, "Total 42", (15, 65), cv2.FONT_HERSHEY_SIMPLEX, 1.6, (0, 0, 0), 3)
    data = cv2.imencode(".png", image)[1].tobytes()

    async def ask() -> Call:
        call = Call("http", "ocr")
        assert (await service.read(call, data, {})).text == "Total 42"
        return call

    async def run() -> tuple[list[Call], Call, Call]:
        with service.pool.lease():  # all slots
            asked = []
            for waiting in range(4):
                asked.append(asyncio.ensure_future(ask()))
                while service.pool.state.waiting == waiting:
                    await asyncio.sleep(0)
            assert service.status().degraded
        queued = await asyncio.gather(*asked)
        soon = await ask()
        clock.now += 3
        assert not service.status().degraded
        return queued, soon, await ask()

    queued, soon, later = asyncio.run(run())
    service.close()
    assert [(call.preset, call.degraded) for call in queued] == [("balanced", False)] * 2 + [("fast", True)] * 2
    assert (soon.preset, soon.degraded) == ("fast", True)
    assert (later.preset, later.degraded) == ("balanced", False)


def test_without_a_light_preset_nothing_is_said_to_be_degraded(caplog: pytest.LogCaptureFixture) -> None:
    pytest.importorskip("onnxruntime")
    service = Service(ServeConfig(preset="fast", light_preset="off", slots=1, degrade_at=1))
    service.start()

    async def wait() -> None:
        async with service.pool.alease():
            pass

    async def run() -> None:
        with service.pool.lease():
            waiting = asyncio.ensure_future(wait())
            while not service.pool.state.waiting:
                await asyncio.sleep(0)
            assert service._choose() == "usual"
            assert not service.status().degraded
            assert not service.models()["degraded"]
        await waiting

    asyncio.run(run())
    service.close()
    assert "light preset" not in caplog.text
