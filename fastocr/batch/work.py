"""The work on one input: its pages are read once and written in all formats."""

from __future__ import annotations

import hashlib
import io
import os
import traceback
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO

from fastocr.api import OCR
from fastocr.batch.folder import part
from fastocr.batch.tee import write_each
from fastocr.errors import CancelledError, FastocrError, InputError, OutputError
from fastocr.formats import FORMATS, WriteOptions
from fastocr.results import Sheet, Source

__all__ = ["Failure", "Outcome", "Recipe", "Task", "content_digest", "discard", "lost", "perform"]

# The exit code of an error that fastocr did not raise on purpose.
INTERNAL = 70


@dataclass(frozen=True, slots=True)
class Recipe:
    """What is to be done with every input: the formats by name, and how they are written."""

    formats: tuple[str, ...]
    options: WriteOptions


@dataclass(frozen=True, slots=True)
class Task:
    """An input: its number in the batch, what messages and outputs call it, and its path or its bytes."""

    index: int
    name: str
    source: Path | bytes


@dataclass(frozen=True, slots=True)
class Failure:
    """An error as plain data, which also travels where the exception's class does not."""

    code: str
    exit_code: int
    message: str
    trace: str = ""

    @classmethod
    def of(cls, error: Exception, name: str) -> Failure:
        """`name` is the input's; errors that fastocr raises on purpose name it themselves."""
        trace = "".join(traceback.format_exception(error))
        if isinstance(error, FastocrError):
            return cls(error.code, error.exit_code, str(error), trace)
        return cls(FastocrError.code, INTERNAL, f"internal error in {name}: {type(error).__name__}: {error}", trace)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a task: the SHA-256 of the input and, by format, of its part; or the failure."""

    index: int
    content: str = ""
    digests: dict[str, str] = field(default_factory=dict)
    pages: int = 0
    warnings: tuple[str, ...] = ()
    failure: Failure | None = None


def perform(ocr: OCR, recipe: Recipe, task: Task, parts: Path) -> Outcome:
    """Reads the input and writes a part for each format; where that fails none is left.  Raises CancelledError."""
    files = {form: part(parts, task.index, form) for form in recipe.formats}
    try:
        # Before it is read: an input that changes meanwhile does not fit its digest, and the next run reads it again.
        content = content_digest(task.source, task.name)
        tally = Tally()
        with ExitStack() as stack:
            outs: dict[str, BinaryIO] = {form: stack.enter_context(path.open("xb")) for form, path in files.items()}
            writers = [partial(FORMATS[form].write, out=out, options=recipe.options) for form, out in outs.items()]
            write_each(tally.counting(sheets(ocr, task)), writers)
            for out in outs.values():
                out.flush()
                os.fsync(out.fileno())
        digests = {form: content_digest(path, str(path)) for form, path in files.items()}
        return Outcome(task.index, content, digests, tally.pages, tuple(tally.warnings))
    except BaseException as error:
        discard(recipe, task, parts)
        if isinstance(error, OSError):
            error = OutputError(f"the outputs of {task.name} cannot be written ({error.strerror or error})")
        if isinstance(error, CancelledError) or not isinstance(error, Exception):
            raise
        return Outcome(task.index, failure=Failure.of(error, task.name))


def discard(recipe: Recipe, task: Task, parts: Path) -> None:
    """Deletes what there is of the task's parts."""
    for form in recipe.formats:
        with suppress(OSError):
            part(parts, task.index, form).unlink()


def lost(task: Task, reason: str) -> Outcome:
    """The outcome of a task whose worker has gone, as often as it was tried."""
    message = f"cannot read {task.name}: {reason}; is there enough memory?"
    return Outcome(task.index, failure=Failure(FastocrError.code, INTERNAL, message))


def sheets(ocr: OCR, task: Task) -> Iterator[Sheet]:
    """The input's pages as they are read."""
    source: Any = task.source
    if isinstance(source, bytes):
        source = io.BytesIO(source)
        source.name = task.name  # for messages
    yield Sheet(ocr.read(source), Source(task.name, task.source))


class Tally:
    """Counts pages as they pass, and gathers their warnings."""

    def __init__(self) -> None:
        self.pages = 0
        self.warnings: list[str] = []

    def counting(self, sheets: Iterator[Sheet]) -> Iterator[Sheet]:
        for sheet in sheets:
            self.pages += 1
            page = sheet.page
            where = f"page {page.number}: " if page.number > 1 else ""
            self.warnings += [f"{where}{warning}" for warning in page.warnings]
            yield sheet


def content_digest(source: Path | bytes, name: str) -> str:
    """SHA-256 of a file or of bytes.  Raises InputError for what is not a file that can be read twice."""
    if isinstance(source, bytes):
        return hashlib.sha256(source).hexdigest()
    try:
        if source.exists() and not source.is_file():
            raise InputError(f"cannot read {name}: it is not a regular file")
        with source.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except FileNotFoundError as error:
        raise InputError(f"cannot read {name}: there is no such file") from error
    except (OSError, ValueError) as error:
        raise InputError(f"cannot read {name}: the file cannot be read ({error})") from error
