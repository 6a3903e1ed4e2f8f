"""Answers: pages, batches and documents in every format, whole or page by page, with what read them."""

from __future__ import annotations

import base64
import io
import json
import re
import socket
import threading
from collections.abc import Iterator, Sequence
from typing import Any

import cv2
import numpy as np
import pytest

from fastocr import OCR, Page, Reading
from fastocr.errors import table
from fastocr.formats import FORMATS
from fastocr.formats.json import schema
from fastocr.serve.config import ServeConfig
from fastocr.serve.writing import MEDIA_TYPES
from fastocr.stages.base import Trip
from tests.pool.stubs import Whole
from tests.serve.running import Client, answered, held_service, read_all

TEXTS = ("One 11", "Two 22", "Three 33")


def picture(text: str) -> Any:
    image = np.full((100, 420, 3), 255, np.uint8)
    cv2.putText(image, text, (15, 65), cv2.FONT_HERSHEY_SIMPLEX, 1.6, (0, 0, 0), 3)
    return image


def png(text: str) -> bytes:
    return cv2.imencode(".png", picture(text))[1].tobytes()


def tiff(*texts: str) -> bytes:
    return cv2.imencodemulti(".tiff", [picture(text) for text in texts])[1].tobytes()


def test_a_page_is_what_ocr_reads(http: Client) -> None:
    data = png(TEXTS[0])
    answer = http.post("/v2/ocr", data, "image/png", Traceparent="00-4bf9")
    with OCR(preset="fast") as ocr:
        assert Page.from_dict(answer.json) == ocr.read(data)
    told = answer.json["service"]
    assert (told["preset"], told["models"], told["degraded"]) == ("fast", "ppocrv6-tiny", False)
    assert told["total_ms"] >= told["queue_ms"] >= 0
    assert answer.json["timings"]["detect"] > 0
    assert answer.headers["x-request-id"] == told["request_id"]
    assert answer.headers["x-fastocr-preset"] == "fast"
    assert answer.headers["x-fastocr-models"] == "ppocrv6-tiny"
    assert answer.headers["x-fastocr-degraded"] == "false"
    times = answer.headers["server-timing"].split(", ")
    assert all(re.fullmatch(r"[a-z_-]+;dur=\d+\.\d", time) for time in times)
    assert {time.partition(";")[0] for time in times} >= {"queue", "detect", "recognize"}
    call = http.told(answer)
    assert (call.id, call.operation, call.code) == (told["request_id"], "ocr", "ok")
    assert (call.bytes_in, call.pages) == (len(data), 1)
    assert call.trace == "00-4bf9"


@pytest.mark.parametrize("name", FORMATS)
def test_every_format_is_what_the_library_writes(http: Client, name: str) -> None:
    data = png(TEXTS[0])
    answer = http.post_form(f"/v2/ocr?output_format={name}", ("image", "a.png", data))
    assert answer.status == 200, answer.body
    assert answer.headers["content-type"] == MEDIA_TYPES[name]
    if name in ("json", "jsonl"):
        assert json.loads(answer.body)["text"] == TEXTS[0]
        return
    from fastocr.formats import WriteOptions, rendered
    from fastocr.results import Sheet, Source

    with OCR(preset="fast") as ocr:
        sheet = Sheet(ocr.read(data), Source("a.png", data))
        assert answer.body == rendered(FORMATS[name], [sheet], WriteOptions(timings=True))


def test_every_format_has_a_media_type() -> None:
    assert MEDIA_TYPES.keys() == FORMATS.keys()


def test_a_batch_has_good_and_bad_images(http: Client) -> None:
    images = [("image", "a.png", png(TEXTS[0])), ("image", "../b", b"nothing"), ("image", None, png(TEXTS[1]))]
    answer = http.post_form("/v2/ocr/batch", *images, ("image", "", b""))
    assert answer.status == 200
    results = answer.json["results"]
    assert [result["index"] for result in results] == [0, 1, 2, 3]
    assert [result["name"] for result in results] == ["a.png", "b", "image-2", "image-3"]
    assert [result.get("page", {}).get("text") for result in results] == [TEXTS[0], None, TEXTS[1], None]
    assert [result.get("error", {}).get("code") for result in results] == [
        None,
        "unsupported_format",
        None,
        "bad_request",
    ]
    assert answer.json["service"]["preset"] == "fast"
    assert http.told(answer).pages == 2
    named = [base64.b64encode(png(text)).decode() for text in TEXTS]
    answer = http.post_json("/v2/ocr/batch", {"images": [*named, "no base64!"], "charset": "0123456789"})
    *read, last = answer.json["results"]
    assert all(result["page"]["text"].isdigit() for result in read)
    assert last["error"]["code"] == "bad_request"


