"""Clients that are slow, cut off, gone or too many: each costs bounded time and memory, and the others are served."""

from __future__ import annotations

import contextlib
import itertools
import select
import socket
import time
from collections.abc import Iterator

import cv2
import numpy as np
import pytest

from fastocr.serve import wire
from fastocr.serve.config import ServeConfig
from tests.pool.stubs import Held, held_ocr
from tests.serve.running import BOUNDARY, Client, answered, form, held_service, read_all

pytest.importorskip("uvicorn", reason="needs the extra: pip install 'fastocr-engine[server]'")

PNG = cv2.imencode(".png", np.full((20, 80, 3), 255, np.uint8))[1].tobytes()
HEAD_TIME = 0.5
BODY_TIME = 1.0


@pytest.fixture(scope="module")
def hasty() -> Iterator[Client]:
    """A service that reads at once and has little patience."""
    ocr, _ = held_ocr(is_open=True)
    config = ServeConfig(header_seconds=HEAD_TIME, body_seconds=BODY_TIME, max_body_bytes=10**6, slots=1)
    with held_service(ocr, config) as client:
        yield client


@pytest.fixture
def held() -> Iterator[tuple[Client, Held]]:
    """A service with one slot and room for one more, whose readings last until they are let go."""
    ocr, held = held_ocr()
    with held_service(ocr, ServeConfig(slots=1, queue=1)) as client:
        yield client, held
        held.open.set()


def post(length: int, *more: str, path: str = "/v2/ocr") -> bytes:
    lines = [f"POST {path} HTTP/1.1", "Host: localhost", f"Content-Length: {length}", *more]
    return "\r\n".join([*lines, "", ""]).encode()


def refused(connection: socket.socket) -> tuple[int, str]:
    """Status and code of the answer that comes."""
    answer = answered(connection)
    return answer.status, answer.code


@pytest.mark.parametrize("sent", [b"", b"POST /v2/ocr HTTP/1.1\r\nHost: loc"])
def test_half_a_head_times_out(hasty: Client, sent: bytes) -> None:
    with hasty.connect() as connection:
        connection.sendall(sent)
        assert refused(connection) == (408, "request_timeout")
    assert hasty.post("/v2/ocr", PNG).status == 200


def drip(connection: socket.socket, data: Iterator[bytes], every: float) -> None:
    """Sends piece by piece, until there is something to read or the connection is gone."""
    for piece in data:
        with contextlib.suppress(ConnectionError):
            connection.sendall(piece)
        if select.select([connection], [], [], every)[0]:
            return
    pytest.fail("nothing came")


def test_a_head_that_drips_times_out(hasty: Client) -> None:
    """Each byte is in time, all of them are not."""
    with hasty.connect() as connection:
        drip(connection, (bytes([byte]) for byte in post(5) * 1000), HEAD_TIME / 5)
        assert refused(connection) == (408, "request_timeout")


def test_a_cut_body_times_out(hasty: Client) -> None:
    with hasty.connect() as connection:
        connection.sendall(post(1000) + PNG[:50])
        assert refused(connection) == (408, "request_timeout")


def test_a_cut_body_whose_sender_has_gone_is_forgotten(hasty: Client) -> None:
    before = len(hasty.calls)
    with hasty.connect() as connection:
        connection.sendall(post(1000) + PNG[:50])
        connection.shutdown(socket.SHUT_WR)
        assert read_all(connection) == b""
    hasty.until(lambda: len(hasty.calls) > before)
    assert hasty.calls[-1].code == "cancelled"


def test_a_body_that_drips_times_out(hasty: Client) -> None:
    with hasty.connect() as connection:
        connection.sendall(post(100_000))
        drip(connection, itertools.repeat(b"\0", 1000), BODY_TIME / 10)
        assert refused(connection) == (408, "request_timeout")


def test_who_sends_much_at_first_may_not_stand_still(hasty: Client) -> None:
    """At the least rate its bytes would have bought it ten seconds."""
    begun = time.monotonic()
    with hasty.connect() as connection:
        connection.sendall(post(900_000) + b"\0" * 700_000)
        assert refused(connection) == (408, "request_timeout")
    assert time.monotonic() - begun < 700_000 / wire.LEAST_RATE


