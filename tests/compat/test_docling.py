"""The OCR engine for docling: found by its entry point, and reading a page of docling's own."""

from __future__ import annotations

import tomllib
from importlib.metadata import EntryPoint
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from fastocr.compat import docling as plugin

REPOSITORY = Path(__file__).resolve().parents[2]
ENTRY = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))["project"]["entry-points"]["docling"]


def test_the_entry_point_leads_to_the_plugin() -> None:
    ((name, value),) = ENTRY.items()
    assert EntryPoint(name, value, "docling").load() is plugin


@pytest.fixture
def docling() -> Any:
    return pytest.importorskip("docling", reason="needs docling, which brings PyTorch: pip install docling")


@pytest.mark.usefixtures("docling")
def test_docling_makes_the_engine_from_its_options() -> None:
    from docling.models.base_ocr_model import BaseOcrModel
    from docling.models.factories.ocr_factory import OcrFactory

    factory = OcrFactory()
    factory.process_plugin(plugin.ocr_engines(), plugin_name="fastocr", plugin_module_name=plugin.__name__)
    options = factory.create_options("fastocr", lang=["en"])
    assert isinstance(options, plugin.FastocrOptions)
    engine = factory.create_instance(options, enabled=False, artifacts_path=None, accelerator_options=None)
    assert isinstance(engine, BaseOcrModel)
    assert list(engine(None, ["page"])) == ["page"], "switched off, it hands pages on"


@pytest.mark.models
@pytest.mark.usefixtures("docling")
def test_a_scanned_page_gets_its_lines(draw: ModuleType, tmp_path: Path) -> None:
    from docling.backend.pypdfium2_backend import PyPdfiumDocumentBackend
    from docling.datamodel.base_models import InputFormat, Page
    from docling.datamodel.document import ConversionResult, InputDocument
    from docling.datamodel.pipeline_options import OcrMode

    lines = ["Harbour dues are payable", "in advance, see table 7."]
    path = tmp_path / "scan.pdf"
    draw.text_page(lines, 40, width=1000).save(path, resolution=150)
    document = InputDocument(
        path_or_stream=path, format=InputFormat.PDF, backend=PyPdfiumDocumentBackend, filename="scan.pdf"
    )
    page = Page(page_no=1)
    page._backend = document._backend.load_page(0)
    page.size = page._backend.get_size()
    page.parsed_page = page._backend.get_segmented_page()
    engine = plugin.FastocrModel(
        enabled=True,
        artifacts_path=None,
        options=plugin.FastocrOptions(lang=["en"], mode=OcrMode.FULL_PAGE),
        accelerator_options=None,
    )
    (read,) = engine(ConversionResult(input=document), [page])
    cells = read.parsed_page.textline_cells
    assert [cell.text for cell in cells] == lines
    for row, cell in enumerate(cells):
        box = cell.rect.to_bounding_box().to_top_left_origin(page.size.height)
        # 20 pixels from the left, 64 from line to line, at 150 of them an inch; detected boxes stand off the ink.
        assert box.l == pytest.approx(20 * 0.48, abs=7)
        assert box.t == pytest.approx((20 + 64 * row) * 0.48, abs=7)
        assert cell.from_ocr
