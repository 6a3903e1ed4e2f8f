"""The connection: what a client may cost in time and memory, whatever it sends or does not read.

`Exchange` bounds one request: how long its body may take, how its answer goes out, that a client which has gone
ends the work.  `protocol` bounds the connection around it: how long a head may take, how long a piece of an answer may
wait for its reader, and how many connections there are.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import re
import socket
from collections.abc import AsyncIterator, Callable, Coroutine, Iterable
from typing import TYPE_CHECKING, Any, TypeVar

from fastocr.errors import CancelledError, RequestError, SlowRequestError
from fastocr.serve.config import ServeConfig

if TYPE_CHECKING:
    import uvicorn
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

Answer = TypeVar("Answer")

__all__ = ["CROWDED", "Exchange", "error_dict", "header_value", "protocol", "server_config"]

# Bytes of an answer that are handed over at once: each must find its reader within the time.
PIECE = 64 * 1024
# Bytes a second that a body must bring, beyond the time that every body has.
LEAST_RATE = 64 * 1024
# How long, and up to how many bytes, the rest of a refused body is taken and thrown away, so that its sender gets to
# read the answer: a connection that is closed on unread bytes is reset, and the answer is lost.
LINGER_SECONDS = 10.0
LINGER_BYTES = 128 * 2**20
# In a request's state, where its connection is one too many.
CROWDED = "crowded"
# Connections beyond the limit that still get an answer; those beyond them are closed at once.
SPARE = 64


class Exchange:
    """One request and its answer, between the server and the app.

    body_timeout: seconds that every body has, however small.
    headers: asked once the answer begins, for the (name, value) that every answer carries.
    """

    def __init__(
        self,
        scope: Scope,
        receive: Receive,
        send: Send,
        body_timeout: float,
        headers: Callable[[], Iterable[tuple[str, str]]],
    ) -> None:
        self._receive = receive
        self._send = send
        self._body_timeout = body_timeout
        self._headers = headers
        self._expects = any(name == b"expect" for name, _ in scope["headers"])
        self._body_begun = False
        self._body_ended = False
        self._body_late = False
        self.started = False
        self.gone = False
        self.last = False
        """Whether the connection is to be closed after this answer."""

    async def receive(self) -> Message:
        """ASGI's receive."""
        self._body_begun = True
        message = await self._receive()
        if message["type"] == "http.disconnect":
            self.gone = True
        elif not message.get("more_body", False):
            self._body_ended = True
        return message

    async def chunks(self) -> AsyncIterator[bytes]:
        """The body, piece by piece.  Raises SlowRequestError where it comes too slowly, CancelledError where its sender
        has gone.

        The time that every body has runs on; what its bytes may take at the least rate is given back, but no more than
        the time once: who sends a lot at first may not stand still for long.
        """
        now = asyncio.get_running_loop().time
        until, received = now() + self._body_timeout, 0
        while not self._body_ended:
            try:
                async with asyncio.timeout_at(until):
                    message = await self.receive()
            except TimeoutError as error:
                self._body_late = True
                raise SlowRequestError(
                    f"the body came too slowly: of {received} bytes the last took more than {self._body_timeout:g} s"
                ) from error
            until = min(until + len(message.get("body", b"")) / LEAST_RATE, now() + self._body_timeout)
            if message["type"] == "http.disconnect":
                raise CancelledError("the client closed the connection before its request was whole")
            if data := message.get("body", b""):
                received += len(data)
                yield data

    async def unless_gone(self, work: Coroutine[Any, Any, Answer]) -> Answer:
        """What `work` gives; where the client goes away before, it is cancelled and CancelledError raised."""
        doing = asyncio.ensure_future(work)
        watching = asyncio.ensure_future(self._until_gone())
        try:
            await asyncio.wait((doing, watching), return_when=asyncio.FIRST_COMPLETED)
            if doing.done():
                return doing.result()
            raise CancelledError("the client closed the connection before its answer was ready")
        finally:
            watching.cancel()
            doing.cancel()
            await asyncio.gather(doing, watching, return_exceptions=True)

    async def _until_gone(self) -> None:
        while not self.gone:
            await self.receive()

    async def send(self, message: Message) -> None:
        """ASGI's send: with the headers of every answer, in pieces, and with the rest of the body taken before it is
        complete."""
        if message["type"] == "http.response.start":
            self.started = True
            headers = [(name.lower().encode(), header_value(value)) for name, value in self._headers()]
            if self.last or self._hopeless:
                headers.append((b"connection", b"close"))
            await self._send({**message, "headers": [*message.get("headers", ()), *headers]})
            return
        body, more = message.get("body", b""), message.get("more_body", False)
        unread = not (more or self._body_ended or self.gone or self._hopeless)
        for start in range(0, len(body), PIECE):
            last = start + PIECE >= len(body) and not more and not unread
            await self._send({**message, "body": body[start : start + PIECE], "more_body": not last})
        if unread:
            await self._drain()
        if unread or not body:
            await self._send({**message, "body": b"", "more_body": more})

    @property
    def _hopeless(self) -> bool:
        """Whether the rest of the body is not worth to wait for: it was never asked for, or is late already."""
        return self._body_late or (self._expects and not self._body_begun)

    async def _drain(self) -> None:
        left = LINGER_BYTES
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(LINGER_SECONDS):
                while not (self._body_ended or self.gone) and left > 0:
                    left -= len((await self.receive()).get("body", b""))


