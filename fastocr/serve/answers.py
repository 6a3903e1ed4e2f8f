"""What goes out: pages in the asked format, what is known of the reading in headers, errors as JSON."""

from __future__ import annotations

import math
import tempfile
from collections.abc import AsyncGenerator, Iterable, Sequence
from contextlib import aclosing
from typing import TYPE_CHECKING, Any, BinaryIO, cast

from fastocr.errors import DependencyError, FastocrError, MethodError, OverloadedError, UnauthorizedError
from fastocr.results import Page, Source
from fastocr.serve.batch import Outcome
from fastocr.serve.call import Call
from fastocr.serve.wire import error_dict, header_value
from fastocr.serve.writing import MEDIA_TYPES, Drip, Writers

if TYPE_CHECKING:
    from starlette.types import Send

__all__ = [
    "JSON",
    "about",
    "batch_dict",
    "page_dict",
    "send_document",
    "send_error",
    "send_page",
    "send_whole",
    "shown",
]

JSON = "application/json"
# Bytes of a temporary file that are read at once.
PIECE = 256 * 1024

Headers = Iterable[tuple[str, str]]


def about(call: Call) -> dict[str, Any]:
    """What a JSON answer says of its reading, as ``service``."""
    return {
        "request_id": call.id,
        "preset": call.preset,
        "models": call.models,
        "degraded": call.degraded,
        "queue_ms": round(call.stages.get("queue", 0.0), 3),
        "total_ms": round(call.seconds * 1000, 3),
    }


def page_dict(page: Page, call: Call) -> dict[str, Any]:
    """A page with its timings, and what read it."""
    return {**page.to_dict(timings=True), "service": about(call)}


def batch_dict(call: Call, names: Sequence[str], outcomes: Sequence[Outcome]) -> dict[str, Any]:
    """What became of each image of a batch, and what read them."""
    results: list[dict[str, Any]] = []
    for index, (name, outcome) in enumerate(zip(names, outcomes, strict=True)):
        if isinstance(outcome.result, FastocrError):
            told: dict[str, Any] = {"error": {"code": outcome.result.code, "message": shown(outcome.result)}}
        else:
            page = outcome.result.to_dict(timings=True)
            told = {"page": page, "preset": outcome.preset, "degraded": outcome.degraded}
        results.append({"index": index, "name": name, **told})
    return {"results": results, "service": about(call)}


def head(call: Call) -> list[tuple[str, str]]:
    """What every answer says of its reading in its head."""
    # A stage's name is a token there, so it holds no spaces.
    times = ", ".join(f"{stage.replace(' ', '-')};dur={value:.1f}" for stage, value in call.stages.items())
    if not call.preset:  # nothing was read
        return []
    said = [
        ("X-Fastocr-Preset", call.preset),
        ("X-Fastocr-Models", call.models),
        ("X-Fastocr-Degraded", "true" if call.degraded else "false"),
        ("Server-Timing", times),
    ]
    return [(name, value) for name, value in said if value]


async def send_whole(send: Send, status: int, media_type: str, body: bytes, headers: Headers = ()) -> None:
    """An answer whose length is known; without a body it has no media type."""
    length = [] if status in (204, 304) else [("Content-Length", str(len(body)))]
    await _start(send, status, media_type, [*length, *headers])
    await send({"type": "http.response.body", "body": body, "more_body": False})


async def _start(send: Send, status: int, media_type: str, headers: Headers = ()) -> None:
    encoded = [(name.lower().encode(), header_value(value)) for name, value in headers]
    if media_type:
        encoded.append((b"content-type", media_type.encode()))
    await send({"type": "http.response.start", "status": status, "headers": encoded})


async def send_page(send: Send, writers: Writers, call: Call, page: Page, source: Source, format_name: str) -> None:
    """One page: as JSON with what read it, or as the file of another format."""
    if format_name == "json":
        body = await writers.run(lambda: writers.line(page_dict(page, call)))
    else:
        body = await writers.page(writers.forms[format_name], page, source)
    await send_whole(send, 200, MEDIA_TYPES[format_name], body)


async def send_document(
    send: Send,
    writers: Writers,
    call: Call,
    pages: AsyncGenerator[Page],
    source: Source,
    format_name: str,
) -> None:
    """The pages of a document, each as soon as it is read where the format allows it.

    Raises what the pages and the writer raise.  Where the answer has begun then, JSON Lines end with a line that holds
    the error, and other formats just end, without the mark that they are whole.
    """
    async with aclosing(pages):
        if format_name == "jsonl":
            await _send_lines(send, writers, call, pages)
        elif writers.forms[format_name].streams:
            await _send_as_written(send, writers, call, pages, source, format_name)
        else:
            await _send_file(send, writers, call, pages, source, format_name)


async def _send_lines(send: Send, writers: Writers, call: Call, pages: AsyncGenerator[Page]) -> None:
    started = False
    try:
        async for page in pages:
            line = await writers.run(lambda page=page: writers.line(page_dict(page, call)))
            if not started:
                await _start(send, 200, MEDIA_TYPES["jsonl"])
                started = True
            await send({"type": "http.response.body", "body": line, "more_body": True})
    except FastocrError as error:
        if started:
            line = writers.line(error_dict(error.code, shown(error), call.id))
            await send({"type": "http.response.body", "body": line, "more_body": False})
        raise
    await send({"type": "http.response.body", "body": b"", "more_body": False})


async def _send_as_written(
    send: Send, writers: Writers, call: Call, pages: AsyncGenerator[Page], source: Source, format_name: str
) -> None:
    out, started = Drip(), False
    async with aclosing(writers.document(writers.forms[format_name], pages, source, cast(BinaryIO, out))) as written:
        async for _ in written:
            if not started:
                await _start(send, 200, MEDIA_TYPES[format_name])
                started = True
            await send({"type": "http.response.body", "body": out.take(), "more_body": True})
    await send({"type": "http.response.body", "body": b"", "more_body": False})


async def _send_file(
    send: Send, writers: Writers, call: Call, pages: AsyncGenerator[Page], source: Source, format_name: str
) -> None:
    with tempfile.TemporaryFile(prefix="fastocr-") as file:
        async with aclosing(writers.document(writers.forms[format_name], pages, source, file)) as written:
            async for _ in written:
                pass
        size = file.tell()
        file.seek(0)
        await _start(send, 200, MEDIA_TYPES[format_name], [("Content-Length", str(size))])
        while piece := await writers.run(file.read, PIECE):
            await send({"type": "http.response.body", "body": piece, "more_body": True})
    await send({"type": "http.response.body", "body": b"", "more_body": False})


def shown(error: FastocrError) -> str:
    """What a client is told: of a fault of the service's own, that there was one; the log has the rest."""
    if error.http_status == 500 and not isinstance(error, DependencyError):
        return "the service failed to do this: its log says why, under this request's id"
    return str(error)


async def send_error(send: Send, error: FastocrError, request_id: str, headers: Headers = ()) -> None:
    """The error as JSON, with its status."""
    more = list(headers)
    if isinstance(error, OverloadedError):
        more.append(("Retry-After", str(max(1, math.ceil(error.retry_after)))))
    if isinstance(error, MethodError):
        more.append(("Allow", error.allowed))
    if isinstance(error, UnauthorizedError):
        more.append(("WWW-Authenticate", "Bearer"))
    body = Writers.line(error_dict(error.code, shown(error), request_id))
    await send_whole(send, error.http_status, JSON, body, more)
