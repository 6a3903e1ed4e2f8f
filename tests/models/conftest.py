"""A server, a clean environment and small rows for the tests of the model store."""

from __future__ import annotations

import hashlib
import os
import random
import socket
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from fastocr.models import Store
from fastocr.models.registry import FileRow, WheelSource
from tests.models.server import Server

Environ = dict[str, str]


@pytest.fixture(autouse=True)
def _no_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    """No proxy of this machine stands between a test and the loopback."""
    for name in list(os.environ):
        if name.lower().endswith("_proxy"):
            monkeypatch.delenv(name)


@pytest.fixture
def server() -> Iterator[Server]:
    with Server() as running:
        yield running


@pytest.fixture
def environ(tmp_path: Path) -> Environ:
    """An environment with a home of its own and no settings of pip, of uv or of this machine."""
    return {
        "HOME": str(tmp_path),
        "FASTOCR_HOME": str(tmp_path / "home"),
        "FASTOCR_TIMEOUT": "5",
        "PIP_CONFIG_FILE": os.devnull,
        "UV_NO_CONFIG": "1",
    }


@pytest.fixture
def closed_port() -> int:
    """A port of the loopback on which nothing listens."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@pytest.fixture(scope="session")
def payload() -> bytes:
    """A megabyte that does not compress to nothing."""
    return random.Random(9).randbytes(1_000_000)


@pytest.fixture
def row(payload: bytes) -> Callable[..., FileRow]:
    """Makes the registry row of ``payload`` with the given sources."""

    def make(*urls: str, wheels: tuple[WheelSource, ...] = (), name: str = "net.onnx") -> FileRow:
        return FileRow(name, hashlib.sha256(payload).hexdigest(), len(payload), "Apache-2.0", wheels, urls)

    return make


@pytest.fixture
def store(environ: Environ) -> Store:
    return Store(environ=environ)