def header_value(text: str) -> bytes:
    """What may stand in a head: names of models may hold anything."""
    return re.sub(r"[^ -~]", "?", text).strip().encode("ascii")


def error_dict(code: str, message: str, request_id: str) -> dict[str, Any]:
    """The JSON of every error."""
    return {"error": {"code": code, "message": message, "request_id": request_id}}


class Timer:
    """Calls `done` once it has run for so many seconds without being stopped."""

    def __init__(self, seconds: float, done: Callable[[], object]) -> None:
        self._seconds = seconds
        self._done = done
        self._handle: asyncio.TimerHandle | None = None

    def start(self) -> None:
        """Does nothing where it runs already."""
        if self._handle is None:
            self._handle = asyncio.get_running_loop().call_later(self._seconds, self._end)

    def stop(self) -> None:
        if self._handle is not None:
            self._handle.cancel()
            self._handle = None

    def _end(self) -> None:
        self._handle = None
        self._done()


def protocol(header_timeout: float, send_timeout: float, max_connections: int) -> type[asyncio.Protocol]:
    """The class of uvicorn's connections, bounded.

    header_timeout: seconds that a request's head may take.  send_timeout: seconds that a piece of an answer may wait
    for its reader.  max_connections: beyond it a request is marked `CROWDED`, for the app to refuse.
    """
    import h11
    from uvicorn.protocols.http.h11_impl import H11Protocol

    class Bounded(H11Protocol):
        def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
            super().connection_made(transport)
            self._waiting = Timer(header_timeout, self._give_up)
            self._sending = Timer(send_timeout, transport.abort)
            if len(self.connections) > max_connections + SPARE:
                transport.abort()
                return
            if len(self.connections) > max_connections:
                self.app_state = {**self.app_state, CROWDED: True}
            # A head and its body are two writes, the second of which must not wait until the first is acknowledged.
            # asyncio sees to it, but not on sockets that were made without the number of their protocol.
            if (given := transport.get_extra_info("socket")) is not None and given.family in (
                socket.AF_INET,
                socket.AF_INET6,
            ):
                given.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            # Then writing is paused for as long as anything waits for the reader.
            transport.set_write_buffer_limits(0)
            self._waiting.start()

        def connection_lost(self, exc: Exception | None) -> None:
            super().connection_lost(exc)
            self._waiting.stop()
            self._sending.stop()

        def data_received(self, data: bytes) -> None:
            before = self.cycle
            if before is None or before.response_complete:
                # Also the rest of a body whose answer is sent: it holds the connection no longer than a head may.
                self._waiting.start()
            super().data_received(data)
            if self.cycle is not before:
                self._waiting.stop()

        def on_response_complete(self) -> None:
            before = self.cycle
            super().on_response_complete()
            if self.cycle is not before:  # a request that was sent behind the last has begun
                self._waiting.stop()

        def _give_up(self) -> None:
            if not self.transport.is_closing():
                self._refuse(SlowRequestError(f"the request's head did not come within {header_timeout:g} s"))

        def pause_writing(self) -> None:
            super().pause_writing()
            self._sending.start()

        def resume_writing(self) -> None:
            super().resume_writing()
            self._sending.stop()

        def send_400_response(self, msg: str) -> None:
            self._refuse(RequestError("the request is not valid HTTP: its head, or the chunks of its body, are wrong"))

        def _refuse(self, error: SlowRequestError | RequestError) -> None:
            """An answer where no app runs, as far as the connection can still take one; then it is closed."""
            body = json.dumps(error_dict(error.code, str(error), "")).encode() + b"\n"
            head = [("content-type", "application/json"), ("content-length", str(len(body))), ("connection", "close")]
            with contextlib.suppress(h11.LocalProtocolError):  # an answer is under way, or the client has gone
                start = self.conn.send(h11.Response(status_code=error.http_status, headers=head, reason=b""))
                self.transport.write((start or b"") + (self.conn.send(h11.Data(data=body)) or b""))
                self.conn.send(h11.EndOfMessage())
            self.transport.close()

    return Bounded


def server_config(app: ASGIApp, config: ServeConfig) -> uvicorn.Config:
    """How uvicorn serves the app: bounded, without a log or a lifespan of its own.  Signals and sockets are the
    caller's."""
    import uvicorn

    return uvicorn.Config(
        app,
        host=config.host,
        port=config.port,
        http=protocol(config.header_seconds, config.body_seconds, config.max_connections),
        ws="none",
        lifespan="off",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        # uvicorn hands it to a timer, which takes a fraction as well.
        timeout_keep_alive=config.header_seconds,  # type: ignore[arg-type]
    )
