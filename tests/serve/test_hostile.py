"""What is made to do harm: it is refused or read, others are served meanwhile, and nothing of it stays."""

from __future__ import annotations

import ctypes
import gc
import json
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import cv2
import numpy as np
import psutil
import pytest

from fastocr import OCR, Reading
from fastocr.documents import CAN_ISOLATE
from fastocr.errors import table
from fastocr.formats import FORMATS, WriteOptions, rendered
from fastocr.images import Limits
from fastocr.results import Sheet, Source
from fastocr.serve.config import ServeConfig
from fastocr.stages.base import Trip
from tests.documents import bombs as pdfs
from tests.documents.children import children
from tests.pool.stubs import Held, Whole
from tests.serve import bombs
from tests.serve.running import Answer, Client, form, held_service

pytest.importorskip("uvicorn", reason="needs the extra: pip install 'fastocr-engine[server]'")
pytest.importorskip("pypdfium2", reason="needs the extra: pip install 'fastocr-engine[pdf]'")
pytestmark = pytest.mark.skipif(not CAN_ISOLATE, reason="PDFs are opened in processes of their own")

MIB = 2**20
PNG = cv2.imencode(".png", np.full((20, 80, 3), 255, np.uint8))[1].tobytes()
KNOWN = {kind.code for kind in table()}
# Threads that wait for the next request.
POOLED = ("fastocr-", "asyncio_")
CONFIG = ServeConfig(slots=2, documents=2, max_page_seconds=2, max_page_memory=128 * MIB)
LIMITS = Limits(CONFIG.max_body_bytes, CONFIG.max_pixels, max_page_seconds=2, max_page_memory=128 * MIB)


class Trap:
    """A recognizer that reads at once, unless it is given something else to do."""

    def __init__(self) -> None:
        self.act: Callable[[Trip], object] = lambda trip: None

    def recognize(self, crops: Sequence[Any], trip: Trip) -> list[Reading]:
        self.act(trip)
        return [Reading("read", 1.0, ()) for _ in crops]


@pytest.fixture(scope="module")
def trapped() -> Iterator[tuple[Client, Trap]]:
    trap = Trap()
    with held_service(OCR(detector=Whole(), recognizer=trap, threads=1, limits=LIMITS), CONFIG) as client:
        together(*[lambda: client.post("/v2/ocr", pdfs.pdf(pdfs.line("One")))] * 8)
        together(*[lambda: client.post("/v2/ocr/document?output_format=pdf", pdfs.pdf(pdfs.line("One")))] * 4)
        yield client, trap


@pytest.fixture
def fortress(trapped: tuple[Client, Trap]) -> Iterator[Client]:
    """The service, from which nothing may be missing after a test, and nothing left over."""
    client, trap = trapped
    before = settled(client)
    yield client
    trap.act = lambda trip: None
    with changed(client, before):
        client.until(lambda: held(client) == before)
    answer = client.post("/v2/ocr", PNG)
    assert (answer.status, answer.json["text"]) == (200, "read")


@contextmanager
def changed(client: Client, before: dict[str, Any]) -> Iterator[None]:
    """Says what is otherwise than before, where the block fails."""
    try:
        yield
    except BaseException:
        now = held(client)
        print({name: (before[name], now[name]) for name in before if before[name] != now[name]})
        raise


def held(client: Client) -> dict[str, Any]:
    """What a service holds that is to be free again."""
    gc.collect()
    status, own = client.service.status(), psutil.Process()
    return {
        "threads": sorted(thread.name for thread in threading.enumerate() if not thread.name.startswith(POOLED)),
        "files": own.num_fds(),
        "processes": len(children()),
        "leases": (status.pool.leased, status.pool.waiting),
        "documents": status.documents,
        "bytes": status.pending_bytes,
        "calls": status.calls,
    }


def settled(client: Client) -> dict[str, Any]:
    """The same once nothing is under way."""
    idle = {"leases": (0, 0), "documents": 0, "bytes": 0, "calls": 0, "processes": 0}
    client.until(lambda: held(client).items() >= idle.items())
    return held(client)


