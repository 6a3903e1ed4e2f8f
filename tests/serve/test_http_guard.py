"""Who may ask: Host, Origin, token; and what every answer says."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from fastocr.errors import ForbiddenError
from fastocr.serve.config import ServeConfig
from fastocr.serve.guard import Guard, host_name
from tests.pool.stubs import held_ocr
from tests.serve.running import Client, held_service
from tests.serve.test_http_wire import PNG

TOKEN = "a-token.with~all+of=it/"  # noqa: S105
PAGE = ("/", "/page/app.js", "/page/style.css")
OPEN = ("/healthz", "/readyz", *PAGE)
CLOSED = (
    "/v2/models",
    "/openapi.json",
    "/metrics",
    "/v2/ocr",
    "/nothing",
    "/page/nothing",
    "/page/../app.js",
    "//",
    "/v2",
)
BEARER = {"Authorization": f"Bearer {TOKEN}"}


def service(**settings: object) -> Iterator[Client]:
    ocr, _ = held_ocr(is_open=True)
    with held_service(ocr, ServeConfig(slots=1, **settings)) as client:  # type: ignore[arg-type]
        yield client


@pytest.fixture(scope="module")
def free() -> Iterator[Client]:
    yield from service(allowed_hosts=("ocr.example.org",), allowed_origins=("https://app.example.org",))


@pytest.fixture(scope="module")
def closed() -> Iterator[Client]:
    yield from service(token=TOKEN)


@pytest.mark.parametrize(
    ("host", "known"),
    [
        *[
            (host, True)
            for host in ("localhost", "LOCALHOST:1", "127.0.0.1:8080", "10.1.2.3", "[::1]:80", "a.localhost")
        ],
        *[(host, True) for host in ("ocr.example.org", "OCR.example.org.:8080")],
        *[(host, False) for host in ("evil.example", "localhost.evil.example", "127.0.0.1.evil.example", "127.1")],
        *[(host, False) for host in ("", "example.org", "a.ocr.example.org", "[::1", "[evil.example]", "local host")],
    ],
)
def test_hosts(free: Client, host: str, known: bool) -> None:
    for path in ("/v2/models", "/healthz", "/"):
        answer = free.get(path, Host=host)
        if host != "[::1":
            assert answer.status == (200 if known else 403), answer.body
        if not known and answer.status != 200:
            assert answer.code == "forbidden"


@pytest.mark.parametrize(
    ("origin", "known"),
    [
        *[(origin, True) for origin in ("http://localhost:8080", "https://app.example.org", "HTTPS://APP.example.org")],
        *[
            (origin, False)
            for origin in ("http://localhost", "null", "http://evil.example", "https://app.example.org:444")
        ],
        *[(origin, False) for origin in ("http://app.example.org", "", "http://localhost:8080.evil", "http://[")],
    ],
)
def test_origins(free: Client, origin: str, known: bool) -> None:
    answer = free.post("/v2/ocr", PNG, Origin=origin, Host="localhost:8080")
    assert answer.status == (200 if known else 403)
    allowed = answer.headers["access-control-allow-origin"]
    assert allowed == (origin if known and "app" in origin.lower() else None)
    assert answer.headers["vary"] == "Origin"


def test_a_browser_may_ask_before(free: Client, closed: Client) -> None:
    asking = {"Origin": "https://app.example.org", "Access-Control-Request-Method": "POST"}
    answer = free.ask("OPTIONS", "/v2/ocr", headers=asking)
    assert (answer.status, answer.body) == (204, b"")
    assert answer.headers["access-control-allow-origin"] == "https://app.example.org"
    assert "Authorization" in answer.headers["access-control-allow-headers"]
    assert free.ask("OPTIONS", "/v2/ocr", headers=asking | {"Origin": "http://evil.example"}).code == "forbidden"
    assert free.ask("OPTIONS", "/v2/ocr", headers=asking | {"Host": "evil.example"}).code == "forbidden"
    assert closed.ask("OPTIONS", "/v2/ocr", headers=asking).code == "forbidden"


@pytest.mark.parametrize("path", CLOSED)
@pytest.mark.parametrize(
    "authorization",
    [None, "", "Bearer", "Bearer ", "Bearer wrong", f"Basic {TOKEN}", TOKEN, f"Bearer {TOKEN}x", "Bearer ümlaut"],
)
def test_everything_wants_the_token(closed: Client, path: str, authorization: str | None) -> None:
    headers = {} if authorization is None else {"Authorization": authorization.encode().decode("latin-1")}
    for method in ("GET", "POST"):
        answer = closed.ask(method, path, b"", headers)
        assert (answer.status, answer.code) == (401, "unauthorized")
        assert answer.headers["www-authenticate"] == "Bearer"


@pytest.mark.parametrize("path", OPEN)
def test_but_for_health_and_the_page(closed: Client, path: str) -> None:
    assert closed.get(path).status == 200


def test_with_the_token(closed: Client) -> None:
    assert closed.ask("GET", "/v2/models", headers=BEARER).status == 200
    assert closed.ask("POST", "/v2/ocr", PNG, BEARER).json["text"] == "read"
    assert closed.ask("GET", "/nothing", headers=BEARER).code == "not_found"
    answer = closed.ask("POST", "/v2/admin/reload", b'{"models": "no such set"}', BEARER)
    assert (answer.status, answer.code) == (422, "model_not_found")
    answer = closed.ask("POST", "/v2/admin/reload", b'{"det": "/etc/passwd"}', BEARER)
    assert (answer.status, answer.code) == (400, "bad_argument")


@pytest.mark.parametrize("body", [b"[]", b"{", b'{"preset": 1}', b'"fast"', b"\xff", b"a" * 100_000])
def test_a_reload_that_is_none(closed: Client, body: bytes) -> None:
    assert closed.ask("POST", "/v2/admin/reload", body, BEARER).code in ("bad_request", "too_large")


def test_administration_needs_a_token_to_be(free: Client) -> None:
    for path in ("/v2/admin/reload", "/v2/admin/", "/v2/admin/nothing"):
        answer = free.post(path, b"{}")
        assert (answer.status, answer.code) == (403, "forbidden")


def test_metrics_may_be_open() -> None:
    for settings, status in (({"open_metrics": True}, 200), ({}, 401)):
        for client in service(token=TOKEN, **settings):
            assert client.get("/metrics").status == status


def test_every_answer_is_guarded(free: Client) -> None:
    for path, page in (("/", True), ("/page/app.js", True), ("/v2/models", False), ("/nothing", False)):
        answer = free.get(path)
        assert answer.headers["x-content-type-options"] == "nosniff"
        policy = answer.headers["content-security-policy"]
        assert policy.startswith("default-src 'self'; img-src 'self' blob: data:;" if page else "default-src 'none'")
        assert "unsafe" not in policy
        assert answer.headers["x-request-id"]
        assert answer.headers["server"] is None


def test_the_page_is_asked_for_once(free: Client) -> None:
    first = free.get("/")
    assert first.headers["content-type"] == "text/html; charset=utf-8"
    again = free.get("/", If_None_Match=first.headers["etag"])
    assert (again.status, again.body) == (304, b"")
    head = free.ask("HEAD", "/")
    assert (head.status, head.body) == (200, b"")
    assert int(head.headers["content-length"]) == len(first.body)
    assert free.get("/page/app.js").headers["content-type"] == "text/javascript; charset=utf-8"


@pytest.mark.parametrize("path", ["/page", "/page/", "/page/index.html", "/page/%2e%2e/app.py", "/page/..%2fapp.py"])
def test_nothing_else_is_a_file(free: Client, path: str) -> None:
    answer = free.get(path)
    assert (answer.status, answer.code) == (404, "not_found")


def test_an_unknown_method_is_told_what_there_is(free: Client) -> None:
    for method, path, allowed in (("PUT", "/v2/ocr", {"POST"}), ("POST", "/healthz", {"GET", "HEAD"})):
        answer = free.ask(method, path, b"")
        assert (answer.status, answer.code) == (405, "method_not_allowed")
        assert set(answer.headers["allow"].split(", ")) == allowed
        assert answer.json["error"]["message"] == f"{method} is not done here: use {answer.headers['allow']}"


def test_a_request_without_a_host_is_told_to_send_one(free: Client) -> None:
    assert "send a Host header" in free.get("/v2/models", Host="").json["error"]["message"]


@pytest.mark.parametrize(
    ("target", "status"),
    [
        ("http://localhost/healthz", 200),
        ("HTTP://127.0.0.1:8080/v2/models?x=1", 200),
        ("http://localhost", 200),
        ("http://elsewhere.example/v2/models", 403),
        ("http://localhost@elsewhere.example/v2/models", 403),
        ("http://localhost/v2/admin/reload", 403),
        ("ftp://localhost/healthz", 404),
    ],
)
def test_a_target_may_name_the_host(free: Client, target: str, status: int) -> None:
    """As clients of proxies send it; the header then counts for nothing."""
    assert free.get(target, Host="localhost").status == status


def test_names_of_hosts() -> None:
    assert host_name("[::1]:8080") == "::1"
    assert host_name("A.b.:1") == "a.b"
    guard = Guard(None, ["*"], ["*"], [])
    guard.check("/v2/ocr", {"host": "anything", "origin": "null"})
    with pytest.raises(ForbiddenError, match="administration"):
        guard.check("/v2/admin/reload", {"host": "localhost"})
