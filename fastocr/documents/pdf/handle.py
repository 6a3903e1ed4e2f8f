"""An open PDF: opening it, saying why it cannot be, and closing it in the right order."""

from __future__ import annotations

import ctypes
import os
import weakref
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fastocr.documents.pdf.library import Raw, close_later, pdfium
from fastocr.errors import ClosedError, InputError, PasswordError

__all__ = ["Handle"]

# Of FPDF_GetLastError.
FILE, FORMAT, PASSWORD, SECURITY = 2, 3, 4, 5


@dataclass(slots=True)
class _Open:
    """What has to be closed, and what has to live until then."""

    document: Any
    form: Any
    kept: tuple[object, ...]

    def close(self, raw: Raw) -> None:
        if self.form:
            raw.FPDFDOC_ExitFormFillEnvironment(self.form)
        raw.FPDF_CloseDocument(self.document)


class Handle:
    """PDFium's handles of one PDF.  Let go without `close`, they are closed when PDFium is next used."""

    def __init__(self, content: Path | bytes, password: str | None) -> None:
        secret = None if password is None else password.encode("utf-8", "surrogateescape")
        with pdfium() as raw:
            if isinstance(content, bytes):
                document = raw.FPDF_LoadMemDocument64(content, len(content), secret)
            else:
                document = raw.FPDF_LoadDocument(os.fsencode(content), secret)
            if not document:
                raise _refusal(raw.FPDF_GetLastError(), given=password is not None)
            self._open: _Open | None = _Open(document, None, (content,))
            self.warnings = _with_form(raw, self._open)
            self.count = max(0, raw.FPDF_GetPageCount(document))
        self._finalizer = weakref.finalize(self, close_later, self._open.close)
        self._finalizer.atexit = False  # PDFium itself may be gone by then

    def opened(self) -> _Open:
        """The handles, for use within `pdfium()`; ClosedError where they are closed."""
        if self._open is None:
            raise ClosedError("this document was closed")
        return self._open

    def close(self) -> None:
        with pdfium() as raw:
            if self._open is not None and self._finalizer.detach():
                self._open.close(raw)
            self._open = None


def _refusal(code: int, *, given: bool) -> InputError:
    if code == PASSWORD:
        return PasswordError(
            "the password is wrong"
            if given
            else "the PDF is encrypted: give its password by read_document(password=...) or --password"
        )
    reasons = {
        FILE: "the file cannot be opened",
        FORMAT: "the PDF is damaged, or no PDF",
        SECURITY: "the PDF is encrypted in a way that PDFium does not know",
    }
    return InputError(reasons.get(code, f"PDFium cannot open the PDF (error {code})"))


def _with_form(raw: Raw, opened: _Open) -> tuple[str, ...]:
    """Sets up the PDF's form, so that what was typed into it is drawn; a warning where that fails."""
    try:
        if raw.FPDF_GetFormType(opened.document) == raw.FORMTYPE_NONE:
            return ()
        calls = raw.FPDF_FORMFILLINFO(version=2)
        opened.form = raw.FPDFDOC_InitFormFillEnvironment(opened.document, ctypes.byref(calls))
        opened.kept += (calls,)
    except Exception as error:  # A binding that lacks a function or a version of the structure.
        return (f"the PDF's form could not be set up ({error}): what was typed into it may be missing",)
    return () if opened.form else ("the PDF's form could not be set up: what was typed into it may be missing",)
