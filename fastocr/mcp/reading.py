"""Readings for a client: in threads, a few at a time, told of and cancelled from an event loop."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

from fastocr.api import OCR
from fastocr.results import Page
from fastocr.runtime.base import CancelToken

__all__ = ["AT_ONCE", "Reader"]

#: Readings under way at the same time; others wait.  They share the threads of one engine, so that more would be no
#: faster, and would hold more pictures in memory.
AT_ONCE = 2

T = TypeVar("T")
Source = bytes | Path
# Told of the pages so far and their number: in the event loop, and in the thread that reads.
Report = Callable[[int, int | None], Awaitable[None]]
Progress = Callable[[int, int | None], None]


class Reader:
    """Reads with one engine, which is made by the first reading that needs it: a client that starts its servers and
    never asks this one costs next to nothing.  Where the engine cannot be made, each reading says why."""

    def __init__(self, make: Callable[[], OCR]) -> None:
        self._make = make
        self._lock = threading.Lock()
        self._ocr: OCR | None = None
        self._threads = ThreadPoolExecutor(AT_ONCE, "fastocr-mcp")

    async def image(self, source: Source, **options: Any) -> Page:
        """The page of an image.  Raises what `OCR.read` raises; cancelling the task stops the reading."""

        def work(token: CancelToken, _: Progress) -> Page:
            return self._engine().read(source, cancel=token, **options)

        return await self._run(work)

    async def document(
        self, source: Source, report: Report, *, pages: str | None, password: str | None
    ) -> tuple[int, list[Page]]:
        """(pages of the file, those that were asked for), with `report` awaited after each.  Raises what
        `OCR.read_document` raises; cancelling the task stops the reading."""

        def work(token: CancelToken, progress: Progress) -> tuple[int, list[Page]]:
            opened = self._engine().read_document(
                source, pages, progress=progress, cancel=token, password=password, allow_urls=False
            )
            with opened as document:
                return document.page_count, [_without_picture(page) for page in document]

        return await self._run(work, report)

    def close(self) -> None:
        """Waits for what is under way and gives the engine back."""
        self._threads.shutdown()
        if self._ocr is not None:
            self._ocr.close()

    def _engine(self) -> OCR:
        with self._lock:
            if self._ocr is None:
                self._ocr = self._make()
            return self._ocr

    async def _run(self, work: Callable[[CancelToken, Progress], T], report: Report | None = None) -> T:
        loop = asyncio.get_running_loop()
        steps: asyncio.Queue[tuple[int, int | None] | None] = asyncio.Queue()
        token = CancelToken()

        def progress(done: int, total: int | None) -> None:
            with suppress(RuntimeError):  # the loop has ended, and nobody is there to be told
                loop.call_soon_threadsafe(steps.put_nowait, (done, total))

        running = loop.run_in_executor(self._threads, work, token, progress)
        running.add_done_callback(lambda _: steps.put_nowait(None))
        try:
            while (step := await steps.get()) is not None:
                if report is not None:
                    await report(*step)
            return await running
        finally:
            token.cancel()  # does nothing to what is done
            running.cancel()


def _without_picture(page: Page) -> Page:
    """The page without its pixels, which a list of pages would keep."""
    return replace(page, image=None)