def test_the_rest_of_a_refused_body_does_not_hold_the_connection(
    hasty: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The answer comes at once; who goes on to drip is cut off."""
    monkeypatch.setattr(wire, "LINGER_SECONDS", 0.5)
    with hasty.connect() as connection:
        connection.sendall(post(10**9))
        assert refused(connection) == (413, "too_large")
        drip(connection, itertools.repeat(b"\0" * 100, 1000), 0.1)
        with contextlib.suppress(ConnectionError):
            assert refused(connection) == (408, "request_timeout")


@pytest.mark.parametrize("more", [(), ("Connection: close",)])
def test_who_sends_too_much_reads_why(hasty: Client, more: tuple[str, ...]) -> None:
    """It sends all of its body before it looks for an answer, as most clients do."""
    with hasty.connect() as connection:
        connection.sendall(post(30_000_000, *more))
        connection.sendall(b"\0" * 30_000_000)
        assert refused(connection) == (413, "too_large")


def test_who_asks_before_a_body_is_told_at_once(hasty: Client) -> None:
    with hasty.connect() as connection:
        connection.sendall(post(30_000_000, "Expect: 100-continue"))
        assert refused(connection) == (413, "too_large")
    with hasty.connect() as connection:
        connection.sendall(post(len(PNG), "Expect: 100-continue"))
        assert connection.recv(65536).startswith(b"HTTP/1.1 100 ")
        connection.sendall(PNG)
        assert answered(connection).status == 200


def test_a_body_without_a_length_is_counted(hasty: Client) -> None:
    chunked = post(0).replace(b"Content-Length: 0", b"Transfer-Encoding: chunked")
    with hasty.connect() as connection:
        connection.sendall(chunked + f"{len(PNG):x}\r\n".encode() + PNG + b"\r\n0\r\n\r\n")
        assert answered(connection).status == 200
    with hasty.connect() as connection:
        connection.sendall(chunked)
        drip(connection, itertools.repeat(b"10000\r\n" + b"\0" * 65536 + b"\r\n", 1000), 0.02)
        assert refused(connection) == (413, "too_large")


@pytest.mark.parametrize(
    "sent",
    [
        b"nonsense\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: localhost\r\nContent-Length: many\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: localhost\r\nbad header\r\n\r\n",
        b"GET / HTTP/1.1\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
        post(0).replace(b"Content-Length: 0", b"Transfer-Encoding: chunked") + b"zz\r\n",
        b"GET /v2/models HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n",
        b"POST /v2/ocr HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    ],
)
def test_what_is_no_http_is_told_so(hasty: Client, sent: bytes) -> None:
    with hasty.connect() as connection:
        connection.sendall(sent)
        assert refused(connection) == (400, "bad_request")
    assert hasty.get("/healthz").status == 200


def test_a_head_without_end_is_cut_off(hasty: Client) -> None:
    with hasty.connect() as connection:
        connection.sendall(b"GET /")
        drip(connection, itertools.repeat(b"a" * 1000, 1000), 0.01)
        with contextlib.suppress(ConnectionError):  # where more was on its way than was read
            assert refused(connection) == (400, "bad_request")


def test_several_requests_use_one_connection(hasty: Client) -> None:
    with hasty.connect() as connection:
        connection.sendall((post(len(PNG)) + PNG) * 3 + post(0, "Connection: close", path="/nothing"))
        answer = read_all(connection)
    assert answer.count(b"HTTP/1.1 200 ") == 3
    assert answer.count(b"HTTP/1.1 404 ") == 1


def test_who_does_not_read_its_answers_is_cut_off(hasty: Client) -> None:
    begun = time.monotonic()
    with hasty.connect() as connection:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        connection.settimeout(0.1)
        gone = False
        while not gone and time.monotonic() - begun < 60:
            try:
                connection.sendall(b"GET /openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n" * 100)
            except TimeoutError:
                continue
            except ConnectionError:
                gone = True
        assert gone
    assert hasty.get("/healthz").status == 200


def test_a_client_that_goes_frees_its_slot(held: tuple[Client, Held]) -> None:
    client, reading = held
    with client.connect() as first:
        first.sendall(post(len(PNG)) + PNG)
        client.until(lambda: reading.begun.acquire(blocking=False))
        assert client.service.status().pool.leased == 1
    client.until(lambda: reading.inside == 0)
    client.until(lambda: client.service.status().pool.leased == 0)
    client.until(lambda: client.calls)
    assert [call.code for call in client.calls] == ["cancelled"]
    reading.open.set()
    assert client.post("/v2/ocr", PNG).json["text"] == "read"


def test_a_client_that_goes_frees_its_place_in_the_queue(held: tuple[Client, Held]) -> None:
    client, reading = held
    with client.connect() as first:
        first.sendall(post(len(PNG)) + PNG)
        client.until(lambda: reading.begun.acquire(blocking=False))
        with client.connect() as second:
            second.sendall(post(len(PNG)) + PNG)
            client.until(lambda: client.service.status().pool.waiting == 1)
        client.until(lambda: client.service.status().pool.waiting == 0)
        reading.open.set()
        assert answered(first).status == 200


def test_overload_is_told_before_the_body(held: tuple[Client, Held]) -> None:
    client, reading = held
    with client.connect() as first, client.connect() as second:
        for connection in (first, second):
            connection.sendall(post(len(PNG)) + PNG)
        client.until(lambda: client.service.status().pool.waiting == 1)
        with client.connect() as third:
            third.sendall(post(10_000_000))
            answer = answered(third)
        assert (answer.status, answer.code) == (503, "overloaded")
        assert int(answer.headers["retry-after"]) >= 1
        assert client.get("/healthz").status == 200
        reading.open.set()
        for connection in (first, second):
            assert answered(connection).status == 200
    client.until(lambda: len(client.calls) == 3)
    assert sorted(call.code for call in client.calls) == ["ok", "ok", "overloaded"]


def test_a_batch_that_was_let_in_is_read_to_its_end(held: tuple[Client, Held]) -> None:
    """Others fill the queue while its first image is read."""
    client, reading = held
    body = form(*[("image", None, PNG)] * 3)
    with client.connect() as batch, client.connect() as other:
        kind = f"Content-Type: multipart/form-data; boundary={BOUNDARY}"
        batch.sendall(post(len(body), kind, path="/v2/ocr/batch") + body)
        client.until(lambda: reading.begun.acquire(blocking=False))
        other.sendall(post(len(PNG)) + PNG)
        client.until(lambda: client.service.status().pool.waiting == 1)
        assert client.post("/v2/ocr", PNG).code == "overloaded"
        reading.open.set()
        assert [result["page"]["text"] for result in answered(batch).json["results"]] == ["read"] * 3
        assert answered(other).status == 200


def test_a_deadline_ends_the_reading(held: tuple[Client, Held]) -> None:
    client, reading = held
    answer = client.post("/v2/ocr?deadline_ms=200", PNG)
    assert (answer.status, answer.code) == (504, "deadline_exceeded")
    client.until(lambda: reading.inside == 0 and client.service.status().pool.leased == 0)


def test_a_service_that_is_stopped_says_so(held: tuple[Client, Held]) -> None:
    client, _ = held
    client.service.draining = True
    answer = client.post("/v2/ocr", PNG)
    assert (answer.status, answer.code) == (503, "unavailable")
    assert int(answer.headers["retry-after"]) >= 1
    assert client.get("/readyz").code == "unavailable"
    assert client.get("/healthz").json == {"status": "ok"}


def test_connections_are_bounded() -> None:
    ocr, _ = held_ocr(is_open=True)
    with held_service(ocr, ServeConfig(slots=1, max_connections=2)) as client:
        with client.connect() as first, client.connect() as second:
            for connection in (first, second):  # answered, and kept open
                connection.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
                assert answered(connection).status == 200
            answer = client.post("/v2/ocr", PNG)
            assert (answer.status, answer.code) == (503, "overloaded")
            assert answer.headers["connection"] == "close"
            assert client.get("/healthz").status == 200
            many = [client.connect() for _ in range(100)]
            refused = [connection for connection in many if is_closed(connection)]
            assert refused
            for connection in many:
                connection.close()
        client.until(lambda: client.post("/v2/ocr", PNG).status == 200)


def is_closed(connection: socket.socket) -> bool:
    connection.settimeout(0.05)
    try:
        return connection.recv(1) == b""
    except TimeoutError:
        return False
    except ConnectionError:
        return True


def test_memory_of_bodies_is_bounded() -> None:
    ocr, reading = held_ocr()
    config = ServeConfig(slots=1, queue=1, max_body_bytes=10**6, max_pending_bytes=10**6)
    with held_service(ocr, config) as client:
        with client.connect() as first:
            first.sendall(post(len(PNG)) + PNG)
            client.until(lambda: reading.begun.acquire(blocking=False))
            answer = client.post("/v2/ocr", b"\0" * 10**6)
            assert (answer.status, answer.code) == (503, "overloaded")
            reading.open.set()
            assert answered(first).status == 200
        client.until(lambda: client.service.status().pending_bytes == 0)
