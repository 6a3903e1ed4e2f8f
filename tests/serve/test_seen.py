"""What an operator sees of requests over HTTP: metrics that agree with the answers, logs that give nothing away."""

from __future__ import annotations

import io
import json
import logging
from collections import Counter
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fastocr.errors import table
from fastocr.serve.config import ServeConfig
from fastocr.serve.logs import set_up
from fastocr.serve.service import Service

for module in ("starlette", "uvicorn", "python_multipart", "prometheus_client"):
    pytest.importorskip(module, reason="needs the extra: pip install 'fastocr-engine[server]'")

from prometheus_client.parser import text_string_to_metric_families  # noqa: E402

from fastocr.serve.watch import watch  # noqa: E402
from tests.serve.running import Client, serving  # noqa: E402

pytestmark = pytest.mark.models

KEY = "s3cret-token-0f3a"
LEAVE = {"Authorization": f"Bearer {KEY}"}
PHRASE = "s3cret-password"
TEXT = "CONFIDENTIAL 7731"
TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"
OPERATIONS = {"ocr", "batch", "document", "models", "reload", "other"}
MODELS = {"none", "ppocrv6-tiny"}
CODES = {"ok", *(kind.code for kind in table())}


class Seen:
    """A client with a token, what is logged meanwhile, and what was counted."""

    def __init__(self, client: Client, log: io.StringIO) -> None:
        self.client = client
        self.log = log

    def lines(self) -> list[dict[str, Any]]:
        """The lines of requests."""
        lines = [json.loads(line) for line in self.log.getvalue().splitlines()]
        return [line for line in lines if line["message"] == "request"]

    def requests(self) -> Counter[tuple[str, str]]:
        """Requests by operation and code, as /metrics counts them."""
        answer = self.client.ask("GET", "/metrics", None, LEAVE)
        assert answer.status == 200
        assert answer.headers["content-type"].startswith("text/plain; version=")
        found: Counter[tuple[str, str]] = Counter()
        for family in text_string_to_metric_families(answer.body.decode()):
            for sample in family.samples:
                labels = sample.labels
                assert labels.get("protocol", "http") == "http"
                assert labels.get("operation", "ocr") in OPERATIONS
                assert labels.get("model", "none") in MODELS
                assert labels.get("code", "ok") in CODES
                if sample.name == "fastocr_requests_total":
                    found[labels["operation"], labels["code"]] += int(sample.value)
        return found


@pytest.fixture(scope="module")
def seen() -> Iterator[Seen]:
    root = logging.getLogger()
    before = root.handlers[:], root.level
    log = io.StringIO()
    set_up("debug", "json", log)
    service = Service(ServeConfig(preset="fast", light_preset="off", threads=1, slots=1, token=KEY))
    service.start()
    metrics = watch(service)
    with serving(service, metrics.expose) as client:
        yield Seen(client, log)
    service.close()
    root.handlers[:], root.level = before


@pytest.fixture
def picture(draw: ModuleType) -> bytes:
    file = io.BytesIO()
    draw.text_page([TEXT], 32).save(file, "PNG")
    return file.getvalue()


def test_counts_agree_with_the_answers(seen: Seen, picture: bytes) -> None:
    before, lines = seen.requests(), len(seen.lines())
    asked: Counter[tuple[str, str]] = Counter()
    for operation, path, body, headers, code in [
        *[("ocr", "/v2/ocr", picture, LEAVE, "ok")] * 3,
        ("ocr", "/v2/ocr", b"no picture", LEAVE, "unsupported_format"),
        ("ocr", "/v2/ocr?colour=blue", picture, LEAVE, None),
        ("ocr", "/v2/ocr", picture, {}, "unauthorized"),
        ("document", "/v2/ocr/document", picture, LEAVE, "ok"),
        ("document", "/v2/ocr/document?pages=9", picture, LEAVE, "bad_argument"),
        ("reload", "/v2/admin/reload", b'{"models": "nothing"}', LEAVE, "model_not_found"),
        ("other", "/v2/nowhere", b"", LEAVE, "not_found"),
    ]:
        answer = seen.client.ask("POST", path, body, headers)
        if answer.status == 200:
            assert code == "ok"
        else:
            assert code in (None, answer.code)
            code = answer.code
        asked[operation, code] += 1
    seen.client.until(lambda: len(seen.lines()) - lines == asked.total())  # an answer is out before it is told of
    assert seen.requests() - before == asked
    assert Counter((line["operation"], line["code"]) for line in seen.lines()[lines:]) == asked


