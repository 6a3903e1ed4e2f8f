"""Searchable PDFs of the PDFs that clients send, written in a process of their own.

qpdf, which writes them, unpacks what a PDF holds and bounds it as little as PDFium does.
"""

from __future__ import annotations

import dataclasses
import io
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from socket import socket
from typing import Any, BinaryIO

from fastocr.documents import CAN_ISOLATE
from fastocr.documents.pdf import nursery
from fastocr.documents.pdf.verdict import Ended, blame, refusal, told
from fastocr.documents.pdf.wire import receive, receive_into, send
from fastocr.documents.sources import is_pdf
from fastocr.errors import FastocrError, InputError, LimitError
from fastocr.formats import FORMATS, Format, WriteOptions
from fastocr.results import Page, Sheet, Source
from fastocr.serve.config import ServeConfig

__all__ = ["answer", "forms"]


def forms(config: ServeConfig) -> Mapping[str, Format]:
    """The formats as the service writes them."""
    if not CAN_ISOLATE:
        return FORMATS
    plain = {field.name: getattr(FORMATS["pdf"], field.name) for field in dataclasses.fields(Format)}
    apart = PdfApart(**plain, seconds=config.max_page_seconds, memory=config.max_page_memory)
    return {**FORMATS, "pdf": apart}


@dataclass(frozen=True, slots=True)
class PdfApart(Format):
    """The format "pdf", for which a PDF is given text in a process of its own.

    seconds: in which that has to take the PDF or a page, and to write them all.  memory: bytes that it may take.
    """

    seconds: int = 0
    memory: int = 0

    def write(self, sheets: Iterable[Sheet], out: BinaryIO, options: WriteOptions) -> None:
        """As `Format.write`; LimitError where it takes too much."""
        sheets = iter(sheets)
        first = next(sheets, None)
        if first is None or not isinstance(first.source.data, bytes) or not is_pdf(first.source.data):
            Format.write(self, sheets if first is None else chain((first,), sheets), out, options)
            return
        child = nursery.child()
        try:
            self._order(child, first.source.name, first.source.data, chain((first,), sheets))
            out.write(self._written(child))
        except TimeoutError:
            raise LimitError(
                f"{first.source.name} with its text takes longer than {self.seconds} s to write; raise max_page_seconds"
            ) from None
        except (EOFError, ConnectionError):
            raise blame(f"{first.source.name} with its text", Ended(child.end()), "qpdf", self.memory) from None
        finally:
            child.kill()
            child.forget()

    def _order(self, child: nursery.Child, name: str, data: bytes, sheets: Iterator[Sheet]) -> None:
        """Gives the process the PDF, and each page as it comes."""
        order = {"module": __name__, "memory": self.memory, "name": name, "path": None, "size": len(data)}
        send(child.line, order, data, until=time.monotonic() + self.seconds)
        for sheet in sheets:
            page = sheet.page.to_dict()
            send(child.line, {"page": page}, until=time.monotonic() + self.seconds)
        send(child.line, {"page": None}, until=time.monotonic() + self.seconds)

    def _written(self, child: nursery.Child) -> bytearray:
        until = time.monotonic() + self.seconds
        try:
            answer = receive(child.line, until=until)
            error = told(answer)
            file = bytearray(0 if error is not None else int(answer["size"]))
        except (KeyError, TypeError, ValueError, RecursionError, OverflowError, MemoryError) as nonsense:
            raise InputError("qpdf answers what makes no sense") from nonsense
        if error is not None:
            raise error
        receive_into(child.line, file, until=until)
        return file


def answer(line: socket, order: Mapping[str, Any], content: Path | bytes) -> None:
    """The process's part: the PDF with the text of the pages that come."""
    source = Source(order["name"], content)

    def sheets() -> Iterator[Sheet]:
        while (page := receive(line)["page"]) is not None:
            yield Sheet(Page.from_dict(page), source)

    out = io.BytesIO()
    try:
        FORMATS["pdf"].write(sheets(), out, WriteOptions())
    except FastocrError as error:
        send(line, refusal(error))
    else:
        send(line, {"size": len(out.getbuffer())}, out.getbuffer())
