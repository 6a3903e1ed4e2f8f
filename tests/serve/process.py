"""`fastocr serve` as a process of its own, and what it says on standard error."""

from __future__ import annotations

import http.client
import json
import os
import queue
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Self

LONG = 60.0
ROOT = Path(__file__).resolve().parents[2]


class Served:
    """The process; `ready` waits for its line."""

    def __init__(self, *flags: str, **environment: str) -> None:
        inherited = {name: value for name, value in os.environ.items() if not name.startswith("FASTOCR_SERVE_")}
        self.process = subprocess.Popen(
            [sys.executable, "-m", "fastocr", "serve", *flags],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=ROOT,
            env={**inherited, "FASTOCR_THREADS": "1", **environment},
        )
        self.lines: list[str] = []
        self._new: queue.Queue[str | None] = queue.Queue()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        self.port = 0
        self.ready_line = ""

    def _read(self) -> None:
        assert self.process.stderr is not None
        for line in self.process.stderr:
            self._new.put(line)
        self._new.put(None)

    def until(self, pattern: str) -> str:
        """The first line from here on that matches."""
        end = time.monotonic() + LONG
        while (line := self._new.get(timeout=max(0.0, end - time.monotonic()))) is not None:
            self.lines.append(line)
            if re.search(pattern, line):
                return line
        raise AssertionError(f"it ended before it said {pattern!r}: {''.join(self.lines)}")

    def ready(self) -> Self:
        self.ready_line = self.until("^fastocr ready")
        found = re.search(r"http://127\.0\.0\.1:(\d+)", self.ready_line)
        assert found is not None, self.ready_line
        self.port = int(found[1])
        return self

    def ask(
        self, method: str, path: str, body: bytes | None = None, headers: Mapping[str, str] | None = None
    ) -> tuple[int, http.client.HTTPMessage, bytes]:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=LONG)
        try:
            connection.request(method, path, body, dict(headers or {}))
            response = connection.getresponse()
            return response.status, response.headers, response.read()
        finally:
            connection.close()

    def read(self, image: bytes) -> tuple[int, http.client.HTTPMessage, Any]:
        """Status, headers and JSON of the reading of an image."""
        status, headers, body = self.ask("POST", "/v2/ocr", image, {"Content-Type": "image/png"})
        return status, headers, json.loads(body)

    def gauge(self, name: str) -> float:
        """One of its metrics."""
        body = self.ask("GET", "/metrics")[2].decode()
        found = re.search(rf"^fastocr_{name} (\S+)$", body, re.MULTILINE)
        assert found is not None, body
        return float(found[1])

    def until_gauge(self, name: str, value: float) -> None:
        """Waits until one of its metrics has the value."""
        end = time.monotonic() + LONG
        while self.gauge(name) != value:
            assert time.monotonic() < end, f"{name} did not become {value}"

    def send(self, number: signal.Signals) -> None:
        self.process.send_signal(number)

    def end(self) -> int:
        """Its exit code, once it has ended; the rest of its lines are in ``lines``."""
        code = self.process.wait(LONG)
        while (line := self._new.get(timeout=LONG)) is not None:
            self.lines.append(line)
        return code

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.process.kill()
        self.process.wait()
        self._reader.join()
        for stream in (self.process.stdout, self.process.stderr):
            assert stream is not None
            stream.close()
