"""Bytes of a path or a file object, never more of them than the limit."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from fastocr.errors import InputError, UnsupportedFormatError
from fastocr.images.image import Limits

__all__ = ["URL", "from_buffer", "from_file", "from_path", "naming", "path_name", "refusal", "shown"]

URL = re.compile(r"[a-z][a-z0-9+.\-]*://|data:", re.IGNORECASE)
SHOWN_CHARACTERS = 200
CHUNK = 4 * 2**20


def shown(name: str) -> str:
    """A name as a message can print it: short, and encodable whatever bytes a path holds."""
    printable = name.encode("utf-8", "backslashreplace").decode("utf-8").replace("\0", "\\0")
    return printable if len(printable) <= SHOWN_CHARACTERS else printable[:SHOWN_CHARACTERS] + "..."


@contextmanager
def naming(name: str) -> Iterator[None]:
    """An InputError raised within says which source cannot be read; so does one of memory that is not there."""
    try:
        yield
    except InputError as error:
        raise type(error)(f"cannot read {shown(name)}: {error}") from error.__cause__
    except MemoryError as error:
        raise InputError(f"cannot read {shown(name)}: there is not enough memory for it") from error


def refusal(source: object) -> InputError:
    """What to say of something that is no input."""
    if isinstance(source, list | tuple | set | dict):
        return InputError(
            "it holds several inputs: pass them one by one (recognize alone takes a list, of line images)"
        )
    return UnsupportedFormatError("pass a path, bytes, a binary file object, a NumPy array or a Pillow image")


def path_name(path: str | os.PathLike[Any]) -> str:
    """The text of a path; InputError where an object of some other library does not give one."""
    try:
        return os.fsdecode(path)
    except Exception as error:  # Whatever its __fspath__ raises, or that what it returns is no path.
        raise InputError(f"it does not give its path ({type(error).__name__}: {error})") from error


def from_buffer(source: bytes | bytearray | memoryview, limits: Limits) -> bytes:
    """The given bytes; those that may change are copied."""
    try:
        limits.check_bytes(memoryview(source).nbytes)
        return bytes(source)
    except ValueError as error:
        raise InputError(f"its memory cannot be read ({error})") from error


def from_path(source: str | os.PathLike[Any], limits: Limits) -> bytes:
    """Content of a file; a URL is refused, not fetched."""
    path = path_name(source)
    if URL.match(path):
        raise InputError(
            "a URL is not fetched: pass the path or the bytes, or read_document(url, allow_urls=True), which is "
            "`fastocr read --allow-url`"
        )
    if not path:
        raise InputError("the path is empty")
    try:
        with Path(path).open("rb", buffering=0) as file:
            status = os.fstat(file.fileno())
            if stat.S_ISREG(status.st_mode):
                limits.check_bytes(status.st_size)
            return from_file(file, limits)
    except IsADirectoryError as error:
        raise InputError("it is a directory: pass the files in it one by one") from error
    except FileNotFoundError as error:
        raise InputError("there is no such file") from error
    except OSError as error:
        # Windows reports a directory as a denied permission.
        if isinstance(error, PermissionError) and Path(path).is_dir():
            raise InputError("it is a directory: pass the files in it one by one") from error
        raise InputError(f"the file cannot be read ({error.strerror or error})") from error
    except ValueError as error:
        raise InputError(f"the path is not valid ({error})") from error


def from_file(file: Any, limits: Limits) -> bytes:
    """The rest of a binary file object, from its present position; it is read at most one byte past the limit."""
    parts: list[bytes] = []
    left = limits.max_bytes + 1
    while left > 0:
        part = _read(file, min(left, CHUNK))
        if not part:
            break
        parts.append(part)
        left -= len(part)
    limits.check_bytes(limits.max_bytes + 1 - left)
    return parts[0] if len(parts) == 1 else b"".join(parts)


def _read(file: Any, size: int) -> bytes:
    try:
        part = file.read(size)
    except Exception as error:  # A file object of any origin; what it raises is the reason, not a crash of ours.
        raise InputError(f"reading from it failed ({type(error).__name__}: {error})") from error
    if isinstance(part, str):
        raise InputError("it is open in text mode: open it with mode 'rb'")
    if not isinstance(part, (bytes, bytearray, memoryview)):
        raise InputError(f"its read() returned {type(part).__name__}, not bytes")
    return bytes(part)
