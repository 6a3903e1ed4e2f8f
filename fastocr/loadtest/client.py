"""A client of HTTP/1.1 that costs little: connections that are kept, one request on each at a time."""

from __future__ import annotations

import asyncio
import ssl
from dataclasses import dataclass
from typing import cast

__all__ = ["Answer", "Client", "Failure"]

# Of an answer that is not kept, its end: it holds all of an error, and the last line of a stream.
TAIL = 1 << 14
# Bytes that the head of an answer, or the line before a chunk, may have.
LONGEST_HEAD = 1 << 16
HEAD_END = b"\r\n\r\n"


class Failure(Exception):
    """A request without a whole answer; ``code`` says why."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back: the status, the headers by their names in small letters, how many bytes the body has, and the
    body, of which only the end where it is not kept."""

    status: int
    headers: dict[str, str]
    size: int
    body: bytes


class Connection(asyncio.Protocol):
    """One connection.  An answer may come before its request has gone out in full: a service may refuse it early."""

    _transport: asyncio.Transport

    def __init__(self, keep: bool) -> None:
        self._keep = keep
        self._waiter: asyncio.Future[Answer] | None = None
        self._begin()

    def _begin(self) -> None:
        self._buffer = bytearray()
        self._status = 0
        self._headers: dict[str, str] = {}
        self._body = bytearray()
        self._size = 0
        self._left = 0  # bytes of the body, or of the chunk, that are still to come
        self._form = "head"  # what is read: head, length, chunks, trailer, or close
        self._lasts = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)

    @property
    def usable(self) -> bool:
        """Whether another request may go out."""
        return not self._transport.is_closing()

    @property
    def answered(self) -> bool:
        """Whether the last request has its whole answer."""
        done = self._waiter is not None and self._waiter.done() and not self._waiter.cancelled()
        return done and cast("asyncio.Future[Answer]", self._waiter).exception() is None

    def close(self) -> None:
        """Ends the connection at once."""
        self._transport.abort()

    async def post(self, head: bytes, body: bytes) -> Answer:
        """Sends a request and waits for its answer.  Raises Failure."""
        self._begin()
        self._waiter = asyncio.get_running_loop().create_future()
        self._transport.write(head)
        self._transport.write(body)
        return await self._waiter

    def data_received(self, data: bytes) -> None:
        if self._waiter is None or self._waiter.done():
            self.close()  # nobody asked
            return
        try:
            while data:
                data = self._take(data)
        except (ValueError, IndexError):
            self._fail("bad_answer")

    def connection_lost(self, error: Exception | None) -> None:
        if self._form == "close" and error is None:
            self._done()
        else:
            self._fail("connection_lost")

    def _take(self, data: bytes) -> bytes:
        """Takes the next piece; returns what is left of it."""
        if self._form == "head":
            return self._take_head(data)
        if self._form == "close":
            self._store(data)
            return b""
        if self._left:  # of the body, or of a chunk and the line's end after it
            piece = data[: self._left]
            self._store(piece if self._form == "length" else piece[: max(0, self._left - 2)])
            self._left -= len(piece)
            if self._form == "length" and not self._left:
                self._done()
            return data[len(piece) :]
        return self._take_line(data)

    def _take_head(self, data: bytes) -> bytes:
        self._buffer += data
        end = self._buffer.find(HEAD_END)
        if end < 0:
            if len(self._buffer) > LONGEST_HEAD:
                raise ValueError("a head without an end")
            return b""
        first, *lines = bytes(self._buffer[:end]).decode("latin-1").split("\r\n")
        rest = bytes(self._buffer[end + len(HEAD_END) :])
        self._buffer.clear()
        version, status, *_ = first.split(" ")
        if not version.startswith("HTTP/1."):
            raise ValueError(first)
        self._status = int(status)
        if self._status < 200:  # an interim answer
            return rest
        for line in lines:
            name, _, value = line.partition(":")
            self._headers[name.strip().lower()] = value.strip()
        connection = self._headers.get("connection", "").lower()
        self._lasts = "close" not in connection if version == "HTTP/1.1" else "keep-alive" in connection
        if "chunked" in self._headers.get("transfer-encoding", "").lower():
            self._form = "chunks"
        elif (length := self._headers.get("content-length")) is not None or self._status in (204, 304):
            self._form, self._left = "length", int(length or 0)
            if not self._left:
                self._done()
        else:
            self._form, self._lasts = "close", False
        return rest

    def _take_line(self, data: bytes) -> bytes:
        """The line before a chunk, which has its size, or a line after the last one."""
        self._buffer += data
        end = self._buffer.find(b"\n")
        if end < 0:
            if len(self._buffer) > LONGEST_HEAD:
                raise ValueError("a line without an end")
            return b""
        line, rest = bytes(self._buffer[:end]).strip(), bytes(self._buffer[end + 1 :])
        self._buffer.clear()
        if self._form == "trailer":
            if not line:
                self._done()
            return rest
        size = int(line.split(b";")[0], 16)
        if size:
            self._left = size + 2
        else:
            self._form = "trailer"
        return rest

    def _store(self, piece: bytes) -> None:
        self._size += len(piece)
        if self._keep:
            self._body += piece
        else:
            self._body += piece[-TAIL:]
            del self._body[:-TAIL]

    def _done(self) -> None:
        if self._waiter is None or self._waiter.done():
            return
        self._waiter.set_result(Answer(self._status, self._headers, self._size, bytes(self._body)))
        # What was refused before all of it went out leaves a connection on which nothing else can.
        if not self._lasts or self._transport.get_write_buffer_size():
            self.close()

    def _fail(self, code: str) -> None:
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_exception(Failure(code))
        self.close()


class Client:
    """Connections to one service, used again while they last; never more than are in use at once."""

    def __init__(self, host: str, port: int, *, secure: bool, timeout: float, keep: bool) -> None:
        """timeout: seconds of a request, connecting included; keep: whether answers come with all of their body."""
        self._host, self._port = host, port
        self._tls = ssl.create_default_context() if secure else None
        self._timeout = timeout
        self._keep = keep
        self._idle: list[Connection] = []

    async def post(self, head: bytes, body: bytes) -> Answer:
        """The answer to one request.  Raises Failure: connect_failed, connection_lost, timeout or bad_answer."""
        connection: Connection | None = None
        try:
            async with asyncio.timeout(self._timeout):
                connection = self._kept() or await self._connect()
                answer = await connection.post(head, body)
        except TimeoutError:
            raise Failure("timeout") from None
        finally:
            if connection is not None:
                self._put_back(connection)
        return answer

    def _kept(self) -> Connection | None:
        while self._idle:
            connection = self._idle.pop()
            if connection.usable:  # else the service has ended it meanwhile
                return connection
        return None

    async def _connect(self) -> Connection:
        loop = asyncio.get_running_loop()
        try:
            _, connection = await loop.create_connection(
                lambda: Connection(self._keep), self._host, self._port, ssl=self._tls
            )
        except OSError as error:  # ssl.SSLError and socket.gaierror are ones too
            raise Failure("connect_failed") from error
        return connection

    def _put_back(self, connection: Connection) -> None:
        if not connection.answered:
            connection.close()  # given up: its answer would be taken for the next one's
        elif connection.usable:
            self._idle.append(connection)

    def close(self) -> None:
        """Ends all connections that wait for work."""
        for connection in self._idle:
            connection.close()
        self._idle.clear()
