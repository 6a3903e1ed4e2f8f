"""A service behind a real uvicorn on a loopback port, and a client that knows nothing but sockets and http.client."""

from __future__ import annotations

import asyncio
import http.client
import json
import socket
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import pytest

from fastocr import OCR
from fastocr.serve import engines
from fastocr.serve.app import create_app
from fastocr.serve.call import Call
from fastocr.serve.config import ServeConfig
from fastocr.serve.endpoints import Metrics as Expose
from fastocr.serve.metrics import Metrics
from fastocr.serve.service import Service
from fastocr.serve.wire import server_config

LONG = 60.0


@dataclass(frozen=True)
class Answer:
    status: int
    headers: http.client.HTTPMessage
    body: bytes

    @property
    def json(self) -> Any:
        assert self.headers["content-type"] == "application/json", self.headers.as_string()
        return json.loads(self.body)

    @property
    def code(self) -> str:
        """The code of an error whose JSON is whole and tells nothing of the inside."""
        error = self.json["error"]
        assert error.keys() == {"code", "message", "request_id"}
        assert error["message"]
        assert "Traceback" not in error["message"]
        assert error["request_id"] == self.headers.get("x-request-id", "")
        code: str = error["code"]
        return code


class Client:
    """What asks one service."""

    def __init__(self, service: Service, port: int) -> None:
        self.service = service
        self.port = port
        self.calls: list[Call] = []
        service.watchers.append(self.calls.append)

    def ask(
        self, method: str, path: str, body: bytes | None = None, headers: Mapping[str, str] | None = None
    ) -> Answer:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=LONG)
        try:
            connection.request(method, path, body, dict(headers or {}))
            response = connection.getresponse()
            return Answer(response.status, response.headers, response.read())
        finally:
            connection.close()

    def get(self, path: str, **headers: str) -> Answer:
        return self.ask("GET", path, None, {name.replace("_", "-"): value for name, value in headers.items()})

    def post(self, path: str, body: bytes, content_type: str | None = None, **headers: str) -> Answer:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return self.ask("POST", path, body, named | ({"Content-Type": content_type} if content_type else {}))

    def post_json(self, path: str, value: Any) -> Answer:
        return self.post(path, json.dumps(value).encode(), "application/json")

    def post_form(self, path: str, *fields: tuple[str, str | None, bytes]) -> Answer:
        """Fields as (name, file name, bytes)."""
        return self.post(path, form(*fields), f"multipart/form-data; boundary={BOUNDARY}")

    def connect(self) -> socket.socket:
        return socket.create_connection(("127.0.0.1", self.port), timeout=LONG)

    def told(self, answer: Answer) -> Call:
        """The call of an answer, which the service tells of once it is sent."""
        found: list[Call] = []
        self.until(
            lambda: found.extend(call for call in self.calls if call.id == answer.headers["x-request-id"]) or found
        )
        return found[0]

    def until(self, holds: Any) -> None:
        """Waits for what the service is about to do."""
        tick = threading.Event()
        end = time.monotonic() + LONG
        while not holds():
            if time.monotonic() > end:
                pytest.fail("it did not come to hold")
            tick.wait(0.005)


BOUNDARY = "a-boundary"


def form(*fields: tuple[str, str | None, bytes]) -> bytes:
    """A multipart body."""
    parts = b""
    for name, file, data in fields:
        named = f'; filename="{file}"' if file is not None else ""
        parts += (
            f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="{name}"{named}\r\n\r\n'.encode() + data + b"\r\n"
        )
    return parts + f"--{BOUNDARY}--\r\n".encode()


def answered(connection: socket.socket) -> Answer:
    """One answer, as it comes over a connection that may stay open."""
    response = http.client.HTTPResponse(connection)
    response.begin()
    return Answer(response.status, response.headers, response.read())


def read_all(connection: socket.socket) -> bytes:
    """What comes until the other side closes."""
    parts = []
    while data := connection.recv(65536):
        parts.append(data)
    return b"".join(parts)


@contextmanager
def serving(service: Service, metrics: Expose | None = None) -> Iterator[Client]:
    """The service, which was started, over HTTP."""
    import uvicorn

    server = uvicorn.Server(server_config(create_app(service, service.config, metrics), service.config))
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        port = bound.getsockname()[1]
        thread = threading.Thread(target=lambda: asyncio.run(server.serve([bound])), daemon=True)
        thread.start()
        client = Client(service, port)
        client.until(lambda: server.started or not thread.is_alive())
        try:
            yield client
        finally:
            server.should_exit = True
            thread.join(LONG)
            assert not thread.is_alive()


@contextmanager
def held_service(ocr: OCR, config: ServeConfig) -> Iterator[Client]:
    """A service whose engine is a test's own."""
    service = Service(config)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(engines, "load", lambda *_, **__: engines.Loaded({engines.USUAL: ocr}, {engines.USUAL: "own"}))
        service.start()
    with serving(service, Metrics(service).expose) as client:
        yield client
    service.close()
