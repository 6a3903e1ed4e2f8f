"""The gRPC door of a whole service, and clients that are slow, large, many, or not there."""

from __future__ import annotations

import dataclasses
import re
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import cv2
import pytest

from fastocr import OCR
from fastocr.serve.config import ServeConfig

pytest.importorskip("grpc_health", reason="needs the extra `server`")
pytest.importorskip("grpc_reflection", reason="needs the extra `server`")
pytest.importorskip("grpc_tools", reason="needs grpcio-tools")

from fastocr.serve.grpc import start_grpc
from tests.serve import process
from tests.serve.grpc_serving import Served, ask, generate, page_of, png, until

SAMPLE = Path(__file__).resolve().parents[2] / "docs" / "samples" / "letter.png"
MIB = 2**20


@pytest.fixture(scope="module")
def generated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return generate(tmp_path_factory.mktemp("generated"))


@pytest.fixture(scope="module")
def served(generated: Path) -> Iterator[Served]:
    config = ServeConfig(
        preset="fast", grpc_port=0, body_seconds=1, max_body_bytes=16 * MIB, max_pending_bytes=32 * MIB
    )
    made = Served(generated, config)
    yield made
    made.close()


@pytest.fixture
def pdf(tmp_path: Path) -> Path:
    """Two pages behind a password."""
    pytest.importorskip("pypdfium2", reason="needs the extra `pdf`")
    pikepdf = pytest.importorskip("pikepdf", reason="needs the extra `pdf`")
    pytest.importorskip("reportlab", reason="needs reportlab")
    from tests.documents.pdfs import drawn, saying

    path, locked = tmp_path / "open.pdf", tmp_path / "locked.pdf"
    path.write_bytes(drawn((400, 200), saying("page one"), saying("page two")))
    with pikepdf.open(path) as opened:
        opened.save(locked, encryption=pikepdf.Encryption(owner="of mine", user="of yours"))
    return locked


def test_a_pdf_comes_page_by_page(served: Served, pdf: Path) -> None:
    refused = served.ask("document", pdf)
    assert (refused["status"], refused["trailers"]["fastocr-code"]) == ("INVALID_ARGUMENT", "wrong_password")
    pages = [page_of(told) for told in served.ask("paper", pdf, "of yours")["pages"]]
    assert [(page.number, page.page_count, page.text) for page in pages] == [(1, 2, "page one"), (2, 2, "page two")]
    assert [page.dpi for page in pages] == [150, 150]
    with OCR(preset="fast") as ocr, ocr.read_document(pdf, password="of yours", pdf_text="ignore", dpi=150) as document:  # noqa: S106
        assert pages == list(document)


