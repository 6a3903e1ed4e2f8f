"""The numbers of a run against what the service is known to have done."""

from __future__ import annotations

import asyncio
import json
import random
from typing import Any

import pytest

from fastocr.errors import ArgumentError
from fastocr.loadtest import Answer, Plan, Report, Sample, measure, render
from fastocr.loadtest.report import percentile
from tests.loadtest.stub import Behaviour, Stub, Writer, always, error, plain, serving

IMAGES = [b"one", b"two!", b"three"]


def load(behave: Behaviour, **plan: Any) -> tuple[Report, list[Sample], Stub]:
    samples: list[Sample] = []

    def watch(sample: Sample, answer: Answer) -> None:
        samples.append(sample)

    with serving(behave) as stub:
        return asyncio.run(measure(Plan(stub.url, IMAGES, **plan), watch=watch)), samples, stub


def test_images_take_turns_and_bytes_are_counted() -> None:
    report, _, stub = load(always(plain(b"x" * 100)), requests=7)
    assert stub.bodies == [IMAGES[k % 3] for k in range(7)]
    assert stub.lines == ["POST /v2/ocr HTTP/1.1"] * 7
    assert stub.connections == 1
    assert (report.loop, report.requests, report.latency.count, report.errors) == ("closed", 7, 7, {})
    assert report.bytes_received == 700
    head = len(Plan(stub.url, IMAGES).head(3))
    assert report.bytes_sent == 7 * head + sum(map(len, stub.bodies))


def test_what_is_sent() -> None:
    with serving(always(plain())) as stub:
        options = {"operation": "document", "output_format": "text", "token": "abc"}
        plan = Plan(f"{stub.url}/?deadline_ms=500", IMAGES, requests=1, **options)
        asyncio.run(measure(plan))
        asyncio.run(measure(Plan(f"{stub.url}/mine", IMAGES, requests=1)))
    assert stub.lines == ["POST /v2/ocr/document?deadline_ms=500&output_format=text HTTP/1.1", "POST /mine HTTP/1.1"]
    assert stub.heads[0]["authorization"] == "bearer abc"  # the stub puts all in small letters
    assert stub.heads[0]["host"] == f"127.0.0.1:{stub.port}"
    assert "authorization" not in stub.heads[1]


def test_a_closed_loop_keeps_so_many_under_way_and_no_more() -> None:
    under_way: list[int] = [0]

    async def behave(stub: Stub, number: int, writer: Writer) -> bool:
        under_way.append(under_way[-1] + 1)
        await asyncio.sleep(0.02)
        under_way.append(under_way[-1] - 1)
        writer.write(plain())
        return True

    report, _, stub = load(behave, concurrency=5, duration=0.5)
    assert max(under_way) == 5
    assert stub.connections == 5
    assert report.requests == len(stub.lines)
    assert report.seconds == 0.5
    assert 1 < report.per_second <= 5 / 0.02
    assert report.latency.p50_ms >= 20


def test_codes_of_errors_and_the_presets_of_answers() -> None:
    async def behave(stub: Stub, number: int, writer: Writer) -> bool:
        kind = number % 10
        if kind == 0:
            writer.write(error(503, "overloaded"))
        elif kind == 1:
            writer.write(plain(b"<html>", 404))
        elif kind == 2:
            writer.transport.abort()
            return False
        elif kind == 3:
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\nhalf")
            return False
        elif kind == 4:
            writer.write(plain(x_fastocr_preset="fast", x_fastocr_degraded="true"))
        elif kind == 5:
            last = b'{"text": "a"}\n{"error": {"code": "deadline_exceeded", "message": "m"}}\n'
            writer.write(plain(last, content_type="application/x-ndjson"))
        elif kind == 6:
            writer.write(plain(b'{"text": "a"}\n{"text": "b"}\n', content_type="application/x-ndjson"))
        else:
            writer.write(plain(x_fastocr_preset="balanced", x_fastocr_degraded="false"))
        return True

    report, samples, _ = load(behave, requests=50, concurrency=3)
    assert {code: spread.count for code, spread in report.errors.items()} == {
        "connection_lost": 10,
        "overloaded": 5,
        "http_404": 5,
        "deadline_exceeded": 5,
    }
    assert report.presets == {"balanced": 15, "fast": 5}
    assert (report.degraded, report.latency.count, report.requests) == (5, 25, 50)
    assert {sample.status for sample in samples} == {200, 404, 503}
    text = render(report)
    assert "error overloaded" in text
    assert "degraded                       5     20.0%" in text


