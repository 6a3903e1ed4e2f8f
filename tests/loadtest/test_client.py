"""Answers in every form that HTTP/1.1 has, cut anywhere, and those that break off."""

from __future__ import annotations

import asyncio

import pytest

from fastocr.loadtest import Answer
from fastocr.loadtest.client import Client, Failure
from tests.loadtest.stub import Behaviour, Stub, Writer, always, plain, serving

BODY = bytes(range(256)) * 100
CHUNKS = b"".join(b"%x;x=y\r\n%s\r\n" % (len(p), p) for p in (BODY[:1], BODY[1:20_000], BODY[20_000:]))
FORMS = {
    "length": plain(BODY),
    "chunks": b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + CHUNKS + b"0\r\nA: b\r\n\r\n",
    "interim": b"HTTP/1.1 100 Continue\r\n\r\n" + plain(BODY),
}


def exchange(
    behave: Behaviour, times: int = 1, *, keep: bool = True, timeout: float = 30.0
) -> tuple[list[Answer], Stub]:
    async def run(stub: Stub) -> list[Answer]:
        client = Client("127.0.0.1", stub.port, secure=False, timeout=timeout, keep=keep)
        try:
            return [await client.post(b"POST / HTTP/1.1\r\nContent-Length: 3\r\n\r\n", b"abc") for _ in range(times)]
        finally:
            client.close()

    with serving(behave) as stub:
        return asyncio.run(run(stub)), stub


def pieces(data: bytes, size: int, *, ends: bool = False) -> Behaviour:
    async def behave(stub: Stub, number: int, writer: Writer) -> bool:
        for start in range(0, len(data), size):
            writer.write(data[start : start + size])
            await writer.drain()
            await asyncio.sleep(0)
        return not ends

    return behave


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("size", [1, 997, 1 << 20])
def test_each_form_comes_whole_on_one_connection(form: str, size: int) -> None:
    answers, stub = exchange(pieces(FORMS[form], size), 2)
    assert [(answer.status, answer.size, answer.body) for answer in answers] == [(200, len(BODY), BODY)] * 2
    assert stub.bodies == [b"abc"] * 2
    assert stub.connections == 1


def test_a_body_may_end_with_the_connection() -> None:
    answers, stub = exchange(pieces(b"HTTP/1.0 200 OK\r\n\r\n" + BODY, 5000, ends=True), 2)
    assert [answer.body for answer in answers] == [BODY, BODY]
    assert stub.connections == 2


def test_of_a_long_answer_the_end_is_held_unless_all_is_asked_for() -> None:
    (answer,), _ = exchange(always(FORMS["chunks"]), keep=False)
    assert answer.size == len(BODY)
    assert answer.body == BODY[-(1 << 14) :]


def test_no_connection_is_used_again_that_the_service_ends() -> None:
    answers, stub = exchange(always(plain(connection="close")), 3)
    assert [answer.status for answer in answers] == [200] * 3
    assert stub.connections == 3


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"", "connection_lost"),
        (b"HTTP/1.1 200 OK\r\nContent-Le", "connection_lost"),
        (plain(BODY)[:-1], "connection_lost"),
        (FORMS["chunks"][:-1], "connection_lost"),
        (b"SSH-2.0-OpenSSH_9.6\r\n\r\n", "bad_answer"),
        (b"HTTP/1.1 abc\r\n\r\n", "bad_answer"),
        (b"HTTP/1.1\r\n\r\n", "bad_answer"),
        (b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nxyz\r\n", "bad_answer"),
        (b"HTTP/1.1 200 OK\r\ncontent-length: x\r\n\r\n", "bad_answer"),
        (b"x" * 100_000, "bad_answer"),
    ],
)
def test_half_answers_and_other_things(data: bytes, code: str) -> None:
    async def behave(stub: Stub, number: int, writer: Writer) -> bool:
        writer.write(data)
        return False

    with pytest.raises(Failure) as caught:
        exchange(behave)
    assert caught.value.code == code


def test_a_request_that_takes_too_long_is_given_up() -> None:
    async def never(stub: Stub, number: int, writer: Writer) -> bool:
        await asyncio.Event().wait()
        return True

    with pytest.raises(Failure) as caught:
        exchange(never, timeout=0.05)
    assert caught.value.code == "timeout"


def test_a_late_answer_is_not_taken_for_the_next_request() -> None:
    async def late(stub: Stub, number: int, writer: Writer) -> bool:
        await asyncio.sleep(0.2 * (number == 0))
        writer.write(plain(b"%d" % number))
        return True

    async def run(stub: Stub) -> bytes:
        client = Client("127.0.0.1", stub.port, secure=False, timeout=0.1, keep=True)
        with pytest.raises(Failure):
            await client.post(b"POST / HTTP/1.1\r\nContent-Length: 0\r\n\r\n", b"")
        await asyncio.sleep(0.2)  # until the late answer is there
        answer = await client.post(b"POST / HTTP/1.1\r\nContent-Length: 0\r\n\r\n", b"")
        client.close()
        return answer.body

    with serving(late) as stub:
        assert asyncio.run(run(stub)) == b"1"


def test_an_early_refusal_is_heard_though_the_body_is_not_taken() -> None:
    refusal = plain(b"no", 503)

    async def refuse(reader: asyncio.StreamReader, writer: Writer) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(refusal)
        await writer.drain()
        await hung_up.wait()  # nothing of the body is read
        writer.close()

    async def run() -> Answer:
        server = await asyncio.start_server(refuse, "127.0.0.1", 0, limit=1024)
        port = server.sockets[0].getsockname()[1]
        client = Client("127.0.0.1", port, secure=False, timeout=30.0, keep=True)
        body = bytes(30_000_000)
        try:
            return await client.post(b"POST / HTTP/1.1\r\nContent-Length: %d\r\n\r\n" % len(body), body)
        finally:
            hung_up.set()
            client.close()
            server.close()
            await server.wait_closed()

    hung_up = asyncio.Event()
    answer = asyncio.run(run())
    assert (answer.status, answer.body) == (503, b"no")


def test_a_port_where_nobody_listens() -> None:
    with serving(always(plain())) as stub:
        port = stub.port
    client = Client("127.0.0.1", port, secure=False, timeout=30.0, keep=False)
    with pytest.raises(Failure) as caught:
        asyncio.run(client.post(b"", b""))
    assert caught.value.code == "connect_failed"
