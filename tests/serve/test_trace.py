"""Trace context: what counts as one, and the spans that an OpenTelemetry SDK sees."""

from __future__ import annotations

import subprocess
import sys
import time
from itertools import pairwise

import pytest

from fastocr.serve.call import Call
from fastocr.serve.trace import Parent, Tracer, parent

TRACE, SPAN = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"
GOOD = f"00-{TRACE}-{SPAN}-01"


@pytest.mark.parametrize(
    ("header", "sampled"),
    [
        (GOOD, True),
        (f"00-{TRACE}-{SPAN}-00", False),
        (f"00-{TRACE}-{SPAN}-ff", True),  # flags that are not known yet
        (f"00-{TRACE}-{SPAN}-fe", False),
        (f"01-{TRACE}-{SPAN}-01", True),  # a version that is not known yet
        (f"cc-{TRACE}-{SPAN}-01-what-the-future-holds", True),
        (f"cc-{TRACE}-{SPAN}-01-", True),
    ],
)
def test_a_context_is_taken(header: str, sampled: bool) -> None:
    assert parent(header) == Parent(TRACE, SPAN, sampled)


@pytest.mark.parametrize(
    "header",
    [
        None,
        "",
        "00",
        f" {GOOD}",
        f"{GOOD} ",
        f"{GOOD}\n",
        f"{GOOD}-",  # version 00 has nothing behind
        f"{GOOD}-more",
        GOOD.upper(),
        f"ff-{TRACE}-{SPAN}-01",
        f"0-{TRACE}-{SPAN}-01",
        f"00-{'0' * 32}-{SPAN}-01",
        f"00-{TRACE}-{'0' * 16}-01",
        f"00-{TRACE[:-1]}-{SPAN}-01",
        f"00-{TRACE}0-{SPAN}-01",
        f"00-{TRACE}-{SPAN}0-01",
        f"00-{TRACE}-{SPAN}-1",
        f"00-{TRACE}-{SPAN}-0g",
        f"00-{TRACE[:-1]}٣-{SPAN}-01",  # a digit, but of another script
        f"00_{TRACE}_{SPAN}_01",
        f"cc-{TRACE}-{SPAN}-01more",
        f"cc-{TRACE}-{SPAN}-01-" + "x" * 10_000,
    ],
)
def test_what_is_malformed_counts_as_none(header: str | None) -> None:
    assert parent(header) is None


def ended(code: str = "ok", **values: object) -> Call:
    call = Call("http", "ocr", code=code, preset="fast", models="ppocrv6-tiny", pages=1, bytes_in=123)
    for name, value in values.items():
        setattr(call, name, value)
    call.stages = {"queue": 5.0, "detect": 20.0, "recognizer runs": 18.0, "recognize": 10.0}
    call.ended = call.begun + 0.05
    return call


@pytest.fixture
def exported(monkeypatch: pytest.MonkeyPatch) -> object:
    """The exporter of an SDK to which the tracer of a `Tracer` made now belongs."""
    sdk = pytest.importorskip("opentelemetry.sdk.trace", reason="needs opentelemetry-sdk")
    export = pytest.importorskip("opentelemetry.sdk.trace.export")
    memory = pytest.importorskip("opentelemetry.sdk.trace.export.in_memory_span_exporter")
    from opentelemetry import trace

    exporter = memory.InMemorySpanExporter()
    provider = sdk.TracerProvider(shutdown_on_exit=False)
    provider.add_span_processor(export.SimpleSpanProcessor(exporter))
    monkeypatch.setattr(trace, "get_tracer", provider.get_tracer)
    return exporter


def test_a_span_stands_below_the_client_s_with_its_stages(exported: object) -> None:
    before = time.time_ns()
    call = ended(trace=GOOD)
    Tracer()(call)
    *stages, request = exported.get_finished_spans()  # type: ignore[attr-defined]
    assert request.name == "fastocr.ocr"
    assert request.kind.name == "SERVER"
    assert (f"{request.context.trace_id:032x}", f"{request.parent.span_id:016x}") == (TRACE, SPAN)
    assert request.parent.is_remote
    assert abs(request.end_time - request.start_time - 50_000_000) < 1000
    assert request.end_time >= before
    assert [stage.name for stage in stages] == ["fastocr.queue", "fastocr.detect", "fastocr.recognize"]
    assert [stage.end_time - stage.start_time for stage in stages] == [5_000_000, 20_000_000, 10_000_000]
    assert {stage.parent.span_id for stage in stages} == {request.context.span_id}
    assert {stage.context.trace_id for stage in stages} == {request.context.trace_id}
    assert stages[0].start_time == request.start_time
    assert dict(stages[2].attributes) == {"fastocr.recognizer_runs_ms": 18.0}, "in two threads"
    assert all(after.start_time == one.end_time for one, after in pairwise(stages))
    assert request.attributes["fastocr.request_id"] == call.id
    assert request.attributes["fastocr.code"] == "ok"
    assert request.attributes["fastocr.models"] == "ppocrv6-tiny"
    assert call.trace == GOOD


def test_a_client_that_does_not_record_is_followed(exported: object) -> None:
    Tracer()(ended(trace=f"00-{TRACE}-{SPAN}-00"))
    assert exported.get_finished_spans() == ()  # type: ignore[attr-defined]


@pytest.mark.parametrize("header", [None, "nonsense"])
def test_without_a_context_the_span_is_a_root_that_the_log_can_name(exported: object, header: str | None) -> None:
    call = ended(trace=header)
    Tracer()(call)
    request = exported.get_finished_spans()[-1]  # type: ignore[attr-defined]
    assert request.parent is None
    named = parent(call.trace)
    assert named == Parent(f"{request.context.trace_id:032x}", f"{request.context.span_id:016x}", True)


@pytest.mark.parametrize(
    ("code", "status"),
    [("internal", "ERROR"), ("backend_failed", "ERROR"), ("overloaded", "UNSET"), ("too_large", "UNSET")],
)
def test_only_a_fault_of_the_service_is_an_error(exported: object, code: str, status: str) -> None:
    Tracer()(ended(code))
    request = exported.get_finished_spans()[-1]  # type: ignore[attr-defined]
    assert request.status.status_code.name == status
    assert request.attributes["error.type"] == code


def test_without_an_sdk_nothing_is_recorded() -> None:
    call = ended()
    Tracer()(call)
    assert call.trace is None


def test_without_opentelemetry_nothing_is_missed() -> None:
    code = (
        "import sys; sys.modules['opentelemetry'] = None\n"
        "from fastocr.serve.call import Call\n"
        "from fastocr.serve.trace import Tracer\n"
        "Tracer()(Call('http', 'ocr'))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
