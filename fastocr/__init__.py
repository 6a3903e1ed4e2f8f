"""Text from images, fast and right, on the CPU.

>>> from fastocr import OCR
>>> with OCR() as ocr:
...     print(ocr.read("photo.jpg").text)

The names below load what they need when they are first used: `import fastocr` alone loads no runtime.
"""

from __future__ import annotations

import importlib
import logging
from typing import TYPE_CHECKING

from fastocr._version import __version__

if TYPE_CHECKING:
    from fastocr import doctor as doctor
    from fastocr import errors as errors
    from fastocr.api import OCR as OCR
    from fastocr.config import Settings as Settings
    from fastocr.documents import Document as Document
    from fastocr.errors import FastocrError as FastocrError
    from fastocr.formats.files import write as write
    from fastocr.kernels import implementation as implementation
    from fastocr.many import ReadResult as ReadResult
    from fastocr.results import Character as Character
    from fastocr.results import Line as Line
    from fastocr.results import Page as Page
    from fastocr.results import Word as Word
    from fastocr.runtime.base import CancelToken as CancelToken
    from fastocr.stages.base import Reading as Reading

_MODULES = ("doctor", "errors")
_HOMES = {
    "OCR": "api",
    "CancelToken": "runtime.base",
    "Character": "results",
    "Document": "documents",
    "FastocrError": "errors",
    "Line": "results",
    "Page": "results",
    "ReadResult": "many",
    "Reading": "stages.base",
    "Settings": "config",
    "Word": "results",
    "implementation": "kernels",
    "write": "formats.files",
}

__all__ = [
    "OCR",
    "CancelToken",
    "Character",
    "Document",
    "FastocrError",
    "Line",
    "Page",
    "ReadResult",
    "Reading",
    "Settings",
    "Word",
    "__version__",
    "doctor",
    "errors",
    "implementation",
    "write",
]

logging.getLogger(__name__).addHandler(logging.NullHandler())


def __getattr__(name: str) -> object:
    if name in _MODULES:
        return importlib.import_module(f"fastocr.{name}")
    if name not in _HOMES:
        raise AttributeError(f"module 'fastocr' has no attribute {name!r}")
    return getattr(importlib.import_module(f"fastocr.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return sorted(__all__)
