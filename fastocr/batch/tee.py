"""One stream of pages for several writers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from queue import Queue

from fastocr.results import Sheet

__all__ = ["write_each"]

Write = Callable[[Iterable[Sheet]], None]


class Feed:
    """The sheets for one writer, which takes them in a thread of its own: one at most waits for it."""

    def __init__(self) -> None:
        self.failed = False
        self._queue: Queue[Sheet | None] = Queue(1)

    def put(self, sheet: Sheet | None) -> None:
        """The next sheet, None at the end; waits until the writer has taken the one before."""
        self._queue.put(sheet)

    def serve(self, write: Write) -> None:
        """Runs the writer, in the thread that calls."""
        sheets = self._sheets()
        try:
            write(sheets)
        except BaseException:
            self.failed = True
            raise
        finally:
            for _ in sheets:  # what a writer leaves must not hold up the others
                pass

    def _sheets(self) -> Iterator[Sheet]:
        while (sheet := self._queue.get()) is not None:
            yield sheet


def write_each(sheets: Iterator[Sheet], writers: Sequence[Write]) -> None:
    """Every writer gets every sheet, in step with the others, so that few sheets are in memory at once.

    Raises the first error, of the sheets or of a writer, when all writers have ended.
    """
    if len(writers) == 1:
        writers[0](sheets)
        return
    feeds = [Feed() for _ in writers]
    with ThreadPoolExecutor(len(writers), thread_name_prefix="fastocr-write") as pool:
        done = [pool.submit(feed.serve, write) for feed, write in zip(feeds, writers, strict=True)]
        try:
            for sheet in sheets:
                for feed in feeds:
                    feed.put(sheet)
                if any(feed.failed for feed in feeds):
                    break
        finally:
            for feed in feeds:
                feed.put(None)
    for future in done:
        future.result()
