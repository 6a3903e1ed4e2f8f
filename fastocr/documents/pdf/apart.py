"""The pages of a PDF that may be hostile, opened and rendered in a process of their own.

PDFium bounds neither time nor memory, and ends its process where memory is not to be had.  Here that process is one
that opens this PDF alone, with so much memory and so much time (`fastocr.images.Limits`), and that can be killed.
"""

from __future__ import annotations

import dataclasses
import os
import threading
import time
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from socket import socket
from typing import Any, NoReturn, TypeVar

from fastocr.documents.leaf import Leaf
from fastocr.documents.pdf.nursery import Child, child
from fastocr.documents.pdf.options import PdfOptions
from fastocr.documents.pdf.verdict import Ended, blame, told
from fastocr.documents.pdf.wire import receive, send, to_leaf
from fastocr.errors import ClosedError, FastocrError, InputError, LimitError
from fastocr.images import Limits, sources
from fastocr.results import Source
from fastocr.runtime.base import CancelToken

__all__ = ["ApartPages"]

T = TypeVar("T")


class ApartPages:
    """What `PdfPages` gives, and its errors; also LimitError for a page that takes too much time or memory, and
    InputError for one at which PDFium crashes.  The other pages go on in a new process.

    `load` lets one thread at a time ask, and cancelling its token kills the process; so does `close`.
    """

    def __init__(
        self,
        content: Path | bytes,
        source: Source,
        limits: Limits,
        options: PdfOptions,
        cancel: CancelToken | None = None,
    ) -> None:
        self.source = source
        self._content = content
        self._limits = limits
        self._order = {
            "module": "fastocr.documents.pdf.answer",
            "memory": limits.max_page_memory,
            "name": source.name,
            "limits": dataclasses.asdict(limits),
            "options": {**dataclasses.asdict(options), "isolate": False},
            "path": os.fspath(content.absolute()) if isinstance(content, Path) else None,
            "size": 0 if isinstance(content, Path) else len(content),
        }
        self._left = float(limits.max_document_seconds)
        self._lock = threading.Lock()
        self._child: Child | None = None
        self._served = False
        self._closed = False
        with self._lock:
            self.count = self._open(cancel)

    def load(self, number: int, cancel: CancelToken | None = None) -> Leaf:
        what = f"page {number} of the PDF"
        with self._lock:
            while True:
                if self._child is None or self._child.killed:
                    self._open(cancel)
                served = self._served
                try:
                    return self._render(number, what, cancel)
                except Ended as ended:
                    if not served:
                        self._blame(what, ended)
                # Perhaps for the pages before: one is only blamed for what it does to a process of its own.

    def close(self) -> None:
        self._closed = True
        if (running := self._child) is not None:
            running.kill()
        with self._lock:
            self._drop()

    def _open(self, cancel: CancelToken | None) -> int:
        """Has a new process open the PDF; the count of its pages."""
        self._drop()
        self._child, self._served = child(), False
        content = () if isinstance(self._content, Path) else (self._content,)
        try:
            return self._ask("opening it", cancel, lambda answer, *_: int(answer["count"]), self._order, *content)
        except Ended as ended:
            self._blame("opening it", ended)
        except FastocrError:
            self._drop()
            raise

    def _render(self, number: int, what: str, cancel: CancelToken | None) -> Leaf:
        def decode(answer: dict[str, Any], line: socket, until: float) -> Leaf:
            return to_leaf(answer, line, self.source.name, self.count, self._limits, until=until)

        leaf = self._ask(what, cancel, decode, {"page": number})
        self._served = True
        return leaf

    def _ask(
        self,
        what: str,
        cancel: CancelToken | None,
        decode: Callable[[dict[str, Any], socket, float], T],
        message: dict[str, Any],
        *parts: bytes,
    ) -> T:
        """What the process answers; where it does not, it is gone afterwards."""
        asked = self._child
        if asked is None or self._closed:
            raise ClosedError("this document was closed")
        begun = time.monotonic()
        until = begun + min(self._limits.max_page_seconds, self._left)
        try:
            with nullcontext() if cancel is None else cancel.stopping(asked.kill):
                send(asked.line, message, *parts, until=until)
                answer = receive(asked.line, until=until)
                error = told(answer)
                if error is None:
                    return decode(answer, asked.line, until)
        except TimeoutError:
            self._drop()
            self._blame_time(what)
        except (EOFError, OSError):
            fate = asked.end()
            self._drop()
            if self._closed:
                raise ClosedError("this document was closed") from None
            if cancel is not None:
                cancel.check()
            raise Ended(fate) from None
        except (KeyError, TypeError, ValueError, RecursionError) as nonsense:
            self._drop()
            with sources.naming(self.source.name):
                raise InputError(f"{what} makes PDFium answer what makes no sense") from nonsense
        except BaseException:  # an answer may come that nobody waits for any more
            self._drop()
            raise
        finally:
            self._left -= time.monotonic() - begun
        raise error

    def _drop(self) -> None:
        if self._child is not None:
            self._child.kill()
            self._child.forget()
            self._child = None

    def _blame(self, what: str, ended: Ended) -> NoReturn:
        with sources.naming(self.source.name):
            raise blame(what, ended, "PDFium", self._limits.max_page_memory)

    def _blame_time(self, what: str) -> NoReturn:
        limits = self._limits
        with sources.naming(self.source.name):
            if self._left > limits.max_page_seconds:
                raise LimitError(
                    f"{what} takes longer than {limits.max_page_seconds} s; raise Limits.max_page_seconds to allow it"
                )
            raise LimitError(
                f"its pages take longer than {limits.max_document_seconds} s in all; raise "
                "Limits.max_document_seconds to allow it"
            )
