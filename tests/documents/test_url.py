"""Documents by their address: only when asked for, only from public machines, within size and time."""

from __future__ import annotations

import http.server
import socket
import ssl
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from fastocr import OCR
from fastocr.documents import open_pages, url
from fastocr.errors import InputError, LimitError
from fastocr.images import DEFAULT_LIMITS, Limits
from tests.documents.conftest import pages_of

Respond = Callable[[http.server.BaseHTTPRequestHandler], None]


@pytest.fixture
def public(monkeypatch: pytest.MonkeyPatch) -> None:
    """This machine counts as a public one."""
    monkeypatch.setattr(url, "is_public", lambda address: address == "127.0.0.1")


@pytest.fixture
def serve() -> Iterator[Callable[[Respond], str]]:
    """Serves on this machine and gives the address without a path."""
    servers: list[http.server.ThreadingHTTPServer] = []

    def start(respond: Respond) -> str:
        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                respond(self)

            def log_message(self, *args: Any) -> None:
                pass

        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        servers.append(server)
        return f"http://127.0.0.1:{server.server_port}"

    yield start
    for server in servers:
        server.shutdown()
        server.server_close()


def sends(content: bytes, status: int = 200, length: int | None = None, **headers: str) -> Respond:
    def respond(handler: http.server.BaseHTTPRequestHandler) -> None:
        handler.send_response(status)
        for name, value in headers.items():
            handler.send_header(name, value)
        if length != -1:
            handler.send_header("Content-Length", str(len(content) if length is None else length))
        handler.end_headers()
        handler.wfile.write(content)

    return respond


@pytest.mark.usefixtures("public")
def test_a_document_is_fetched(levels: OCR, serve: Callable[[Respond], str]) -> None:
    data = pages_of(3)
    address = f"{serve(sends(data))}/fax.tif"
    with levels.read_document(f"{address}?token=secret", allow_urls=True) as document:
        assert (document.name, document.source.data) == (address, data)
        assert [page.text for page in document] == ["10", "20", "30"]


def test_only_when_asked_for(levels: OCR) -> None:
    with pytest.raises(InputError, match=r"a URL is not fetched.*allow_urls=True"):
        levels.read_document("http://127.0.0.1/fax.tif")
    with pytest.raises(InputError, match="a URL is not fetched"):
        levels.read("http://127.0.0.1/fax.tif")


@pytest.mark.parametrize(
    "address",
    [
        *("127.0.0.1", "127.8.8.8", "0.0.0.0", "10.1.2.3", "172.16.0.1", "172.31.255.255", "192.168.1.1"),  # noqa: S104
        *("169.254.169.254", "100.64.0.1", "192.0.2.1", "198.18.0.1", "224.0.0.1", "240.0.0.1", "255.255.255.255"),
        *("::1", "::", "fe80::1", "fe80::1%eth0", "fc00::1", "fd12::1", "fec0::1", "ff02::1", "2001:db8::1"),
        *("::ffff:127.0.0.1", "::ffff:10.0.0.1", "::127.0.0.1", "2002:7f00:1::", "2002:0a00:0001::", "64:ff9b::7f00:1"),
        *("64:ff9b::10.0.0.1", "no address", ""),
    ],
)
def test_addresses_that_are_not_public(address: str) -> None:
    assert not url.is_public(address)


@pytest.mark.parametrize("address", ["8.8.8.8", "93.184.216.34", "2606:4700::1111", "64:ff9b::8.8.8.8"])
def test_addresses_that_are_public(address: str) -> None:
    assert url.is_public(address)


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "[::1]", "[::ffff:127.0.0.1]", "2130706433", "0x7f.1"])
def test_this_machine_is_not_asked(host: str, serve: Callable[[Respond], str]) -> None:
    asked: list[str] = []
    port = serve(lambda handler: asked.append(handler.path)).rpartition(":")[2]
    with pytest.raises(InputError, match="cannot read http://"):
        open_pages(f"http://{host}:{port}/x.png", allow_urls=True)
    assert asked == []


@pytest.mark.usefixtures("public")
@pytest.mark.parametrize(
    "target", ["http://127.0.0.2:{port}/x", "//127.0.0.2:{port}/x", "ftp://127.0.0.1/x", "file:///etc/passwd"]
)
def test_a_redirect_leads_to_no_other_place(target: str, serve: Callable[[Respond], str]) -> None:
    asked: list[str] = []

    def respond(handler: http.server.BaseHTTPRequestHandler) -> None:
        asked.append(handler.path)
        sends(b"", 302, Location=target.format(port=handler.server.server_address[1]))(handler)

    with pytest.raises(InputError, match=r"not public|is no http or https address"):
        open_pages(f"{serve(respond)}/start", allow_urls=True)
    assert asked == ["/start"]


@pytest.mark.usefixtures("public")
def test_redirects_are_followed_and_counted(serve: Callable[[Respond], str]) -> None:
    data = pages_of(2)

    def respond(handler: http.server.BaseHTTPRequestHandler) -> None:
        left = int(handler.path.strip("/"))
        (sends(b"", 302, Location=f"/{left - 1}") if left else sends(data))(handler)

    address = serve(respond)
    assert open_pages(f"{address}/5", allow_urls=True).count == 2
    with pytest.raises(InputError, match="redirected more than 5 times"):
        open_pages(f"{address}/6", allow_urls=True)


