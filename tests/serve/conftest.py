"""One service on real models for the tests that ask it over HTTP."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from fastocr.serve.config import ServeConfig
from fastocr.serve.service import Service

BODY_LIMIT = 20 * 2**20


@pytest.fixture(scope="session")
def http() -> Iterator[object]:
    """A client of a service without a token."""
    for module in ("starlette", "uvicorn", "python_multipart"):
        pytest.importorskip(module, reason="needs the extra: pip install 'fastocr-engine[server]'")
    from tests.serve.running import serving

    config = ServeConfig(preset="fast", light_preset="off", threads=1, slots=2, max_body_bytes=BODY_LIMIT, max_batch=4)
    service = Service(config)
    service.start()
    with serving(service) as client:
        yield client
    service.close()
