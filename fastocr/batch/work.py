"""The work on one input: its pages are read once and written in all formats."""

from __future__ import annotations

import hashlib
import io
import os
import stat
import traceback
from collections.abc import Generator, Iterable, Mapping
from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from fastocr.api import OCR
from fastocr.batch.folder import discard, part
from fastocr.batch.tee import write_each
from fastocr.documents import Document
from fastocr.errors import CancelledError, FastocrError, InputError, OutputError
from fastocr.formats import FORMATS, WriteOptions
from fastocr.images import sources
from fastocr.results import Sheet

__all__ = ["Failure", "Outcome", "Recipe", "Task", "check_file", "content_digest", "lost", "perform"]

# The exit code of an error that fastocr did not raise on purpose.
INTERNAL = 70


@dataclass(frozen=True, slots=True)
class Recipe:
    """What is to be done with every input: the formats by name, how they are written, and arguments of
    `OCR.read_document`."""

    formats: tuple[str, ...]
    options: WriteOptions
    reading: Mapping[str, Any] = field(default_factory=dict)


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
    """What became of a task: the SHA-256 of the input; of its parts by format and page, 0 where a part holds all; the
    number of pages and their warnings; or the failure."""

    index: int
    content: str = ""
    digests: Mapping[str, Mapping[int, str]] = field(default_factory=dict)
    pages: int = 0
    warnings: tuple[str, ...] = ()
    failure: Failure | None = None


def perform(ocr: OCR, recipe: Recipe, task: Task, parts: Path) -> Outcome:
    """Reads the input and writes its parts; where that fails none is left.  Raises CancelledError."""
    try:
        # Before it is read: an input that changes meanwhile does not fit its digest, and the next run reads it again.
        content = content_digest(task.source, task.name)
        with ocr.read_document(readable(task), **recipe.reading) as document:
            tally = Tally(document, task.name)
            printers = [Printer(form, recipe, task, parts, several=len(document) > 1) for form in recipe.formats]
            with closing(iter(tally)) as sheets:
                write_each(sheets, [printer.write for printer in printers])
        digests = {printer.form: printer.digests for printer in printers}
        return Outcome(task.index, content, digests, tally.pages, tuple(tally.warnings))
    except BaseException as error:
        discard(parts, task.index)
        if isinstance(error, OSError):
            error = OutputError(f"the outputs of {task.name} cannot be written ({error.strerror or error})")
        if isinstance(error, CancelledError) or not isinstance(error, Exception):
            raise
        return Outcome(task.index, failure=Failure.of(error, task.name))


def lost(task: Task, reason: str) -> Outcome:
    """The outcome of a task whose worker has gone, as often as it was tried."""
    message = f"cannot read {task.name}: {reason}; is there enough memory?"
    return Outcome(task.index, failure=Failure(FastocrError.code, INTERNAL, message))


def readable(task: Task) -> Any:
    """What `OCR.read_document` takes; messages then have the task's name."""
    if isinstance(task.source, Path):
        return task.name
    file = io.BytesIO(task.source)
    file.name = task.name
    return file


class Tally:
    """The sheets of a document; it counts pages as they pass, and gathers their warnings."""

    def __init__(self, document: Document, name: str) -> None:
        self.pages = 0
        self.warnings: list[str] = []
        self._document = document
        self._source = replace(document.source, name=name)

    def __iter__(self) -> Generator[Sheet]:
        for page in self._document:
            self.pages += 1
            where = f"page {page.number}: " if page.page_count > 1 else ""
            self.warnings += [f"{where}{warning}" for warning in page.warnings]
            yield Sheet(page, self._source)


class Printer:
    """Writes the parts of one format: a file, or one for each of several pages where a file holds a single one."""

    def __init__(self, form: str, recipe: Recipe, task: Task, parts: Path, several: bool) -> None:
        self.form = form
        self.digests: dict[int, str] = {}
        self._options, self._task, self._parts = recipe.options, task, parts
        self._by_page = several and FORMATS[form].single

    def write(self, sheets: Iterable[Sheet]) -> None:
        if not self._by_page:
            self._print(sheets, 0)
            return
        for sheet in sheets:
            self._print([sheet], sheet.page.number)

    def _print(self, sheets: Iterable[Sheet], page: int) -> None:
        path = part(self._parts, self._task.index, self.form, page)
        with path.open("xb") as file:
            FORMATS[self.form].write(sheets, file, self._options)
            file.flush()
            os.fsync(file.fileno())
        with path.open("rb") as file:
            self.digests[page] = hashlib.file_digest(file, "sha256").hexdigest()


def content_digest(source: Path | bytes, name: str) -> str:
    """SHA-256 of a file or of bytes.  Raises InputError."""
    if isinstance(source, bytes):
        return hashlib.sha256(source).hexdigest()
    check_file(source, name)
    with sources.naming(name):
        try:
            with source.open("rb") as file:
                return hashlib.file_digest(file, "sha256").hexdigest()
        except OSError as error:
            raise InputError(f"the file cannot be read ({error.strerror or error})") from error


def check_file(path: Path, name: str) -> None:
    """Raises InputError for what is not a file that can be read twice."""
    with sources.naming(name):
        if sources.URL.match(name):
            raise InputError("a batch does not fetch URLs: download it first")
        try:
            kind = path.stat().st_mode
        except OSError as error:
            missing = isinstance(error, FileNotFoundError)
            reason = "there is no such file" if missing else f"the file cannot be read ({error.strerror or error})"
            raise InputError(reason) from error
        except ValueError as error:
            raise InputError(f"the path is not valid ({error})") from error
        if stat.S_ISDIR(kind):
            raise InputError("it is a folder with no file that can be read")
        if not stat.S_ISREG(kind):
            raise InputError("it is not a regular file")
