"""What the command writes: results to stdout or files, everything else to stderr."""

from __future__ import annotations

import contextlib
import io
import os
import sys
import tempfile
import traceback
from collections.abc import Iterable, Iterator
from typing import Any, BinaryIO

from fastocr.errors import FastocrError, OutputError

__all__ = [
    "DEBUG",
    "INTERNAL",
    "Stdout",
    "complain",
    "emit",
    "one_line",
    "prepare_streams",
    "report",
    "show_trace",
    "silence_stdout",
]

# Variable that asks for tracebacks, and the exit code of an error that fastocr did not raise on purpose.
DEBUG = "FASTOCR_DEBUG"
INTERNAL = 70
# Bytes of a result that wait in memory for its end; more wait in a temporary file.
SPOOLED = 1 << 24


def prepare_streams() -> None:
    """UTF-8 on stdout and a stderr that can print anything, whatever the locale says."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8", errors="surrogateescape", newline="\n")
    if isinstance(sys.stderr, io.TextIOWrapper):
        sys.stderr.reconfigure(errors="backslashreplace")


def emit_lines(lines: Iterable[str]) -> None:
    """Writes lines of a result, as `emit` does."""
    emit("".join(f"{line}\n" for line in lines).encode("utf-8", "surrogateescape"))


def emit(data: bytes) -> None:
    """Writes a result to stdout at once, in full.

    Raises OutputError where that fails, but BrokenPipeError where the reader has gone.
    """
    if sys.stdout is None:
        raise OutputError("standard output is closed: redirect it to a file, or write files with --out")
    try:
        sys.stdout.flush()
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        silence_stdout()
        reason = error.strerror or str(error)
        raise OutputError(f"standard output cannot be written ({reason}): redirect it elsewhere") from error


def silence_stdout() -> None:
    """Points stdout to nowhere: what is still buffered for a reader that has gone would raise again at exit."""
    with contextlib.suppress(OSError, ValueError, AttributeError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)


def one_line(text: str) -> str:
    """The text with all that does not print, such as a line feed in a file's name, as escapes."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text)


def complain(message: str) -> None:
    """One line on stderr."""
    _tell(f"fastocr: {one_line(message)}\n")


def _tell(text: str) -> None:
    # Where stderr is closed or its reader has gone there is nobody to tell.
    with contextlib.suppress(OSError, ValueError):
        if sys.stderr is not None:
            sys.stderr.write(text)
            sys.stderr.flush()


def report(error: Exception, source: str = "") -> int:
    """Tells of the error in one line and returns its exit code; with FASTOCR_DEBUG=1 the traceback stands before it."""
    show_trace("".join(traceback.format_exception(error)))
    if isinstance(error, FastocrError):
        complain(str(error))
        return error.exit_code
    where = f" in {source}" if source else ""
    complain(f"internal error{where}: {type(error).__name__}: {error} (set {DEBUG}=1 to see the traceback)")
    return INTERNAL


def show_trace(trace: str) -> None:
    """The traceback on stderr, if FASTOCR_DEBUG=1 asks for it."""
    if os.environ.get(DEBUG, "") not in ("", "0"):
        _tell(trace)


class Stdout:
    """Standard output, which takes the results of one input after the other.  Raises what `emit` raises."""

    def __init__(self) -> None:
        self._used = False

    @contextlib.contextmanager
    def result(self, header: str, *, streams: bool) -> Iterator[BinaryIO]:
        """A file for the result of one input: it goes out whole once the block is done, or not at all where that fails;
        ``streams`` lets each piece go at once.  Above it stands the header, unless that is "", and above that a blank
        line where others came before."""
        with tempfile.SpooledTemporaryFile(SPOOLED) as spool:
            stream = _Stream(self, header)
            out: Any = stream if streams else spool
            yield out
            stream.begin()
            spool.seek(0)
            while data := spool.read(SPOOLED):
                stream.write(data)

    def put(self, data: bytes) -> None:
        emit(data)
        self._used = self._used or bool(data)

    def put_header(self, header: str) -> None:
        if header:
            self.put(f"{chr(10) * self._used}{header}\n".encode())


class _Stream(io.RawIOBase):
    """A file in front of stdout, with a header before the first byte; `begin` writes it where there is none."""

    def __init__(self, stdout: Stdout, header: str) -> None:
        self._stdout = stdout
        self._header = header

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        self.begin()
        self._stdout.put(bytes(data))
        return len(data)

    def begin(self) -> None:
        header, self._header = self._header, ""
        self._stdout.put_header(header)
