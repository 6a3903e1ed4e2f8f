"""What each path does: a request in, a reading by the service, an answer out."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, cast

from fastocr.config import Options, Settings
from fastocr.errors import (
    ArgumentError,
    FastocrError,
    LimitError,
    ModelError,
    UnavailableError,
    UnsupportedFormatError,
)
from fastocr.results import Source
from fastocr.serve import answers, asked, inputs
from fastocr.serve.batch import read_all
from fastocr.serve.config import ServeConfig
from fastocr.serve.door import Turn, turn_of
from fastocr.serve.files import StaticFile
from fastocr.serve.inputs import Form, Upload
from fastocr.serve.paper import forms
from fastocr.serve.service import DocumentRequest, Service
from fastocr.serve.wire import error_dict
from fastocr.serve.writing import Writers

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.types import Receive, Scope, Send

__all__ = ["Endpoints", "Metrics"]

# Gives the metrics and their media type.
Metrics = Callable[[], tuple[bytes, str]]
# Of an administrative request's body.
LONGEST_CHANGE = 64 * 1024
PAPER = ("pages", "password", "pdf_text", "dpi")


class Sending:
    """An answer as an ASGI app: sent by `send_it`, and broken off when the client goes away before it is whole."""

    def __init__(self, turn: Turn, send_it: Callable[[Send], Awaitable[None]]) -> None:
        self._turn = turn
        self._send_it = send_it

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._turn.exchange.unless_gone(self._run(send))

    async def _run(self, send: Send) -> None:
        await self._send_it(send)


def reading(form: Form) -> Options:
    """The read options of a request; ArgumentError for one that cannot be used."""
    # The names are those of Options: a test holds the two tables together.
    chosen = cast(Options, {name: value for name, value in form.given.items() if name in asked.READING})
    Settings().replace(chosen)
    return chosen


def usable(upload: Upload) -> bytes:
    """The bytes of an upload; raises why there are none."""
    if isinstance(upload.data, FastocrError):
        raise upload.data
    return upload.data


class Endpoints:
    """The endpoints of one service, for Starlette's routes."""

    def __init__(
        self,
        service: Service,
        config: ServeConfig,
        description: Mapping[str, Any],
        files: Mapping[str, StaticFile],
        metrics: Metrics | None,
    ) -> None:
        self._service = service
        self._config = config
        self._description = description
        self._files = files
        self._metrics = metrics
        # One body of JSON at a time: parsing holds the interpreter, and two at once would hold up the event loop.
        self._parser = ThreadPoolExecutor(1, thread_name_prefix="fastocr-body")
        self._writers = Writers(config.documents or service.pool.state.slots, forms(config))

    async def ocr(self, request: Request) -> Sending:
        """One image."""
        turn, form = turn_of(request), Form(("image",), asked.OCR)
        await self._take(request, turn, form, self._config.deadline_ms)
        (upload,), options = form.uploads, reading(form)
        data = usable(upload)

        async def answer(send: Send) -> None:
            page = await self._service.read(turn.call, data, options)
            source, format_name = Source(upload.name, data), form.given.get("output_format", "json")
            await answers.send_page(send, self._writers, turn.call, page, source, format_name)

        return Sending(turn, answer)

    async def batch(self, request: Request) -> Sending:
        """Several images: a result for each, in their order, whatever becomes of the others."""
        turn, form = turn_of(request), Form(("image", "images"), asked.BATCH, many=True, most=self._config.max_batch)
        await self._take(request, turn, form, self._config.deadline_ms)
        options = reading(form)

        async def answer(send: Send) -> None:
            outcomes = await read_all(self._service, turn.call, [each.data for each in form.uploads], options)
            names = [upload.name for upload in form.uploads]
            body = await self._writers.run(lambda: self._writers.line(answers.batch_dict(turn.call, names, outcomes)))
            await answers.send_whole(send, 200, answers.JSON, body)

        return Sending(turn, answer)

    async def document(self, request: Request) -> Sending:
        """The pages of a document, as they are read."""
        turn, form = turn_of(request), Form(("document", "image"), asked.DOCUMENT)
        await self._take(request, turn, form, self._config.max_deadline_ms)
        (upload,), options = form.uploads, reading(form)
        data = usable(upload)
        wanted = DocumentRequest(**{name: form.given[name] for name in PAPER if name in form.given})

        async def answer(send: Send) -> None:
            pages = self._service.pages(turn.call, data, options, wanted)
            source, format_name = Source(upload.name, data), form.given.get("output_format", "jsonl")
            await answers.send_document(send, self._writers, turn.call, pages, source, format_name)

        return Sending(turn, answer)

    async def _take(self, request: Request, turn: Turn, form: Form, deadline_ms: int) -> None:
        """Reads the request into the form and gives the call its deadline.  What is refused for its size or for the
        load is refused before its body is read."""
        headers = request.headers
        if headers.get("content-encoding", "identity").lower() != "identity":
            raise UnsupportedFormatError("a body with a Content-Encoding is not taken: send it as it is")
        self._check_size(int(headers.get("content-length", "0")))
        self._service.refuse_early()
        inputs.from_query(form, request.query_params.multi_items())
        chunks, content_type = self._bounded(turn), headers.get("content-type", "")
        if inputs.is_multipart(content_type):
            await inputs.parts(form, chunks, content_type)
        else:
            body = b"".join([chunk async for chunk in chunks])
            if inputs.is_json(body, content_type):  # its text and what is decoded from it stand beside it for a while
                turn.held.enter_context(self._service.holding(len(body)))
                await asyncio.get_running_loop().run_in_executor(self._parser, inputs.from_json, form, body)
            else:
                inputs.from_bytes(form, body)
        turn.call.bytes_in = sum(len(each.data) for each in form.uploads if isinstance(each.data, bytes))
        given = form.given.get("deadline_ms", deadline_ms)
        if given > self._config.max_deadline_ms:
            raise ArgumentError(f"deadline_ms must be at most {self._config.max_deadline_ms}, not {given}")
        turn.call.deadline = turn.call.begun + given / 1000

    async def _bounded(self, turn: Turn) -> AsyncIterator[bytes]:
        """The body, piece by piece; what has come is held against the memory of all requests."""
        size = 0
        async for chunk in turn.exchange.chunks():
            size += len(chunk)
            self._check_size(size)
            turn.held.enter_context(self._service.holding(len(chunk)))
            yield chunk

    def _check_size(self, size: int) -> None:
        if size > self._config.max_body_bytes:
            raise LimitError(
                f"the body is larger than the limit of {self._config.max_body_bytes} bytes: send a smaller one, or "
                "raise max_body_bytes"
            )

    async def models(self, request: Request) -> Sending:
        """What is loaded."""
        return self._json(turn_of(request), self._service.models())

    async def reload(self, request: Request) -> Sending:
        """Other models, or the same again; where they cannot be used the old ones go on serving."""
        turn = turn_of(request)
        body = b""
        async for chunk in turn.exchange.chunks():
            body += chunk
            if len(body) > LONGEST_CHANGE:
                raise LimitError(f"the body is larger than {LONGEST_CHANGE} bytes: it names models, no more")
        change = inputs.change(body)
        try:
            told = await self._service.reload(change)
        except ModelError as error:
            message = f"{error}; the models that were loaded go on serving"
            turn.call.code = error.code
            told_error = error_dict(error.code, message, turn.call.id)
            return self._json(turn, told_error, 422)
        return self._json(turn, told)

    async def health(self, request: Request) -> Sending:
        """Whether the process answers."""
        return self._json(turn_of(request), {"status": "ok"})

    async def ready(self, request: Request) -> Sending:
        """Whether requests are taken."""
        if not self._service.ready:
            raise UnavailableError("the service is starting or being stopped: try again later")
        return self._json(turn_of(request), {"status": "ready"})

    async def metrics(self, request: Request) -> Sending:
        """What is counted, for Prometheus."""
        assert self._metrics is not None  # noqa: S101 (without them there is no route)
        body, media_type = self._metrics()
        return self._whole(turn_of(request), media_type, body)

    async def openapi(self, request: Request) -> Sending:
        """The description of all this."""
        return self._json(turn_of(request), self._description)

    async def file(self, request: Request) -> Sending:
        """The page, and the files that it loads."""
        found, turn = self._files[request.url.path], turn_of(request)
        headers = [("ETag", found.etag)]
        if request.headers.get("if-none-match") == found.etag:
            return Sending(turn, lambda send: answers.send_whole(send, 304, "", b"", headers))
        return Sending(turn, lambda send: answers.send_whole(send, 200, found.media_type, found.data, headers))

    def _json(self, turn: Turn, value: Any, status: int = 200) -> Sending:
        return self._whole(turn, answers.JSON, self._writers.line(value), status)

    def _whole(self, turn: Turn, media_type: str, body: bytes, status: int = 200) -> Sending:
        return Sending(turn, lambda send: answers.send_whole(send, status, media_type, body))
