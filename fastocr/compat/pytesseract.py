"""What programs call of pytesseract 0.3, answered by fastocr: ``from fastocr.compat import pytesseract``.

No program `tesseract` is needed.  Arguments that have no counterpart are passed over (docs/migrating.md lists them);
those without which the answer would be another one raise ArgumentError.  What cannot be read, a language that no model
reads and a timeout raise TesseractError, which is fastocr's error and a RuntimeError.

An array is RGB here, as pytesseract has it.
"""

from __future__ import annotations

import io
import sys
from collections.abc import Callable, Sequence
from typing import Any

from fastocr._version import __version__
from fastocr.compat.characters import character_boxes
from fastocr.compat.osd import FIELDS, osd
from fastocr.compat.tesseract import (
    CODES,
    Command,
    TesseractError,
    TesseractNotFoundError,
    TSVNotSupported,
    parsed,
    read,
)
from fastocr.errors import ArgumentError, DependencyError
from fastocr.formats import FORMATS, WriteOptions, rendered
from fastocr.formats.boxes import box
from fastocr.results import Page, Sheet

__all__ = [
    "ALTONotSupported",
    "Output",
    "TSVNotSupported",
    "TesseractError",
    "TesseractNotFoundError",
    "get_languages",
    "get_tesseract_version",
    "image_to_alto_xml",
    "image_to_boxes",
    "image_to_data",
    "image_to_osd",
    "image_to_pdf_or_hocr",
    "image_to_string",
    "run_and_get_multiple_output",
    "run_and_get_output",
]

ALTONotSupported = TSVNotSupported

# Programs say where the program is; here nothing is run.
tesseract_cmd = "tesseract"
pytesseract = sys.modules[__name__]

_FOLLOWS = "5.3.0"
"""The version of Tesseract whose outputs these have the form of."""


class Output:
    """Forms of an answer, by the names that pytesseract has."""

    BYTES = "bytes"
    DATAFRAME = "data.frame"
    DICT = "dict"
    STRING = "string"


def image_to_string(
    image: Any,
    lang: str | None = None,
    config: str = "",
    nice: int = 0,
    output_type: str = Output.STRING,
    timeout: float = 0,
) -> Any:
    """The text: rows as lines, a blank line between paragraphs, a form feed between pages."""
    text = run_and_get_output(image, "txt", lang, config, nice, timeout)
    return _answer(output_type, text, as_dict=lambda: {"text": text})


def image_to_data(
    image: Any,
    lang: str | None = None,
    config: str = "",
    nice: int = 0,
    output_type: str = Output.STRING,
    timeout: float = 0,
    pandas_config: dict[str, Any] | None = None,
) -> Any:
    """Words with box and confidence, in Tesseract's columns."""
    text = run_and_get_output(image, "tsv", lang, config, nice, timeout)
    return _answer(
        output_type,
        text,
        as_dict=lambda: _columns(text, "\t", text_column="text"),
        as_frame=lambda: _frame(text, pandas_config),
    )


def image_to_boxes(
    image: Any,
    lang: str | None = None,
    config: str = "",
    nice: int = 0,
    output_type: str = Output.STRING,
    timeout: float = 0,
) -> Any:
    """Characters with left, bottom, right, top edge, counted from the page's lower left corner, and the page from 0."""
    text = run_and_get_output(image, "box", lang, config, nice, timeout)
    table = f"char left bottom right top page\n{text}"
    return _answer(output_type, text, as_dict=lambda: _columns(table, " ", text_column="char"))


def image_to_pdf_or_hocr(
    image: Any, lang: str | None = None, config: str = "", nice: int = 0, extension: str = "pdf", timeout: float = 0
) -> bytes:
    """A searchable PDF, or hOCR."""
    if extension not in ("pdf", "hocr"):
        raise ArgumentError(f"Unsupported extension: {extension}")
    answer: bytes = run_and_get_output(image, extension, lang, config, nice, timeout, return_bytes=True)
    return answer


def image_to_alto_xml(
    image: Any, lang: str | None = None, config: str = "", nice: int = 0, timeout: float = 0
) -> bytes:
    """ALTO XML."""
    answer: bytes = run_and_get_output(image, "xml", lang, config, nice, timeout, return_bytes=True)
    return answer


def image_to_osd(
    image: Any,
    lang: str | None = "osd",
    config: str = "",
    nice: int = 0,
    output_type: str = Output.STRING,
    timeout: float = 0,
) -> Any:
    """How the (first) page lies and its script; a page without letters raises TesseractError, as Tesseract does."""
    command = parsed(config, lang, reads_text=False)
    text = osd(read(image, command, timeout)[0].page)
    if not text:
        raise TesseractError(1, "Too few characters. Skipping this page")
    pairs = (row.split(": ", 1) for row in text.splitlines())
    return _answer(output_type, text, as_dict=lambda: {FIELDS[name][0]: FIELDS[name][1](cell) for name, cell in pairs})


