"""`fastocr loadtest` on the service: its account is the service's own."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from fastocr import OCR
from fastocr.loadtest import Answer, Plan, Report, Sample, measure
from fastocr.serve.config import ServeConfig
from tests.batch import stubs

pytestmark = pytest.mark.models


def load(port: int, images: list[bytes], **plan: Any) -> tuple[Report, list[tuple[Sample, Answer]]]:
    seen: list[tuple[Sample, Answer]] = []
    asked = Plan(f"http://127.0.0.1:{port}", images, **plan)
    return asyncio.run(measure(asked, watch=lambda sample, answer: seen.append((sample, answer)))), seen


def test_every_answer_is_the_page_that_the_library_reads(http: Any, letter: Path, ocr: OCR) -> None:
    report, seen = load(http.port, [letter.read_bytes()], concurrency=3, requests=6)
    assert (report.presets, report.degraded, report.errors) == ({"fast": 6}, 0, {})
    expected = json.loads(json.dumps(ocr.read(letter).to_dict()))
    for _, answer in seen:
        page = json.loads(answer.body)
        assert {key: page[key] for key in expected} == expected


def test_a_document_and_another_form_of_answer(http: Any, letter: Path, ocr: OCR) -> None:
    report, seen = load(http.port, [letter.read_bytes()], requests=2, operation="document", output_format="text")
    assert report.latency.count == 2
    assert [answer.body.decode().strip() for _, answer in seen] == [ocr.read(letter).text.strip()] * 2


def test_errors_have_the_codes_of_the_table(http: Any) -> None:
    report, _ = load(http.port, [b"no image at all"], requests=3)
    assert {code: spread.count for code, spread in report.errors.items()} == {"unsupported_format": 3}


def test_what_is_refused_is_counted_as_the_service_counts_it(tmp_path: Path) -> None:
    pytest.importorskip("uvicorn", reason="needs the extra: pip install 'fastocr-engine[server]'")
    from tests.serve.running import held_service

    image = stubs.page(tmp_path / "page.png", 1).read_bytes()
    config = ServeConfig(slots=1, queue=1, light_preset="off")
    with held_service(stubs.reader(), config) as client:
        report, _ = load(client.port, [image], concurrency=8, requests=200)
        client.until(lambda: len(client.calls) == 200)
        counted = Counter(call.code for call in client.calls)
    assert {"ok": report.latency.count} | {code: spread.count for code, spread in report.errors.items()} == counted
    assert counted["ok"] > 0
    assert counted.keys() <= {"ok", "overloaded"}
