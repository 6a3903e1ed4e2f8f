"""Pages to the bytes of a format, in threads: writing a large page takes longer than the event loop may stand still."""

from __future__ import annotations

import asyncio
import contextlib
import io
import queue
from collections.abc import AsyncGenerator, AsyncIterator, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any, BinaryIO

from fastocr.errors import CancelledError
from fastocr.formats import Format, WriteOptions, rendered
from fastocr.formats.json import encoded
from fastocr.results import Page, Sheet, Source

__all__ = ["MEDIA_TYPES", "Drip", "Writers"]

MEDIA_TYPES = {
    "text": "text/plain; charset=utf-8",
    "layout": "text/plain; charset=utf-8",
    "markdown": "text/markdown; charset=utf-8",
    "json": "application/json",
    "jsonl": "application/x-ndjson",
    "csv": "text/csv; charset=utf-8",
    "tsv": "text/tab-separated-values; charset=utf-8",
    "hocr": "text/html; charset=utf-8",
    "alto": "application/xml",
    "page-xml": "application/xml",
    "coco": "application/json",
    "picture": "image/png",
    "pdf": "application/pdf",
}
OPTIONS = WriteOptions(timings=True)
# Threads for what takes milliseconds, and for the files of single pages, which may take seconds (a picture, a PDF).
QUICK = 2
SINGLE = 2


class Drip(io.RawIOBase):
    """A file that keeps what is written to it until it is taken."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        self._parts.append(bytes(data))
        return len(data)

    def take(self) -> bytes:
        parts, self._parts = self._parts, []
        return b"".join(parts)


class Writers:
    """The threads that write: a few for single answers, and one for each document under way, up to `documents`.

    forms: the formats by name.
    """

    def __init__(self, documents: int, forms: Mapping[str, Format]) -> None:
        self.forms = forms
        self._quick = ThreadPoolExecutor(QUICK, thread_name_prefix="fastocr-json")
        self._single = ThreadPoolExecutor(SINGLE, thread_name_prefix="fastocr-file")
        self._documents = ThreadPoolExecutor(documents, thread_name_prefix="fastocr-document")

    async def run(self, work: Any, *arguments: Any) -> Any:
        """What `work(*arguments)` gives, from a thread; for what is quick, but not quick enough for the event loop."""
        return await asyncio.get_running_loop().run_in_executor(self._quick, work, *arguments)

    @staticmethod
    def line(value: Any) -> bytes:
        """The value as JSON on one line."""
        return encoded(value) + b"\n"

    async def page(self, form: Format, page: Page, source: Source) -> bytes:
        """The whole file of one page."""
        sheets, loop = [Sheet(page, source)], asyncio.get_running_loop()
        return await loop.run_in_executor(self._single, rendered, form, sheets, OPTIONS)

    async def document(
        self, form: Format, pages: AsyncIterator[Page], source: Source, out: BinaryIO
    ) -> AsyncGenerator[None]:
        """Writes the pages to `out` one by one as they come; yields once each is written, and once the file is whole.

        No page is asked for before the one before it is written and what follows the yield is done.  Raises what the
        pages and the writer raise.  When it is closed, its thread has ended.
        """
        loop = asyncio.get_running_loop()
        inbox: queue.SimpleQueue[Page | Exception | None] = queue.SimpleQueue()
        asked = asyncio.Event()

        def sheets() -> Iterator[Sheet]:
            while True:
                loop.call_soon_threadsafe(asked.set)
                page = inbox.get()
                if page is None:
                    return
                if isinstance(page, Exception):
                    raise page
                yield Sheet(page, source)

        writing = loop.run_in_executor(self._documents, form.write, sheets(), out, OPTIONS)
        writing.add_done_callback(lambda _: asked.set())
        try:
            async for page in pages:
                await asked.wait()
                asked.clear()
                if writing.done():
                    break
                inbox.put(page)
                await asked.wait()
                yield
            inbox.put(None)
            await writing
            yield
        finally:
            inbox.put(CancelledError("the document is not wanted any more"))
            with contextlib.suppress(Exception, asyncio.CancelledError):
                await asyncio.shield(writing)