@pytest.mark.parametrize(
    ("value", "code"),
    [
        ({"images": ["AAAA"] * 5}, "too_large"),
        ({"images": []}, "bad_request"),
        ({"images": "AAAA"}, "bad_request"),
        ({"images": [5]}, "bad_request"),
        ({"image": "AAAA"}, "bad_argument"),
        ({"images": ["AAAA"], "output_format": "json"}, "bad_argument"),
    ],
)
def test_a_batch_that_is_none(http: Client, value: Any, code: str) -> None:
    assert http.post_json("/v2/ocr/batch", value).code == code


def test_a_batch_does_not_come_raw(http: Client) -> None:
    assert http.post("/v2/ocr/batch", png(TEXTS[0]), "image/png").code == "bad_request"


def test_a_document_comes_as_lines(http: Client) -> None:
    answer = http.post("/v2/ocr/document?pages=3,1", tiff(*TEXTS), "image/tiff")
    assert answer.headers["content-type"] == "application/x-ndjson"
    pages = [json.loads(line) for line in answer.body.splitlines()]
    assert [(page["number"], page["page_count"], page["text"]) for page in pages] == [
        (3, 3, TEXTS[2]),
        (1, 3, TEXTS[0]),
    ]
    assert all(page["service"]["preset"] == "fast" for page in pages)
    assert answer.headers["x-fastocr-preset"] == "fast"


def test_a_document_in_the_forms_of_a_body(http: Client) -> None:
    data = tiff(*TEXTS[:2])
    answers = [
        http.post("/v2/ocr/document", data),
        http.post_form("/v2/ocr/document", ("document", "a.tiff", data)),
        http.post_form("/v2/ocr/document", ("image", "a.tiff", data)),
        http.post_json("/v2/ocr/document", {"document": base64.b64encode(data).decode()}),
    ]
    for answer in answers:
        assert [json.loads(line)["text"] for line in answer.body.splitlines()] == list(TEXTS[:2])


def test_a_pdf_comes_page_by_page(http: Client) -> None:
    pytest.importorskip("pypdfium2", reason="needs the extra: pip install 'fastocr-engine[pdf]'")
    canvas = pytest.importorskip("reportlab.pdfgen.canvas", reason="draws the PDF")
    out = io.BytesIO()
    drawn = canvas.Canvas(out)
    for text in TEXTS:
        drawn.setFont("Helvetica", 40)
        drawn.drawString(60, 700, text)
        drawn.showPage()
    drawn.save()
    for query, models in (("pdf_text=only&pages=2-", "pdf-text"), ("pdf_text=ignore&dpi=100&pages=2-", "ppocrv6-tiny")):
        answer = http.post(f"/v2/ocr/document?{query}", out.getvalue(), "application/pdf")
        assert answer.status == 200, answer.body
        pages = [json.loads(line) for line in answer.body.splitlines()]
        assert [(page["number"], page["text"], page["models"]) for page in pages] == [
            (number, TEXTS[number - 1], models) for number in (2, 3)
        ]
    first = http.post("/v2/ocr?output_format=text", out.getvalue(), "application/pdf")
    assert first.body.decode() == f"{TEXTS[0]}\n"
    assert http.post("/v2/ocr/document", out.getvalue()[:300], "application/pdf").code == "unreadable_image"


@pytest.mark.parametrize("name", FORMATS)
def test_documents_in_every_format(http: Client, name: str) -> None:
    data = tiff(*TEXTS[:2])
    answer = http.post_form(f"/v2/ocr/document?output_format={name}", ("document", "a.tiff", data))
    if FORMATS[name].single:
        assert (answer.status, answer.code) == (400, "bad_argument")
        return
    assert answer.status == 200, answer.body
    assert answer.headers["content-type"] == MEDIA_TYPES[name]
    from fastocr.formats import WriteOptions
    from fastocr.formats import rendered as whole
    from fastocr.results import Sheet, Source

    if name == "jsonl":
        return
    with OCR(preset="fast") as ocr, ocr.read_document(data) as document:
        sheets = [Sheet(page, Source("a.tiff", data)) for page in document]
        body = whole(FORMATS[name], sheets, WriteOptions(timings=True))
    if name == "json":  # but for the times
        pages = answer.json["pages"]
        assert [Page.from_dict(page) for page in pages] == [sheet.page for sheet in sheets]
    else:
        assert answer.body == body