def test_arrivals_are_those_of_the_seed_and_waiting_for_a_slow_service_counts() -> None:
    """One at a time, each for 20 ms, due at 40 a second for a second, but the fifth takes 400 ms: Lindley's recursion
    tells how long each must take from when it is due, of which a client that waits for answers would see nothing."""
    service = [0.4 if number == 4 else 0.02 for number in range(1000)]

    async def behave(stub: Stub, number: int, writer: Writer) -> bool:
        async with stub.turn:
            await asyncio.sleep(service[number])
        writer.write(plain())
        return True

    report, samples, _ = load(behave, rate=40.0, duration=1.0, seed=7)
    draw, due = random.Random(7), []
    moment = draw.expovariate(40.0)
    while moment < 1.0:
        due.append(moment)
        moment += draw.expovariate(40.0)
    assert sorted(sample.due for sample in samples) == pytest.approx(due)
    free, expected = 0.0, []
    for moment, seconds in zip(due, service, strict=False):
        free = max(free, moment) + seconds
        expected.append((free - moment) * 1e3)
    ordered = sorted(expected)
    assert percentile(ordered, 0.5) > 60  # the queue, far beyond the 20 ms of the service itself
    assert report.loop == "open"
    for share, found in ((0.5, report.latency.p50_ms), (0.95, report.latency.p95_ms), (1.0, report.latency.max_ms)):
        assert percentile(ordered, share) - 3 <= found < percentile(ordered, share) + 2000


def test_waiting_for_a_connection_counts() -> None:
    async def behave(stub: Stub, number: int, writer: Writer) -> bool:
        await asyncio.sleep(0.05)
        writer.write(plain())
        return True

    report, _, stub = load(behave, rate=200.0, requests=20, concurrency=1)
    assert stub.connections == 1
    assert report.late.max_ms > 19 * 50 - 20 / 200 * 1e3 * 4
    assert report.latency.max_ms >= report.late.max_ms + 50
    assert "went out late" in render(report)


def test_the_warm_up_counts_for_nothing() -> None:
    async def behave(stub: Stub, number: int, writer: Writer) -> bool:
        if number == 0:
            await asyncio.sleep(0.3)
        writer.write(plain())
        return True

    report, samples, stub = load(behave, warmup=0.2, requests=10)
    assert report.requests == 10
    assert report.latency.max_ms < 300 <= max(sample.ms for sample in samples)
    assert len(stub.lines) == len(samples) > 10
    assert min(sample.due for sample in samples) < 0


def test_a_run_that_is_interrupted_reports_what_there_is() -> None:
    async def behave(stub: Stub, number: int, writer: Writer) -> bool:
        if number >= 6:
            held.set()
            await asyncio.Event().wait()
        writer.write(plain())
        return True

    async def interrupted(url: str) -> Report:
        task = asyncio.create_task(measure(Plan(url, IMAGES, concurrency=2, duration=600.0)))
        while not held.is_set():
            await asyncio.sleep(0.01)
        task.cancel()
        return await task

    held = asyncio.Event()
    with serving(behave) as stub:
        report = asyncio.run(interrupted(stub.url))
    assert report.interrupted
    assert report.latency.count == 6
    assert report.unfinished in (1, 2)
    assert report.seconds < 600


def test_the_tool_states_its_own_share_of_the_processor() -> None:
    report, _, _ = load(always(plain(b"x" * 1000)), concurrency=4, requests=500)
    assert 0 < report.cpu_seconds <= report.elapsed * 1.2
    data = report.to_dict()
    assert data["cpu_ms_per_request"] == pytest.approx(report.cpu_seconds * 2)
    assert json.loads(json.dumps(data))["schema"] == "fastocr.loadtest/1"


def test_percentiles_are_those_of_a_request() -> None:
    ordered = [float(k) for k in range(1, 201)]
    assert [percentile(ordered, share) for share in (0.5, 0.95, 0.99, 1.0)] == [100, 190, 198, 200]
    assert percentile([5.0], 0.5) == 5.0


@pytest.mark.parametrize(
    "change",
    [
        {"rate": 0.0},
        {"rate": float("nan")},
        {"concurrency": 0},
        {"duration": -1.0},
        {"requests": 0},
        {"timeout": 0.0},
        {"operation": "guess"},
        {"images": []},
        {"token": "a\r\nb"},
        {"url": "127.0.0.1:8080"},
        {"url": "ftp://127.0.0.1"},
        {"url": "http://"},
        {"url": "http://a:b@localhost"},
        {"url": "http://localhost:99999"},
        {"url": "http://localhost/a b"},
        {"url": "http://localhost/\r\nX: y"},
    ],
)
def test_what_is_no_plan(change: dict[str, Any]) -> None:
    with pytest.raises(ArgumentError):
        Plan(**{"url": "http://127.0.0.1:8080", "images": IMAGES, **change})


@pytest.mark.parametrize(
    ("url", "loopback"),
    [
        ("http://127.0.0.1:8080", True),
        ("http://[::1]:8080", True),
        ("http://localhost", True),
        ("https://ocr.example", False),
        ("http://10.0.0.5:8080", False),
    ],
)
def test_whether_the_service_is_on_this_machine(url: str, loopback: bool) -> None:
    assert Plan(url, IMAGES).loopback is loopback