def run_and_get_output(
    image: Any,
    extension: str = "",
    lang: str | None = None,
    config: str = "",
    nice: int = 0,
    timeout: float = 0,
    return_bytes: bool = False,
) -> Any:
    """The output that has this extension: txt, tsv, box, hocr, xml (ALTO) or pdf."""
    return run_and_get_multiple_output(image, [extension], lang, nice, timeout, return_bytes, config=config)[0]


def run_and_get_multiple_output(
    image: Any,
    extensions: Sequence[str],
    lang: str | None = None,
    nice: int = 0,
    timeout: float = 0,
    return_bytes: bool = False,
    *,
    config: str = "",
) -> list[Any]:
    """Several outputs of one reading; those of PDF and hOCR are always bytes, where one alone is asked for by
    `run_and_get_output` as well."""
    known = ("txt", *_BY_FORMAT, "box")
    if unknown := [extension for extension in extensions if extension not in known]:
        raise ArgumentError(f"there is no output {unknown[0]!r}: take one of {', '.join(known)}")
    command = parsed(config, lang)
    sheets = read(image, command, timeout)
    outputs = [_output(extension, sheets, command) for extension in extensions]
    return [
        data if return_bytes or extension in ("pdf", "hocr") else data.decode()
        for extension, data in zip(extensions, outputs, strict=True)
    ]


def get_languages(config: str = "") -> list[str]:
    """Tesseract's codes of the languages that a registered model reads; models that are not there are fetched."""
    from fastocr.models.opening import registry

    rows = [row for row in registry().models.values() if row.role == "rec"]
    return sorted(code for code, name in CODES.items() if any(row.covers(name) for row in rows))


def get_tesseract_version() -> Any:
    """A ``packaging.version.Version``: that of the Tesseract whose outputs these resemble, and ours behind a "+"."""
    try:
        from packaging.version import parse
    except ImportError as error:
        raise DependencyError("a version to compare with needs `pip install packaging`") from error
    return parse(f"{_FOLLOWS}+fastocr.{__version__}")


_BY_FORMAT = {"tsv": "tsv", "hocr": "hocr", "xml": "alto", "pdf": "pdf"}


def _output(extension: str, sheets: Sequence[Sheet], command: Command) -> bytes:
    if extension in _BY_FORMAT:
        return rendered(FORMATS[_BY_FORMAT[extension]], sheets, WriteOptions())
    if extension == "box":
        return "".join(_boxes(sheet.page, number) for number, sheet in enumerate(sheets)).encode()
    texts = (_spaced(sheet.page) if command.keeps_spaces else _text(sheet.page) for sheet in sheets)
    return "\f".join(texts).encode("utf-8", "replace")


def _text(page: Page) -> str:
    rows = [" ".join(filter(None, (page.lines[index].text for index in row))) for row in page.rows]
    paragraphs = ("".join(f"{rows[row]}\n" for row in paragraph if rows[row]) for paragraph in page.paragraphs)
    return "\n".join(filter(None, paragraphs))


def _spaced(page: Page) -> str:
    return f"{page.layout_text}\n" if page.layout_text else _text(page)


def _boxes(page: Page, number: int) -> str:
    pieces = (piece for line in page.lines for word in character_boxes(line) for piece in word)
    rows = []
    for character, quad in pieces:
        left, top, right, bottom = box([quad], page)
        rows.append(f"{character.text} {left} {page.height - bottom} {right} {page.height - top} {number}\n")
    return "".join(rows)


def _answer(
    output_type: str,
    text: str,
    as_dict: Callable[[], dict[str, Any]],
    as_frame: Callable[[], Any] | None = None,
) -> Any:
    answers: dict[str, Callable[[], Any]] = {
        Output.STRING: lambda: text,
        Output.BYTES: text.encode,
        Output.DICT: as_dict,
    }
    if as_frame is not None:
        answers[Output.DATAFRAME] = as_frame
    if output_type not in answers:
        raise ArgumentError(f"output_type must be one of {', '.join(answers)}, not {output_type!r}")
    return answers[output_type]()


def _columns(table: str, parting: str, text_column: str) -> dict[str, list[Any]]:
    """Columns by name, their values whole numbers but for the text's."""
    names, *rows = (row.split(parting) for row in table.removesuffix("\n").split("\n"))
    columns = zip(*rows, strict=True) if rows else ([] for _ in names)
    return {
        name: list(cells) if name == text_column else [int(float(cell)) for cell in cells]
        for name, cells in zip(names, columns, strict=True)
    }


def _frame(text: str, config: dict[str, Any] | None) -> Any:
    import csv

    try:
        import pandas
    except ImportError as error:
        raise DependencyError("Output.DATAFRAME needs pandas: pip install pandas") from error
    return pandas.read_csv(io.StringIO(text), **({"quoting": csv.QUOTE_NONE, "sep": "\t"} | (config or {})))
