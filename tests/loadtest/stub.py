"""A service of raw sockets that answers as it is told, and keeps account of what it did."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

Reader, Writer = asyncio.StreamReader, asyncio.StreamWriter
# Does what is to be done with the request of that number, counted from 0; returns whether the connection goes on.
Behaviour = Callable[["Stub", int, Writer], Awaitable[bool]]


@dataclass
class Stub:
    """What the service saw: the request lines, heads and bodies, and how many connections."""

    port: int = 0
    lines: list[str] = field(default_factory=list)
    heads: list[dict[str, str]] = field(default_factory=list)
    bodies: list[bytes] = field(default_factory=list)
    connections: int = 0
    turn: asyncio.Lock = field(default_factory=asyncio.Lock)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"


def plain(body: bytes = b"{}", status: int = 200, **headers: str) -> bytes:
    """An answer with a length."""
    given = {"content-type": "application/json", **{name.replace("_", "-"): text for name, text in headers.items()}}
    head = "".join(f"{name}: {text}\r\n" for name, text in given.items())
    return f"HTTP/1.1 {status} Reason\r\n{head}Content-Length: {len(body)}\r\n\r\n".encode() + body


def error(status: int, code: str) -> bytes:
    return plain(json.dumps({"error": {"code": code, "message": "m"}}, indent=1).encode(), status)


def always(data: bytes) -> Behaviour:
    async def behave(stub: Stub, number: int, writer: Writer) -> bool:
        writer.write(data)
        return True

    return behave


async def answer(stub: Stub, behave: Behaviour, reader: Reader, writer: Writer) -> None:
    stub.connections += 1
    try:
        going = True
        while going:
            first, *rows = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")[:-2]
            head = dict(row.lower().split(": ", 1) for row in rows)
            body = await reader.readexactly(int(head.get("content-length", "0")))
            number = len(stub.lines)
            stub.lines.append(first)
            stub.heads.append(head)
            stub.bodies.append(body)
            going = await behave(stub, number, writer)
            await writer.drain()
    except (asyncio.IncompleteReadError, ConnectionError):
        pass
    finally:
        writer.close()


@contextmanager
def serving(behave: Behaviour) -> Iterator[Stub]:
    """The service in a thread of its own, on a free port."""
    stub, loop = Stub(), asyncio.new_event_loop()
    ready = threading.Event()
    stop = asyncio.Event()

    async def main() -> None:
        server = await asyncio.start_server(
            lambda reader, writer: answer(stub, behave, reader, writer), "127.0.0.1", 0, backlog=1000
        )
        stub.port = server.sockets[0].getsockname()[1]
        ready.set()
        await stop.wait()
        server.close()
        tasks = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    thread = threading.Thread(target=lambda: loop.run_until_complete(main()))
    thread.start()
    ready.wait()
    try:
        yield stub
    finally:
        loop.call_soon_threadsafe(stop.set)
        thread.join()
        loop.close()
