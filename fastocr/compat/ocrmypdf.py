"""A plugin for OCRmyPDF 17: ``ocrmypdf --plugin fastocr.compat.ocrmypdf in.pdf out.pdf``.

OCRmyPDF takes the pages apart and puts them together again; their text, orientation and skew are fastocr's.  Its option
``--language`` takes Tesseract's codes, of those languages that a registered model reads.  Options for Tesseract are
passed over.
"""

from __future__ import annotations

import functools
import math
import threading
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from fastocr._version import DISTRIBUTION, __version__
from fastocr.compat.pytesseract import get_languages
from fastocr.compat.tesseract import CODES
from fastocr.errors import DependencyError
from fastocr.formats import FORMATS, WriteOptions, rendered
from fastocr.layout.skew import page_lie
from fastocr.results import Page, Sheet, Source

if TYPE_CHECKING:
    from fastocr.api import OCR

__all__ = ["Engine", "check_options", "get_ocr_engine"]

Hook = TypeVar("Hook", bound=Callable[..., Any])

# OCRmyPDF has Tesseract's measure of how sure an orientation is: it asks for 2 by default, and 15 is very sure.
_SURE = 15.0
_lock = threading.Lock()


def _hook(function: Hook) -> Hook:
    """Marks a hook as OCRmyPDF's own marker does, which is pluggy's, so that this module loads without either."""
    function.ocrmypdf_impl = {}  # type: ignore[attr-defined]
    return function


class Engine:
    """What OCRmyPDF asks of an engine (its `ocrmypdf.pluginspec.OcrEngine`); pages come from several threads."""

    @staticmethod
    def version() -> str:
        return __version__

    @staticmethod
    def creator_tag(options: Any) -> str:
        return f"{DISTRIBUTION} {__version__}"

    def __str__(self) -> str:
        return f"{DISTRIBUTION} {__version__}"

    @staticmethod
    def languages(options: Any) -> set[str]:
        """Tesseract's codes of the languages that a registered model reads."""
        return set(get_languages())

    @staticmethod
    def get_orientation(input_file: Path, options: Any) -> Any:
        """By how many degrees the page must be turned, and how sure that is."""
        from ocrmypdf.pluginspec import OrientationConfidence

        page = _read(input_file, options)
        confidences = [line.confidence for line in page.lines for _ in line.text]
        return OrientationConfidence(page.orientation, _SURE * float(np.mean(confidences)) if confidences else 0.0)

    @staticmethod
    def get_deskew(input_file: Path, options: Any) -> float:
        """By how many degrees the page must be turned anticlockwise for its lines to be level."""
        quads = np.array([line.quad for line in _ocr(tuple(options.languages)).detect(input_file).lines])
        angle = page_lie(quads.reshape(-1, 4, 2)).angle
        # A page that lies on its side is no skew: only what it lacks of that.
        return math.degrees(math.remainder(angle, math.pi / 2))

    @staticmethod
    def generate_hocr(input_file: Path, output_hocr: Path, output_text: Path, options: Any) -> None:
        page = _read(input_file, options)
        sheet = Sheet(page, Source(input_file.name, input_file))
        output_hocr.write_bytes(rendered(FORMATS["hocr"], [sheet], WriteOptions()))
        _write_text(page, output_text)

    @staticmethod
    def generate_pdf(input_file: Path, output_pdf: Path, output_text: Path, options: Any) -> None:
        from fastocr.formats.pdf import write_text_only

        page = _read(input_file, options)
        with output_pdf.open("wb") as file:
            write_text_only(page, file)
        _write_text(page, output_text)


@_hook
def get_ocr_engine(options: Any = None) -> Any:
    """The engine, for every ``--ocr-engine`` but one that was asked for by its name."""
    if options is not None and getattr(options, "ocr_engine", "auto") != "auto":
        return None
    return _engine_class()()


@_hook
def check_options(options: Any) -> None:
    """Of OCRmyPDF's two ways to lay text over a page, the one that takes a PDF of the engine is the default here."""
    if options.pdf_renderer == "auto":
        options.pdf_renderer = "sandwich"


@functools.cache
def _engine_class() -> type:
    try:
        from ocrmypdf.pluginspec import OcrEngine
    except ImportError as error:
        raise DependencyError(f"the plugin needs OCRmyPDF ({error}): run `pip install ocrmypdf`") from error
    return type("FastocrEngine", (Engine, OcrEngine), {})


def _read(file: Path, options: Any) -> Page:
    return _ocr(tuple(options.languages)).read(file)


def _ocr(languages: tuple[str, ...]) -> OCR:
    """The one for these languages in this process; the first thread that asks makes it, the others wait."""
    with _lock:
        return _made(languages)


@functools.lru_cache(maxsize=1)
def _made(languages: tuple[str, ...]) -> OCR:
    from fastocr.api import OCR

    return OCR(lang=[CODES[code] for code in languages])


def _write_text(page: Page, file: Path) -> None:
    file.write_text(page.text + "\n" * bool(page.text), encoding="utf-8")
