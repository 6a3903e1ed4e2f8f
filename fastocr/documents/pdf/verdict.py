"""What is said of a process that was asked and ended, or answered that it cannot."""

from __future__ import annotations

import signal
from collections.abc import Mapping
from typing import Any

from fastocr.errors import (
    BackendError,
    DependencyError,
    FastocrError,
    InputError,
    LimitError,
    OutputError,
    table,
)

__all__ = ["OUT_OF_MEMORY", "Ended", "blame", "refusal", "told"]

# The exit code of a child that ran out of memory in Python, where PDFium and qpdf abort.
OUT_OF_MEMORY = 77
# How a process ends where memory is not to be had: by its libraries or by the kernel.
STARVED = (-signal.SIGABRT, -signal.SIGTRAP, -signal.SIGILL, -signal.SIGKILL, OUT_OF_MEMORY)
# What such a process may say.
KINDS = {kind.code: kind for kind in table() if issubclass(kind, InputError | OutputError | DependencyError)}


class Ended(Exception):
    """The process ended by itself.  fate: its exit code, or the number of a signal as a negative one; None where that
    is not known, since the nursery ended as well."""

    def __init__(self, fate: int | None) -> None:
        super().__init__(fate)
        self.fate = fate


def blame(what: str, ended: Ended, library: str, memory: int) -> FastocrError:
    """The error for what ended its process, which might take so many bytes of memory."""
    fate = ended.fate
    if fate is None:
        return BackendError("the process from which those for PDFs are forked has ended: try again")
    name = signal.Signals(-fate).name if fate < 0 else f"exit code {fate}"
    if fate in STARVED:
        return LimitError(
            f"{what} takes too much memory, more than {memory / 2**20:.0f} MiB, or makes {library} fail ({name}); "
            "raise Limits.max_page_memory to allow it"
        )
    return InputError(f"{what} makes {library} crash ({name})")


def refusal(error: FastocrError) -> dict[str, Any]:
    """The message that a process gives instead of an answer; raises MemoryError where that is the error's cause."""
    if isinstance(error.__cause__, MemoryError):
        raise error.__cause__
    return {"error": error.code, "message": str(error)}


def told(answer: Mapping[str, Any]) -> FastocrError | None:
    """The error of such a message; None for an answer.  KeyError for an error that no such process may give."""
    return KINDS[answer["error"]](str(answer["message"])) if "error" in answer else None
