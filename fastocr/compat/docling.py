"""An OCR engine for docling, which finds it by its entry point where both are installed:

    PdfPipelineOptions(ocr_options=FastocrOptions(lang=["en", "de"]), allow_external_plugins=True)

``FastocrOptions`` is an attribute of this module that is made when it is asked for, since docling is loaded with it.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from fastocr._version import DISTRIBUTION
from fastocr.errors import DependencyError
from fastocr.results import Line

if TYPE_CHECKING:
    from fastocr.api import OCR

__all__ = ["ocr_engines"]


def ocr_engines() -> dict[str, Any]:
    """What docling asks of a plugin for OCR."""
    return {"ocr_engines": [_classes()["FastocrModel"]]}


def __getattr__(name: str) -> Any:
    if name in ("FastocrModel", "FastocrOptions"):
        return _classes()[name]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


@functools.cache
def _classes() -> dict[str, type]:
    """The classes that stand on docling's own."""
    try:
        from docling.datamodel.pipeline_options import OcrOptions
        from docling.models.base_ocr_model import BaseOcrModel
    except ImportError as error:
        raise DependencyError(f"the plugin of {DISTRIBUTION} needs docling ({error}): pip install docling") from error

    options = type(
        "FastocrOptions",
        (OcrOptions,),
        {
            "__doc__": "lang: languages as `fastocr.OCR` takes them; none for the default models as they are.",
            "__module__": __name__,
            "__annotations__": {"lang": list[str]},
            "kind": "fastocr",
            "canonicalize_lang": False,
            "lang": [],
        },
    )
    model = type("FastocrModel", (_Model, BaseOcrModel), {"__module__": __name__, "options_type": options})
    return {"FastocrOptions": options, "FastocrModel": model}


class _Model:
    """Reads what docling's layout asks for, and gives it lines as cells."""

    options_type: type

    def __init__(self, *, enabled: bool, artifacts_path: Any, options: Any, accelerator_options: Any) -> None:
        super().__init__(  # type: ignore[call-arg]
            enabled=enabled, artifacts_path=artifacts_path, options=options, accelerator_options=accelerator_options
        )
        self._ocr = _made(tuple(options.lang)) if enabled else None

    @classmethod
    def get_options_type(cls) -> type:
        return cls.options_type

    def __call__(self: Any, conv_res: Any, page_batch: Iterable[Any]) -> Iterator[Any]:
        from docling.utils.profiling import TimeRecorder

        for page in page_batch:
            if self.enabled and page._backend.is_valid():
                with TimeRecorder(conv_res, "ocr"):
                    cells: list[Any] = []
                    for rect in self.get_ocr_rects(page):
                        if rect.area():
                            cells.extend(self._cells(page, rect, len(cells)))
                    self.post_process_cells(cells, page, conv_res)
            yield page

    def _cells(self: Any, page: Any, rect: Any, first: int) -> Iterator[Any]:
        """The lines within a part of the page, numbered from ``first``."""
        scale = self.options.scale
        picture = page._backend.get_page_image(scale=scale, cropbox=rect).convert("RGB")
        read = self._ocr.read(np.ascontiguousarray(np.asarray(picture)[:, :, ::-1]))
        for index, line in enumerate((line for line in read.lines if line.text), first):
            yield _cell(line, index, scale, rect)


def _cell(line: Line, index: int, scale: float, rect: Any) -> Any:
    """docling's form of a line: in points from the page's top left corner, the corners from the text's bottom left."""
    from docling_core.types.doc import CoordOrigin
    from docling_core.types.doc.page import BoundingRectangle, TextCell

    places = [((x + 0.5) / scale + rect.l, (y + 0.5) / scale + rect.t) for x, y in line.quad]
    (x3, y3), (x2, y2), (x1, y1), (x0, y0) = places
    return TextCell(
        index=index,
        text=line.text,
        orig=line.text,
        confidence=line.confidence,
        from_ocr=True,
        rect=BoundingRectangle(
            r_x0=x0, r_y0=y0, r_x1=x1, r_y1=y1, r_x2=x2, r_y2=y2, r_x3=x3, r_y3=y3, coord_origin=CoordOrigin.TOPLEFT
        ),
    )


@functools.lru_cache(maxsize=1)
def _made(languages: tuple[str, ...]) -> OCR:
    from fastocr.api import OCR

    return OCR(lang=list(languages) or None)