@contextmanager
def passing_on(port: int, most: int) -> Iterator[int]:
    """The port of what passes bytes on to `port`, and no more than `most` bytes back, without closing."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        done = threading.Event()

        def pass_on() -> None:
            client, _ = listening.accept()
            with client, socket.create_connection(("127.0.0.1", port)) as server:
                # Else the system takes megabytes that nobody reads.
                server.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 16_384)
                there = threading.Thread(target=move, args=(client, server, sys.maxsize))
                there.start()
                move(server, client, most)
                done.wait()
                client.shutdown(socket.SHUT_RDWR)
                there.join()

        thread = threading.Thread(target=pass_on)
        thread.start()
        yield listening.getsockname()[1]
        done.set()
        thread.join()


def move(source: socket.socket, target: socket.socket, most: int) -> None:
    while most > 0 and (data := source.recv(4096)):
        target.sendall(data)
        most -= len(data)


def test_a_client_that_takes_no_answers_holds_no_slot_and_is_given_up(served: Served, tmp_path: Path) -> None:
    letter = cv2.imread(str(SAMPLE))
    path = tmp_path / "letters.tiff"
    path.write_bytes(cv2.imencodemulti(".tiff", [letter] * 12)[1].tobytes())
    served.told.clear()
    with passing_on(served.server.port, 50_000) as port, served.client("document", path, port=port):
        until(lambda: bool(served.told))
    (call,) = served.told
    assert (call.operation, call.code, call.pages < 12) == ("document", "request_timeout", True)
    until(served.is_idle)


def test_many_large_messages_at_once_take_bounded_memory(served: Served) -> None:
    psutil = pytest.importorskip("psutil")
    before = psutil.Process().memory_info().rss
    peak = before
    over = threading.Event()

    def look() -> None:
        nonlocal peak
        while not over.wait(0.005):
            peak = max(peak, psutil.Process().memory_info().rss)

    thread = threading.Thread(target=look)
    thread.start()
    try:
        codes = served.ask("flood", 64, 16 * MIB)
    finally:
        over.set()
        thread.join()
    assert set(codes) <= {"INVALID_ARGUMENT", "RESOURCE_EXHAUSTED", "DEADLINE_EXCEEDED"}  # zeros are no image
    # Two messages may arrive at once, and two may be held: of 1 GiB that was sent.
    assert (peak - before) / MIB < 256, "of the messages too many are in memory"
    until(served.is_idle)


@pytest.fixture
def narrow(served: Served) -> Iterator[int]:
    """The port of a door that takes two connections, and gives them half a second to begin."""
    config = dataclasses.replace(served.service.config, max_connections=2, header_seconds=0.5)
    server = served.run(start_grpc(served.service, config))
    yield server.port
    served.run(server.stop(0))


def connect(port: int, *frames: bytes) -> socket.socket:
    made = socket.create_connection(("127.0.0.1", port), timeout=30)
    made.sendall(b"".join(frames))
    return made


def heard(connection: socket.socket) -> bytes:
    """All that comes until the other end closes; fails where it does not."""
    data = b""
    with suppress(ConnectionResetError):
        while piece := connection.recv(65536):
            data += piece
    return data


PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes((0, 0, 0, 4, 0, 0, 0, 0, 0))
PING = bytes((0, 0, 8, 6, 0, 0, 0, 0, 0)) + b"12345678"


def test_connections_that_say_nothing_or_too_much_are_closed(narrow: int) -> None:
    for frames in ((), (b"GET / HTTP/1.1\r\n\r\n",), (PREFACE[:10],)):
        with connect(narrow, *frames) as connection:
            heard(connection)
    with connect(narrow, PREFACE, *[PING] * 20) as connection:
        assert b"too_many_pings" in heard(connection)


def test_no_more_connections_are_taken_than_may_be(narrow: int, generated: Path) -> None:
    with connect(narrow, PREFACE) as first, connect(narrow, PREFACE) as second:
        for connection in (first, second):
            assert connection.recv(65536)
        with connect(narrow, PREFACE) as third:
            assert heard(third) == b""
    # Once they have gone there is room again.
    until(lambda: "generation" in ask(generated, narrow, "", "models"))


def test_the_command_serves_both_doors(generated: Path, tmp_path: Path) -> None:
    file = tmp_path / "one.png"
    file.write_bytes(png("Total 42,50"))
    with process.Served("--port", "0", "--grpc-port", "0", "--preset", "fast") as command:
        found = re.search(r"grpc=(\d+)", command.ready().ready_line)
        assert found is not None
        page = page_of(ask(generated, int(found[1]), "", "read", file)["page"])
        assert page.text == "Total 42,50"
        assert command.read(file.read_bytes())[2]["text"] == page.text
        metrics = command.ask("GET", "/metrics")[2].decode()
        assert re.search(r'fastocr_requests_total\{.*operation="ocr".*protocol="grpc".*\} 1', metrics)
        command.send(signal.SIGTERM)
        assert command.end() == 0


def test_generated_code_and_fastocr_share_a_process(generated: Path) -> None:
    code = (
        f"import sys; sys.path.insert(0, {str(generated)!r})\n"
        "from fastocr.results import Page\n"
        "from fastocr.serve.grpc import page_from\n"
        "from fastocr.serve.grpc.messages import page_to\n"
        "page = Page(lines=(), rows=(), width=3, height=4, models='set', dpi=200.0)\n"
        "data = page_to(page).SerializeToString()\n"
        "import ocr_pb2\n"
        "assert page_from(ocr_pb2.Page.FromString(data)) == page\n"
    )
    subprocess.run([sys.executable, "-W", "error", "-c", code], check=True, timeout=60)


def test_without_grpcio_the_error_names_the_extra() -> None:
    code = (
        "import sys; sys.modules['grpc'] = None\n"
        "import asyncio\n"
        "from fastocr.serve.config import ServeConfig\n"
        "from fastocr.serve.grpc import start_grpc\n"
        "from fastocr.serve.service import Service\n"
        "config = ServeConfig(grpc_port=0)\n"
        "asyncio.run(start_grpc(Service(config), config))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=60)
    last = done.stderr.strip().splitlines()[-1]
    assert last.startswith("fastocr.errors.DependencyError")
    assert 'pip install "fastocr-engine[server]"' in last
