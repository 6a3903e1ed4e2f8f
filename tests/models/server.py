"""An HTTP server on the loopback for the tests of the store: it does what it is told, and counts what it is asked."""

from __future__ import annotations

import base64
import re
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@dataclass
class Answer:
    """How to answer for one path."""

    body: bytes = b""
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    ranges: bool = True
    cut: int | None = None  # send that many bytes, then close
    user: str | None = None  # "user:password" that must come along
    stall: bool = False  # with cut: do not close, send nothing more
    silent: bool = False  # accept, and never answer


Route = Answer | Callable[[int], Answer]
"""An answer, or a function from the number of earlier requests of the path to one."""


class Server(ThreadingHTTPServer):
    """Serves ``routes``; ``requests`` lists (path, Range header or "") in order of arrival."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.routes: dict[str, Route] = {}
        self.requests: list[tuple[str, str]] = []
        self.credentials: list[str] = []
        self.sent = 0
        self.over = threading.Event()
        self.lock = threading.Lock()

    def url(self, path: str = "", user: str = "") -> str:
        host = f"127.0.0.1:{self.server_address[1]}"
        return f"http://{user + '@' if user else ''}{host}{path}"

    def paths(self) -> list[str]:
        return [path for path, _ in self.requests]

    def __enter__(self) -> Server:
        threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        return self

    def __exit__(self, *error: object) -> None:
        self.over.set()
        self.shutdown()
        self.server_close()


class _Handler(BaseHTTPRequestHandler):
    server: Server
    timeout = 10

    def log_message(self, *args: object) -> None:
        pass

    def do_GET(self) -> None:
        answer = self._note()
        if answer.silent:
            self.server.over.wait(10)
            return
        if answer.user is not None and self._user() != answer.user:
            self._head(401, {"Content-Length": "0"})
            return
        status, headers, body = answer.status, dict(answer.headers), answer.body
        wanted = self.headers.get("Range", "")
        if answer.ranges and wanted and status == 200:
            status, extra, body = _part(wanted, body)
            headers |= extra
        self._head(status, {"Content-Length": str(len(body)), **headers})
        sent = body if answer.cut is None else body[: answer.cut]
        self.server.sent += len(sent)
        try:
            self.wfile.write(sent)
        except OSError:
            self.close_connection = True
        if answer.stall:
            self.server.over.wait(10)
        if answer.cut is not None:
            self.close_connection = True

    def _note(self) -> Answer:
        path = self.path
        with self.server.lock:
            earlier = self.server.paths().count(path)
            self.server.requests.append((path, self.headers.get("Range", "")))
            self.server.credentials.append(self.headers.get("Authorization", ""))
        route = self.server.routes.get(path, Answer(status=404))
        return route if isinstance(route, Answer) else route(earlier)

    def _user(self) -> str:
        scheme, _, value = self.headers.get("Authorization", "").partition(" ")
        return base64.b64decode(value).decode() if scheme == "Basic" else ""

    def _head(self, status: int, headers: dict[str, str]) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()


def _part(wanted: str, body: bytes) -> tuple[int, dict[str, str], bytes]:
    found = re.fullmatch(r"bytes=(\d*)-(\d*)", wanted)
    assert found, wanted
    first, last = found.groups()
    start = int(first) if first else max(0, len(body) - int(last))
    stop = min(int(last) + 1 if first and last else len(body), len(body))
    if start >= len(body):
        return 416, {"Content-Range": f"bytes */{len(body)}"}, b""
    return 206, {"Content-Range": f"bytes {start}-{stop - 1}/{len(body)}"}, body[start:stop]
