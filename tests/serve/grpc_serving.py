"""A service behind the gRPC door, and what asks it: a client that was generated from the shipped .proto, in a process
of its own.
"""

from __future__ import annotations

import asyncio
import base64
import json
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from fastocr.results import Page
from fastocr.serve.call import Call
from fastocr.serve.config import ServeConfig
from fastocr.serve.grpc import GrpcServer, page_from, start_grpc
from fastocr.serve.grpc.schema import types
from fastocr.serve.service import Service

PROTOS = Path(__file__).resolve().parents[2] / "fastocr" / "serve" / "protos" / "fastocr" / "v2"
CLIENT = Path(__file__).with_name("grpc_client.py")


def png(text: str) -> bytes:
    image = np.full((100, 420, 3), 255, np.uint8)
    cv2.putText(image, text, (15, 65), cv2.FONT_HERSHEY_SIMPLEX, 1.6, (0, 0, 0), 3)
    return cv2.imencode(".png", image)[1].tobytes()


def tiff(*texts: str) -> bytes:
    frames = [cv2.imdecode(np.frombuffer(png(text), np.uint8), cv2.IMREAD_COLOR) for text in texts]
    return cv2.imencodemulti(".tiff", frames)[1].tobytes()


def generate(folder: Path) -> Path:
    """Python code that grpc_tools makes from the shipped .proto."""
    command = [sys.executable, "-m", "grpc_tools.protoc", f"-I{PROTOS}", f"--python_out={folder}"]
    subprocess.run([*command, f"--grpc_python_out={folder}", "ocr.proto"], check=True, timeout=60)
    return folder


def asking(generated: Path, port: int, token: str, *command: object) -> list[str]:
    """The command line of a client."""
    return [sys.executable, str(CLIENT), str(generated), str(port), token, *map(str, command)]


def ask(generated: Path, port: int, token: str, *command: object) -> Any:
    """What a client saw."""
    line = asking(generated, port, token, *command)
    done = subprocess.run(line, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


class Served:
    """A service with its gRPC door, in an event loop on a thread of its own."""

    def __init__(self, generated: Path, config: ServeConfig) -> None:
        self.service = Service(config)
        self.service.start()
        self.told: list[Call] = []
        self.service.watchers.append(self.told.append)
        self.token = config.token or ""
        self._generated = generated
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        self.server: GrpcServer = self.run(start_grpc(self.service, config))

    def begin(self, coroutine: Coroutine[Any, Any, Any]) -> Future[Any]:
        return asyncio.run_coroutine_threadsafe(coroutine, self._loop)

    def run(self, coroutine: Coroutine[Any, Any, Any]) -> Any:
        return self.begin(coroutine).result(60)

    def close(self) -> None:
        self.run(self.server.stop(0))
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(60)
        self._loop.close()
        self.service.close()

    def ask(self, *command: object, token: str | None = None) -> Any:
        """What the client saw."""
        return ask(self._generated, self.server.port, self.token if token is None else token, *command)

    @contextmanager
    def client(self, *command: object, port: int | None = None) -> Iterator[subprocess.Popen[str]]:
        """A client that goes on until the block ends; `port` of what passes its bytes on."""
        pipe, line = subprocess.PIPE, asking(self._generated, port or self.server.port, self.token, *command)
        with subprocess.Popen(line, stdin=pipe, stdout=pipe, text=True) as process:
            try:
                yield process
            finally:
                process.kill()

    def is_idle(self) -> bool:
        status = self.service.status()
        return (status.pool.leased, status.pool.waiting, status.documents, status.pending_bytes, status.calls) == (
            0,
        ) * 5


def until(holds: Callable[[], bool], seconds: float = 60) -> None:
    """Waits until it holds; fails where it never does."""
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end, "it does not come to hold"
        time.sleep(0.01)


def page_of(told: str) -> Page:
    return page_from(types().Page.FromString(base64.b64decode(told)))
