"""What a process that opens a PDF and the one that asks it say to each other: JSON, and pixels as they are.

Nothing that comes from such a process is more than data: it may be in the hands of the PDF that it opened.
"""

from __future__ import annotations

import json
import struct
import time
from collections.abc import Mapping
from socket import socket
from typing import Any

import numpy as np

from fastocr.documents.leaf import Leaf
from fastocr.images import Image, Limits
from fastocr.results import Line

__all__ = ["receive", "receive_into", "send", "send_leaf", "to_leaf"]

HEAD = struct.Struct(">I")
# Bytes of JSON in one message: 200 000 characters, each a line and a word of its own, take 60 million.
MOST_JSON = 64 * 2**20

Bytes = bytes | bytearray | memoryview


def send(line: socket, message: Mapping[str, Any], *parts: Bytes, until: float | None = None) -> None:
    """A message and what follows it.  until: of `time.monotonic`; then TimeoutError."""
    text = json.dumps(message).encode("ascii")
    for part in (HEAD.pack(len(text)), text, *parts):
        line.settimeout(_left(until))
        line.sendall(part)


def receive(line: socket, *, until: float | None = None) -> dict[str, Any]:
    """The next message.  Raises EOFError where the other side has gone, ValueError where it is none, TimeoutError."""
    head = bytearray(HEAD.size)
    receive_into(line, head, until=until)
    (size,) = HEAD.unpack(head)
    if size > MOST_JSON:
        raise ValueError(f"a message of {size} bytes")
    text = bytearray(size)
    receive_into(line, text, until=until)
    message = json.loads(text)
    if not isinstance(message, dict):
        raise ValueError("a message that is no object")
    return message


def receive_into(line: socket, memory: Bytes, *, until: float | None = None) -> None:
    """Fills the memory with what comes."""
    view = memoryview(memory).cast("B")
    while view:
        line.settimeout(_left(until))
        count = line.recv_into(view)
        if not count:
            raise EOFError("the other side has gone")
        view = view[count:]


def _left(until: float | None) -> float | None:
    if until is None:
        return None
    left = until - time.monotonic()
    if left <= 0:
        raise TimeoutError("no time is left")
    return left


def send_leaf(line: socket, leaf: Leaf) -> None:
    pictures = [leaf.image]
    if leaf.unread is not None and leaf.unread is not leaf.image:
        pictures.append(leaf.unread)
    message = {
        "pictures": [{"size": [each.width, each.height], "warnings": each.warnings} for each in pictures],
        "unread": leaf.unread is not None,
        "dpi": leaf.dpi,
        "lines": [each.to_dict() for each in leaf.lines],
        "on_its_side": leaf.on_its_side,
    }
    send(line, message, *(each.pixels.data for each in pictures))


def to_leaf(
    message: Mapping[str, Any], line: socket, name: str, count: int, limits: Limits, *, until: float | None = None
) -> Leaf:
    """The page of a message and of the pixels that follow it.  Raises what `receive` does, and ValueError, KeyError or
    TypeError where the message is none of `send_leaf`; LimitError for a picture larger than the limits."""
    dpi = message["dpi"]
    lines = tuple(map(Line.from_dict, message["lines"]))
    pictures = []
    for each in message["pictures"]:
        width, height = map(int, each["size"])
        limits.check_size(width, height)
        pixels = np.empty((height, width, 3), np.uint8)
        receive_into(line, pixels.data, until=until)
        pictures.append(Image(pixels, name, count, "pdf", tuple(map(str, each["warnings"]))))
    image, *others = pictures
    unread = (others[0] if others else image) if message["unread"] else None
    return Leaf(image, None if dpi is None else float(dpi), lines, unread, bool(message["on_its_side"]))
