"""What a process of its own answers that has a PDF open: its pages."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from socket import socket
from typing import Any

from fastocr.documents.pdf.options import PdfOptions
from fastocr.documents.pdf.pages import PdfPages
from fastocr.documents.pdf.verdict import refusal
from fastocr.documents.pdf.wire import receive, send, send_leaf
from fastocr.errors import FastocrError
from fastocr.images import Limits
from fastocr.results import Source

__all__ = ["answer"]


def answer(line: socket, order: Mapping[str, Any], content: Path | bytes) -> None:
    """The count of the pages, and then each page that is asked for."""
    try:
        pages = PdfPages(content, Source(order["name"]), Limits(**order["limits"]), PdfOptions(**order["options"]))
    except FastocrError as error:
        send(line, refusal(error))
        return
    send(line, {"count": pages.count})
    while True:
        number = receive(line)["page"]
        try:
            leaf = pages.load(number)
        except FastocrError as error:
            send(line, refusal(error))
        else:
            send_leaf(line, leaf)