def together(*acts: Callable[[], Any]) -> list[Any]:
    """What all of them give, at once."""
    results: list[Any] = [None] * len(acts)

    def run(k: int, act: Callable[[], Any]) -> None:
        results[k] = act()

    threads = [threading.Thread(target=run, args=pair) for pair in enumerate(acts)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results


def check(answer: Answer, *allowed: int) -> None:
    """An answer as the service gives it: a page, or an error of the table that is the sender's."""
    assert answer.status in (allowed or (200, 400, 413, 415, 422)), answer.body[:500]
    if answer.status != 200:
        assert answer.code in KNOWN


@pytest.mark.parametrize("name", bombs.PICTURES)
def test_pictures(name: str, fortress: Client) -> None:
    data = bombs.PICTURES[name]()
    for path in ("/v2/ocr", "/v2/ocr/document"):
        check(fortress.post(path, data), 200, 413, 422)


@pytest.mark.parametrize("name", bombs.DOCUMENTS)
def test_documents(name: str, fortress: Client) -> None:
    data = bombs.DOCUMENTS[name]()
    for path in ("/v2/ocr", "/v2/ocr/document"):
        check(fortress.post(path, data), 200, 413, 422)


def test_all_at_once_beside_honest_ones(fortress: Client) -> None:
    names = ["a form that holds itself", "a content stream of 8 GiB", "a million shapes", "arrays within arrays"]
    hostile = [bombs.DOCUMENTS[name]() for name in names]
    honest = pdfs.pdf(pdfs.line("One"), pdfs.line("Two"))
    acts = [
        lambda data=data, path=path: fortress.post(path, data)
        for data in hostile
        for path in ("/v2/ocr", "/v2/ocr/document")
    ]
    good = [lambda: fortress.post("/v2/ocr", PNG)] * 6 + [lambda: fortress.post("/v2/ocr", honest)] * 6
    answers = together(*acts, *good)
    for answer in answers[: len(acts)]:
        check(answer, 200, 413, 422, 503)  # there is room for two documents at once
    assert [answer.status for answer in answers[len(acts) :]] == [200] * len(good)


def resident() -> int:
    return psutil.Process().memory_info().rss


@pytest.mark.parametrize(
    "data", [bombs.object_stream(600, needed=False), bombs.former_layer(100)], ids=["objects", "content"]
)
def test_a_searchable_pdf_of_what_unpacks_to_more(data: bytes, fortress: Client) -> None:
    """What qpdf meets as it writes, and PDFium does not."""
    pytest.importorskip("pikepdf", reason="needs the extra: pip install 'fastocr-engine[pdf]'")
    most, ended = [resident()], threading.Event()

    def watch() -> None:
        while not ended.wait(0.005):
            most.append(resident())

    watching = threading.Thread(target=watch)
    watching.start()
    for path in ("/v2/ocr", "/v2/ocr/document"):
        check(fortress.post(f"{path}?output_format=pdf", data), 200, 413, 422)
    ended.set()
    watching.join()
    assert max(most) - most[0] < 100 * MIB


def test_a_searchable_pdf_is_what_the_library_writes(fortress: Client) -> None:
    pytest.importorskip("pikepdf", reason="needs the extra: pip install 'fastocr-engine[pdf]'")
    data = pdfs.pdf(pdfs.stream(b"0 0 100 100 re f"), pdfs.stream(b"50 50 99 99 re f"))
    with OCR(detector=Whole(), recognizer=Trap(), threads=1) as ocr, ocr.read_document(data) as document:
        source = Source("image", data)
        wanted = rendered(FORMATS["pdf"], (Sheet(page, source) for page in document), WriteOptions())
    answer = fortress.post("/v2/ocr/document?output_format=pdf", data)
    assert (answer.status, answer.body) == (200, wanted)


@pytest.mark.parametrize(
    "body",
    [
        b'{"image": ' + b"[" * 1_000_000,
        b'{"image": ' + b'{"a":' * 100_000,
        b'{"deadline_ms": ' + b"9" * 1_000_000 + b', "image": "AA=="}',
        b'{"deadline_ms": 1e999999, "image": "AA=="}',
        b"{" + b",".join(b'"k%d": 1' % k for k in range(100_000)) + b"}",
        b'{"image": "' + b"=" * 5_000_000 + b'"}',
        b'{"image": "' + b"\\ud800" * 100_000 + b'"}',
        b'{"charset": "' + b"a" * 1_000_000 + b'", "image": "AA=="}',
    ],
    ids=["arrays", "objects", "digits", "exponent", "keys", "padding", "surrogates", "option"],
)
def test_json(body: bytes, fortress: Client) -> None:
    for path in ("/v2/ocr", "/v2/ocr/batch", "/v2/ocr/document"):
        check(fortress.post(path, body, "application/json"), 400, 413, 422)


@pytest.mark.parametrize("name", ["charset", "pages", "password", "output_format", "no_such_option", "image"])
def test_huge_options(name: str, fortress: Client) -> None:
    huge = "".join(map(chr, range(0x4E00, 0x4E00 + 6000))) * 20
    body = form((name, None, huge.encode()), ("document", "a.png", PNG))
    check(fortress.post("/v2/ocr/document", body, "multipart/form-data; boundary=a-boundary"), 400, 413, 422)
    check(fortress.post_json("/v2/ocr/document", {name: huge, "document": "AA=="}), 400, 413, 422)


def test_many_fields(fortress: Client) -> None:
    fields = [(f"f{k}", None, b"x") for k in range(20_000)]
    check(fortress.post_form("/v2/ocr", *fields), 400, 413)


@pytest.mark.parametrize(
    "head",
    [
        b"".join(b"X-%d: y\r\n" % k for k in range(20_000)),
        b"X: " + b"y" * 1_000_000 + b"\r\n",
        b"Cookie: a=b\r\n" * 20_000,
        b"".join(b"Content-Length: %d\r\n" % k for k in range(500)),
    ],
    ids=["many", "long", "equal", "lengths"],
)
def test_floods_of_headers(head: bytes, fortress: Client) -> None:
    with fortress.connect() as connection:
        try:
            connection.sendall(b"POST /v2/ocr HTTP/1.1\r\nHost: localhost\r\n" + head + b"\r\n")
            first = connection.recv(100)
        except ConnectionError:  # cut off before all of it was sent
            return
        assert first == b"" or b" 400 " in first or b" 408 " in first


@pytest.mark.parametrize("kept", range(5, 100, 19))
def test_cut_files(kept: int, fortress: Client) -> None:
    document = pdfs.pdf(pdfs.line("One"), pdfs.line("Two"))
    for data in (PNG, document, bombs.gif(9, 9, 9), bombs.tiff(3), bombs.webp(9, 9), bombs.jpeg_of_scans(9, 3)):
        check(fortress.post("/v2/ocr/document", data[: len(data) * kept // 100]))


class Killed(BaseException):
    """As what ends a thread from outside."""


@pytest.mark.parametrize("kind", [RuntimeError, MemoryError, RecursionError, Killed, SystemExit, KeyboardInterrupt])
def test_a_reading_that_is_killed_frees_its_slot(
    kind: type[BaseException], trapped: tuple[Client, Trap], fortress: Client
) -> None:
    def die(trip: Trip) -> None:
        raise kind("killed")

    trapped[1].act = die
    for _ in range(3):
        for answer in (fortress.post("/v2/ocr", PNG), fortress.post_form("/v2/ocr/batch", ("image", "a", PNG))):
            assert answer.status == 500, "a fault of the service's own"
            assert answer.code in KNOWN
            assert b"killed" not in answer.body
    trapped[1].act = lambda trip: None
    assert fortress.post("/v2/ocr", PNG).status == 200


def test_a_thread_that_is_struck_from_outside_frees_its_slot(trapped: tuple[Client, Trap], fortress: Client) -> None:
    begun, numbers = threading.Semaphore(0), []

    def work(trip: Trip) -> None:
        numbers.append(threading.get_ident())
        begun.release()
        while True:  # until the exception comes
            threading.Event().wait(0.001)

    trapped[1].act = work
    answers: list[Answer] = []
    asking = threading.Thread(target=lambda: answers.append(fortress.post("/v2/ocr", PNG)))
    asking.start()
    begun.acquire()
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(numbers[0]), ctypes.py_object(Killed))
    asking.join()
    assert answers[0].status >= 500


def test_a_reading_that_hangs_ends_with_its_deadline(trapped: tuple[Client, Trap], fortress: Client) -> None:
    hung = Held()
    trapped[1].act = lambda trip: hung.recognize([], trip)
    answers = together(*[lambda: fortress.post("/v2/ocr?deadline_ms=200", PNG)] * 6)
    assert [answer.status for answer in answers] == [504] * 6
    document = bombs.pages_of_ink(3)
    assert fortress.post("/v2/ocr/document?deadline_ms=200", document).status == 504


def test_a_rendering_that_lasts_ends_with_its_deadline(fortress: Client) -> None:
    data = bombs.DOCUMENTS["a form that holds itself"]()
    for path in ("/v2/ocr", "/v2/ocr/document"):
        assert fortress.post(f"{path}?deadline_ms=150", data).status == 504


@pytest.mark.parametrize("path", ["/v2/ocr", "/v2/ocr/document", "/v2/ocr/document?output_format=pdf"])
def test_a_client_that_goes_while_its_page_is_rendered(path: str, fortress: Client) -> None:
    data = bombs.DOCUMENTS["a form that holds itself"]()
    with fortress.connect() as connection:
        head = f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(data)}\r\n\r\n"
        connection.sendall(head.encode() + data)
        fortress.until(children)
    fortress.until(lambda: not children())


def test_a_client_that_goes_amid_its_document(trapped: tuple[Client, Trap], fortress: Client) -> None:
    hung, pages = Held(), iter(range(100))
    trapped[1].act = lambda trip: None if next(pages) < 1 else hung.recognize([], trip)
    data = bombs.pages_of_ink(5)
    with fortress.connect() as connection:
        head = f"POST /v2/ocr/document HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(data)}\r\n\r\n"
        connection.sendall(head.encode() + data)
        assert connection.recv(10)
        hung.begun.acquire()


@pytest.mark.slow
def test_memory_stays(fortress: Client) -> None:
    names = ["a GIF of 100000 frames", "a TIFF of 100000 pages", "a PNG of 300000 chunks"]
    hostile = [bombs.PICTURES[name]() for name in names] + [bombs.DOCUMENTS["a content stream of 8 GiB"]()]
    body = json.dumps({"image": "A" * 8_000_000}).encode()

    def flood() -> None:
        for data in hostile:
            check(fortress.post("/v2/ocr", data), 200, 413, 422)
        check(fortress.post("/v2/ocr", body, "application/json"))

    for _ in range(3):
        flood()
    before = resident()
    for _ in range(6):
        flood()
    assert resident() - before < 40 * MIB