@pytest.mark.parametrize(
    ("query", "status", "code"),
    [
        ("pages=9", 400, "bad_argument"),
        ("pages=x", 400, "bad_argument"),
        ("dpi=0", 400, "bad_argument"),
        ("dpi=100000", 400, "bad_argument"),
        ("pdf_text=no", 400, "bad_argument"),
        ("allow_urls=true", 400, "bad_argument"),
    ],
)
def test_bad_documents(http: Client, query: str, status: int, code: str) -> None:
    answer = http.post(f"/v2/ocr/document?{query}", tiff(*TEXTS))
    assert (answer.status, answer.code) == (status, code)
    assert http.service.status().documents == 0


class Stepped:
    """A recognizer that reads a page for each permit."""

    def __init__(self) -> None:
        self.permits = threading.Semaphore(0)
        self.begun = threading.Semaphore(0)

    def recognize(self, crops: Sequence[Any], trip: Trip) -> list[Reading]:
        self.begun.release()
        while not self.permits.acquire(timeout=0.005):
            if trip.cancel is not None:
                trip.cancel.check()
        return [Reading("read", 1.0, ()) for _ in crops]


@pytest.fixture
def stepped() -> Iterator[tuple[Client, Stepped]]:
    recognizer = Stepped()
    ocr = OCR(detector=Whole(), recognizer=recognizer, threads=1)
    with held_service(ocr, ServeConfig(slots=1)) as client:
        yield client, recognizer


def ask_for_pages(client: Client, query: str) -> socket.socket:
    data, connection = tiff(*TEXTS), client.connect()
    head = f"POST /v2/ocr/document?{query} HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(data)}\r\n\r\n"
    connection.sendall(head.encode() + data)
    return connection


def until_it_holds(connection: socket.socket, wanted: bytes) -> bytes:
    got = b""
    while wanted not in got:
        more = connection.recv(65536)
        assert more, got
        got += more
    return got


@pytest.mark.parametrize("name", ["jsonl", "text", "markdown", "layout"])
def test_a_page_is_sent_before_the_next_is_read(stepped: tuple[Client, Stepped], name: str) -> None:
    """The first page comes while the second is held; when its client goes, all of it ends."""
    client, recognizer = stepped
    with ask_for_pages(client, f"output_format={name}") as connection:
        recognizer.permits.release()
        assert until_it_holds(connection, b"read").startswith(b"HTTP/1.1 200 ")
        for _ in range(2):
            client.until(lambda: recognizer.begun.acquire(blocking=False))
        assert client.service.status().documents == 1
    client.until(lambda: len(client.calls) == 1)
    assert (client.calls[0].code, client.calls[0].pages) == ("cancelled", 1)
    client.until(lambda: client.service.status().pool.leased == 0)
    status = client.service.status()
    assert status.documents == status.pending_bytes == 0


def test_an_error_after_the_first_page_is_the_last_line(stepped: tuple[Client, Stepped]) -> None:
    client, recognizer = stepped
    with ask_for_pages(client, "deadline_ms=1000") as connection:
        recognizer.permits.release()
        got = until_it_holds(connection, b"0\r\n\r\n")
    first, last = (json.loads(line) for line in got.splitlines() if line.startswith(b"{"))
    assert first["text"] == "read"
    assert last["error"]["code"] == "deadline_exceeded"
    client.until(lambda: client.calls)
    assert client.calls[0].code == "deadline_exceeded"


def test_an_error_after_the_first_page_leaves_other_formats_cut(stepped: tuple[Client, Stepped]) -> None:
    client, recognizer = stepped
    with ask_for_pages(client, "deadline_ms=1000&output_format=text") as connection:
        recognizer.permits.release()
        got = read_all(connection)
    assert b"read" in got
    assert not got.endswith(b"0\r\n\r\n")


def test_an_error_before_the_first_page_has_its_status(stepped: tuple[Client, Stepped]) -> None:
    client, _ = stepped
    for name in ("jsonl", "text", "json"):
        with ask_for_pages(client, f"deadline_ms=100&output_format={name}") as connection:
            answer = answered(connection)
        assert (answer.status, answer.code) == (504, "deadline_exceeded")


def test_errors_are_those_of_the_table(http: Client) -> None:
    codes = {kind.code for kind in table()}
    description = http.get("/openapi.json").json
    named = description["components"]["schemas"]["Error"]["properties"]["error"]["properties"]["code"]["enum"]
    assert set(named) == codes


def test_the_description_holds_the_schema_of_results(http: Client) -> None:
    schemas = http.get("/openapi.json").json["components"]["schemas"]
    assert schemas.keys() >= schema()["$defs"].keys()
    assert "$defs" not in json.dumps(schemas)
