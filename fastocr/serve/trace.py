"""Traces: the context that a client sends, and spans where OpenTelemetry is installed and set up.

Only `opentelemetry-api` is used, and only where it is there; what becomes of the spans is up to the SDK that is set up
beside it.  Without either nothing is imported or recorded, and the trace id of `traceparent` stands in the logs all the
same.
"""

from __future__ import annotations

import re
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from fastocr._version import __version__
from fastocr.profile import STAGES
from fastocr.serve.call import OK, Call
from fastocr.serve.codes import is_fault

__all__ = ["Parent", "Tracer", "parent"]

_TRACEPARENT = re.compile(r"([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?", re.ASCII | re.DOTALL)
# Longest `traceparent` that is looked at: what future versions append is short too.
LONGEST = 512
# The stage in which those lie that add up over threads.
WHOLE = "recognize"


@dataclass(frozen=True, slots=True)
class Parent:
    """The span of the client under which a request stands: ids in lower-case hex, and whether it is recorded there."""

    trace_id: str
    span_id: str
    sampled: bool


def parent(traceparent: str | None) -> Parent | None:
    """What a header `traceparent` says (W3C Trace Context); None for one that is malformed, which counts as none."""
    if traceparent is None or len(traceparent) > LONGEST:
        return None
    found = _TRACEPARENT.fullmatch(traceparent)
    if found is None:
        return None
    version, trace_id, span_id, flags, more = found.groups()
    if version == "ff" or (version == "00" and more is not None):
        return None
    if not trace_id.strip("0") or not span_id.strip("0"):
        return None
    return Parent(trace_id, span_id, bool(int(flags, 16) & 1))


class Tracer:
    """A watcher that records a span for each request, below the client's, and in it one for each stage.

    The stages are measured as sums of time, not as intervals: their spans have the right lengths and stand one after
    the other.  What adds up over several threads within one of them is an attribute of its span.  A request without a
    context gets that of its span, so that a watcher that comes later can name it.
    """

    def __init__(self) -> None:
        try:
            from opentelemetry import trace
        except ImportError:
            self._api: Any = None
        else:
            self._api = trace
            self._tracer = trace.get_tracer("fastocr", __version__)

    def __call__(self, call: Call) -> None:
        if self._api is None:
            return
        end = time.time_ns()
        start = end - round(call.seconds * 1e9)
        span = self._tracer.start_span(
            f"fastocr.{call.operation}",
            self._context(call.trace),
            kind=self._api.SpanKind.SERVER,
            attributes=attributes(call),
            start_time=start,
        )
        if span.is_recording():
            if parent(call.trace) is None:
                call.trace = traceparent(span.get_span_context())
            self._stages(span, call.stages, start)
            if call.code != OK:
                span.set_attribute("error.type", call.code)
                if is_fault(call.code):
                    span.set_status(self._api.StatusCode.ERROR)
        span.end(end)

    def _context(self, given: str | None) -> Any:
        """The client's context; where it sent none, the one that is current here, which is most often none."""
        above = parent(given)
        if above is None:
            return None
        api = self._api
        flags = api.TraceFlags(api.TraceFlags.SAMPLED if above.sampled else api.TraceFlags.DEFAULT)
        context = api.SpanContext(int(above.trace_id, 16), int(above.span_id, 16), is_remote=True, trace_flags=flags)
        return api.set_span_in_context(api.NonRecordingSpan(context))

    def _stages(self, span: Any, stages: Mapping[str, float], start: int) -> None:
        context = self._api.set_span_in_context(span)
        parts = {f"fastocr.{stage.replace(' ', '_')}_ms": stages[stage] for stage in stages if STAGES.get(stage, False)}
        for stage, milliseconds in stages.items():
            if STAGES.get(stage, False):
                continue
            child = self._tracer.start_span(f"fastocr.{stage}", context, start_time=start)
            if stage == WHOLE:
                child.set_attributes(parts)
            start += round(milliseconds * 1e6)
            child.end(start)


def traceparent(context: Any) -> str:
    """A span's context as the header has it."""
    return f"00-{context.trace_id:032x}-{context.span_id:016x}-{int(context.trace_flags):02x}"


def attributes(call: Call) -> dict[str, Any]:
    """What a span says of its request; nothing of its content."""
    return {
        "fastocr.request_id": call.id,
        "fastocr.protocol": call.protocol,
        "fastocr.code": call.code,
        "fastocr.preset": call.preset,
        "fastocr.models": call.models,
        "fastocr.degraded": call.degraded,
        "fastocr.pages": call.pages,
        "fastocr.received_bytes": call.bytes_in,
    }