def test_the_address_that_was_checked_is_the_one_that_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    """DNS rebinding: the name is looked up once, and what it means later does not matter."""
    answers = iter(["93.184.216.34", "127.0.0.1"])
    connected: list[Any] = []

    def look_up(host: str, port: int, **_: Any) -> list[Any]:
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (next(answers), port))]

    def connect(self: socket.socket, place: Any) -> None:
        connected.append(place)
        raise ConnectionRefusedError(111, "Connection refused")

    monkeypatch.setattr(socket, "getaddrinfo", look_up)
    monkeypatch.setattr(socket.socket, "connect", connect)
    with pytest.raises(InputError, match=r"cannot be fetched \(Connection refused"):
        url.fetch("http://rebinding.example/x", DEFAULT_LIMITS)
    assert connected == [("93.184.216.34", 80)]


def test_a_name_of_both_kinds_of_addresses(monkeypatch: pytest.MonkeyPatch) -> None:
    connected: list[Any] = []

    def look_up(host: str, port: int, **_: Any) -> list[Any]:
        places = [("10.0.0.1", port), ("8.8.8.8", port)]
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", place) for place in places]

    def connect(self: socket.socket, place: Any) -> None:
        connected.append(place)
        raise TimeoutError

    monkeypatch.setattr(socket, "getaddrinfo", look_up)
    monkeypatch.setattr(socket.socket, "connect", connect)
    with pytest.raises(InputError, match="cannot be fetched"):
        url.fetch("https://both.example/x", DEFAULT_LIMITS)
    assert connected == [("8.8.8.8", 443)]


@pytest.mark.usefixtures("public")
@pytest.mark.parametrize("length", [None, -1])
def test_size(length: int | None, serve: Callable[[Respond], str]) -> None:
    address = serve(sends(bytes(5000), length=length))
    with pytest.raises(LimitError, match="larger than the limit of 4000 bytes"):
        open_pages(f"{address}/x", limits=Limits(max_bytes=4000), allow_urls=True)


@pytest.mark.usefixtures("public")
def test_an_announced_size_is_refused_before_it_comes(serve: Callable[[Respond], str]) -> None:
    address = serve(sends(b"", length=10**15))
    with pytest.raises(LimitError, match="larger than the limit"):
        open_pages(f"{address}/x", allow_urls=True)


@pytest.mark.usefixtures("public")
@pytest.mark.parametrize("begin", [b"", b"HTTP/1.1 200 OK\r\n", b"HTTP/1.1 200 OK\r\n\r\n"])
def test_time(begin: bytes, serve: Callable[[Respond], str]) -> None:
    """A server that sends a byte now and then would hold the caller for ever."""
    ended = threading.Event()

    def respond(handler: http.server.BaseHTTPRequestHandler) -> None:
        handler.wfile.write(begin)
        while not ended.wait(0.02):
            try:
                handler.wfile.write(b"x")
            except OSError:
                return

    address = serve(respond)
    try:
        with pytest.raises(InputError, match=r"it did not come within 0.3 s"):
            url.fetch(f"{address}/x", DEFAULT_LIMITS, seconds=0.3)
    finally:
        ended.set()


@pytest.mark.usefixtures("public")
@pytest.mark.parametrize(
    ("respond", "message"),
    [
        (sends(b"", 404), "HTTP 404 Not Found"),
        (sends(b"", 500), "HTTP 500"),
        (sends(b"", 304), "HTTP 304"),
        (sends(b"", 302), "HTTP 302"),
        (sends(b"short", length=500), "the connection closed after 5 of 500 bytes"),
        (sends(b"<html>"), "of no known format"),
        (sends(b""), r"empty \(0 bytes\)"),
        (lambda handler: None, "cannot be fetched"),
        (lambda handler: handler.wfile.write(b"junk\r\n\r\n"), "cannot be fetched"),
    ],
)
def test_answers_that_are_no_document(respond: Respond, message: str, serve: Callable[[Respond], str]) -> None:
    address = f"{serve(respond)}/a/b.png"
    with pytest.raises(InputError, match=message) as caught:
        open_pages(f"{address}?token=secret", allow_urls=True)
    assert str(caught.value).startswith(f"cannot read {address}: ")
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize(
    "address",
    [
        *("file:///etc/passwd", "ftp://example.org/x", "data:image/png;base64,AAAA", "http://", "http:///x"),
        *("http://a:b@example.org/x", "http://[::1/x", "http://example.org:99999/x", "http://example.org:0/x"),
        *("gopher://example.org", "http://exa mple.org/x", "http://\u2100.example/x"),
    ],
)
def test_addresses_of_no_kind_that_is_fetched(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def look_up(*_: Any, **__: Any) -> Any:
        raise socket.gaierror(-2, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", look_up)
    with pytest.raises(InputError, match="cannot read"):
        open_pages(address, allow_urls=True)


@pytest.mark.usefixtures("public")
def test_a_path_cannot_end_the_line(serve: Callable[[Respond], str]) -> None:
    paths: list[str] = []

    def respond(handler: http.server.BaseHTTPRequestHandler) -> None:
        paths.append(handler.path)
        sends(pages_of(1))(handler)

    address = serve(respond)
    open_pages(f"{address}/ä b%20c?q=ö d", allow_urls=True)
    open_pages(address, allow_urls=True)
    assert paths == ["/%C3%A4%20b%20c?q=%C3%B6%20d", "/"]


@pytest.mark.usefixtures("public")
def test_a_certificate_is_checked(serve: Callable[[Respond], str]) -> None:
    context = ssl.create_default_context()
    assert context.check_hostname
    asked = url.Connection(url.checked("https://127.0.0.1/x"), url.Deadline(5))
    assert asked._tls is not None
    assert asked._tls.check_hostname
    assert asked._tls.verify_mode == ssl.CERT_REQUIRED