def test_scraping_and_probes_are_not_counted(seen: Seen) -> None:
    before = seen.requests()
    for path in ("/healthz", "/readyz", "/metrics", "/nothing"):
        seen.client.ask("GET", path, None, LEAVE)
    assert seen.requests() == before
    assert seen.client.ask("GET", "/metrics").code == "unauthorized"


def test_a_line_tells_of_the_request_and_nothing_of_its_content(seen: Seen, picture: bytes) -> None:
    lines = len(seen.lines())
    answer = seen.client.ask(
        "POST",
        f"/v2/ocr/document?password={PHRASE}",
        picture,
        LEAVE | {"traceparent": f"00-{TRACE}-00f067aa0ba902b7-01", "Content-Type": "image/png"},
    )
    assert TEXT in answer.body.decode()
    refused = seen.client.ask("POST", "/v2/ocr", picture, {"Authorization": "Bearer s3cret-guess"})
    assert refused.code == "unauthorized"
    seen.client.until(lambda: len(seen.lines()) == lines + 2)
    line, last = seen.lines()[lines:]
    assert line["request_id"] == answer.headers["x-request-id"]
    assert last["request_id"] == refused.headers["x-request-id"]
    assert (line["trace_id"], line["pages"], line["bytes"]) == (TRACE, 1, len(picture))
    assert (line["preset"], line["models"], line["degraded"]) == ("fast", "ppocrv6-tiny", False)
    assert {"queue", "load", "detect", "recognize"} <= line["stages_ms"].keys()
    assert sum(line["stages_ms"].values()) > 0
    everything = seen.log.getvalue()
    for secret in (KEY, PHRASE, "s3cret-guess", TEXT):
        assert secret not in everything


WORD = st.text(st.characters(min_codepoint=33, max_codepoint=126, exclude_characters="#?/%"), max_size=12)


@settings(suppress_health_check=list(HealthCheck), max_examples=60, deadline=None)
@given(
    method=st.sampled_from(["POST", "GET", "PUT", "BREW"]),
    path=st.one_of(st.sampled_from(["ocr", "ocr/batch", "ocr/document", "models", "admin/reload"]), WORD),
    option=st.tuples(st.one_of(st.sampled_from(["charset", "output_format", "deadline_ms", "models"]), WORD), WORD),
    kind=st.one_of(st.sampled_from(["image/png", "application/json", "multipart/form-data; boundary=x"]), WORD),
    trace=WORD,
    body=st.binary(max_size=60),
)
def test_whatever_comes_labels_stay_ours(
    seen: Seen, method: str, path: str, option: tuple[str, str], kind: str, trace: str, body: bytes
) -> None:
    headers = LEAVE | {"Content-Type": kind, "traceparent": trace, "X-Request-Id": trace}
    query = "=".join(each.replace("&", "").replace("+", "") for each in option)
    answer = seen.client.ask(method, f"/v2/{path}?{query}", body, headers)
    assert answer.status < 500
    seen.requests()  # looks at every label
    assert all(line["code"] in CODES for line in seen.lines()[-3:])


def test_all_of_the_log_is_json(seen: Seen) -> None:
    for line in seen.log.getvalue().splitlines():
        assert json.loads(line)["time"].endswith("Z")
        assert line.isascii()
        assert line.isprintable()
