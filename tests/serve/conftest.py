"""One service on real models for the tests that ask it over HTTP."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from fastocr import OCR
from fastocr.serve.config import ServeConfig
from fastocr.serve.service import Service
from tests.serve.browsing import LINES, Visit, chromium, visits

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


@pytest.fixture(scope="session")
def ocr() -> Iterator[OCR]:
    """What reads in the service of `http`, beside it."""
    with OCR(preset="fast") as ocr:
        yield ocr


@pytest.fixture(scope="module")  # while it is there, no test of another module could run an event loop
def browser() -> Iterator[Any]:
    with chromium() as browser:
        yield browser


@pytest.fixture
def visit(browser: Any, http: Any) -> Iterator[Visit]:
    """Opens the page of `http`; see `visits`."""
    with visits(browser, http.port) as open_page:
        yield open_page


@pytest.fixture(scope="session")
def letter(draw: ModuleType, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A drawn page of four lines."""
    path = tmp_path_factory.mktemp("page") / "letter.png"
    draw.text_page(LINES, 32).save(path)
    return path
